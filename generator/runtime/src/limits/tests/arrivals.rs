//! What the exchange counts, over networks of all kinds: the time from admission to arrival differs from call to call.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use proptest::prelude::*;

use super::driver::{Driver, SECOND, limited_to, limits, most_in_any, ms};
use crate::limits::{Call, CountFrom, LimitSettings, Limiter, RateLimitFeedback, Reservation};

const fn us(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}

/// Random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        us(self.below(most.as_micros() as u64 + 1))
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Half of them take no longer than `half`, a quarter twice as long, and so on.
    fn heavy_tail(&mut self, half: Duration) -> Duration {
        let doublings = (0..8).take_while(|_| self.one_in(2)).count() as u32;
        self.up_to(half * 2_u32.pow(doublings))
    }
}

/// What happens to one call.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// From the admission of the call until the exchange counts it.
    there: Duration,
    back: Duration,
    /// Whether the connection has carried an answer before.
    warm: bool,
    /// The time after which the caller gives the call up.
    patience: Duration,
}

impl Way {
    const fn warm(there: Duration, back: Duration) -> Self {
        Self { there, back, warm: true, patience: Duration::MAX }
    }

    fn cold(self, connect: Duration) -> Self {
        Self { there: self.there + connect, warm: false, ..self }
    }

    fn trip(self) -> Duration {
        self.there + self.back
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives(usize),
    Ends(usize),
}

/// An exchange and its callers, which call as fast as they may.
struct Scene<'a> {
    driver: Driver<'a>,
    most: usize,
    ways: Vec<Way>,
    reservations: Vec<Option<Reservation>>,
    events: BinaryHeap<Reverse<(Duration, Event)>>,
    /// When calls arrived, and how many were left after each.
    arrived: Vec<Duration>,
    remaining: Vec<u32>,
}

impl Scene<'_> {
    fn send(&mut self, mut reservation: Reservation, way: Way) {
        let (now, number) = (self.driver.now(), self.ways.len());
        self.driver.limits.sent(&mut reservation);
        self.events.push(Reverse((now + way.there, Event::Arrives(number))));
        self.events.push(Reverse((now + way.trip().min(way.patience), Event::Ends(number))));
        self.ways.push(way);
        self.reservations.push(Some(reservation));
        self.remaining.push(0);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrives(number) => {
                let now = self.driver.now();
                self.arrived.push(now);
                let counted = self.arrived.iter().rev().take_while(|arrived| now - **arrived < SECOND).count();
                self.remaining[number] = self.most.saturating_sub(counted) as u32;
            }
            Event::Ends(number) => {
                let Some(reservation) = self.reservations[number].take() else { return };
                let way = self.ways[number];
                if way.patience < way.trip() {
                    return self.driver.limits.lost(reservation);
                }
                let feedback = RateLimitFeedback::new(None, Some(self.remaining[number]));
                let feedback = if way.warm { feedback.after(way.trip()) } else { feedback };
                self.driver.limits.answered(reservation, feedback);
            }
        }
    }
}

/// The times at which `count` calls arrive. `way` returns what happens to the call with a number.
fn run(settings: LimitSettings, most: u32, count: usize, mut way: impl FnMut(usize) -> Way) -> Vec<Duration> {
    let limits = limits(settings);
    let call = Call::new(limited_to(most));
    let (most, driver) = (most as usize, Driver::new(&limits));
    let mut scene = Scene {
        driver,
        most,
        ways: Vec::new(),
        reservations: Vec::new(),
        events: BinaryHeap::new(),
        arrived: Vec::new(),
        remaining: Vec::new(),
    };
    let mut requested = 0;
    loop {
        let mut granted = scene.driver.woken();
        // Some calls always wait.
        while requested < count && scene.driver.waiting() < 3 {
            requested += 1;
            let (number, reservation) = scene.driver.admit(call);
            granted.extend(reservation.map(|reservation| (number, reservation)));
        }
        if !granted.is_empty() {
            for (_, reservation) in granted {
                let next = way(scene.ways.len());
                scene.send(reservation, next);
            }
            continue;
        }
        let event = scene.events.peek().map(|Reverse((at, _))| *at);
        let Some(next) = event.into_iter().chain(scene.driver.timer.next_wake()).min() else { break };
        scene.driver.step(next);
        while let Some(Reverse((at, event))) = scene.events.pop_if_due(scene.driver.now()) {
            debug_assert!(at <= scene.driver.now());
            scene.happen(event);
        }
    }
    assert_eq!(scene.arrived.len(), count, "every call is admitted in the end");
    scene.arrived
}

trait Due<T> {
    fn pop_if_due(&mut self, now: Duration) -> Option<Reverse<(Duration, T)>>;
}

