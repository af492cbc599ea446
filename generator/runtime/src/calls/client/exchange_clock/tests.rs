//! Bounds of the exchange's clock from answers, and clocks that are set or drift.

use proptest::array::uniform3;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const WINDOW: Option<Duration> = Some(Duration::from_secs(30));

/// The time of the wall clock when the steady one begins.
const START: u64 = 1_700_000_000_000;

/// Returns the moment `at` milliseconds after the beginning, by a wall clock that was not set.
fn at(at: u64) -> Moment {
    Moment { wall: Timestamp::from_millis(START + at), steady: Duration::from_millis(at) }
}

/// Returns the same by a wall clock that was set by `jump` milliseconds.
fn set(moment: Moment, jump: i64) -> Moment {
    Moment { wall: Timestamp::from_millis(moment.wall.as_millis().saturating_add_signed(jump)), ..moment }
}

/// Returns a reading of an exchange's clock that is `ahead` milliseconds ahead, `read_after` milliseconds after the
/// request left.
fn reading(sent: u64, read_after: u64, received: u64, ahead: i64) -> ServerTime {
    let time = Timestamp::from_millis((START + sent + read_after).saturating_add_signed(ahead));
    ServerTime { time, step: Duration::from_millis(1), sent: at(sent), received: at(received) }
}

fn learned(all: &[ServerTime]) -> ExchangeClock {
    let clock = ExchangeClock::default();
    for reading in all {
        clock.learn(*reading, reading.time, WINDOW, Signature::Accepted);
    }
    clock
}

/// Returns how far ahead the exchange's clock is `now`, and the error bound, in milliseconds.
fn skew(clock: &ExchangeClock, now: Moment) -> Option<(i64, u128)> {
    clock.skew(now).map(|skew| (skew.ahead_ms, skew.uncertainty.as_millis()))
}

#[test]
fn nothing_is_known_before_an_answer() {
    let clock = ExchangeClock::default();
    assert!(clock.time(at(0)).is_none() && clock.skew(at(0)).is_none());
}

#[test]
fn one_answer_bounds_the_clock_to_half_its_trip() {
    // Read at once, in the middle or at the end of a trip of 100 ms: the truth is within the bounds.
    for read_after in [0, 50, 100] {
        let clock = learned(&[reading(1000, read_after, 1100, 600_000)]);
        let (ahead, uncertainty) = skew(&clock, at(1100)).unwrap_or_default();
        assert_eq!(uncertainty, 50);
        assert!((ahead - 600_000).unsigned_abs() <= 51, "{ahead}");
        let time = clock.time(at(1100));
        assert!(time.is_some_and(|time| time.allows(set(at(1100), 600_000).wall)));
        assert!(!time.is_some_and(|time| time.allows(at(1100).wall)));
    }
}

#[test]
fn a_clock_that_is_right_is_never_called_wrong() {
    for read_after in [0, 50, 100] {
        let clock = learned(&[reading(1000, read_after, 1100, 0)]);
        assert!(
            [1100, 1101, 60_000].iter().all(|now| clock.time(at(*now)).is_some_and(|time| time.allows(at(*now).wall)))
        );
    }
}

#[test]
fn every_answer_narrows_the_bounds_and_time_widens_them() {
    let clock = learned(&[reading(0, 0, 100, 5_000), reading(200, 100, 300, 5_000)]);
    assert_eq!(skew(&clock, at(300)), Some((5_000, 0)));
    // 100 ppm of ten minutes are 60 ms, to either side.
    assert_eq!(skew(&clock, at(600_300)), Some((5_000, 60)));
    // A slow round trip narrows nothing.
    let slow = reading(700_000, 9_000, 712_000, 5_000);
    clock.learn(slow, slow.time, WINDOW, Signature::Accepted);
    assert_eq!(skew(&clock, at(712_000)).map(|(ahead, uncertainty)| (ahead, uncertainty < 100)), Some((5_000, true)));
}

#[test]
fn a_contradicting_answer_replaces_the_estimate() {
    let clock = learned(&[reading(0, 5, 10, 0), reading(1_000, 5, 1_010, 20_000)]);
    assert_eq!(skew(&clock, at(1_010)), Some((20_000, 5)));
}

