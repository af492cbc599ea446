//! Addresses and keys: from the environment, or from a file that only its owner can read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fmt};

use clap::ArgMatches;
use zeroize::Zeroizing;

use crate::options;
use crate::table::Program;

/// The end of the name of a profile's file.
const SUFFIX: &str = "env";
/// The profile that a local exchange writes.
const LOCAL: &str = "local";

/// The variables of a profile: the lines of a file, or the environment.
pub(crate) enum Profile {
    Environment,
    File { path: PathBuf, variables: Vec<(String, Zeroizing<String>)> },
}

/// The values are secrets.
impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("Environment"),
            Self::File { path, .. } => f.debug_struct("File").field("path", path).finish_non_exhaustive(),
        }
    }
}

impl Profile {
    /// Reads the profile that the options name, or takes the environment.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or is not a profile.
    pub(crate) fn of(program: &Program, options: &ArgMatches) -> Result<Self, String> {
        match options.get_one::<String>(options::PROFILE) {
            Some(name) => Self::read(program, name),
            None if options.get_flag(options::LOCAL) => Self::read(program, LOCAL),
            None => Ok(Self::Environment),
        }
    }

    /// Reads the profile `name`, which is a path if it has a separator.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, if others than its owner can read it, if a line is not `NAME=VALUE`, or if two
    /// lines set one variable.
    fn read(program: &Program, name: &str) -> Result<Self, String> {
        let path = match name.contains(std::path::is_separator) {
            true => PathBuf::from(name),
            false => folder(program)?.join(format!("{name}.{SUFFIX}")),
        };
        let failed = |why: String| match name {
            LOCAL if !path.exists() => format!("{}: {why}; start the local exchange, which writes it", path.display()),
            _ => format!("the profile {}: {why}", path.display()),
        };
        let text = text(&path).map_err(failed)?;
        let variables = variables(&text).map_err(failed)?;
        Ok(Self::File { path, variables })
    }

    /// Returns the value of a variable, unless it is empty or blank.
    pub(crate) fn get(&self, name: &str) -> Option<Zeroizing<String>> {
        self.given(name).filter(|value| !value.trim().is_empty())
    }

    /// Returns the value of a variable that may be left out, but not be empty or blank: another variable that was to
    /// give it its value had none.
    ///
    /// # Errors
    ///
    /// Fails if it is empty or blank.
    pub(crate) fn stated(&self, name: &str) -> Result<Option<Zeroizing<String>>, String> {
        match self.given(name) {
            Some(value) if value.trim().is_empty() => Err(is_empty(name)),
            value => Ok(value),
        }
    }

    fn given(&self, name: &str) -> Option<Zeroizing<String>> {
        match self {
            Self::Environment => env::var_os(name).map(|value| Zeroizing::new(value.to_string_lossy().into_owned())),
            Self::File { variables, .. } => {
                variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
            }
        }
    }

    /// Says that a variable is missing.
    pub(crate) fn lacks(&self, name: &str) -> String {
        match self {
            Self::Environment => format!("the variable {name} is not set; export it, or use --profile or --local"),
            Self::File { path, .. } => format!("the profile {} does not set {name}", path.display()),
        }
    }
}

/// Returns the folder with the profiles.
fn folder(program: &Program) -> Result<PathBuf, String> {
    let own = format!("{}_PROFILES", program.prefix());
    // Profiles of the same name in the usual folder may be those of another market.
    if let Some(folder) = env::var_os(&own) {
        let is_blank = folder.to_string_lossy().trim().is_empty();
        return if is_blank { Err(is_empty(&own)) } else { Ok(PathBuf::from(folder)) };
    }
    let home = env::var_os("HOME").filter(|home| !home.is_empty());
    let home = home.ok_or_else(|| format!("no folder for profiles is known; set {own}"))?;
    Ok(PathBuf::from(home).join(".config").join(program.name))
}

/// Says that a variable has no value although it is there.
fn is_empty(name: &str) -> String {
    format!("the variable {name} is empty; give it a value, or leave it out")
}

/// Returns the text of a file that only its owner can read.
fn text(path: &Path) -> Result<Zeroizing<String>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    check_owner(&file)?;
    let mut text = Zeroizing::new(String::new());
    file.read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[cfg(unix)]
fn check_owner(file: &File) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(format!("others can read or write it (mode {:o}); chmod 600 it", mode & 0o777)),
    }
}

#[cfg(not(unix))]
fn check_owner(_file: &File) -> Result<(), String> {
    Err("who can read a file is not known on this system; use variables of the environment".to_owned())
}

/// Returns the variables of lines such as `export NAME=VALUE`, or what is wrong with a line.
fn variables(text: &str) -> Result<Vec<(String, Zeroizing<String>)>, String> {
    // Some editors begin a file with a byte-order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables: Vec<(String, Zeroizing<String>)> = Vec::new();
    for (at, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
        let (name, value) = line.split_once('=').ok_or_else(|| format!("line {} is not NAME=VALUE", at + 1))?;
        let name = name.trim_end();
        // A shell takes the last, and whoever reads the file perhaps the first.
        if variables.iter().any(|(other, _)| other == name) {
            return Err(format!("line {} sets {name} again; leave out all but one", at + 1));
        }
        let quoted = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
        let value = quoted('\'').or_else(|| quoted('"')).unwrap_or(value);
        variables.push((name.to_owned(), Zeroizing::new(value.to_owned())));
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_the_lines_that_a_shell_reads() {
        let read = variables("\u{feff}# keys\n\nexport A=1\n B='x y'\nC=\"z=\"\n").unwrap_or_default();
        let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(read, [("A", "1"), ("B", "x y"), ("C", "z=")]);
        assert_eq!(variables("A=1\nsecret").err(), Some("line 2 is not NAME=VALUE".to_owned()));
        let twice = variables("A=1\n\nexport A=secret").err();
        assert_eq!(twice, Some("line 3 sets A again; leave out all but one".to_owned()));
    }
}
