//! A clock that all processes of a machine read, and that nobody sets.
//!
//! On Linux it is the time since the machine was started, in hundredths of a second; elsewhere the wall clock as it was when
//! the process started. Either is read once: from then on, the time goes on by the monotonic clock of the process.

use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxBuildHasher;

/// The time of the machine, which a process knows as of its own clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineClock {
    /// A number that differs for each start of the machine.
    pub(super) boot: u64,
    /// The time of the machine when the clock of the process showed `read_at`.
    time: Duration,
    read_at: Duration,
}

impl MachineClock {
    /// The most by which the clocks of two processes can differ.
    pub(crate) const ERROR: Duration = Duration::from_millis(10);

    /// Reads the clock of the machine while that of the process shows `now`.
    pub(super) fn read(now: Duration) -> Self {
        let (boot, time) = since_start().unwrap_or_else(|| {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH);
            (1, wall.unwrap_or_default())
        });
        Self { boot, time, read_at: now }
    }

    #[cfg(test)]
    pub(crate) fn new(boot: u64, time: Duration, read_at: Duration) -> Self {
        Self { boot, time, read_at }
    }

    /// Returns the time of the machine, in microseconds, when the clock of the process shows `now`.
    pub(super) fn at(&self, now: Duration) -> u64 {
        let time = self.time.saturating_add(now.saturating_sub(self.read_at));
        u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
    }
}

/// Returns a number of the start of the machine, and the time since then, if the system tells both.
fn since_start() -> Option<(u64, Duration)> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let mut hasher = FxBuildHasher.build_hasher();
    hasher.write(id.as_bytes());
    Some((hasher.finish().max(1), Duration::try_from_secs_f64(seconds).ok()?))
}