#[test]
fn old_estimates_are_dropped() {
    let clock = learned(&[reading(0, 5, 10, 7_000)]);
    assert!(clock.time(at(10 + 3_600_000)).is_some());
    assert!(clock.time(at(11 + 3_600_000)).is_none());
}

#[test]
fn setting_the_wall_clock_back_does_not_move_the_estimate() {
    let clock = learned(&[reading(0, 5, 10, 0)]);
    let now = set(at(5_000), -3_600_000);
    assert_eq!(skew(&clock, now), Some((3_600_000, 5)));
    // Requests are signed by the exchange's time as before.
    assert_eq!(clock.time(now).map(Bounds::likeliest), clock.time(at(5_000)).map(Bounds::likeliest));
}

#[test]
fn after_a_sleep_nothing_is_known() {
    // The steady clock stopped for an hour; setting the wall clock forward looks the same.
    let clock = learned(&[reading(0, 5, 10, 600_000)]);
    assert!(clock.time(set(at(5_000), 3_600_000)).is_none());
    assert!(clock.time(set(at(5_000), 1_000)).is_some());
    assert!(clock.time(set(at(5_000), 1_001)).is_none());
    // The next answer counts as the first one.
    let awake = Moment { steady: Duration::from_millis(5_100), ..set(at(5_100), 3_600_000) };
    let reading = ServerTime { time: set(awake, 600_000).wall, step: Duration::ZERO, sent: awake, received: awake };
    clock.learn(reading, reading.time, WINDOW, Signature::Accepted);
    assert_eq!(skew(&clock, awake), Some((600_000, 0)));
}

#[test]
fn a_time_outside_the_signature_window_counts_only_after_a_refusal() {
    let clock = ExchangeClock::default();
    let away = reading(0, 5, 10, 30_100);
    clock.learn(away, at(0).wall, WINDOW, Signature::Accepted);
    assert!(clock.time(at(10)).is_none());
    clock.learn(reading(100_000, 5, 100_010, 30_100), at(100_000).wall, WINDOW, Signature::Accepted);
    assert!(clock.time(at(100_010)).is_none());
    clock.learn(ServerTime { time: Timestamp::from_millis(0), ..away }, at(0).wall, WINDOW, Signature::Accepted);
    clock.learn(ServerTime { time: Timestamp::from_millis(u64::MAX), ..away }, at(0).wall, WINDOW, Signature::Accepted);
    assert!(clock.time(at(10)).is_none());
    clock.learn(away, at(0).wall, WINDOW, Signature::Refused);
    assert!(clock.time(at(10)).is_some());
    // Within the window, or without one, the clock is trusted.
    for (ahead, window) in [(30_000, WINDOW), (-30_000, WINDOW), (90_000, None)] {
        let (clock, reading) = (ExchangeClock::default(), reading(0, 5, 10, ahead));
        clock.learn(reading, at(0).wall, window, Signature::Accepted);
        assert!(clock.time(at(10)).is_some(), "{ahead}");
    }
}

#[test]
fn implausible_times_are_ignored() {
    for time in [0, 999_999_999_999, 4_102_444_800_000, u64::MAX] {
        for signature in [Signature::Accepted, Signature::Unchecked, Signature::Refused] {
            let clock = learned(&[reading(0, 5, 10, 7)]);
            let wild = ServerTime { time: Timestamp::from_millis(time), ..reading(0, 5, 10, 0) };
            clock.learn(wild, at(0).wall, None, signature);
            assert_eq!(skew(&clock, at(10)), Some((7, 5)), "{time} {signature:?}");
        }
    }
}

#[test]
fn only_a_refused_signature_teaches_a_time_that_it_does_not_fit() {
    let away = reading(0, 5, 10, 30_100);
    for (signature, is_believed) in
        [(Signature::Accepted, false), (Signature::Unchecked, false), (Signature::Refused, true)]
    {
        let clock = ExchangeClock::default();
        clock.learn(away, at(0).wall, WINDOW, signature);
        assert_eq!(clock.time(at(10)).is_some(), is_believed, "{signature:?}");
    }
}