impl<T: Ord> Due<T> for BinaryHeap<Reverse<(Duration, T)>> {
    fn pop_if_due(&mut self, now: Duration) -> Option<Reverse<(Duration, T)>> {
        if self.peek().is_some_and(|Reverse((at, _))| *at <= now) { self.pop() } else { None }
    }
}

/// Over no network of a kind does the exchange count too many calls, whatever the random numbers.
fn never_too_many(kind: &str, way: impl Fn(&mut Dice, usize) -> Way) {
    for (seed, most) in (0..6).zip([1, 10, 20].into_iter().cycle()) {
        let mut dice = Dice(seed);
        let settings = LimitSettings::new().margin(Duration::ZERO);
        let arrived = run(settings, most, 15 * most as usize + 150, |number| way(&mut dice, number));
        assert!(most_in_any(&arrived, SECOND) <= most as usize, "{kind}, seed {seed}, {most} a second");
    }
}

/// Ten calls go out over new connections, which take 250 ms to make, and ten more over these a second later.
#[test]
fn cold_connections_bring_no_two_windows_together() {
    let way = |number| {
        let way = Way::warm(us(100), us(100));
        if number < 10 { way.cold(ms(250)) } else { way }
    };
    let arrived = run(LimitSettings::new().margin(Duration::ZERO), 10, 100, way);
    assert!(most_in_any(&arrived, SECOND) <= 10, "{arrived:?}");
}

#[test]
fn connections_that_are_made_anew_now_and_then() {
    for connect in [50, 250, 900] {
        never_too_many("new connections", |dice, _| {
            let way = Way::warm(ms(60), ms(60));
            if dice.one_in(5) { way.cold(dice.up_to(ms(connect))) } else { way }
        });
        // The known trips over other connections say nothing about theirs.
        never_too_many("new connections with a shorter way back", |dice, _| {
            if dice.one_in(8) { Way::warm(ms(200), ms(5)).cold(ms(connect)) } else { Way::warm(ms(100), ms(100)) }
        });
    }
}

#[test]
fn trips_that_vary() {
    for jitter in [1, 10, 30, 60, 125, 250, 1_000, 5_000].map(ms) {
        for base in [0, 1, 20, 100].map(ms) {
            never_too_many("uniform jitter", |dice, _| Way::warm(base + dice.up_to(jitter), base + dice.up_to(jitter)));
            never_too_many("heavy tails", |dice, _| {
                Way::warm(base + dice.heavy_tail(jitter / 8), base + dice.heavy_tail(jitter / 8))
            });
        }
        // Only one of the two ways varies.
        never_too_many("jitter on the way there", |dice, _| Way::warm(dice.up_to(jitter), ms(20)));
        never_too_many("jitter on the way back", |dice, _| Way::warm(ms(20), dice.up_to(jitter)));
    }
}

#[test]
fn two_kinds_of_connections() {
    for rarity in [2, 5, 10, 30] {
        never_too_many("a fast one among slow ones", |dice, _| {
            let one_way = if dice.one_in(rarity) { ms(5) } else { ms(110) };
            Way::warm(one_way, one_way)
        });
        never_too_many("a slow one among fast ones", |dice, _| {
            let one_way = if dice.one_in(rarity) { ms(110) } else { ms(5) };
            Way::warm(one_way, one_way)
        });
    }
    // Each for a while, which the first answer of the other ends.
    never_too_many("now slow, now fast", |dice, number| {
        let one_way = if number / 7 % 2 == 0 { ms(100) } else { ms(10) };
        Way::warm(one_way, one_way + dice.up_to(ms(3)))
    });
}

/// The margin is for a path that suddenly becomes shorter than it ever was.
#[test]
fn a_way_that_becomes_shorter_by_the_margin() {
    never_too_many("a better way", |_, number| Way::warm(if number < 200 { ms(120) } else { ms(120 - 35) }, ms(80)));
}

/// If a path becomes shorter by more than the margin, the first answer over it ends the discount of the old path, also
/// for earlier calls.
#[test]
fn a_discount_that_was_too_large_is_taken_back_at_once() {
    let way = |number: usize| match number {
        // The first ones are held up, so that all others come one by one.
        0..10 => Way::warm(ms(120), ms(80)).cold(ms(95) * number as u32),
        10..300 => Way::warm(ms(120), ms(80)),
        _ => Way::warm(ms(10), ms(10)),
    };
    let arrived = run(LimitSettings::new(), 10, 400, way);
    let too_early: Vec<_> =
        arrived.windows(11).map(|calls| calls[10] - calls[0]).filter(|in_all| *in_all < SECOND).collect();
    assert_eq!(too_early.len(), 1, "{too_early:?}");
}

