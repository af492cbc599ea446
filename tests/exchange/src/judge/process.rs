//! The program on trial: its process, with all that it starts, and its output.

use std::io::{self, Write};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::Belief;

/// The time that a program has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// The interval at which it is looked whether the program has sent as many requests as it may.
const LOOK: Duration = Duration::from_millis(20);

/// A running program. It ends when it is dropped.
pub(super) struct Process {
    child: Child,
    /// The process group, which is also the id of the process.
    group: Option<i32>,
    beliefs: JoinHandle<Vec<Belief>>,
    program: String,
}

/// The way in which a program ended.
pub(super) struct ProgramEnd {
    /// In words, behind *The program*.
    pub(super) how: String,
    /// True if it was ended because its time was over.
    pub(super) is_out_of_time: bool,
}

impl Process {
    /// Starts a program in a process group of its own. Its output is shown on the standard error, unless it is `quiet`.
    pub(super) fn start(
        program: &[String],
        variables: impl Iterator<Item = (String, String)>,
        quiet: bool,
    ) -> io::Result<Self> {
        let (name, arguments) = program.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
        let mut command = Command::new(name);
        command.args(arguments).envs(variables).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        command.stderr(if quiet { Stdio::null() } else { Stdio::inherit() });
        #[cfg(unix)]
        command.process_group(0);
        let mut child =
            command.spawn().map_err(|error| io::Error::new(error.kind(), format!("cannot start {name}: {error}")))?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("the program has no output"))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        Ok(Self { child, group, beliefs: tokio::spawn(read(output, quiet)), program: name.clone() })
    }

    /// Waits until the program ends, and ends it after `time` or as soon as it has done enough. Returns how it ended, and
    /// what it believes.
    pub(super) async fn end_within(
        mut self,
        time: Duration,
        has_done_enough: impl Fn() -> bool,
    ) -> io::Result<(ProgramEnd, Vec<Belief>)> {
        let mut is_out_of_time = false;
        let enough = async {
            while !has_done_enough() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let how = tokio::select! {
            status = self.child.wait() => format!("ended by itself, {}", shown(status?)),
            () = tokio::time::sleep(time) => {
                is_out_of_time = true;
                self.stop(&format!("was ended after {} s", time.as_secs())).await?
            }
            () = enough => self.stop("was ended after its last request").await?,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                self.stop("was interrupted").await?
            }
        };
        self.signal(true);
        let beliefs = self.beliefs.await.map_err(|error| io::Error::other(format!("{}: {error}", self.program)))?;
        Ok((ProgramEnd { how, is_out_of_time }, beliefs))
    }

    /// Asks the program to end, and ends it after a while.
    async fn stop(&mut self, why: &str) -> io::Result<String> {
        self.signal(false);
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.signal(true);
            self.child.kill().await?;
        }
        Ok(why.to_owned())
    }

    /// Asks the program, and all that it has started, to end, or ends them.
    fn signal(&mut self, at_once: bool) {
        #[cfg(unix)]
        self.signal_group(at_once);
        #[cfg(not(unix))]
        if at_once {
            // There may be nothing left to end.
            let _ = self.child.start_kill();
        }
    }

    #[cfg(unix)]
    fn signal_group(&self, at_once: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if at_once { Signal::KILL } else { Signal::TERM };
        if let Some(group) = self.group.and_then(Pid::from_raw) {
            // There may be nothing left to end.
            let _ = kill_process_group(group, signal);
        }
    }
}

fn shown(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("with status {code}"))
}

/// Reads the lines of the program's output, shows them, and returns the beliefs among them.
async fn read(output: impl AsyncRead + Unpin, quiet: bool) -> Vec<Belief> {
    let (mut output, mut line, mut beliefs) = (BufReader::new(output), Vec::new(), Vec::new());
    while output.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(&line);
        beliefs.extend(Belief::of(text.trim()));
        if !quiet {
            // If it cannot be shown, nobody reads it.
            let _ = io::stderr().write_all(text.as_bytes());
        }
        line.clear();
    }
    beliefs
}
