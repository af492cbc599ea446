//! Everything here happens in virtual time.

mod arrivals;
mod disorder;
mod exactness;
mod file;
mod learning;
mod planning;
mod pools;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::{
    Admission, AdmissionFuture, Call, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, Reservation,
};
use crate::data::clock::{ManualTimer, Timer};
use crate::data::tables::{Effect, Meta, Method, RateLimit};

const SECOND: Duration = Duration::from_secs(1);

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Returns an operation with these limits, for as long as the tests run.
fn operation(id: &'static str, effect: Effect, limits: &[RateLimit]) -> &'static Meta {
    Box::leak(Box::new(Meta { id, method: Method::Post, effect, limits: Box::leak(limits.into()), ..Meta::DEFAULT }))
}

fn per_uid(calls: u32, class: &'static str) -> RateLimit {
    RateLimit::per_uid(calls).class(class)
}

fn per_ip(calls: u32) -> RateLimit {
    RateLimit::per_ip(calls)
}

/// Returns an operation with one limit.
fn limited_to(calls: u32) -> &'static Meta {
    operation("limited", Effect::Create, &[per_uid(calls, "default")])
}

/// The callers that were woken. A caller is polled again only after that.
#[derive(Clone, Default)]
struct Woken(Arc<Mutex<BTreeSet<usize>>>);

impl Woken {
    fn numbers(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the first one of those with this number or a later one.
    fn take_from(&self, number: usize) -> Option<usize> {
        let mut numbers = self.numbers();
        let first = numbers.range(number..).next().copied()?;
        numbers.take(&first)
    }
}

/// Wakes one caller.
struct WakeOne(usize, Woken);

impl Wake for WakeOne {
    fn wake(self: Arc<Self>) {
        self.1.numbers().insert(self.0);
    }
}

/// A limiter, its callers, and the time.
struct Driver<'a> {
    limits: &'a InProcessLimits,
    timer: ManualTimer,
    waiting: BTreeMap<usize, (AdmissionFuture<'a>, Waker)>,
    woken: Woken,
    count: usize,
}

fn limits(settings: LimitSettings) -> (InProcessLimits, ManualTimer) {
    let timer = ManualTimer::new();
    (InProcessLimits::with_timer(settings, timer.clone()), timer)
}

impl<'a> Driver<'a> {
    fn new((limits, timer): &'a (InProcessLimits, ManualTimer)) -> Self {
        Self::of(limits, timer.clone())
    }

    /// Returns the callers of `limits`. `timer` shows the true time, whatever their clock shows.
    fn of(limits: &'a InProcessLimits, timer: ManualTimer) -> Self {
        Self { limits, timer, waiting: BTreeMap::new(), woken: Woken::default(), count: 0 }
    }

    fn now(&self) -> Duration {
        self.timer.now()
    }

    /// Requests a call, and returns its number.
    fn admit(&mut self, call: Call<'a>) -> (usize, Option<Reservation>) {
        let number = self.count;
        self.count += 1;
        match self.limits.admit(call, true) {
            Admission::Now(reservation) => (number, reservation.ok()),
            Admission::Later(later) => {
                let waker = Waker::from(Arc::new(WakeOne(number, self.woken.clone())));
                self.waiting.insert(number, (later, waker));
                (number, self.look(number))
            }
        }
    }

    /// Returns the callers that were woken and admitted.
    fn woken(&mut self) -> Vec<(usize, Reservation)> {
        let (mut admitted, mut from) = (Vec::new(), 0);
        while let Some(number) = self.woken.take_from(from) {
            admitted.extend(self.look(number).map(|reservation| (number, reservation)));
            from = number + 1;
        }
        admitted
    }

    /// Lets a waiting caller give up.
    fn give_up(&mut self, number: usize) {
        self.waiting.remove(&number);
    }

    /// Goes on to the next moment at which something can happen, but not beyond `end`. Returns whether there is one.
    fn step(&mut self, end: Duration) -> bool {
        let next = self.timer.next_wake().filter(|next| *next <= end);
        let until = next.unwrap_or(end);
        self.timer.advance(until.saturating_sub(self.now()));
        next.is_some()
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn look(&mut self, number: usize) -> Option<Reservation> {
        let (later, waker) = self.waiting.get_mut(&number)?;
        match later.as_mut().poll(&mut Context::from_waker(waker)) {
            Poll::Ready(reservation) => {
                self.waiting.remove(&number);
                reservation.ok()
            }
            Poll::Pending => None,
        }
    }

    /// Makes a call, and returns the moment at which it was counted.
    fn make(&self, mut reservation: Reservation) -> Duration {
        self.limits.sent(&mut reservation);
        let counted_at = reservation.counted_at;
        self.limits.answered(reservation, RateLimitFeedback::default());
        counted_at
    }
}

/// Requests all permits at once and calls as soon as each is given. Returns the times, in the order of the requests.
fn make_all(driver: &mut Driver<'_>, calls: &[Call<'static>]) -> Vec<Duration> {
    let mut made = vec![Duration::MAX; calls.len()];
    let first = driver.count;
    for call in calls {
        if let (number, Some(reservation)) = driver.admit(*call) {
            made[number - first] = driver.make(reservation);
        }
    }
    while driver.waiting() > 0 && driver.step(Duration::MAX) {
        for (number, reservation) in driver.woken() {
            made[number - first] = driver.make(reservation);
        }
    }
    made
}

/// Returns the most calls in any half-open window of `span`.
fn most_in_any(made: &[Duration], span: Duration) -> usize {
    let mut made = made.to_vec();
    made.sort();
    let from = |start: usize| made[start..].partition_point(|moment| *moment < made[start] + span);
    (0..made.len()).map(from).max().unwrap_or(0)
}
