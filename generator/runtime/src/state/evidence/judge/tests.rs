//! Which answers prove a request, and which contradict it.

use super::*;

const SIGNED: u64 = 1_700_000_000_000;

const PLACED: Confirm = Confirm {
    ids: &[("id", "id")],
    agrees: &[("symbol", &["symbol"]), ("qty", &["qty", "amount"])],
    created: Some("created"),
    ..Confirm::DEFAULT
};

const AMENDED: Confirm = Confirm {
    matches: &[("qty", "newQty"), ("price", "newPrice")],
    agrees: &[("symbol", &["symbol"])],
    created: None,
    changed: Some("updated"),
    changed_while: &[("state", &["live", "new"])],
    ..PLACED
};

/// Returns the departure of a request that was sent when the clock of signatures and that of the machine showed these
/// times.
fn departure(signed_at: Timestamp, made_at: Timestamp) -> Departure {
    let at = SigningTimes { signed_at, made_at: Some(made_at) };
    Departure { at, earlier: Duration::ZERO, attempted_for: Duration::ZERO }
}

fn sent() -> Sent {
    let at = |millis| Timestamp::from_millis(SIGNED + millis);
    Sent {
        signed_at: at(0),
        window: Some(Duration::from_secs(30)),
        assumptions: Assumptions::DEFAULT,
        left: Some((at(0), at(10))),
        departure: departure(at(0), at(0)),
        attempts: None,
    }
}

fn target(confirm: &Confirm, request: &str) -> Target {
    let confirm: &'static Confirm = Box::leak(Box::new(*confirm));
    Target { confirm, named: Named::read(request), field: "id", key: "a".to_owned() }
}

/// Returns the case of a request that got no answer.
fn case<'a>(target: &'a Target, sent: &Sent) -> Case<'a> {
    Case { target, sent: *sent, call: CallEnd::default(), is_compound: false, was_shown: false }
}

fn judged(case: &Case<'_>, record: &str, has_rival: bool) -> Verdict {
    let record = Named::read(record);
    case.judge(Seen::Record((&record, Form::Anything)), &[], |_, _| has_rival)
}

fn evaluated(confirm: &Confirm, request: &str, record: &str, sent: &Sent) -> Verdict {
    judged(&case(&target(confirm, request), sent), record, false)
}

fn evaluated_with_rival(confirm: &Confirm, request: &str, record: &str) -> Verdict {
    judged(&case(&target(confirm, request), &sent()), record, true)
}

