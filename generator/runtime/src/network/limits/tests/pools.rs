//! The rows that apply to a call, shares of a rate, and operations that are counted together, by weight, in several
//! pools.

use std::time::Duration;

use proptest::prelude::*;

use super::{Driver, SECOND, limited_to, limits, make_all, ms, operation, per_ip, per_uid};
use crate::data::checks::Checks;
use crate::data::error::LimiterErrorKind;
use crate::data::parameters::{ParameterReader, ParameterWriter, Parameters};
use crate::data::tables::{Effect, Meta, RateLimit, Scope};
use crate::name;
use crate::network::limits::{
    Admission, AdmissionError, Call, Classes, LimitSettings, Limiter, Plan, QuotaShare, Reservation,
};

/// A pool, and the length of its windows in seconds.
const REQUESTS: (&str, u32) = ("requests", 2);

const ORDERS: (&str, u32) = ("orders", 1);

fn pool((name, seconds): (&'static str, u32), most: u32, weight: u32) -> RateLimit {
    RateLimit::per_ip(most).every(seconds).pool(name, weight)
}

fn exact() -> LimitSettings {
    LimitSettings::new().margin(Duration::ZERO)
}

/// Returns operations by their weights in the two pools; those without a weight in a pool do not count in it.
fn operations(most: [u32; 2], weights: &[[u32; 2]]) -> Vec<&'static Meta> {
    let takes = |(pool_of, most, weight): ((&'static str, u32), u32, u32)| {
        (weight > 0).then(|| pool(pool_of, most, weight.min(most)))
    };
    let make = |[requests, orders]: &[u32; 2]| {
        let rows = [(REQUESTS, most[0], *requests), (ORDERS, most[1], *orders)];
        operation("some", Effect::Create, &rows.into_iter().filter_map(takes).collect::<Vec<_>>())
    };
    weights.iter().map(make).collect()
}

/// Returns the most that calls take of the pool in any of its windows.
fn most_taken(made: &[(Duration, &'static Meta)], (name, seconds): (&str, u32)) -> u32 {
    let weight =
        |meta: &Meta| meta.limits.iter().filter(|row| row.pool == Some(name)).map(|row| row.weight).sum::<u32>();
    let span = SECOND * seconds;
    let from = |start: Duration| {
        made.iter().filter(|(at, _)| (start..start + span).contains(at)).map(|(_, meta)| weight(meta)).sum()
    };
    made.iter().map(|(at, _)| from(*at)).max().unwrap_or(0)
}

#[derive(Clone, Copy, Debug)]
struct Caller {
    /// After the one before.
    pause: u64,
    operation: usize,
    /// From admission to sending.
    slowness: u64,
    gives_back: bool,
    /// Does not wait longer than this.
    leaves: Option<u64>,
}

fn callers(operations: usize) -> impl Strategy<Value = Vec<Caller>> {
    let pause = prop_oneof![4 => Just(0), 3 => 0..30_u64, 1 => 0..2_500_u64];
    let slowness = prop_oneof![3 => Just(0), 1 => 0..300_u64];
    let leaves = prop_oneof![4 => Just(None), 1 => (0..1_500_u64).prop_map(Some)];
    let caller = (pause, 0..operations, slowness, prop::bool::weighted(0.1), leaves);
    let caller = caller.prop_map(|(pause, operation, slowness, gives_back, leaves)| Caller {
        pause,
        operation,
        slowness,
        gives_back,
        leaves,
    });
    prop::collection::vec(caller, 1..100)
}

/// Returns the calls that are made, and when. Every caller that does not leave is admitted.
fn run(metas: &[&'static Meta], callers: &[Caller]) -> Vec<(Duration, &'static Meta)> {
    let limits = limits(exact());
    let mut driver = Driver::new(&limits);
    let (mut made, mut arrival) = (Vec::new(), Duration::ZERO);
    let mut arrivals: Vec<_> = callers
        .iter()
        .map(|caller| {
            arrival += ms(caller.pause);
            arrival
        })
        .collect();
    let mut holding: Vec<(Duration, usize, Reservation)> = Vec::new();
    let mut leaving: Vec<(Duration, usize)> = Vec::new();
    arrivals.reverse();
    loop {
        let now = driver.now();
        leaving.retain(|(at, number)| {
            if *at <= now {
                driver.give_up(*number);
            }
            *at > now
        });
        let mut granted = driver.woken();
        while arrivals.last().is_some_and(|arrival| *arrival <= now) {
            arrivals.pop();
            let caller = callers[callers.len() - arrivals.len() - 1];
            let (number, reservation) = driver.admit(Call::new(metas[caller.operation]));
            match (reservation, caller.leaves) {
                (Some(reservation), _) => granted.push((number, reservation)),
                (None, Some(after)) => leaving.push((now + ms(after), number)),
                (None, None) => {}
            }
        }
        for (number, reservation) in granted {
            leaving.retain(|(_, other)| *other != number);
            holding.push((now + ms(callers[number].slowness), number, reservation));
        }
        let (due, later): (Vec<_>, _) = holding.into_iter().partition(|(at, ..)| *at <= now);
        holding = later;
        let acts = !due.is_empty();
        for (_, number, reservation) in due {
            if callers[number].gives_back {
                driver.limits.give_back(reservation);
            } else {
                driver.make(reservation);
                made.push((now, metas[callers[number].operation]));
            }
        }
        if acts {
            // The calls that this makes room for are sent at the same moment.
            continue;
        }
        let own = holding.iter().map(|(at, ..)| *at).chain(leaving.iter().map(|(at, _)| *at));
        let Some(next) = own.chain(arrivals.last().copied()).chain(driver.timer.next_wake()).min() else {
            assert_eq!(driver.waiting(), 0, "a waiting call was forgotten");
            return made;
        };
        driver.step(next);
    }
}

/// Other operations take another part of the pool.
#[test]
fn a_full_pool_is_reported_without_the_weight_of_the_call_that_came_first() {
    let metas = operations([10, 10], &[[7, 0], [4, 0]]);
    let limits = limits(exact());
    let admit = |meta| limits.0.admit(Call::new(meta), false);
    assert!(matches!(admit(metas[0]), Admission::Now(Ok(_))));
    let Admission::Now(Err(AdmissionError::Full(full))) = admit(metas[1]) else {
        unreachable!("seven of ten are taken")
    };
    let binding = full.binding.map(|binding| (binding.operation, binding.limit.pool, binding.limit.weight));
    assert_eq!(binding, Some((None, Some("requests"), 1)));
}

proptest! {
    #[test]
    fn no_window_of_a_pool_ever_has_too_many(
        most in [1..40_u32, 1..10_u32],
        weights in prop::collection::vec([0..20_u32, 0..4_u32], 4),
        callers in callers(4),
    ) {
        let metas = operations(most, &weights);
        let made = run(&metas, &callers);
        let stay = callers.iter().filter(|caller| caller.leaves.is_none() && !caller.gives_back).count();
        prop_assert!(made.len() >= stay);
        prop_assert!(most_taken(&made, REQUESTS) <= most[0]);
        prop_assert!(most_taken(&made, ORDERS) <= most[1]);
    }

    /// A heavy call is admitted in its turn, however many calls come after it that are light or count in only one of
    /// its pools.
    #[test]
    fn no_one_is_passed_for_ever(
        most in [2..30_u32, 2..10_u32],
        heavy in [1..30_u32, 1..10_u32],
        light in prop::collection::vec(prop_oneof![Just([1, 0]), Just([0, 1]), Just([1, 1])], 1..4),
        pause in 1..40_u64,
    ) {
        let heavy = operations(most, &[heavy])[0];
        let light = operations(most, &light);
        let limits = limits(exact());
        let mut driver = Driver::new(&limits);
        // Room is taken at moments that differ, and no call waits yet.
        for round in 0..40 {
            if let Admission::Now(Ok(reservation)) = limits.0.admit(Call::new(light[round % light.len()]), false) {
                driver.make(reservation);
            }
            driver.step(driver.now() + ms(pause));
        }
        let since = driver.now();
        let (heavy, reservation) = driver.admit(Call::new(heavy));
        let mut is_gone = reservation.map(|reservation| driver.make(reservation)).is_some();
        let mut round = 0;
        while !is_gone {
            // Every call that is made takes room for one window, so all that were made before are forgotten then.
            prop_assert!(driver.now() <= since + SECOND * REQUESTS.1.max(ORDERS.1));
            round += 1;
            let (_, reservation) = driver.admit(Call::new(light[round % light.len()]));
            reservation.map(|reservation| driver.make(reservation));
            driver.step(driver.now() + ms(pause));
            for (number, reservation) in driver.woken() {
                is_gone |= number == heavy;
                driver.make(reservation);
            }
        }
    }

    /// A call that stops waiting gives back the room it kept: the others are sent when they would have been without it.
    #[test]
    fn leaving_a_pool_leaves_no_gap(weight in 2..10_u32, count in 1..20_usize) {
        let metas = operations([10, 10], &[[weight, 0], [1, 0]]);
        let limits = limits(exact());
        let mut driver = Driver::new(&limits);
        let first = make_all(&mut driver, &[Call::new(metas[1]); 9]);
        prop_assert_eq!(first, vec![Duration::ZERO; 9]);
        let (heavy, reservation) = driver.admit(Call::new(metas[0]));
        prop_assert!(reservation.is_none());
        let light: Vec<_> = (0..count).map(|_| driver.admit(Call::new(metas[1])).1).collect();
        prop_assert!(light.iter().all(Option::is_none), "one place is kept for the heavy call");
        driver.give_up(heavy);
        let gone = driver.woken();
        prop_assert_eq!(gone.len(), 1, "it is free as soon as the heavy call leaves");
    }
}

#[test]
fn a_call_takes_as_much_as_it_weighs() {
    let metas = operations([10, 10], &[[4, 0], [1, 0]]);
    let limits = limits(exact());
    let made = make_all(&mut Driver::new(&limits), &[Call::new(metas[0]), Call::new(metas[0]), Call::new(metas[0])]);
    assert_eq!(made, [0, 0, 2].map(Duration::from_secs));
    // In the first window, 2 were left, and in this one 6 are.
    let made = make_all(&mut Driver::new(&limits), &[Call::new(metas[1]); 7]);
    assert_eq!(made, [2, 2, 2, 2, 2, 2, 4].map(Duration::from_secs));
}

#[test]
fn a_call_goes_when_all_its_pools_have_room() {
    let metas = operations([10, 2], &[[1, 1], [1, 0]]);
    let limits = limits(exact());
    let mut driver = Driver::new(&limits);
    let orders = make_all(&mut driver, &[Call::new(metas[0]); 3]);
    assert_eq!(orders, [0, 0, 1].map(Duration::from_secs));
    let reads = make_all(&mut driver, &[Call::new(metas[1]); 8]);
    assert_eq!(reads, [1, 1, 1, 1, 1, 1, 1, 2].map(Duration::from_secs));
}

/// An order that waits for a long window of orders keeps one place of the requests, not all.
#[test]
fn a_call_that_waits_for_one_pool_leaves_the_rest_of_the_other() {
    let metas = operations([10, 1], &[[1, 1], [1, 0]]);
    let limits = limits(exact());
    let mut driver = Driver::new(&limits);
    assert!(driver.admit(Call::new(metas[0])).1.map(|reservation| driver.make(reservation)).is_some());
    assert!(driver.admit(Call::new(metas[0])).1.is_none());
    let reads = (0..10).filter(|_| driver.admit(Call::new(metas[1])).1.is_some()).count();
    assert_eq!(reads, 8);
}

#[test]
fn a_share_that_is_less_than_one_call_is_refused() {
    let metas = operations([10, 10], &[[6, 0], [5, 0]]);
    let limits = limits(exact().share(QuotaShare::new(1, 2)));
    assert!(matches!(limits.0.admit(Call::new(metas[0]), true), Admission::Now(Err(_))));
    assert!(matches!(limits.0.admit(Call::new(metas[1]), true), Admission::Now(Ok(_))));
}

#[test]
fn the_pool_that_is_used_up_is_named() {
    let metas = operations([1, 10], &[[1, 1]]);
    let limits = limits(exact());
    let first = limits.0.admit(Call::new(metas[0]), false);
    assert!(matches!(first, Admission::Now(Ok(_))));
    let binding = match limits.0.admit(Call::new(metas[0]), false) {
        Admission::Now(Err(AdmissionError::Full(full))) => full.binding.map(|binding| binding.to_string()),
        _ => None,
    };
    assert_eq!(binding.as_deref(), Some("the limit of requests, 1 calls in 2 s per IP (default)"));
}

/// A pair, or a batch of them.
struct Order(Vec<&'static str>);

struct Item(&'static str);

impl Parameters for Item {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("symbol"), &self.0);
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

impl Parameters for Order {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("side"), &"rBuy");
        match self.0.as_slice() {
            [symbol] => out.text(name!("symbol"), symbol),
            symbols => out.list(name!("orders"), &symbols.iter().map(|symbol| Item(symbol)).collect::<Vec<_>>()),
        }
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

fn rows() -> [RateLimit; 5] {
    let address = RateLimit { class: "listed", ..per_ip(7) };
    [per_uid(10, "default"), per_uid(5, "reality"), per_uid(30, "listed"), per_ip(100), address]
}

/// Returns the numbers of calls of the rows that apply.
fn holding(classes: &Classes, symbols: &[&'static str]) -> Vec<u32> {
    let meta = operation("place", Effect::Create, &rows());
    let order = Order(symbols.to_vec());
    let [uid_class, ip_class] =
        [Scope::Uid, Scope::Ip].map(|scope| classes.choose(meta.limits, scope, &order).unwrap_or("default"));
    let mut call = Call::new(meta);
    (call.uid_class, call.ip_class) = (uid_class, ip_class);
    call.limits().map(|row| row.calls).collect()
}

#[test]
fn without_a_class_the_default_rows_hold() {
    assert_eq!(holding(&Classes::new(), &["a"]), [10, 100]);
    assert_eq!(holding(&Classes::new().always("unheard-of"), &["a"]), [10, 100]);
}

#[test]
fn the_rows_of_a_class_take_the_place_of_the_default_ones_of_their_scope() {
    assert_eq!(holding(&Classes::new().always("reality"), &["a"]), [5, 100]);
    assert_eq!(holding(&Classes::new().always("listed"), &["a"]), [30, 7]);
}

#[test]
fn the_first_class_counts() {
    let first = Classes::new().always("listed").always("reality");
    assert_eq!(holding(&first, &["a"]), [30, 7]);
    // Each scope by itself.
    let other = Classes::new().always("reality").always("listed");
    assert_eq!(holding(&other, &["a"]), [5, 7]);
}

#[test]
fn a_class_can_depend_on_a_parameter() {
    let reality = Classes::new().when("reality", "symbol", |symbol| symbol.starts_with('r'));
    assert_eq!(holding(&reality, &["rA"]), [5, 100]);
    assert_eq!(holding(&reality, &["A"]), [10, 100]);
    assert_eq!(holding(&reality, &["A", "rB"]), [5, 100]);
    assert_eq!(holding(&reality, &["A", "B"]), [10, 100]);
    let other = Classes::new().when("reality", "pair", |_| true);
    assert_eq!(holding(&other, &["rA"]), [10, 100]);
}

#[test]
fn classes_are_counted_apart() {
    let meta = operation("place", Effect::Create, &rows());
    let limits = limits(LimitSettings::new());
    let count = |class| {
        let mut call = Call::new(meta);
        call.uid_class = class;
        let admissions = std::iter::repeat_with(|| limits.0.admit(call, false));
        admissions.take_while(|answer| matches!(answer, Admission::Now(Ok(_)))).count()
    };
    assert_eq!((count("default"), count("reality"), count("listed"), count("reality")), (10, 5, 30, 0));
}

#[test]
fn a_share_is_a_part_of_every_limit() {
    let settings = LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 4));
    let made = make_all(&mut Driver::new(&limits(settings)), &[Call::new(limited_to(10)); 5]);
    assert_eq!(made, [0, 0, 1, 1, 2].map(|second| SECOND * second));
}

#[test]
fn a_share_below_one_call_is_refused() {
    let limits = limits(LimitSettings::new().share(QuotaShare::new(1, 4)));
    for wait in [false, true] {
        let Admission::Now(Err(AdmissionError::Unavailable(unavailable))) =
            limits.0.admit(Call::new(limited_to(3)), wait)
        else {
            unreachable!("it is known at once")
        };
        assert_eq!(unavailable.kind, LimiterErrorKind::NoShare);
        let text = "the limiter has no share of the rate: the share is less than one call of limited in a window";
        assert_eq!(unavailable.to_string(), text);
    }
}

/// A plan promises no time for calls that never go out.
#[test]
fn a_plan_reports_refused_calls() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 4)));
    let [none, one] = [3, 4].map(|calls| Call::new(limited_to(calls)));
    let plan = limits.0.plan(&[none; 2]);
    assert_eq!((plan.requests, plan.refused, plan.lasts), (2, 2, Duration::ZERO));
    let text = "all 2 requests are refused: the share of their limit is less than one call in a window";
    assert_eq!(plan.to_string(), text);
    let plan = limits.0.plan(&[one, none, one]);
    assert_eq!((plan.requests, plan.refused, plan.lasts), (3, 1, SECOND));
    let text = "2 requests in 1.000 s, because of the limit of limited, 4 calls in 1 s per UID (default); 1 more are \
                refused: the share of their limit is less than one call in a window";
    assert_eq!(plan.to_string(), text);
    assert_eq!(Plan::from_nothing(&[one]).refused, 0);
}

#[test]
fn a_share_of_zero_admits_nothing() {
    for whole in 0..3 {
        assert_eq!(QuotaShare::new(0, whole).of(10), 0);
    }
}

#[test]
fn shares_together_have_no_more_than_there_is() {
    for calls in 0..100 {
        for whole in 0..20 {
            assert!((0..whole).map(|_| QuotaShare::new(1, whole).of(calls)).sum::<u32>() <= calls);
            assert_eq!(QuotaShare::new(whole + 1, whole).of(calls), calls);
        }
    }
    assert_eq!(QuotaShare::new(u32::MAX - 1, u32::MAX).of(u32::MAX), u32::MAX - 1);
}
