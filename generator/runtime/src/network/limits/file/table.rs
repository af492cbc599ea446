//! The file of one window: until when each of its places is taken.
//!
//! The file has numbers of eight bytes: a mark of the format, the start of the machine, the time, until when the window is
//! shut, and until when each place is taken, in microseconds. It is locked while a process reads, decides and writes. A
//! process that is killed meanwhile loses the lock with its life. It wrote each number or not, and sends nothing; a place
//! that it took is free again when its lease ends.
//!
//! The time is that of the [`MachineClock`], and never goes back: where that clock is behind what is written, the time goes
//! on from there by the clock of each process. The numbers of a machine that was started again continue
//! where they were, because nobody knows for how long it was off.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxBuildHasher;

/// The first bytes of a file.
const MARK: u64 = u64::from_le_bytes(*b"limits 1");

/// The numbers before those of places.
const HEADER: usize = 4;

/// The number of times that a lock of another process is tried at once. A process has it for microseconds, unless it is
/// stopped.
const TRIES: u32 = 100;

/// The reason why the file was not used.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Another process has it locked.
    Busy,
    Failed(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// The file of a window.
#[derive(Debug)]
pub(super) struct Table {
    file: File,
    places: usize,
    /// The longest time for which a place can be taken.
    horizon: Duration,
    clock: MachineClock,
    /// The time of the file when this process last had it, and when that was by its own clock.
    last: (u64, Duration),
    /// The ends of calls that are not in the file yet.
    reports: Vec<Report>,
    bytes: Vec<u8>,
    numbers: Vec<u64>,
    /// The number of numbers to write.
    changed: usize,
}

/// The place of a call, until when it was taken for it, and when it is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) place: usize,
    pub(super) was: u64,
    /// By the clock of this process; `None` if it is free now.
    pub(super) free_at: Option<Duration>,
}

/// The file while this process has locked it.
pub(super) struct Locked<'a> {
    table: &'a mut Table,
    /// The time of the file.
    pub(super) now: u64,
    at: Duration,
}

impl Table {
    pub(super) fn open(path: &Path, places: usize, horizon: Duration, clock: MachineClock) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let (bytes, numbers) = (Vec::new(), Vec::new());
        Ok(Self {
            file,
            places,
            horizon,
            clock,
            last: (0, Duration::ZERO),
            reports: Vec::new(),
            bytes,
            numbers,
            changed: 0,
        })
    }

    /// Adds the end of a call. It is in the file when the next one who locks it here is done.
    pub(super) fn report(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Locks and reads the file.
    pub(super) fn lock(&mut self, at: Duration) -> Result<Locked<'_>, Trouble> {
        self.try_lock()?;
        match self.read(at) {
            Ok(now) => {
                let mut locked = Locked { table: self, now, at };
                locked.repair();
                locked.apply_reports();
                Ok(locked)
            }
            Err(error) => {
                let _ = self.file.unlock();
                Err(error.into())
            }
        }
    }

    fn try_lock(&self) -> Result<(), Trouble> {
        for _ in 0..TRIES {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => thread::yield_now(),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        Err(Trouble::Busy)
    }

    /// Reads the numbers, and returns the time.
    fn read(&mut self, at: Duration) -> io::Result<u64> {
        self.bytes.clear();
        self.file.seek(SeekFrom::Start(0))?;
        let has_all = HEADER + self.places;
        let most = u64::try_from(has_all * size_of::<u64>()).unwrap_or(u64::MAX);
        (&self.file).take(most).read_to_end(&mut self.bytes)?;
        self.numbers.clear();
        self.numbers.extend(self.bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)));
        self.changed = 0;
        if self.numbers.len() < has_all {
            // It is new, or its process was killed before it had all of it.
            self.numbers.resize(has_all, 0);
            self.changed = has_all;
        }
        match self.numbers[0] {
            MARK => {}
            0 => self.numbers[0] = MARK,
            _ => return Err(io::Error::other("it is not a file of rate limits")),
        }
        let now = self.clock.at(at);
        if self.numbers[1] != self.clock.boot {
            let passed = now.wrapping_sub(self.numbers[2]);
            self.numbers[1..].iter_mut().skip(1).filter(|number| **number > 0).for_each(|number| {
                *number = number.wrapping_add(passed);
            });
            self.numbers[1] = self.clock.boot;
            self.changed = has_all;
        }
        // Where the machine's clock was set back, or the number is damaged, the time goes on from what is written.
        let (time, had_at) = self.last;
        let goes_on = time.saturating_add(micros(at.saturating_sub(had_at)));
        self.numbers[2] = self.numbers[2].max(now).max(if time > 0 { goes_on } else { 0 });
        self.last = (self.numbers[2], at);
        Ok(self.numbers[2])
    }

    fn write(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.extend(self.numbers[..self.changed].iter().flat_map(|number| number.to_le_bytes()));
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.bytes)
    }
}