fn placed(record: &str) -> Verdict {
    evaluated(&PLACED, r#"{"id": "a", "symbol": "BTCUSDT", "qty": "1"}"#, record, &sent())
}

fn created(millis: i64, rest: &str) -> String {
    format!(r#"{{"id": "a", "created": "{}"{rest}}}"#, SIGNED.checked_add_signed(millis).unwrap_or_default())
}

fn is_nothing(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(Doubt::Open | Doubt::Another, _))
}

const OLDER: Verdict = Verdict::Unknown(Doubt::Another, "something older has the same id");
const STILL_OPEN: Verdict = Verdict::Unknown(Doubt::Open, "the order is still open, and the request may still arrive");
const ENDED: Verdict = Verdict::Unknown(Doubt::Open, "the order has ended without the values of the request");

#[test]
fn a_record_of_the_right_time_that_agrees_is_a_proof() {
    assert_eq!(placed(&created(5, r#", "symbol": "btcusdt", "qty": "1.0""#)), Verdict::Done);
    assert_eq!(placed(&created(5, r#", "qty": "0.1", "amount": "1""#)), Verdict::Done, "one of the fields agrees");
    assert_eq!(placed(&created(5, "")), Verdict::Done, "a missing field contradicts nothing");
    assert_eq!(placed(&created(-2000, "")), Verdict::Done);
    assert_eq!(placed(&created(40_000, "")), Verdict::Done);
}

#[test]
fn a_record_of_another_time_is_not() {
    assert_eq!(placed(&created(-90_001, "")), OLDER);
    assert!(is_nothing(placed(&created(-90_000, ""))), "the clocks may be wrong together");
    assert!(is_nothing(placed(&created(-30_000, ""))), "it is from before the request left");
    assert!(is_nothing(placed(&created(-2001, ""))));
    assert!(is_nothing(placed(&created(40_001, ""))));
    for record in [r#"{"id": "a"}"#, r#"{"id": "a", "created": ""}"#, r#"{"id": "a", "created": "soon"}"#] {
        assert!(is_nothing(placed(record)), "{record}");
    }
}

/// The clock of signatures was an hour ahead of the machine's, or an hour behind. Between the two is nothing of it.
#[test]
fn a_record_counts_that_fits_any_clock_that_shows_when_the_request_was_sent() {
    let (hour, at) = (3_600_000, |millis: i64| Timestamp::from_millis(SIGNED.saturating_add_signed(millis)));
    for (signed_at, made_at) in [(0, -hour), (-hour, 0)] {
        let departure = departure(at(signed_at), at(made_at));
        let evidence =
            |millis| evaluated(&PLACED, r#"{"id": "a"}"#, &created(millis, ""), &Sent { departure, ..sent() });
        for millis in [-hour - 2_000, -hour, -hour + 40_000, -2_000, 0, 40_000] {
            assert_eq!(evidence(millis), Verdict::Done, "{millis}");
        }
        for millis in [-hour - 90_000, -hour - 2_001, -hour + 40_001, -hour / 2, -2_001, 40_001] {
            assert!(is_nothing(evidence(millis)), "{millis}");
        }
        assert_eq!(evidence(-hour - 90_001), OLDER, "all clocks may be wrong together by a minute");
    }
}

/// As far as the clocks of the exchange show, and no further than it accepts signatures.
#[test]
fn a_record_may_be_earlier_by_a_clock_of_the_exchange() {
    for (earlier, allowed) in [(0, 2_000), (1_000, 2_000), (9_000, 9_000), (30_000, 30_000), (3_600_000, 30_000)] {
        let departure = Departure { earlier: Duration::from_millis(earlier), ..sent().departure };
        let evidence =
            |millis| evaluated(&PLACED, r#"{"id": "a"}"#, &created(millis, ""), &Sent { departure, ..sent() });
        assert_eq!(evidence(-allowed), Verdict::Done, "{earlier}");
        assert!(is_nothing(evidence(-allowed - 1)), "{earlier}");
    }
}

#[test]
fn a_record_that_differs_in_any_field_is_not() {
    assert!(is_nothing(placed(&created(5, r#", "symbol": "ETHUSDT""#))));
    assert!(is_nothing(placed(&created(5, r#", "symbol": "BTCUSDT", "qty": "2""#))));
    assert!(is_nothing(placed(&created(5, r#", "qty": "2", "amount": "3""#))));
}

#[test]
fn a_record_without_the_deciding_facts_is_not() {
    let request = r#"{"id": "a"}"#;
    let right = created(5, "");
    assert_eq!(evaluated(&PLACED, request, &right, &sent()), Verdict::Done);
    let timeless = Confirm { created: None, ..PLACED };
    assert!(is_nothing(evaluated(&timeless, request, &right, &sent())));
    assert!(is_nothing(evaluated(&PLACED, request, &right, &Sent { window: None, ..sent() })));
    assert!(matches!(evaluated_with_rival(&PLACED, request, &right), Verdict::Unknown(Doubt::Ambiguous, _)));
    let unknown_clock = Sent { left: None, ..sent() };
    assert_eq!(evaluated(&PLACED, request, &right, &unknown_clock), Verdict::Done);
    assert_eq!(evaluated(&PLACED, request, &created(-2000, ""), &unknown_clock), Verdict::Done);
    assert!(is_nothing(evaluated(&PLACED, request, &created(-2001, ""), &unknown_clock)));
}

const AMENDMENT: &str = r#"{"id": "a", "newQty": "2", "newPrice": "10", "symbol": "X"}"#;

fn amended(record: &str, sent: &Sent) -> Verdict {
    evaluated(&AMENDED, AMENDMENT, record, sent)
}

#[test]
fn an_amendment_is_proven_by_all_its_values_and_a_later_change() {
    let record =
        |rest: &str, millis: u64| format!(r#"{{"id": "a", "state": "live", "updated": "{}"{rest}}}"#, SIGNED + millis);
    let right = r#", "qty": "2", "price": "10.0""#;
    assert_eq!(amended(&record(right, 20), &sent()), Verdict::Done);
    let latest = sent().left.map_or(0, |(_, latest)| latest.as_millis() - SIGNED);
    assert_eq!(amended(&record(right, latest + 1), &sent()), Verdict::Done);
    assert!(is_nothing(amended(&record(right, latest), &sent())), "it may have been so when the request left");
    assert!(is_nothing(amended(&record(right, 20), &Sent { left: None, ..sent() })));
    let later = Timestamp::from_millis(SIGNED + 20);
    for departure in [departure(sent().signed_at, later), departure(later, sent().signed_at)] {
        let behind = Sent { departure, ..sent() };
        assert!(is_nothing(amended(&record(right, 20), &behind)), "a clock shows that the request left later");
        assert_eq!(amended(&record(right, 21), &behind), Verdict::Done);
    }
    for wrong in [r#", "qty": "2", "price": "11""#, r#", "qty": "1", "price": "10""#, r#", "qty": "2""#, ""] {
        assert!(is_nothing(amended(&record(wrong, 20), &sent())), "{wrong}");
    }
    assert!(is_nothing(amended(&record(r#", "qty": "2", "price": "10", "symbol": "Y""#, 20), &sent())));
    assert!(is_nothing(amended(r#"{"id": "a", "qty": "2", "price": "10"}"#, &sent())), "it shows no change");
    for (state, expected) in [("NEW", true), ("partially_filled", false), ("cancelled", false), ("", true)] {
        let record = record(right, 20).replace("live", state);
        assert_eq!(
            amended(&record, &sent()) == Verdict::Done,
            expected,
            "{state}: a fill or the end may have changed it"
        );
    }
    assert!(matches!(
        evaluated_with_rival(&AMENDED, AMENDMENT, &record(right, 20)),
        Verdict::Unknown(Doubt::Ambiguous, _)
    ));
    let nothing_stated = evaluated(&AMENDED, r#"{"id": "a"}"#, &record(right, 20), &sent());
    assert!(is_nothing(nothing_stated));
}

#[test]
fn numbers_and_letters_are_compared_by_their_meaning() {
    assert!(
        is_same("1.50", "1.5") && is_same("YES", "yes") && is_same("0E-8", "0") && is_same("post only", "post_only")
    );
    assert!(!is_same("1.5", "1.51") && !is_same("a", "b") && !is_same("1", ""));
}

#[test]
fn the_record_of_any_attempt_is_a_proof() {
    let at = |millis| Timestamp::from_millis(SIGNED + millis);
    let request = r#"{"id": "a", "symbol": "BTCUSDT", "qty": "1"}"#;
    let rest = r#", "symbol": "BTCUSDT", "qty": "1""#;
    // Signed an hour after the first attempt, and an hour before the last one.
    let hour = 3_600_000;
    let first = Timestamp::from_millis(SIGNED - hour);
    let attempts = Some(Attempts { first: (first, Some((first, first))), last: at(hour) });
    let evidence = |millis: i64, attempts: Option<Attempts>| {
        let departure = attempts.map_or(sent().departure, |attempts| {
            let attempted_for = attempts.last - attempts.first.0;
            Departure { attempted_for, ..departure(attempts.first.0, attempts.first.0) }
        });
        evaluated(&PLACED, request, &created(millis, rest), &Sent { attempts, departure, ..sent() })
    };
    let hour = i64::try_from(hour).unwrap_or_default();
    for millis in [-hour, 0, hour] {
        assert_eq!(evidence(millis, attempts), Verdict::Done, "{millis}");
        assert_eq!(evidence(millis, None) == Verdict::Done, millis == 0, "{millis}");
    }
    assert!(is_nothing(evidence(hour + 41_000, attempts)), "it came after the last");
    assert_eq!(evidence(-hour - 91_000, attempts), OLDER);
}

const STATES: Ends =
    Ends { field: "state", left_in: &["cancelled"], others: &["filled"], open: &["live", "partially_filled"] };

/// An end is final, so neither times nor other values count.
#[test]
fn a_cancellation_is_judged_by_the_state_of_the_order() {
    const CANCELS: Confirm = Confirm { ids: &[("id", "id")], ends: Some(STATES), ..Confirm::DEFAULT };
    for (record, evidence) in [
        (r#"{"id": "a", "state": "cancelled"}"#, Verdict::Done),
        (r#"{"id": "a", "state": "CANCELLED", "updated": "1"}"#, Verdict::Done),
        (r#"{"id": "a", "state": "filled"}"#, Verdict::NotDone(Proof::State)),
        (r#"{"id": "a", "state": "live"}"#, STILL_OPEN),
        (r#"{"id": "a", "state": "partially_filled"}"#, STILL_OPEN),
    ] {
        assert_eq!(evaluated(&CANCELS, r#"{"id": "a"}"#, record, &sent()), evidence, "{record}");
        assert!(matches!(
            evaluated_with_rival(&CANCELS, r#"{"id": "a"}"#, record),
            Verdict::Unknown(Doubt::Ambiguous, _)
        ));
    }
    for record in [r#"{"id": "a"}"#, r#"{"id": "a", "state": ""}"#, r#"{"id": "a", "state": "paused"}"#] {
        assert!(is_nothing(evaluated(&CANCELS, r#"{"id": "a"}"#, record, &sent())), "{record}");
    }
}

#[test]
fn an_order_that_ended_without_the_values_of_an_amendment_is_noticed() {
    const ENDS: Confirm =
        Confirm { ends: Some(Ends { left_in: &[], others: &["filled", "cancelled"], ..STATES }), ..AMENDED };
    let (request, earlier) = (r#"{"id": "a", "newQty": "5"}"#, Sent { left: None, ..sent() });
    let ended = r#"{"id": "a", "qty": "3", "state": "filled"}"#;
    assert_eq!(evaluated(&ENDS, request, ended, &sent()), ENDED);
    assert!(is_nothing(evaluated_with_rival(&ENDS, request, ended)), "another amendment may have come between");
    assert!(is_nothing(evaluated(&ENDS, request, ended, &earlier)), "it is not known what an earlier run sent");
    assert!(is_nothing(evaluated(&AMENDED, request, ended, &sent())), "no document lists the states");
    for record in [r#"{"id": "a", "qty": "3", "state": "live"}"#, r#"{"id": "a", "qty": "5", "state": "filled"}"#] {
        assert!(is_nothing(evaluated(&ENDS, request, record, &sent())), "{record}");
    }
}

/// Returns the times of a query when as many seconds have passed there and here.
fn queried(there_s: u64, here_s: u64) -> QueryTimes {
    let here = Duration::from_secs(here_s);
    let there = Some(Timestamp::from_millis(SIGNED + there_s * 1000));
    QueryTimes { there, at_least: here, at_most: here, uncertainty: Duration::ZERO }
}

/// Returns what assumes the most, beside ten seconds of settling.
fn strict() -> Assumptions {
    Assumptions { lag: Duration::ZERO, clock_error: Duration::ZERO, ..Assumptions::DEFAULT }
}

fn is_absent(kept_s: Option<u64>, sent: &Sent, asked: &[QueryTimes]) -> bool {
    let kept_ms = kept_s.map(|seconds| seconds * 1000);
    let target = target(&Confirm { kept_ms, ..PLACED }, r#"{"id": "a"}"#);
    case(&target, sent).judge(Seen::Absent, asked, |_, _| false) == Verdict::NotDone(Proof::Absence)
}

fn proves_by(kept_s: u64, times: &QueryTimes, assumptions: &Assumptions) -> bool {
    is_absent(Some(kept_s), &Sent { assumptions: *assumptions, ..sent() }, &[*times])
}

#[test]
fn absence_proves_something_between_too_early_and_too_late() {
    for (after, is_proof) in [(0, false), (39, false), (40, false), (41, true), (7169, true), (7170, false)] {
        assert_eq!(proves_by(7200, &queried(after, after), &strict()), is_proof, "{after}");
    }
    // By default, the machine that answers may be a minute behind, and both clocks wrong by a minute.
    for (after, is_proof) in [(41, false), (100, false), (160, false), (161, true), (7109, true), (7110, false)] {
        assert_eq!(proves_by(7200, &queried(after, after), &Assumptions::DEFAULT), is_proof, "{after}");
    }
}

#[test]
fn each_assumption_delays_the_proof() {
    let second = Duration::from_secs(1);
    for assumed in [
        Assumptions { settling: 11 * second, ..strict() },
        Assumptions { lag: second, ..strict() },
        Assumptions { clock_error: second, ..strict() },
    ] {
        assert!(!proves_by(7200, &queried(41, 41), &assumed), "{assumed:?}");
        assert!(proves_by(7200, &queried(42, 42), &assumed), "{assumed:?}");
    }
}

#[test]
fn the_clock_of_the_exchange_alone_proves_nothing() {
    // The machine's clock may be ahead or behind.
    for (there, here, is_proof) in
        [(45, 0, false), (3600, 1, false), (41, 40, false), (41, 41, true), (40, 41, false), (3600, 41, false)]
    {
        assert_eq!(proves_by(7200, &queried(there, here), &strict()), is_proof, "{there} there and {here} here");
    }
    // No clock can be further ahead than the signature allows plus the duration of the query.
    for (there, is_proof) in [(72, true), (73, false)] {
        assert_eq!(proves_by(7200, &queried(there, 41), &strict()), is_proof, "{there}");
    }
    // Either clock may show that the record may be deleted.
    for (there, here, is_proof) in [(7169, 7169, true), (7169, 7170, false), (7170, 7169, false)] {
        assert_eq!(proves_by(7200, &queried(there, here), &strict()), is_proof, "{there} there and {here} here");
    }
}

#[test]
fn a_greater_uncertainty_takes_longer() {
    let uncertain = |seconds| QueryTimes { uncertainty: Duration::from_secs(5), ..queried(seconds, seconds) };
    assert_eq!([45, 46].map(|seconds| proves_by(7200, &uncertain(seconds), &strict())), [false, true]);
}

#[test]
fn without_a_fact_an_absence_proves_nothing() {
    let nothing = |kept, window: Option<u64>, times| {
        let window = window.map(Duration::from_secs);
        !is_absent(kept, &Sent { window, assumptions: strict(), ..sent() }, &[times])
    };
    assert!(nothing(None, Some(30), queried(100, 100)));
    assert!(nothing(Some(7200), None, queried(100, 100)));
    assert!(nothing(Some(7200), Some(30), QueryTimes { there: None, ..queried(100, 100) }));
    assert!(nothing(Some(60), Some(30), queried(41, 41)));
    assert!(nothing(Some(20), Some(30), queried(41, 41)));
}

#[test]
fn no_duration_overflows() {
    let times = QueryTimes { at_most: Duration::MAX, ..queried(100, 100) };
    for longest in [
        Assumptions { settling: Duration::MAX, ..strict() },
        Assumptions { lag: Duration::MAX, ..strict() },
        Assumptions { clock_error: Duration::MAX, ..strict() },
    ] {
        assert!(!proves_by(u64::MAX / 1000, &times, &longest));
    }
}

#[test]
fn the_last_attempt_may_still_arrive_and_the_first_one_is_the_oldest() {
    let at = |seconds: u64| Timestamp::from_millis(SIGNED + seconds * 1000);
    let earlier = Timestamp::from_millis(SIGNED - 100_000);
    let attempts = |first, last| Some(Attempts { first: (first, None), last });
    let proves_after = |attempts, seconds| {
        let sent = Sent { attempts, assumptions: strict(), ..sent() };
        is_absent(Some(200), &sent, &[queried(seconds, seconds)])
    };
    assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(None, seconds)), [true; 4]);
    let later = attempts(at(0), at(50));
    assert_eq!([41, 90, 91, 169].map(|seconds| proves_after(later, seconds)), [false, false, true, true]);
    let first = attempts(earlier, at(0));
    assert_eq!([41, 69, 70, 169].map(|seconds| proves_after(first, seconds)), [true, true, false, false]);
}

#[test]
fn it_is_absent_only_if_each_place_was_asked_in_time() {
    let proves = |asked: &[QueryTimes]| is_absent(Some(7200), &Sent { assumptions: strict(), ..sent() }, asked);
    assert!(proves(&[queried(41, 41), queried(42, 42)]));
    assert!(!proves(&[queried(40, 40), queried(41, 41)]) && !proves(&[queried(7169, 7169), queried(7170, 7170)]));
}

#[test]
fn an_absence_proves_nothing_against_a_record_and_of_a_part() {
    let target = target(&Confirm { kept_ms: Some(7_200_000), ..PLACED }, r#"{"id": "a"}"#);
    let right = || case(&target, &sent());
    let judged = |case: Case<'_>| case.judge(Seen::Absent, &[queried(170, 170)], |_, _| false);
    assert_eq!(judged(right()), Verdict::NotDone(Proof::Absence));
    let contradicted = CallEnd { is_contradicted: true, ..CallEnd::default() };
    for wrong in [
        Case { call: contradicted, ..right() },
        Case { was_shown: true, ..right() },
        Case { is_compound: true, ..right() },
    ] {
        assert!(is_nothing(judged(wrong)));
    }
}

#[test]
fn an_order_that_is_open_refutes_its_cancellation_once_that_can_no_longer_arrive() {
    let target = target(&Confirm { ids: &[("id", "id")], ends: Some(STATES), ..Confirm::DEFAULT }, r#"{"id": "a"}"#);
    let record = Named::read(r#"{"id": "a", "state": "live"}"#);
    for (after, verdict) in [(160, STILL_OPEN), (161, Verdict::NotDone(Proof::State))] {
        let seen = Seen::Record((&record, Form::Anything));
        assert_eq!(case(&target, &sent()).judge(seen, &[queried(after, after)], |_, _| false), verdict, "{after}");
    }
}

#[test]
fn a_refusal_and_a_record_agree_that_nothing_was_done() {
    let (duplicate, refused) =
        (CallEnd { is_duplicate: true, ..CallEnd::default() }, CallEnd { is_refused: true, ..CallEnd::default() });
    let new = target(&PLACED, r#"{"id": "a"}"#);
    let older = |call| judged(&Case { call, ..case(&new, &sent()) }, &created(-90_001, ""), false);
    assert_eq!(older(duplicate), Verdict::NotDone(Proof::RefusedId));
    assert_eq!((older(refused), older(CallEnd::default())), (OLDER, OLDER));
    let ends = Ends { left_in: &[], others: &["filled"], ..STATES };
    let amended = target(&Confirm { ends: Some(ends), ..AMENDED }, r#"{"id": "a", "newQty": "5"}"#);
    let ended = |call, is_compound| {
        let case = Case { call, is_compound, ..case(&amended, &sent()) };
        judged(&case, r#"{"id": "a", "qty": "3", "state": "filled"}"#, false)
    };
    assert_eq!(ended(refused, false), Verdict::NotDone(Proof::RefusedChange));
    assert_eq!(ended(duplicate, false), ENDED);
    assert!(is_nothing(ended(refused, true)), "one of several things that the request does may have been done");
}
