//! Which records prove a request, and which contradict it.

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

fn evaluated(confirm: &Confirm, request: &str, record: &str, sent: &Sent) -> Evidence {
    evaluate(confirm, &Named::read(request), (&Named::read(record), Form::Anything), sent, |_| false)
}

fn evaluated_with_rival(confirm: &Confirm, request: &str, record: &str) -> Evidence {
    evaluate(confirm, &Named::read(request), (&Named::read(record), Form::Anything), &sent(), |_| true)
}

fn placed(record: &str) -> Evidence {
    evaluated(&PLACED, r#"{"id": "a", "symbol": "BTCUSDT", "qty": "1"}"#, record, &sent())
}

fn created(millis: i64, rest: &str) -> String {
    format!(r#"{{"id": "a", "created": "{}"{rest}}}"#, SIGNED.checked_add_signed(millis).unwrap_or_default())
}

fn is_nothing(evidence: Evidence) -> bool {
    matches!(evidence, Evidence::Nothing(_) | Evidence::Another(_))
}

#[test]
fn a_record_of_the_right_time_that_agrees_is_a_proof() {
    assert_eq!(placed(&created(5, r#", "symbol": "btcusdt", "qty": "1.0""#)), Evidence::Proof);
    assert_eq!(placed(&created(5, r#", "qty": "0.1", "amount": "1""#)), Evidence::Proof, "one of the fields agrees");
    assert_eq!(placed(&created(5, "")), Evidence::Proof, "a missing field contradicts nothing");
    assert_eq!(placed(&created(-2000, "")), Evidence::Proof);
    assert_eq!(placed(&created(40_000, "")), Evidence::Proof);
}

#[test]
fn a_record_of_another_time_is_not() {
    assert_eq!(placed(&created(-90_001, "")), Evidence::Older);
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
            assert_eq!(evidence(millis), Evidence::Proof, "{millis}");
        }
        for millis in [-hour - 90_000, -hour - 2_001, -hour + 40_001, -hour / 2, -2_001, 40_001] {
            assert!(is_nothing(evidence(millis)), "{millis}");
        }
        assert_eq!(evidence(-hour - 90_001), Evidence::Older, "all clocks may be wrong together by a minute");
    }
}

/// As far as the clocks of the exchange show, and no further than it accepts signatures.
#[test]
fn a_record_may_be_earlier_by_a_clock_of_the_exchange() {
    for (earlier, allowed) in [(0, 2_000), (1_000, 2_000), (9_000, 9_000), (30_000, 30_000), (3_600_000, 30_000)] {
        let departure = Departure { earlier: Duration::from_millis(earlier), ..sent().departure };
        let evidence =
            |millis| evaluated(&PLACED, r#"{"id": "a"}"#, &created(millis, ""), &Sent { departure, ..sent() });
        assert_eq!(evidence(-allowed), Evidence::Proof, "{earlier}");
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
    assert_eq!(evaluated(&PLACED, request, &right, &sent()), Evidence::Proof);
    let timeless = Confirm { created: None, ..PLACED };
    assert!(is_nothing(evaluated(&timeless, request, &right, &sent())));
    assert!(is_nothing(evaluated(&PLACED, request, &right, &Sent { window: None, ..sent() })));
    assert!(matches!(evaluated_with_rival(&PLACED, request, &right), Evidence::Ambiguous(_)));
    let unknown_clock = Sent { left: None, ..sent() };
    assert_eq!(evaluated(&PLACED, request, &right, &unknown_clock), Evidence::Proof);
    assert_eq!(evaluated(&PLACED, request, &created(-2000, ""), &unknown_clock), Evidence::Proof);
    assert!(is_nothing(evaluated(&PLACED, request, &created(-2001, ""), &unknown_clock)));
}

const AMENDMENT: &str = r#"{"id": "a", "newQty": "2", "newPrice": "10", "symbol": "X"}"#;

fn amended(record: &str, sent: &Sent) -> Evidence {
    evaluated(&AMENDED, AMENDMENT, record, sent)
}

#[test]
fn an_amendment_is_proven_by_all_its_values_and_a_later_change() {
    let record =
        |rest: &str, millis: u64| format!(r#"{{"id": "a", "state": "live", "updated": "{}"{rest}}}"#, SIGNED + millis);
    let right = r#", "qty": "2", "price": "10.0""#;
    assert_eq!(amended(&record(right, 20), &sent()), Evidence::Proof);
    let latest = sent().left.map_or(0, |(_, latest)| latest.as_millis() - SIGNED);
    assert_eq!(amended(&record(right, latest + 1), &sent()), Evidence::Proof);
    assert!(is_nothing(amended(&record(right, latest), &sent())), "it may have been so when the request left");
    assert!(is_nothing(amended(&record(right, 20), &Sent { left: None, ..sent() })));
    let later = Timestamp::from_millis(SIGNED + 20);
    for departure in [departure(sent().signed_at, later), departure(later, sent().signed_at)] {
        let behind = Sent { departure, ..sent() };
        assert!(is_nothing(amended(&record(right, 20), &behind)), "a clock shows that the request left later");
        assert_eq!(amended(&record(right, 21), &behind), Evidence::Proof);
    }
    for wrong in [r#", "qty": "2", "price": "11""#, r#", "qty": "1", "price": "10""#, r#", "qty": "2""#, ""] {
        assert!(is_nothing(amended(&record(wrong, 20), &sent())), "{wrong}");
    }
    assert!(is_nothing(amended(&record(r#", "qty": "2", "price": "10", "symbol": "Y""#, 20), &sent())));
    assert!(is_nothing(amended(r#"{"id": "a", "qty": "2", "price": "10"}"#, &sent())), "it shows no change");
    for (state, expected) in [("NEW", true), ("partially_filled", false), ("cancelled", false), ("", true)] {
        let record = record(right, 20).replace("live", state);
        assert_eq!(
            amended(&record, &sent()) == Evidence::Proof,
            expected,
            "{state}: a fill or the end may have changed it"
        );
    }
    assert!(matches!(evaluated_with_rival(&AMENDED, AMENDMENT, &record(right, 20)), Evidence::Ambiguous(_)));
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
        assert_eq!(evidence(millis, attempts), Evidence::Proof, "{millis}");
        assert_eq!(evidence(millis, None) == Evidence::Proof, millis == 0, "{millis}");
    }
    assert!(is_nothing(evidence(hour + 41_000, attempts)), "it came after the last");
    assert_eq!(evidence(-hour - 91_000, attempts), Evidence::Older);
}

const STATES: Ends =
    Ends { field: "state", left_in: &["cancelled"], others: &["filled"], open: &["live", "partially_filled"] };

/// An end is final, so neither times nor other values count.
#[test]
fn a_cancellation_is_judged_by_the_state_of_the_order() {
    const CANCELS: Confirm = Confirm { ids: &[("id", "id")], ends: Some(STATES), ..Confirm::DEFAULT };
    for (record, evidence) in [
        (r#"{"id": "a", "state": "cancelled"}"#, Evidence::Proof),
        (r#"{"id": "a", "state": "CANCELLED", "updated": "1"}"#, Evidence::Proof),
        (r#"{"id": "a", "state": "filled"}"#, Evidence::Refuted),
        (r#"{"id": "a", "state": "live"}"#, Evidence::Open),
        (r#"{"id": "a", "state": "partially_filled"}"#, Evidence::Open),
    ] {
        assert_eq!(evaluated(&CANCELS, r#"{"id": "a"}"#, record, &sent()), evidence, "{record}");
        assert!(matches!(evaluated_with_rival(&CANCELS, r#"{"id": "a"}"#, record), Evidence::Ambiguous(_)));
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
    assert_eq!(evaluated(&ENDS, request, ended, &sent()), Evidence::Ended);
    assert!(is_nothing(evaluated_with_rival(&ENDS, request, ended)), "another amendment may have come between");
    assert!(is_nothing(evaluated(&ENDS, request, ended, &earlier)), "it is not known what an earlier run sent");
    assert!(is_nothing(evaluated(&AMENDED, request, ended, &sent())), "no document lists the states");
    for record in [r#"{"id": "a", "qty": "3", "state": "live"}"#, r#"{"id": "a", "qty": "5", "state": "filled"}"#] {
        assert!(is_nothing(evaluated(&ENDS, request, record, &sent())), "{record}");
    }
}
