//! The profile of the running exchange, a file by which `tradeapi --local` finds it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::PathBuf;
use std::{env, process};

/// The profile. The file is removed at the end, unless somebody has replaced it.
pub(crate) struct LocalProfile {
    path: PathBuf,
    lines: String,
    /// Held as long as the exchange runs, however it ends.
    _lock: File,
}

impl LocalProfile {
    /// Writes the file into `TRADEAPI_PROFILES` or `~/.config/tradeapi`; `None` if neither is known.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or is that of another exchange that is running: whoever trades there must not find
    /// this one in its place.
    pub(crate) fn write(lines: &str) -> io::Result<Option<Self>> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own = variable("TRADEAPI_PROFILES");
        let Some(folder) = own.or_else(|| Some(variable("HOME")?.join(".config/tradeapi"))) else { return Ok(None) };
        fs::create_dir_all(&folder)?;
        let lock = locked(folder.join(".local.lock"))?;
        let path = folder.join("local.env");
        let draft = folder.join(format!(".local.env.{}", process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&draft).and_then(|mut file| file.write_all(lines.as_bytes()));
        if let Err(error) = written.and_then(|()| fs::rename(&draft, &path)) {
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        Ok(Some(Self { path, lines: lines.to_owned(), _lock: lock }))
    }
}

/// Returns the file that a running exchange holds a lock on. It stays, because another process may be about to lock it.
fn locked(path: PathBuf) -> io::Result<File> {
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another exchange is running, and the profile is that of it"))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

impl Drop for LocalProfile {
    fn drop(&mut self) {
        if fs::read_to_string(&self.path).is_ok_and(|lines| lines == self.lines) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