#[test]
fn a_refused_signature_that_fits_shows_that_another_clock_judges() {
    let hour = 3_600_000;
    let clock = ExchangeClock::default();
    // One node answers with a time an hour ahead.
    clock.learn(reading(0, 5, 10, hour), at(0).wall, WINDOW, Signature::Refused);
    let corrected = set(at(20), hour).wall;
    clock.learn(reading(20, 5, 30, hour), corrected, WINDOW, Signature::Refused);
    assert!(clock.time(at(30)).is_none(), "the next one is signed by the client's own clock");
    // One answer of the right clock is enough.
    clock.learn(reading(40, 5, 50, 0), at(40).wall, WINDOW, Signature::Accepted);
    assert_eq!(skew(&clock, at(50)), Some((0, 5)));
}

#[test]
fn a_smaller_window_than_in_the_schema_is_learned() {
    let clock = ExchangeClock::default();
    clock.learn(reading(0, 5, 10, 8_000), at(0).wall, WINDOW, Signature::Refused);
    assert_eq!(skew(&clock, at(10)), Some((8_000, 5)));
}

#[test]
fn an_estimate_is_not_sure_after_a_single_refusal_or_once_older_than_the_window() {
    let window = Duration::from_secs(30);
    let clock = ExchangeClock::default();
    assert!(!clock.is_sure(at(0), window));
    clock.learn(reading(0, 5, 10, 60_000), at(0).wall, WINDOW, Signature::Refused);
    assert!(!clock.is_sure(at(10), window));
    clock.learn(reading(20, 5, 30, 60_000), at(20).wall, WINDOW, Signature::Refused);
    assert!(clock.is_sure(at(30), window) && clock.is_sure(at(30_030), window));
    assert!(!clock.is_sure(at(30_031), window));
    // A constant is not a clock.
    let constant = |sent| ServerTime { time: reading(0, 0, 0, 600_000).time, ..reading(sent, 0, sent + 10, 0) };
    let clock = ExchangeClock::default();
    clock.learn(constant(0), at(0).wall, WINDOW, Signature::Refused);
    clock.learn(constant(1_000), at(1_000).wall, WINDOW, Signature::Refused);
    assert!(!clock.is_sure(at(1_010), window));
    // An accepted signature makes it sure at once.
    assert!(learned(&[reading(0, 5, 10, 0)]).is_sure(at(10), window));
}

/// Returns how much slower and faster than the estimate other clocks are, in tenths of seconds.
fn others(clock: &ExchangeClock, moment: Moment) -> (u128, u128) {
    let tenths = |time: Duration| (time.as_millis() + 50) / 100;
    let (slower, faster) = clock.others(moment);
    (tenths(slower), tenths(faster))
}

fn learn_each(clock: &ExchangeClock, all: &[(u64, i64)]) {
    for (sent, ahead) in all {
        let reading = reading(*sent, 5, sent + 10, *ahead);
        clock.learn(reading, reading.time, WINDOW, Signature::Accepted);
    }
}

#[test]
fn how_far_clocks_are_apart_is_remembered_for_a_while() {
    let clock = learned(&[reading(0, 5, 10, 0)]);
    assert_eq!(clock.others(at(10)), (Duration::ZERO, Duration::ZERO));
    learn_each(&clock, &[(100, 20_000), (200, 0), (300, 5_000)]);
    assert_eq!(others(&clock, at(310)), (50, 150));
    // An hour after the last one, which came at 310 ms.
    assert_eq!(others(&clock, at(3_600_310)), (50, 150));
    assert_eq!(clock.others(at(3_600_311)), (Duration::ZERO, Duration::ZERO));
    learn_each(&clock, &[(5_000_000, 0), (5_000_100, 20_000)]);
    assert_eq!(others(&clock, at(5_000_200)), (200, 0));
}

/// The clock that one machine shows is no more certain than the slowest and the fastest of all.
#[test]
fn each_estimate_is_compared_with_the_slowest_and_the_fastest_clock() {
    let clock = learned(&[]);
    for (number, ahead, beside) in [
        (0, 0, (0, 0)),
        (1, 3_600_000, (36_000, 0)),
        (2, 0, (0, 36_000)),
        (3, -20_000, (0, 36_200)),
        (4, 0, (200, 36_000)),
    ] {
        learn_each(&clock, &[(1_000 * number, ahead)]);
        assert_eq!(others(&clock, at(1_000 * number + 10)), beside, "{ahead}");
    }
    // A refusal that the estimate does not explain drops it, and not what is known of the clocks.
    clock.learn(reading(6_000, 5, 6_010, 0), at(6_005).wall, WINDOW, Signature::Refused);
    assert!(clock.time(at(6_010)).is_none());
    assert_eq!(others(&clock, at(6_010)), (36_200, 36_200));
    learn_each(&clock, &[(7_000, 3_600_000)]);
    assert_eq!(others(&clock, at(7_010)), (36_200, 0));
}

