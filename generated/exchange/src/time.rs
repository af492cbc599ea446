//! The clock of an exchange: the system's, a faster one, or one that is moved by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime};

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, Timer};

/// The beginning of a clock that is moved by hand: 2026-01-01, 00:00 UTC.
const BEGINNING: u64 = 1_767_225_600_000;

/// The time of an exchange. Clones share it.
///
/// A client of an exchange in the same process uses it as its clock and as its timer, so that its pauses end when the
/// time is advanced.
#[derive(Clone, Debug)]
pub struct Time(Arc<Mutex<Moment>>);

#[derive(Debug)]
struct Moment {
    /// Where a clock that runs began, and how fast it runs; one that is moved by hand does not run.
    runs: Option<(Instant, u32)>,
    /// The speed at the beginning, if it ran.
    speed: Option<u32>,
    /// The time at the beginning, and by how much it was advanced.
    begun: u64,
    advanced: Duration,
    wakers: BTreeMap<(Duration, u64), Waker>,
    count: u64,
}

impl Moment {
    /// The time since the beginning.
    fn passed(&self) -> Duration {
        let ran = self.runs.map_or(Duration::ZERO, |(since, speed)| since.elapsed().saturating_mul(speed));
        ran.saturating_add(self.advanced)
    }
}

impl Time {
    /// A clock that stands still until it is advanced. It begins with the year 2026.
    pub fn by_hand() -> Self {
        Self::of(None, BEGINNING)
    }

    /// The system's clock, `speed` times as fast from now on.
    pub fn running(speed: u32) -> Self {
        Self::of(Some((Instant::now(), speed.max(1))), system_time())
    }

    fn of(runs: Option<(Instant, u32)>, begun: u64) -> Self {
        let (speed, advanced, wakers) = (runs.map(|(_, speed)| speed), Duration::ZERO, BTreeMap::new());
        Self(Arc::new(Mutex::new(Moment { runs, speed, begun, advanced, wakers, count: 0 })))
    }

    /// Advances the time, and wakes tasks that wait for a moment in between.
    pub fn advance(&self, step: Duration) {
        let mut moment = self.moment();
        moment.advanced = moment.advanced.saturating_add(step);
        let end = moment.passed().saturating_add(Duration::from_nanos(1));
        let later = moment.wakers.split_off(&(end, 0));
        let due = std::mem::replace(&mut moment.wakers, later);
        drop(moment);
        due.into_values().for_each(Waker::wake);
    }

    /// How many times as fast as the system's clock it runs; zero if it stands still.
    pub fn speed(&self) -> u32 {
        self.moment().runs.map_or(0, |(_, speed)| speed)
    }

    /// From now on it runs `speed` times as fast as the system's clock, or stands still if that is zero.
    pub fn set_speed(&self, speed: u32) {
        let mut moment = self.moment();
        moment.advanced = moment.passed();
        moment.runs = (speed > 0).then(|| (Instant::now(), speed));
    }

    /// Shows the system's time again and runs as at the beginning, unless it was moved by hand from there on. Timers do
    /// not notice.
    pub(crate) fn set_right(&self) {
        let mut moment = self.moment();
        let Some(speed) = moment.speed else { return };
        moment.advanced = moment.passed();
        moment.runs = Some((Instant::now(), speed));
        moment.begun = system_time().saturating_sub(u64::try_from(moment.advanced.as_millis()).unwrap_or(u64::MAX));
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        let moment = self.moment();
        let passed = u64::try_from(moment.passed().as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_millis(moment.begun.saturating_add(passed))
    }

    fn moment(&self) -> MutexGuard<'_, Moment> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The system's time, in Unix milliseconds.
fn system_time() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(BEGINNING)
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        self.now()
    }
}

impl Timer for Time {
    fn now(&self) -> Duration {
        self.moment().passed()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        let mut moment = self.moment();
        moment.count += 1;
        let count = moment.count;
        moment.wakers.insert((at, count), waker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_until_it_is_advanced() {
        let time = Time::by_hand();
        let before = time.now();
        time.clone().advance(Duration::from_millis(1500));
        assert_eq!(time.now().as_millis() - before.as_millis(), 1500);
        assert_eq!(Timer::now(&time), Duration::from_millis(1500));
    }

    #[test]
    fn a_clock_that_is_frozen_keeps_its_time() {
        let time = Time::running(1000);
        time.set_speed(0);
        let frozen = time.now();
        time.advance(Duration::from_secs(5));
        assert_eq!((time.speed(), time.now().as_millis() - frozen.as_millis()), (0, 5000));
        time.set_speed(3);
        assert!(time.speed() == 3 && time.now().as_millis() >= frozen.as_millis() + 5000);
    }

    #[test]
    fn a_clock_is_set_right_and_timers_go_on() {
        let (time, hour) = (Time::running(2), Duration::from_secs(3600));
        time.advance(hour);
        time.set_speed(0);
        time.set_right();
        assert_eq!(time.speed(), 2);
        assert!(Timer::now(&time) >= hour && time.now().as_millis() < system_time() + 1_800_000);
        let by_hand = Time::by_hand();
        by_hand.advance(hour);
        by_hand.set_right();
        assert_eq!((by_hand.speed(), by_hand.now().as_millis()), (0, BEGINNING + 3_600_000));
    }
}
