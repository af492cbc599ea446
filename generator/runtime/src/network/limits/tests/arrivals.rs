//! The calls that the exchange counts, over networks of all kinds: the time from admission to arrival differs from call
//! to call.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use proptest::prelude::*;

use super::{Driver, SECOND, limited_to, limits, most_in_any, ms, operation};
use crate::data::tables::Effect;
use crate::data::value::Timestamp;
use crate::network::limits::{Call, CountFrom, LimitSettings, Limiter, RateLimitFeedback, Reservation};

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

    /// Returns ways of which half take no longer than `half`, a quarter twice as long, and so on.
    fn heavy_tail(&mut self, half: Duration) -> Duration {
        let doublings = (0..8).take_while(|_| self.one_in(2)).count() as u32;
        self.up_to(half * 2_u32.pow(doublings))
    }
}

/// The way of one call.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// From the admission of the call until the exchange counts it.
    there: Duration,
    back: Duration,
    /// True if the connection has carried an answer before.
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives(usize),
    Ends(usize),
    /// Another call is made that no limit counts.
    Looks,
}

/// The exchange's clock when the callers' shows zero.
const AHEAD: u64 = 1_700_000_000_123;

/// The time after which a call of [`Event::Looks`] arrives, and the pause between two of them.
const LOOK: Duration = ms(25);
const LOOKS_EVERY: Duration = ms(200);

/// The network between the exchange and its callers, and what they do beside.
#[derive(Clone, Copy, Debug, Default)]
struct Conditions {
    /// Nothing passes the network between these moments. All that it holds back passes at the end.
    stall: Option<(Duration, Duration)>,
    /// True if other calls are made all the time.
    looks: bool,
}

/// A call that was sent.
struct Made {
    way: Way,
    reservation: Option<Reservation>,
    counts: bool,
    sent: Duration,
    arrives: Duration,
    /// When its response arrives, if anybody still waits for it.
    answered: Duration,
    remaining: u32,
}

/// An exchange and its callers, which call as fast as they may.
struct Scene<'a> {
    driver: Driver<'a>,
    most: usize,
    conditions: Conditions,
    made: Vec<Made>,
    events: BinaryHeap<Reverse<(Duration, Event)>>,
    arrived: Vec<Duration>,
}

impl Scene<'_> {
    /// Returns when something that would pass the network at `at` does.
    fn passes(&self, at: Duration) -> Duration {
        match self.conditions.stall {
            Some((begins, ends)) if (begins..ends).contains(&at) => ends,
            _ => at,
        }
    }

    fn send(&mut self, mut reservation: Reservation, way: Way, counts: bool) {
        let (sent, number) = (self.driver.now(), self.made.len());
        self.driver.limits.sent(&mut reservation);
        let arrives = self.passes(sent + way.there);
        let answered = self.passes(arrives + way.back);
        self.events.push(Reverse((arrives, Event::Arrives(number))));
        self.events.push(Reverse((answered.min(sent.saturating_add(way.patience)), Event::Ends(number))));
        let reservation = Some(reservation);
        self.made.push(Made { way, reservation, counts, sent, arrives, answered, remaining: 0 });
    }

    fn happen(&mut self, event: Event) {
        let now = self.driver.now();
        match event {
            Event::Arrives(number) if self.made[number].counts => {
                self.arrived.push(now);
                let counted = self.arrived.iter().rev().take_while(|arrived| now - **arrived < SECOND).count();
                self.made[number].remaining = self.most.saturating_sub(counted) as u32;
            }
            Event::Arrives(_) => {}
            Event::Ends(number) => {
                let Made { way, reservation, counts, sent, arrives, answered, remaining } = &mut self.made[number];
                let Some(reservation) = reservation.take() else { return };
                if *answered > now {
                    return self.driver.limits.lost(reservation);
                }
                let feedback = RateLimitFeedback::new(None, counts.then_some(*remaining));
                let feedback = feedback.at(Timestamp::from_millis(AHEAD + arrives.as_millis() as u64));
                let feedback = if way.warm { feedback.after(now - *sent) } else { feedback };
                self.driver.limits.answered(reservation, feedback);
            }
            Event::Looks => {
                let look = Call::new(operation("look", Effect::Read, &[]));
                if let (_, Some(reservation)) = self.driver.admit(look) {
                    self.send(reservation, Way { patience: SECOND, ..Way::warm(LOOK, LOOK) }, false);
                }
                self.events.push(Reverse((now + LOOKS_EVERY, Event::Looks)));
            }
        }
    }
}

/// Returns the times at which `count` calls arrive. `way` returns what happens to the call with a number.
fn run(settings: LimitSettings, most: u32, count: usize, way: impl FnMut(usize) -> Way) -> Vec<Duration> {
    run_in(Conditions::default(), settings, most, count, way)
}