/// Lets a machine answer whose clock is `ahead` milliseconds ahead, after the client's slept or was set by `jump`.
fn learn_after(clock: &ExchangeClock, (sent, jump): (u64, i64), ahead: i64) {
    let (sent, received) = (set(at(sent), jump), set(at(sent + 10), jump));
    let time = set(at(sent.steady.as_millis() as u64), ahead).wall;
    let reading = ServerTime { time, step: Duration::from_millis(1), sent, received };
    clock.learn(reading, reading.time, WINDOW, Signature::Accepted);
}

/// A sleep moves all clocks against the steady one, so that which of them is faster is not known until two of them are
/// compared.
#[test]
fn after_a_sleep_only_the_distance_of_clocks_is_known() {
    let clock = learned(&[reading(0, 5, 10, 0), reading(100, 5, 110, 20_000)]);
    let slept = 600_000;
    let is_now = |millis| set(at(millis), slept);
    assert_eq!(others(&clock, at(110)), (200, 0));
    learn_after(&clock, (1_000, slept), slept);
    assert_eq!(others(&clock, is_now(1_010)), (200, 200));
    for (sent, ahead, beside) in [(2_000, 20_000, (200, 0)), (3_000, 0, (0, 200)), (4_000, 5_000, (50, 150))] {
        learn_after(&clock, (sent, slept), slept + ahead);
        assert_eq!(others(&clock, is_now(sent + 10)), beside, "{ahead}");
    }
}

/// The client's clock was set, which looks like a sleep: none that is slower than all of them before can be there.
#[test]
fn a_clock_that_was_set_hides_only_the_fastest_of_the_others() {
    let hour = 3_600_000;
    let clock = learned(&[reading(0, 5, 10, 0), reading(100, 5, 110, hour)]);
    let is_now = |millis| set(at(millis), 90_000);
    learn_after(&clock, (1_000, 90_000), 0);
    assert_eq!(others(&clock, is_now(1_010)), (0, 36_000));
    learn_after(&clock, (2_000, 90_000), hour);
    assert_eq!(others(&clock, is_now(2_010)), (36_000, 0));
}

/// One thing that happens before an answer.
#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    /// The client's machine sleeps for so many milliseconds, in which its steady clock stands still.
    Sleep(i64),
    /// The client's clock is set.
    Set(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let sleep = |longest: i64| (2_000..longest).prop_map(Event::Sleep);
    let set = (-90_000..90_000_i64).prop_map(Event::Set);
    prop_oneof![Just(Event::Nothing), Just(Event::Nothing), sleep(90_000), sleep(28_800_000), set]
}

proptest! {
    /// Clocks that were compared are where the client believes them, whatever happens to its own ones.
    #[test]
    fn no_known_clock_is_beyond_the_bounds(
        ahead in uniform3(0..7_200_000_i64),
        events in vec((event(), 0..3_usize), 1..20),
    ) {
        let (clock, compared) = (ExchangeClock::default(), [0, 1, 2].map(|machine| (Event::Nothing, machine)));
        let (mut sent, mut slept, mut jump) = (0, 0, 0);
        for (event, machine) in compared.into_iter().chain(events) {
            match event {
                Event::Nothing => {}
                Event::Sleep(length) => slept += length,
                Event::Set(by) => jump += by,
            }
            sent += 1_000;
            learn_after(&clock, (sent, slept + jump), slept + ahead[machine]);
            let now = set(at(sent + 10), slept + jump);
            let (Some(there), Some(latest)) = (clock.time(now), clock.latest(now)) else {
                return Err(TestCaseError::fail("an answer leads to an estimate"));
            };
            let ((slower, faster), slack) = (clock.others(now), Duration::from_millis(20));
            for ahead in ahead.into_iter().filter(|_| sent > 3_000) {
                let shown = set(at(sent + 10), slept + ahead).wall;
                prop_assert!(there.ends().0 - shown <= slower + slack, "{event:?} {ahead}: slower by {slower:?}");
                prop_assert!(shown - latest <= faster + slack, "{event:?} {ahead}: faster by {faster:?}");
            }
        }
    }
}