impl Locked<'_> {
    /// Returns from when on `count` places are free, if nothing changes.
    pub(super) fn free_at(&self, count: usize) -> u64 {
        let mut until = self.table.numbers[HEADER..HEADER + self.table.places].to_vec();
        let free = until.iter().filter(|until| **until <= self.now).count();
        let free_at = match count.checked_sub(1) {
            Some(last) if free < count && last < until.len() => *until.select_nth_unstable(last).1,
            _ => self.now,
        };
        free_at.max(self.table.numbers[3])
    }

    /// Takes a free place until then. Returns which; `None` if there is none.
    pub(super) fn take(&mut self, until: u64) -> Option<usize> {
        let now = self.now;
        let place = self.table.numbers[HEADER..].iter().position(|taken| *taken <= now)?;
        self.set(place, until);
        Some(place)
    }

    /// Admits no call before then.
    pub(super) fn shut(&mut self, until: u64) {
        self.table.numbers[3] = self.table.numbers[3].max(until);
        self.table.changed = self.table.changed.max(HEADER);
    }

    /// Returns the time after some more has passed.
    pub(super) fn later(&self, length: Duration) -> u64 {
        self.now.saturating_add(micros(length))
    }

    fn set(&mut self, place: usize, until: u64) {
        self.table.numbers[HEADER + place] = until;
        self.table.changed = self.table.changed.max(HEADER + place + 1);
    }

    /// Bounds what is too far ahead, because it was never whole or is of another clock.
    fn repair(&mut self) {
        if self.table.numbers[3] > self.later(LONGEST_SHUT) {
            self.table.numbers[3] = 0;
            self.table.changed = self.table.changed.max(HEADER);
        }
        let latest = self.later(self.table.horizon);
        for place in 0..self.table.places {
            if self.table.numbers[HEADER + place] > latest {
                self.set(place, latest);
            }
        }
    }

    /// Applies the ends of calls.
    fn apply_reports(&mut self) {
        for Report { place, was, free_at } in std::mem::take(&mut self.table.reports) {
            let until = match free_at {
                Some(at) if at >= self.at => self.later(at - self.at),
                Some(at) => self.now.saturating_sub(micros(self.at - at)),
                None => 0,
            };
            self.apply(place, was, until);
        }
    }

    fn apply(&mut self, place: usize, was: u64, until: u64) {
        let places = &self.table.numbers[HEADER..HEADER + self.table.places];
        if places.get(place) == Some(&was) {
            return self.set(place, until);
        }
        // The lease has ended, and another call may have the place: this one takes the place that is free first.
        let first = (0..places.len()).min_by_key(|place| places[*place]);
        if let Some(place) = first.filter(|place| places[*place] < until) {
            self.set(place, until);
        }
    }

    /// Writes what has changed, if anything, and unlocks the file.
    pub(super) fn store(self) -> io::Result<()> {
        if self.table.changed == 0 { Ok(()) } else { self.table.write() }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // The lock ends with the process at the latest.
        let _ = self.table.file.unlock();
    }
}

/// The longest time for which anything can be shut.
const LONGEST_SHUT: Duration = Duration::from_secs(3600);

pub(super) fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}

/// A clock that all processes of a machine read, and that nobody sets.
///
/// On Linux it is the time since the machine was started, in hundredths of a second; elsewhere the wall clock as it was when
/// the process started. Either is read once: from then on, the time goes on by the monotonic clock of the process.
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