fn run_in(
    conditions: Conditions,
    settings: LimitSettings,
    most: u32,
    count: usize,
    mut way: impl FnMut(usize) -> Way,
) -> Vec<Duration> {
    let limits = limits(settings);
    let call = Call::new(limited_to(most));
    let (most, driver) = (most as usize, Driver::new(&limits));
    let (made, arrived) = (Vec::new(), Vec::new());
    let mut scene = Scene { driver, most, conditions, made, events: BinaryHeap::new(), arrived };
    if conditions.looks {
        scene.events.push(Reverse((Duration::ZERO, Event::Looks)));
    }
    let (mut requested, mut sent) = (0, 0);
    while scene.arrived.len() < count {
        let mut granted = scene.driver.woken();
        // Some calls always wait.
        while requested < count && scene.driver.waiting() < 3 {
            requested += 1;
            let (number, reservation) = scene.driver.admit(call);
            granted.extend(reservation.map(|reservation| (number, reservation)));
        }
        if !granted.is_empty() {
            for (_, reservation) in granted {
                scene.send(reservation, way(sent), true);
                sent += 1;
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

/// Checks that over no network of a kind the exchange counts too many calls, whatever the random numbers.
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

/// The trips take equally long, but each request takes another part of its trip to the exchange. So trips show nothing
/// about ways.
#[test]
fn trips_of_a_constant_length_with_ways_of_any_length() {
    for trip in [20, 50, 200, 900].map(ms) {
        never_too_many("constant trips", |dice, _| {
            let there = dice.up_to(trip);
            Way::warm(there, trip - there)
        });
        never_too_many("all of one trip there, all of the next one back", |_, number| {
            if number % 3 == 0 { Way::warm(Duration::ZERO, trip) } else { Way::warm(trip, Duration::ZERO) }
        });
        never_too_many("the way there is short for the first time", |_, number| {
            let there = if number < 100 { trip / 2 } else { trip / 2 - trip.min(ms(34)) / 2 };
            Way::warm(there, trip - there)
        });
    }
}

/// The way back may vary as it likes.
#[test]
fn responses_that_are_late_cost_no_calls() {
    let mut dice = Dice(1);
    let settings = LimitSettings::new().learns(false);
    let arrived = run(settings, 20, 20 * 300, |_| Way::warm(ms(30), dice.up_to(ms(30))));
    assert!(most_in_any(&arrived, SECOND) <= 20);
    let (from, length) = (SECOND * 100, SECOND * 100);
    let used = arrived.iter().filter(|at| (from..from + length).contains(at)).count();
    assert!(used >= 20 * 95, "{used}");
}

/// Returns callers who wait for `patience` over a network that stalls for `length`.
fn over_a_stall(settings: LimitSettings, length: Duration, patience: Duration, looks: bool) -> Vec<Duration> {
    let begins = SECOND * 5 + ms(500);
    let conditions = Conditions { stall: Some((begins, begins + length)), looks };
    run_in(conditions, settings.margin(Duration::ZERO), 10, 200, |_| Way { patience, ..Way::warm(ms(25), ms(25)) })
}

/// Callers give up, and call again, while the network holds back what they sent.
#[test]
fn calls_that_are_given_up_and_arrive_together_after_a_stall() {
    for counted in [CountFrom::Arrival, CountFrom::Response] {
        for length in [2, 4, 8, 14].map(|seconds| SECOND * seconds) {
            for patience in [100, 500, 900, 3_000].map(ms) {
                for looks in [false, true] {
                    let arrived = over_a_stall(LimitSettings::new().count_from(counted), length, patience, looks);
                    let most = most_in_any(&arrived, SECOND);
                    assert!(most <= 10, "{counted:?}, {length:?}, {patience:?}, {looks}: {most}");
                }
            }
        }
    }
}

/// The documented bound, and no more: as many calls more than allowed for each begun `held_back` and window by which
/// the network holds them back for longer.
#[test]
fn a_network_that_holds_calls_back_for_too_long_exceeds_the_limit_by_the_documented_number() {
    let mut most_of_all = 0;
    for held_back in [1, 2, 5, 15].map(|seconds| SECOND * seconds) {
        for tenths in 10..300 {
            let length = ms(100 * tenths);
            let settings = LimitSettings::new().held_back(held_back).late_arrival(SECOND);
            let most = most_in_any(&over_a_stall(settings, length, ms(100), false), SECOND);
            let held_back = held_back.max(ms(1_100));
            let rounds = length.saturating_sub(held_back).as_micros().div_ceil((held_back + SECOND).as_micros());
            let bound = 10 * (1 + rounds as usize);
            assert!(most <= bound, "{held_back:?}, {length:?}: {most} of {bound}");
            most_of_all = most_of_all.max(most);
        }
    }
    assert!(most_of_all >= 100, "the bound is reached: {most_of_all}");
}

/// One response to a later call shows that the network holds nothing back any more.
#[test]
fn a_stall_is_over_once_a_later_call_is_answered() {
    let (length, begins) = (SECOND * 3, SECOND * 5 + ms(500));
    let resumed = |looks| {
        let arrived = over_a_stall(LimitSettings::new(), length, ms(100), looks);
        let after = arrived.into_iter().find(|at| *at > begins + length).unwrap_or_default();
        after - begins
    };
    assert!(resumed(true) < length + SECOND * 2 + LOOKS_EVERY + LOOK * 4, "{:?}", resumed(true));
    assert!(resumed(false) > SECOND * 15, "{:?}", resumed(false));
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
    let limits = limits(LimitSettings::new().margin(Duration::ZERO).way_margin(Duration::ZERO));
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
