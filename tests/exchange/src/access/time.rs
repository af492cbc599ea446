//! The clock of an exchange: the system's, a faster one, or one that is moved by hand.
//!
//! It has alarms of its own beside those of the runtime's `ManualTimer`, because it changes between running and standing
//! still while tasks wait on it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, Environment, Timer};

use crate::state::dice::{Dice, Seed};

/// The beginning of a clock that is moved by hand: 2026-01-01, 00:00 UTC.
const BEGINNING: u64 = 1_767_225_600_000;

/// The time of an exchange. Clones share it.
///
/// A client of an exchange in the same process uses it as its environment, so that its pauses end when the time is
/// advanced, and take the same time in every run.
#[derive(Clone, Debug)]
pub struct Time(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The number in this process.
    run: u64,
    moment: Mutex<Moment>,
    /// Notified when the speed or the wakers change.
    changed: Condvar,
}

#[derive(Debug)]
struct Moment {
    /// The origin and speed of a running clock; `None` if it stands still.
    runs: Option<(Instant, u32)>,
    /// The initial speed; zero if it stood still.
    speed: u32,
    /// True if it began at the system's time, to which a reset returns.
    is_of_system: bool,
    /// The initial time, and how far it was advanced.
    begun: u64,
    advanced: Duration,
    wakers: BTreeMap<(Duration, u64), Waker>,
    /// The tasks that move the time, which are woken when anything waits.
    movers: Vec<Waker>,
    count: u64,
    /// The random numbers of clients on this clock.
    dice: Dice,
    /// True if a thread waits for the earliest waker. It ends when there are none.
    is_awaited: bool,
}

impl Moment {
    /// Returns the time since the start.
    fn passed(&self) -> Duration {
        let ran = self.runs.map_or(Duration::ZERO, |(since, speed)| since.elapsed().saturating_mul(speed));
        ran.saturating_add(self.advanced)
    }

    /// Removes the wakers whose time has come.
    fn due(&mut self) -> impl Iterator<Item = Waker> + use<> {
        let end = self.passed().saturating_add(Duration::from_nanos(1));
        let later = self.wakers.split_off(&(end, 0));
        std::mem::replace(&mut self.wakers, later).into_values()
    }
}