/// A request is compared with what was known when it left: the answers of a later hour may come from one slow machine.
#[test]
fn for_an_earlier_request_the_distance_known_then_counts() {
    let clock = learned(&[reading(0, 5, 10, 0), reading(100, 5, 110, 20_000)]);
    let (left, hours) = (at(200), |hours: u64| hours * 3_600_000);
    for (sent, ahead) in [(hours(2), 0), (hours(2) + 100, 0), (hours(2) + 200, 5_000)] {
        let reading = reading(sent, 5, sent + 10, ahead);
        clock.learn(reading, reading.time, WINDOW, Signature::Accepted);
    }
    let (slower, faster) = clock.others(left);
    assert!(slower + faster >= Duration::from_secs(20) - Duration::from_millis(20), "{slower:?} {faster:?}");
    assert_eq!(others(&clock, left), (50, 150));
    // After the time for which requests are remembered, the distance is forgotten.
    for (sent, ahead) in [(hours(6), 0), (hours(6) + 100, 1_000)] {
        let reading = reading(sent, 5, sent + 10, ahead);
        clock.learn(reading, reading.time, WINDOW, Signature::Accepted);
    }
    assert_eq!(others(&clock, at(hours(6) + 200)), (10, 0));
}

#[test]
fn an_estimate_is_less_certain_for_the_past_too() {
    let clock = learned(&[reading(3_000_000, 5, 3_000_010, 0)]);
    let width =
        |now| clock.time(at(now)).map(|there| there.ends()).map(|(least, most)| most.as_millis() - least.as_millis());
    // 100 ppm, to either side.
    assert_eq!(width(3_000_010 - 1_000_000), width(3_000_010).map(|width| width + 200));
}

#[test]
fn an_answer_that_comes_late_or_twice_does_not_make_the_clock_seem_slow() {
    // Trips of a second leave room for a time of 400 ms ago.
    let slow = reading(0, 500, 1_000, 0);
    let stale = ServerTime { sent: at(1_500), received: at(1_501), ..reading(1_100, 0, 1_100, 0) };
    let fresh = reading(1_600, 1, 1_602, 0);
    let latest = |clock: &ExchangeClock, now| {
        let faster = clock.others(at(now)).1.as_millis() as u64;
        clock.latest(at(now)).map(|time| time.as_millis() - START + faster)
    };
    let clock = learned(&[slow, stale]);
    assert_eq!(latest(&clock, 2_000), Some(1_601), "no bound is tighter");
    for all in [[slow, stale, fresh], [slow, fresh, stale], [fresh, slow, stale], [stale, slow, fresh]] {
        let clock = learned(&all);
        assert!(latest(&clock, 2_000).is_some_and(|latest| (1_999..2_410).contains(&latest)), "{all:?}");
    }
}

/// A later answer may have been under way for long, or be old: its time bounds the clock from below.
#[test]
fn the_latest_time_is_that_of_the_freshest_answer() {
    let fresh = reading(1000, 50, 1100, 0);
    let clock = learned(&[fresh, reading(2000, 0, 12_000, 0)]);
    assert!(clock.latest(at(12_000)) >= Some(Timestamp::from_millis(START + 12_050)));
}

#[test]
fn bounds_include_their_ends() {
    let millis = |least: i128, most: i128| Bounds { least: least * 1_000_000, most: most * 1_000_000 };
    let time = Timestamp::from_millis;
    let bounds = millis(10, 20);
    let allowed: Vec<u64> = (0..30).filter(|at| bounds.allows(time(*at))).collect();
    assert_eq!(allowed, (10..=20).collect::<Vec<_>>());
    let window = Duration::from_millis(5);
    let beyond: Vec<u64> = (0..30).filter(|at| bounds.is_beyond(time(*at), window, Duration::ZERO)).collect();
    assert_eq!(beyond, (0..5).chain(26..30).collect::<Vec<_>>());
    assert_eq!(bounds.and(millis(20, 30)), Some(millis(20, 20)));
    assert_eq!(bounds.and(millis(21, 30)), None);
}
