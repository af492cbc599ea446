//! Several classes at once, callers that change their minds, alarms that are late, a clock that goes back, and absurd
//! settings and answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use proptest::prelude::*;

use super::{Driver, SECOND, limited_to, limits, most_in_any, ms, operation, per_uid};
use crate::data::clock::{ManualTimer, Timer};
use crate::data::tables::{Effect, Meta, Scope};
use crate::network::limits::{
    Admission, AdmissionError, Call, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, Reservation, TooMany,
};

/// A clock that can be set back, and whose alarms ring late.
#[derive(Clone, Default)]
struct Unsteady {
    real: ManualTimer,
    behind: Arc<Mutex<Duration>>,
    late: Duration,
}

impl Unsteady {
    fn set_back(&self, by: Duration) {
        *self.behind.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    fn behind(&self) -> Duration {
        *self.behind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for Unsteady {
    fn now(&self) -> Duration {
        self.real.now().saturating_sub(self.behind())
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.real.wake_at(at + self.behind() + self.late, waker);
    }
}

fn unsteady(settings: LimitSettings, late: Duration) -> (InProcessLimits, Unsteady) {
    let timer = Unsteady { late, ..Unsteady::default() };
    (InProcessLimits::with_timer(settings, timer.clone()), timer)
}

/// The classes of a call, and how many of each may be made in a second.
const CLASSES: [(&str, u32); 4] = [("default", 10), ("copy-trading", 1), ("reality", 5), ("reality-whitelisted", 30)];

fn rows() -> Vec<crate::data::tables::RateLimit> {
    CLASSES.iter().map(|(class, calls)| per_uid(*calls, class)).collect()
}

#[derive(Clone, Copy, Debug)]
struct Caller {
    /// After the one before.
    pause: u64,
    class: usize,
    cancels: bool,
    /// From admission to sending.
    slowness: u64,
    ending: Ending,
    /// By how much the clock is set back when it comes.
    set_back: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Sends,
    GivesBack,
    /// Does not wait longer than this.
    Leaves(u64),
}

fn callers() -> impl Strategy<Value = Vec<Caller>> {
    let pause = prop_oneof![4 => Just(0), 3 => 0..30_u64, 1 => 0..2_500_u64];
    let slowness = prop_oneof![3 => Just(0), 1 => 0..300_u64];
    let ending = prop_oneof![
        6 => Just(Ending::Sends), 1 => Just(Ending::GivesBack), 2 => (0..1_500_u64).prop_map(Ending::Leaves)
    ];
    let set_back = prop_oneof![20 => Just(0), 1 => 0..3_000_u64];
    let caller = (pause, 0..CLASSES.len(), any::<bool>(), slowness, ending, set_back).prop_map(
        |(pause, class, cancels, slowness, ending, set_back)| Caller {
            pause,
            class,
            cancels,
            slowness,
            ending,
            set_back,
        },
    );
    prop::collection::vec(caller, 1..150)
}

/// The callers, and what happens to their calls.
struct Scene<'a> {
    driver: Driver<'a>,
    callers: &'a [Caller],
    holding: Vec<(Duration, usize, Reservation)>,
    leaving: Vec<(Duration, usize)>,
    /// When calls were sent, by the true time, and by whom.
    made: Vec<(Duration, usize)>,
}

impl<'a> Scene<'a> {
    fn admit(&mut self, metas: [&'static Meta; 2], index: usize) {
        let caller = self.callers[index];
        let mut call = Call::new(metas[usize::from(caller.cancels)]);
        call.uid_class = CLASSES[caller.class].0;
        match (self.driver.admit(call), caller.ending) {
            ((number, Some(reservation)), _) => self.hold(number, reservation),
            ((number, None), Ending::Leaves(after)) => self.leaving.push((self.driver.now() + ms(after), number)),
            _ => {}
        }
    }

    fn hold(&mut self, number: usize, reservation: Reservation) {
        self.leaving.retain(|(_, other)| *other != number);
        self.holding.push((self.driver.now() + ms(self.callers[number].slowness), number, reservation));
    }

    /// Does everything that is due, and everything that follows from it at the same moment.
    fn look(&mut self) {
        loop {
            self.act();
            let woken = self.driver.woken();
            if woken.is_empty() {
                return;
            }
            woken.into_iter().for_each(|(number, reservation)| self.hold(number, reservation));
        }
    }

    fn act(&mut self) {
        let now = self.driver.now();
        let (gone, leaving) = std::mem::take(&mut self.leaving).into_iter().partition(|(at, _)| *at <= now);
        self.leaving = leaving;
        let gone: Vec<(Duration, usize)> = gone;
        gone.into_iter().for_each(|(_, number)| self.driver.give_up(number));
        let (due, holding) = std::mem::take(&mut self.holding).into_iter().partition(|(at, ..)| *at <= now);
        self.holding = holding;
        let due: Vec<(Duration, usize, Reservation)> = due;
        for (_, number, reservation) in due {
            if self.callers[number].ending == Ending::GivesBack {
                self.driver.limits.give_back(reservation);
            } else {
                self.driver.make(reservation);
                self.made.push((now, number));
            }
        }
    }

    fn next(&self) -> Option<Duration> {
        let own = self.holding.iter().map(|(at, ..)| *at).chain(self.leaving.iter().map(|(at, _)| *at));
        own.chain(self.driver.timer.next_wake()).min()
    }
}

/// Returns when calls were sent, and by whom.
fn run(settings: LimitSettings, late: Duration, callers: &[Caller]) -> Vec<(Duration, usize)> {
    let metas = [operation("place", Effect::Create, &rows()), operation("cancel", Effect::Cancel, &rows())];
    let (limits, timer) = unsteady(settings, late);
    let driver = Driver::of(&limits, timer.real.clone());
    let mut scene = Scene { driver, callers, holding: Vec::new(), leaving: Vec::new(), made: Vec::new() };
    let mut arrival = Duration::ZERO;
    for (index, caller) in callers.iter().enumerate() {
        arrival += ms(caller.pause);
        while let Some(next) = scene.next().filter(|next| *next <= arrival) {
            scene.driver.step(next);
            scene.look();
        }
        scene.driver.step(arrival);
        scene.look();
        timer.set_back(ms(caller.set_back).min(timer.now()));
        scene.admit(metas, index);
        scene.look();
    }
    while let Some(next) = scene.next() {
        scene.driver.step(next);
        scene.look();
    }
    assert_eq!(scene.driver.waiting(), 0, "a waiting call was forgotten");
    scene.made
}

proptest! {
    #[test]
    fn no_window_of_any_class_ever_has_too_many(
        overall in prop::option::of(1..40_u32),
        margin in 0..10_u64,
        late in prop_oneof![Just(0), 0..50_u64],
        callers in callers(),
    ) {
        let settings = LimitSettings::new().margin(ms(margin));
        let settings = match overall {
            Some(calls) => settings.overall(calls, 1, Scope::Uid),
            None => settings,
        };
        let made = run(settings, ms(late), &callers);
        for (class, (name, most)) in CLASSES.iter().enumerate() {
            for cancels in [false, true] {
                let of_class = made.iter().filter(|(_, number)| {
                    callers[*number].class == class && callers[*number].cancels == cancels
                });
                let moments: Vec<_> = of_class.map(|(at, _)| *at).collect();
                prop_assert!(most_in_any(&moments, SECOND + ms(margin)) <= *most as usize, "{}", name);
            }
        }
        let moments: Vec<_> = made.iter().map(|(at, _)| *at).collect();
        prop_assert!(overall.is_none_or(|most| most_in_any(&moments, SECOND + ms(margin)) <= most as usize));
    }
}

/// With the usual margin and alarms that are up to two milliseconds late, each class beside the others.
#[test]
fn every_class_uses_99_of_100_calls_when_there_is_work() {
    let caller = Caller { pause: 0, class: 0, cancels: false, slowness: 0, ending: Ending::Sends, set_back: 0 };
    let class = |class: usize| vec![Caller { class, ..caller }; CLASSES[class].1 as usize * 110];
    let callers: Vec<_> = (0..CLASSES.len()).flat_map(class).collect();
    let made = run(LimitSettings::new(), ms(2), &callers);
    for (class, (name, most)) in CLASSES.iter().enumerate() {
        let count = made.iter().filter(|(at, number)| *at < SECOND * 100 && callers[*number].class == class).count();
        assert!(count * 100 >= *most as usize * 100 * 99, "{name}: {count}");
    }
}

/// A reservation is free, and its alarm has not rung yet.
#[test]
fn a_newcomer_does_not_overtake_a_late_alarm() {
    let (limits, timer) = unsteady(LimitSettings::new().margin(Duration::ZERO), ms(50));
    let mut driver = Driver::of(&limits, timer.real.clone());
    let call = Call::new(operation("place", Effect::Create, &[per_uid(1, "default")]));
    let first = driver.admit(call).1.map(|reservation| driver.make(reservation));
    let (second, reservation) = driver.admit(call);
    assert_eq!((first, reservation), (Some(Duration::ZERO), None));
    timer.real.advance(SECOND + ms(10));
    assert!(driver.woken().is_empty(), "the alarm has not rung");
    // A caller that does not wait, and one that does.
    assert!(matches!(driver.limits.admit(call, false), Admission::Now(Err(_))));
    let (_, reservation) = driver.admit(call);
    assert_eq!(reservation, None);
    assert_eq!(driver.woken().into_iter().map(|(number, _)| number).collect::<Vec<_>>(), [second]);
}

const MAX: Duration = Duration::MAX;

fn free_in(limits: &InProcessLimits, meta: &'static Meta) -> Option<Duration> {
    match limits.admit(Call::new(meta), false) {
        Admission::Now(Ok(reservation)) => {
            limits.give_back(reservation);
            Some(Duration::ZERO)
        }
        Admission::Now(Err(AdmissionError::Full(full))) => Some(full.free_in),
        _ => None,
    }
}

/// Returns each of the settings alone, and all of them.
fn endless() -> [LimitSettings; 5] {
    let usual = LimitSettings::new;
    [
        usual().margin(MAX),
        usual().way_margin(MAX),
        usual().late_arrival(MAX),
        usual().longest_pause(MAX),
        usual().margin(MAX).way_margin(MAX).late_arrival(MAX).longest_pause(MAX).overall(u32::MAX, u32::MAX, Scope::Ip),
    ]
}

#[test]
fn no_setting_is_too_long() {
    let too_many = TooMany { of_everything: true, retry_after: Some(MAX), refused_for: None };
    let answers = [
        RateLimitFeedback::default(),
        RateLimitFeedback::new(Some(too_many), Some(0)),
        RateLimitFeedback::new(None, Some(u32::MAX)).after(MAX),
    ];
    for settings in endless() {
        let meta = limited_to(2);
        let limits = limits(settings);
        let mut driver = Driver::new(&limits);
        driver.timer.advance(SECOND);
        for feedback in answers {
            if let (_, Some(mut reservation)) = driver.admit(Call::new(meta)) {
                driver.limits.sent(&mut reservation);
                driver.timer.advance(ms(10));
                driver.limits.answered(reservation, feedback);
            }
            if let (_, Some(mut reservation)) = driver.admit(Call::new(meta)) {
                driver.limits.sent(&mut reservation);
                driver.limits.lost(reservation);
            }
        }
        assert!(driver.waiting() > 0);
        assert!(free_in(&limits.0, meta).is_some_and(|wait| wait > Duration::ZERO));
        assert_eq!(limits.0.plan(&[Call::new(meta); 5]).requests, 5);
        // A limiter whose first call comes at the largest possible time.
        driver.timer.advance(MAX);
        driver.timer.advance(MAX);
        let new = Call::new(limited_to(2)).counted_for("another", "elsewhere");
        assert!(driver.admit(new).1.is_some());
    }
}

#[test]
fn no_moment_is_too_late_for_a_timer() {
    let timer = ManualTimer::new();
    timer.wake_at(MAX, std::task::Waker::noop().clone());
    for _ in 0..2 {
        timer.advance(MAX);
        assert_eq!((timer.now(), timer.next_wake()), (MAX, None));
    }
}

/// An answer that requests a pause of a day or more causes one of a minute, by default.
#[test]
fn one_answer_closes_for_a_bounded_time() {
    for (requested, longest, pause) in [
        (SECOND * 86_400, None, SECOND * 60),
        (MAX, None, SECOND * 60),
        (SECOND * 59, None, SECOND * 59),
        (MAX, Some(SECOND * 5), SECOND * 5),
        // The pause is a window at least.
        (MAX, Some(Duration::ZERO), SECOND),
    ] {
        let settings = LimitSettings::new().margin(Duration::ZERO);
        let settings = longest.into_iter().fold(settings, LimitSettings::longest_pause);
        let [one, other] = ["one", "other"].map(|id| operation(id, Effect::Create, &[per_uid(10, "default")]));
        let limits = limits(settings);
        answer(&limits.0, one, TooMany { of_everything: true, retry_after: Some(requested), refused_for: None });
        assert_eq!([one, other].map(|meta| free_in(&limits.0, meta)), [Some(pause); 2]);
    }
}

/// No answer takes away the ability to cancel: neither one to a cancel itself, nor one about everything.
#[test]
fn cancels_are_held_up_for_a_window() {
    let place = operation("place", Effect::Create, &[per_uid(10, "default")]);
    let [cancel, known] = ["cancel", "known"].map(|id| operation(id, Effect::Cancel, &[per_uid(10, "default")]));
    for first in [place, cancel] {
        let limits = limits(LimitSettings::new().margin(Duration::ZERO));
        assert_eq!(free_in(&limits.0, known), Some(Duration::ZERO));
        answer(&limits.0, first, TooMany { of_everything: true, retry_after: Some(MAX), refused_for: None });
        assert_eq!([cancel, known].map(|meta| free_in(&limits.0, meta)), [Some(SECOND); 2]);
        assert_eq!(free_in(&limits.0, place), Some(SECOND * 60));
        limits.1.advance(SECOND);
        assert_eq!([cancel, known].map(|meta| free_in(&limits.0, meta)), [Some(Duration::ZERO); 2]);
        assert_eq!(free_in(&limits.0, place), Some(SECOND * 59));
    }
}

fn answer(limits: &InProcessLimits, meta: &'static Meta, too_many: TooMany) {
    let Admission::Now(Ok(mut reservation)) = limits.admit(Call::new(meta), false) else {
        unreachable!("there is room")
    };
    limits.sent(&mut reservation);
    limits.answered(reservation, RateLimitFeedback::new(Some(too_many), None));
}