impl Shared {
    /// Wakes each waiting task when its time comes, until none is left.
    fn wake(&self) {
        let mut moment = self.moment.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let due: Vec<Waker> = moment.due().collect();
            if !due.is_empty() {
                drop(moment);
                due.into_iter().for_each(Waker::wake);
                moment = self.moment.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let Some(((next, _), _)) = moment.wakers.first_key_value() else {
                moment.is_awaited = false;
                return;
            };
            let left = next.saturating_sub(moment.passed());
            moment = match moment.runs {
                Some((_, speed)) => {
                    // Not zero, because the rest is rounded down.
                    let pause = (left / speed).saturating_add(Duration::from_micros(1));
                    self.changed.wait_timeout(moment, pause).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(moment).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Time {
    /// The greatest speed that the program and its control address set. Beyond it, more of what other participants do
    /// would be due than can be simulated.
    pub const MAX_SPEED: u32 = 1_000;

    /// Creates a clock that stands still until [`advance`](Self::advance) or [`run`](Self::run) moves it. A call of a
    /// client that waits, such as before a retry or for a rate limit, waits until then. The clock starts at the
    /// beginning of 2026.
    pub fn by_hand() -> Self {
        Self::of(BEGINNING, false, 0, 0)
    }

    /// Creates a clock that stands still at `begun` until it is advanced.
    pub fn by_hand_from(begun: Timestamp) -> Self {
        Self::of(begun.as_millis(), false, 0, 0)
    }

    /// Creates a clock that starts at the system's time and runs `speed` times as fast; zero makes it stand still.
    pub fn running(speed: u32) -> Self {
        Self::of(system_time(), true, speed, speed)
    }

    /// Returns the clock of an exchange that continues: it had the speed `start` at first, and now has `speed`. It
    /// stands still at `last`, or runs on from the system's time or from `last` if that is later.
    pub(crate) fn continued(last: Timestamp, start: u32, speed: u32) -> Self {
        let last = last.as_millis();
        let begun = if speed == 0 { last } else { last.max(system_time()) };
        Self::of(begun, true, start, speed)
    }

    fn of(begun: u64, is_of_system: bool, start: u32, speed: u32) -> Self {
        let (runs, advanced, wakers) = (running_at(speed), Duration::ZERO, BTreeMap::new());
        let dice = Dice::new(Seed::default(), 0);
        let (movers, count, is_awaited) = (Vec::new(), 0, false);
        let speed = start;
        let moment = Moment { runs, speed, is_of_system, begun, advanced, wakers, movers, count, dice, is_awaited };
        static RUNS: AtomicU64 = AtomicU64::new(1);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Shared { run, moment: Mutex::new(moment), changed: Condvar::new() }))
    }

    /// Advances the time, and wakes tasks that wait for a moment in between.
    pub fn advance(&self, step: Duration) {
        let mut moment = self.moment();
        moment.advanced = moment.advanced.saturating_add(step);
        let due = moment.due();
        drop(moment);
        self.0.changed.notify_all();
        due.for_each(Waker::wake);
    }

    /// Awaits `future`, and moves a clock that stands still whenever `future` waits: to the next moment that anything
    /// waits for on this clock. So pauses before retries and waits for rate limits end, which otherwise last until
    /// something calls [`advance`](Self::advance). What `future` waits for may also be other tasks that wait on this
    /// clock.
    ///
    /// ```
    /// use tradeapi::runtime::retry::RetryPolicy;
    /// use tradeapi::unified::GetAccountAssets;
    /// use tradeapi_exchange::{FaultTarget, Exchange, Fault, FaultKind, Seed};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let exchange = Exchange::new(Seed(7));
    /// let client = exchange.client();
    /// exchange.add_fault(Fault::new(FaultKind::Gateway).target(FaultTarget::All).times(2));
    /// let (retry, assets) = (RetryPolicy::new(), GetAccountAssets::new());
    /// exchange.time().run(client.retrying(&retry).call(&assets)).await?;
    /// # Ok::<(), tradeapi::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(output);
            }
            match self.leap() {
                // What was woken runs first.
                true => context.waker().wake_by_ref(),
                false => self.moment().movers.push(context.waker().clone()),
            }
            Poll::Pending
        })
        .await
    }

    /// Moves a clock that stands still to the next moment that anything waits for. Returns whether there is one.
    fn leap(&self) -> bool {
        let moment = self.moment();
        let next = moment.wakers.first_key_value().map(|((at, _), _)| *at);
        let step = next.filter(|_| moment.runs.is_none()).map(|at| at.saturating_sub(moment.passed()));
        drop(moment);
        step.into_iter().for_each(|step| self.advance(step));
        step.is_some()
    }

    /// Returns how many times as fast as the system's clock it runs; zero if it stands still.
    pub fn speed(&self) -> u32 {
        self.moment().runs.map_or(0, |(_, speed)| speed)
    }

    /// Makes it run `speed` times as fast as the system's clock, or stand still if `speed` is zero.
    pub fn set_speed(&self, speed: u32) {
        self.change(|moment| moment.runs = running_at(speed));
    }

    /// Returns to the initial speed, and to the system's time if it began there. Timers are not affected.
    pub(crate) fn restart(&self) {
        self.change(|moment| {
            moment.runs = running_at(moment.speed);
            if moment.is_of_system {
                let advanced = u64::try_from(moment.advanced.as_millis()).unwrap_or(u64::MAX);
                moment.begun = system_time().saturating_sub(advanced);
            }
        });
    }

    /// Changes how it runs from now on.
    fn change(&self, change: impl FnOnce(&mut Moment)) {
        let mut moment = self.moment();
        moment.advanced = moment.passed();
        change(&mut moment);
        self.await_next(&mut moment);
        drop(moment);
        self.0.changed.notify_all();
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        let moment = self.moment();
        let passed = u64::try_from(moment.passed().as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_millis(moment.begun.saturating_add(passed))
    }

    /// Waits until this much time has passed on this clock.
    pub(crate) async fn sleep(&self, length: Duration) {
        let end = Timer::now(self).saturating_add(length);
        std::future::poll_fn(|context| {
            if Timer::now(self) >= end {
                return Poll::Ready(());
            }
            self.wake_at(end, context.waker().clone());
            // The time may have come in between.
            if Timer::now(self) >= end { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Starts a thread that wakes tasks of a running clock, until none waits. A clock that stands still wakes them when
    /// it is advanced.
    fn await_next(&self, moment: &mut Moment) {
        if moment.runs.is_some() && !moment.wakers.is_empty() && !moment.is_awaited {
            let shared = Arc::clone(&self.0);
            moment.is_awaited =
                thread::Builder::new().name("exchange clock".into()).spawn(move || shared.wake()).is_ok();
        }
    }

    fn moment(&self) -> MutexGuard<'_, Moment> {
        self.0.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the origin of a clock that runs at a speed from now on; `None` if it stands still.
fn running_at(speed: u32) -> Option<(Instant, u32)> {
    (speed > 0).then(|| (Instant::now(), speed))
}

/// Returns the system's time, in Unix milliseconds.
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
        let movers = std::mem::take(&mut moment.movers);
        self.await_next(&mut moment);
        drop(moment);
        self.0.changed.notify_all();
        movers.into_iter().for_each(Waker::wake);
    }
}

impl Environment for Time {
    fn random(&self) -> u64 {
        self.moment().dice.next()
    }

    fn run(&self) -> Option<u64> {
        Some(self.0.run)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::Wake;

    use super::*;

    struct Woken(mpsc::Sender<()>);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn time_stands_still_until_it_is_advanced() {
        let time = Time::by_hand();
        let before = time.now();
        time.clone().advance(Duration::from_millis(1500));
        assert_eq!(time.now().as_millis() - before.as_millis(), 1500);
        assert_eq!(Timer::now(&time), Duration::from_millis(1500));
    }

    #[test]
    fn a_clock_that_runs_wakes_whoever_waits_also_after_a_freeze() {
        let time = Time::running(1000);
        let (sender, woken) = mpsc::channel();
        let wait = |seconds| {
            let at = Timer::now(&time) + Duration::from_secs(seconds);
            time.wake_at(at, Arc::new(Woken(sender.clone())).into());
            at
        };
        let at = wait(5);
        assert!(woken.recv().is_ok() && Timer::now(&time) >= at);
        time.set_speed(0);
        let at = wait(5);
        time.set_speed(1000);
        assert!(woken.recv().is_ok() && Timer::now(&time) >= at);
        wait(3600);
        time.advance(Duration::from_secs(3600));
        assert!(woken.recv().is_ok());
    }

    #[test]
    fn a_clock_that_stood_still_wakes_whoever_waits_once_it_runs() {
        let (time, (sender, woken)) = (Time::by_hand(), mpsc::channel());
        time.wake_at(Duration::from_secs(5), Arc::new(Woken(sender)).into());
        time.set_speed(1000);
        assert!(woken.recv_timeout(Duration::from_secs(30)).is_ok());
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
    fn a_clock_restarts_as_it_began_and_timers_go_on() {
        for start in [2, 0] {
            let (time, hour) = (Time::running(start), Duration::from_secs(3600));
            time.advance(hour);
            time.set_speed(7 * (2 - start));
            time.restart();
            assert_eq!(time.speed(), start);
            assert!(Timer::now(&time) >= hour && time.now().as_millis() < system_time() + 1_800_000);
        }
        let by_hand = Time::by_hand();
        by_hand.advance(Duration::from_secs(3600));
        by_hand.set_speed(1);
        by_hand.restart();
        let stands = by_hand.now().as_millis();
        assert_eq!(by_hand.speed(), 0);
        assert!((BEGINNING + 3_600_000..BEGINNING + 7_200_000).contains(&stands), "it keeps its time");
    }

    #[test]
    fn a_clock_that_restarts_wakes_whoever_waits() {
        let (time, (sender, woken)) = (Time::running(1000), mpsc::channel());
        time.wake_at(Timer::now(&time) + Duration::from_secs(5), Arc::new(Woken(sender)).into());
        time.set_speed(0);
        time.restart();
        assert!(woken.recv_timeout(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_clock_that_continues_stands_still_where_it_did() {
        let last = Timestamp::from_millis(BEGINNING + 5);
        let frozen = Time::continued(last, 3, 0);
        assert_eq!((frozen.speed(), frozen.now()), (0, last));
        frozen.restart();
        assert_eq!(frozen.speed(), 3);
        let later = Timestamp::from_millis(system_time() + 3_600_000);
        assert!(Time::continued(later, 1, 1).now() >= later, "time does not go back");
    }
}
