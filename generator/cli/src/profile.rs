//! Addresses and keys: from the environment, or from a file that only its owner can read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fmt};

use zeroize::Zeroizing;

use crate::table::Program;

/// The end of the name of a profile's file.
const SUFFIX: &str = "env";
/// The profile that a local exchange writes.
pub(crate) const LOCAL: &str = "local";

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
    /// Reads the profile `name`, which is a path if it has a separator.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, if others than its owner can read it, or if a line is not `NAME=VALUE`.
    pub(crate) fn read(program: &Program, name: &str) -> Result<Self, String> {
        let path = match name.contains(std::path::is_separator) {
            true => PathBuf::from(name),
            false => folder(program)?.join(format!("{name}.{SUFFIX}")),
        };
        let failed = |why: String| match name {
            LOCAL if !path.exists() => format!("{}: {why}; start the local exchange, which writes it", path.display()),
            _ => format!("the profile {}: {why}", path.display()),
        };
        let text = text(&path).map_err(failed)?;
        let variables = variables(&text).map_err(|line| failed(format!("line {line} is not NAME=VALUE")))?;
        Ok(Self::File { path, variables })
    }

    /// The value of a variable, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<Zeroizing<String>> {
        let value = match self {
            Self::Environment => env::var(name).ok().map(Zeroizing::new),
            Self::File { variables, .. } => {
                variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
            }
        };
        value.filter(|value| !value.is_empty())
    }

    /// That a variable is missing.
    pub(crate) fn lacks(&self, name: &str) -> String {
        match self {
            Self::Environment => format!("the variable {name} is not set; export it, or use --profile or --local"),
            Self::File { path, .. } => format!("the profile {} does not set {name}", path.display()),
        }
    }
}

/// The folder with the profiles.
fn folder(program: &Program) -> Result<PathBuf, String> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = format!("{}_PROFILES", program.prefix());
    variable(&own)
        .or_else(|| Some(variable("HOME")?.join(".config").join(program.name)))
        .ok_or_else(|| format!("no folder for profiles is known; set {own}"))
}

/// The text of a file that only its owner can read.
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

/// The variables of lines such as `export NAME=VALUE`, or the number of the first line that is none.
fn variables(text: &str) -> Result<Vec<(String, Zeroizing<String>)>, usize> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
            let (name, value) = line.split_once('=').ok_or(at + 1)?;
            let quoted = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
            let value = quoted('\'').or_else(|| quoted('"')).unwrap_or(value);
            Ok((name.trim_end().to_owned(), Zeroizing::new(value.to_owned())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_the_lines_that_a_shell_reads() {
        let read = variables("# keys\n\nexport A=1\n B='x y'\nC=\"z=\"\n").unwrap_or_default();
        let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(read, [("A", "1"), ("B", "x y"), ("C", "z=")]);
        assert_eq!(variables("A=1\nsecret").err(), Some(2));
    }
}