#[test]
fn exchanges_that_take_their_time() {
    for pause in [10, 100, 700].map(ms) {
        never_too_many("before they count", |dice, _| {
            Way::warm(ms(40) + if dice.one_in(3) { dice.up_to(pause) } else { Duration::ZERO }, ms(40))
        });
        never_too_many("after they counted", |dice, _| {
            Way::warm(ms(40), ms(40) + if dice.one_in(3) { dice.up_to(pause) } else { Duration::ZERO })
        });
        // An operation that takes long beside one that does not.
        never_too_many("one kind of call", |dice, number| {
            Way::warm(ms(3), if number > 150 && dice.one_in(4) { ms(3) } else { ms(3) + pause })
        });
    }
}

/// Callers who give up, before or after their call has arrived, and answers that never come.
#[test]
fn calls_that_are_given_up() {
    for patience in [0, 5, 80, 300].map(ms) {
        never_too_many("impatient callers", |dice, _| {
            let way = Way::warm(dice.up_to(ms(250)), dice.up_to(ms(250)));
            let way = if dice.one_in(4) { way.cold(ms(250)) } else { way };
            Way { patience, ..way }
        });
        never_too_many("lost answers", |dice, _| {
            let way = Way::warm(ms(90) + dice.up_to(ms(20)), ms(90));
            if dice.one_in(3) { Way { back: SECOND * 100, patience: ms(90) + patience, ..way } } else { way }
        });
    }
}

/// Over a warm connection whose trips take equally long, 95 of 100 calls are used, however long that is.
#[test]
fn a_warm_connection_is_used_to_95_of_100_calls() {
    for trip in [us(200), ms(20), ms(36), ms(50), ms(200), ms(900)] {
        for most in [1, 10, 30] {
            let way = |number| {
                let way = Way::warm(trip / 2, trip / 2);
                if number == 0 { way.cold(trip * 2) } else { way }
            };
            let arrived = run(LimitSettings::new(), most, 300 * most as usize, way);
            assert!(most_in_any(&arrived, SECOND) <= most as usize);
            // The trips are not known at the beginning.
            let from = SECOND * 130;
            let used = arrived.iter().filter(|at| (from..from + SECOND * 100).contains(at)).count();
            assert!(used >= most as usize * 95, "{trip:?}, {most} a second: {used}");
        }
    }
}

/// Until enough trips are known, calls count from their answers.
#[test]
fn unknown_trips_give_no_discount() {
    let of = |way: Way, settings| run(settings, 1, 60, |_| way);
    let way = Way::warm(ms(100), ms(100));
    let strict = of(way, LimitSettings::new().count_from(CountFrom::Response));
    assert_eq!(of(way, LimitSettings::new()), strict);
    assert_eq!(of(Way { warm: false, ..way }, LimitSettings::new()), strict);
    assert!(strict.windows(2).all(|calls| calls[1] - calls[0] == ms(1_205)));
}

/// An impossible trip, which is longer than the call, gives no discount either.
#[test]
fn a_call_never_counts_from_before_it_was_sent() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO).trip_margin(Duration::ZERO));
    let mut driver = Driver::new(&limits);
    let mut sent = Vec::new();
    for _ in 0..200 {
        let (number, reservation) = driver.admit(Call::new(limited_to(1)));
        let reservation = reservation.or_else(|| {
            driver.step(Duration::MAX);
            driver.woken().into_iter().find(|(woken, _)| *woken == number).map(|(_, reservation)| reservation)
        });
        let mut reservation = reservation.unwrap_or_else(|| unreachable!("it is the only one"));
        driver.limits.sent(&mut reservation);
        sent.push(driver.now());
        driver.timer.advance(ms(10));
        driver.limits.answered(reservation, RateLimitFeedback::default().after(Duration::MAX));
    }
    assert!(most_in_any(&sent, SECOND) == 1, "{sent:?}");
}

proptest! {
    /// Counted from their answers, calls keep within any limit over any network. Those that were given up arrive within
    /// the time that is allowed for.
    #[test]
    fn counted_when_answered_no_network_is_too_slow(
        most in 1..=10_u32,
        ways in prop::collection::vec((0..900_u64, 0..900_u64, 0..1_800_u64, any::<bool>()), 1..200),
    ) {
        let settings = LimitSettings::new().margin(Duration::ZERO).count_from(CountFrom::Response);
        let arrived = run(settings, most, ways.len(), |number| {
            let (there, back, patience, warm) = ways[number];
            Way { there: ms(there), back: ms(back), warm, patience: ms(patience) }
        });
        prop_assert!(most_in_any(&arrived, SECOND) <= most as usize);
    }
}
