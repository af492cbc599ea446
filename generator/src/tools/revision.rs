//! A folder, of a schema or of documents, as of a revision of its git repository.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::compiler::diagnostics::{Code, Diagnostics};

/// The reason why a revision cannot be read, and how to proceed.
struct Refusal {
    why: String,
    help: &'static str,
}

/// Copies the files of the folder as of the revision into a temporary folder.
pub(crate) fn copy(folder: &Path, revision: &str) -> Result<TempDir, Diagnostics> {
    try_copy(folder, revision).map_err(|refusal| {
        let mut to = Diagnostics::default();
        to.whole(Code::NoRevision, refusal.why).help(refusal.help);
        to
    })
}

fn try_copy(folder: &Path, revision: &str) -> Result<TempDir, Refusal> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(refuse(format!("{shown} is not a folder"), "name the folder that holds api.yaml with `--schema`"));
    }
    git(folder, ["rev-parse", "--show-toplevel"], "name a folder that is in a git repository")?;
    let commit = format!("{revision}^{{commit}}");
    let resolve = ["rev-parse", "--verify", "--quiet", "--end-of-options", commit.as_str()];
    let commit = git(folder, resolve, "").map_err(|_| {
        refuse(
            format!("the repository of {shown} has no revision `{revision}`"),
            "name a commit, a tag or a branch that exists; `git fetch --tags` brings those of the remote",
        )
    })?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let names = git(folder, ["ls-tree", "-r", "-z", "--name-only", &commit, "."], "correct what git reports")?;
    let names: Vec<_> = names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        let help = "name a revision that has it, or compare two folders: `tradeapi-gen diff OLD NEW`";
        return Err(refuse(format!("{shown} does not exist at revision `{revision}`"), help));
    }
    let copy = tempfile::tempdir().map_err(|error| cannot_write(&error))?;
    for name in names {
        let name = String::from_utf8_lossy(name);
        let bytes = git(folder, ["show", &format!("{commit}:./{name}")], "correct what git reports")?;
        write(&copy.path().join(&*name), &bytes).map_err(|error| cannot_write(&error))?;
    }
    Ok(copy)
}

fn refuse(why: String, help: &'static str) -> Refusal {
    Refusal { why, help }
}

fn cannot_write(error: &std::io::Error) -> Refusal {
    refuse(
        format!("the files of the revision cannot be written: {error}"),
        "check that the temporary folder is writable and has room",
    )
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, bytes)
}

/// Returns the output of git when run in a folder.
fn git<A: AsRef<OsStr>>(
    folder: &Path,
    arguments: impl IntoIterator<Item = A>,
    help: &'static str,
) -> Result<Vec<u8>, Refusal> {
    let output = Command::new("git").current_dir(folder).args(arguments).stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| refuse(format!("git cannot be run: {error}"), "install git, or compare two folders"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
    Err(refuse(format!("git cannot read {}: {reason}", folder.display()), help))
}
