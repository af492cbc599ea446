//! Each transition of the queries of a change.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use bytes::Bytes;
use http::StatusCode;

use super::*;
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{Code, Delivery, ExchangeError, Refusal, SentRequest, TransportError, TransportErrorKind};
use crate::data::error::{TransportFailure, UnknownOutcome};
use crate::data::tables::{CallResult, Effect, Meta};

const SIGNED: Timestamp = Timestamp::from_millis(7);

/// Nobody else asks.
const ALONE: (u32, bool) = (0, false);

/// The query got no answer.
fn lost() -> Error {
    let error = TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent);
    let (outcome, waited) = (Outcome::Unknown, Duration::ZERO);
    Error::Transport(Box::new(TransportFailure { operation: "a.b", effect: Effect::Read, outcome, error, waited }))
}

fn refusal(proves: Option<CodeProof>, may_answer_repeat: bool) -> Error {
    Error::Exchange(Box::new(ExchangeError {
        operation: "a.b",
        effect: Effect::Create,
        outcome: Outcome::Unknown,
        call_result: CallResult::UnlistedCode,
        code: Code::new("1"),
        message: String::new(),
        status: StatusCode::OK,
        request_time: None,
        known: None,
        proves,
        retry_after: None,
        may_answer_repeat,
        skew: None,
        escaped_query: None,
        mismatch: None,
        raw: Bytes::new(),
        waited: Duration::ZERO,
    }))
}

/// The error of a call, which a record from outside contradicts or not.
fn call(why: Error, is_contradicted: bool) -> Option<Arc<Error>> {
    let at = Moment { wall: SIGNED, steady: Duration::ZERO };
    let sent = SentRequest::new(http::Method::POST, (http::Uri::default(), Bytes::new()), SIGNED, at);
    let unknown = UnknownOutcome::new(&Meta::DEFAULT, Vec::new(), sent, why);
    Some(Arc::new(Error::Unknown(Box::new(UnknownOutcome { is_contradicted, ..unknown }))))
}

fn found(finding: Finding) -> Evaluated {
    Evaluated { finding, answer: Err(lost()) }
}

fn take(inquiry: &mut Inquiry, finding: Finding, others: (u32, bool)) -> Outcome {
    inquiry.queried();
    inquiry.take(found(finding), others, &ConfirmPolicy::new());
    inquiry.confirmation().outcome()
}

fn why(inquiry: &Inquiry) -> &'static str {
    inquiry.confirmation().because().unwrap_or_default()
}

#[test]
fn it_begins_open_and_says_why() {
    let inquiry = Inquiry::new(call(lost(), false), SIGNED);
    assert!(inquiry.is_open() && inquiry.can_change() && inquiry.takes_records());
    assert_eq!((inquiry.queries(), why(&inquiry)), (0, "the deadline passed before a query was answered"));
    let Confirmation::Unknown(still) = inquiry.not_queried("it was not queried") else { panic!("known") };
    assert_eq!((still.because.why(), still.signed_at, still.queries), ("it was not queried", Some(SIGNED), 0));
    assert!(still.call.is_some());
}

#[test]
fn a_proof_ends_it() {
    let mut inquiry = Inquiry::new(None, SIGNED);
    assert_eq!(take(&mut inquiry, Finding::Nothing("not yet"), ALONE), Outcome::Unknown);
    assert_eq!(why(&inquiry), "not yet");
    assert_eq!(take(&mut inquiry, Finding::Proof, ALONE), Outcome::Done);
    assert!(!inquiry.is_open() && !inquiry.can_change());
    let Confirmation::Done(done) = inquiry.into_confirmation() else { panic!("not done") };
    assert_eq!((done.queries, done.outside.is_none()), (2, true));
}

#[test]
fn a_record_from_outside_ends_it_unless_the_call_was_refused_nevertheless() {
    let mut inquiry = Inquiry::new(call(lost(), false), SIGNED);
    inquiry.queried();
    inquiry.prove(Some(AnyRecord::new(())));
    let Confirmation::Done(done) = inquiry.into_confirmation() else { panic!("not done") };
    assert_eq!((done.queries, done.outside.is_some(), done.record.is_none()), (1, true, true));
    assert!(!Inquiry::new(call(lost(), true), SIGNED).takes_records());
}

#[test]
fn absences_in_a_row_end_it() {
    let mut inquiry = Inquiry::new(None, SIGNED);
    assert_eq!(take(&mut inquiry, Finding::Absence, ALONE), Outcome::Unknown);
    assert_eq!(why(&inquiry), "it was not found, but not often enough in a row");
    assert!(inquiry.can_change());
    assert_eq!(take(&mut inquiry, Finding::Absence, ALONE), Outcome::NotDone);
    let Confirmation::NotDone(not) = inquiry.into_confirmation() else { panic!("unknown") };
    assert_eq!((not.by_absence, not.queries, not.why.is_some()), (true, 2, true));
}

#[test]
fn absences_count_again_after_anything_else() {
    let between: [fn(&mut Inquiry) -> Outcome; 3] = [
        |inquiry| take(inquiry, Finding::Nothing("no answer"), ALONE),
        |inquiry| take(inquiry, Finding::Older, ALONE),
        // Another task's query got no answer meanwhile, or is under way: it may have shown the order.
        |inquiry| take(inquiry, Finding::Absence, (1, false)),
    ];
    for disturb in between {
        let mut inquiry = Inquiry::new(None, SIGNED);
        assert_eq!(take(&mut inquiry, Finding::Absence, ALONE), Outcome::Unknown);
        assert_eq!(disturb(&mut inquiry), Outcome::Unknown);
        let others = inquiry.absences.unanswered;
        let first = take(&mut inquiry, Finding::Absence, (others, false));
        let is_first = others == 0;
        assert_eq!(first == Outcome::Unknown, is_first);
        if is_first {
            assert_eq!(take(&mut inquiry, Finding::Absence, ALONE), Outcome::NotDone);
        }
    }
    let mut inquiry = Inquiry::new(None, SIGNED);
    for _ in 0..5 {
        assert_eq!(take(&mut inquiry, Finding::Absence, (0, true)), Outcome::Unknown);
    }
}

#[test]
fn a_policy_says_how_many_absences_it_takes() {
    for denials in 1..4 {
        let (policy, mut inquiry) = (ConfirmPolicy::new().denials(denials), Inquiry::new(None, SIGNED));
        let mut taken = 0;
        while inquiry.is_open() {
            inquiry.take(found(Finding::Absence), ALONE, &policy);
            taken += 1;
        }
        assert_eq!(taken, denials);
    }
}

#[test]
fn an_absence_proves_nothing_against_a_record_from_outside() {
    let mut inquiry = Inquiry::new(call(refusal(Some(CodeProof::NotDone), false), true), SIGNED);
    for _ in 0..3 {
        assert_eq!(take(&mut inquiry, Finding::Absence, ALONE), Outcome::Unknown);
        assert_eq!(why(&inquiry), "it was not found, but a record from outside shows it");
    }
    assert_eq!(take(&mut inquiry, Finding::Proof, ALONE), Outcome::Done);
}

#[test]
fn an_older_record_proves_only_the_refusal_of_its_id() {
    let after = |why: Error| {
        let mut inquiry = Inquiry::new(call(why, false), SIGNED);
        take(&mut inquiry, Finding::Older, ALONE)
    };
    assert_eq!(after(refusal(Some(CodeProof::DuplicateId), false)), Outcome::NotDone);
    assert_eq!(after(refusal(Some(CodeProof::DuplicateId), true)), Outcome::Unknown, "the first copy used the id");
    assert_eq!(after(refusal(Some(CodeProof::Unknown), false)), Outcome::Unknown);
    assert_eq!(after(refusal(None, false)), Outcome::Unknown);
    assert_eq!(after(lost()), Outcome::Unknown);
    assert_eq!(take(&mut Inquiry::new(None, SIGNED), Finding::Older, ALONE), Outcome::Unknown);
}

#[test]
fn a_query_that_cannot_be_sent_is_not_repeated() {
    let mut inquiry = Inquiry::new(None, SIGNED);
    let refused = Error::Refused(Box::new(Refusal::new("a.b", Violations::default())));
    let (finding, answer) = (Finding::Nothing("the query got no response"), Err(refused));
    inquiry.take(Evaluated { finding, answer }, ALONE, &ConfirmPolicy::new());
    assert!(inquiry.is_open() && !inquiry.can_change());
}

#[test]
fn it_is_absent_only_if_neither_place_has_it() {
    let together = |first, second| found(first).and_then(found(second)).finding;
    assert!(matches!(together(Finding::Nothing("early"), Finding::Absence), Finding::Nothing("early")));
    assert!(matches!(together(Finding::Absence, Finding::Absence), Finding::Absence));
    assert!(matches!(together(Finding::Absence, Finding::Proof), Finding::Proof));
    assert!(matches!(together(Finding::Absence, Finding::Nothing("lost")), Finding::Nothing("lost")));
    assert!(matches!(together(Finding::Absence, Finding::Older), Finding::Older));
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn pauses_double_up_to_the_longest_and_end_with_the_deadline() {
    let policy = ConfirmPolicy::new().pauses(seconds(1), seconds(5)).deadline(seconds(20));
    let mut pace = Pace::new(&policy, seconds(100));
    assert_eq!(pace.end, seconds(120));
    let pauses: Vec<_> = (0..5).map(|_| pace.pause(seconds(101), Duration::ZERO).unwrap().as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 5, 5]);
    assert_eq!(pace.pause(seconds(118), Duration::ZERO), Some(seconds(2)), "no longer than until the deadline");
    assert_eq!(pace.pause(seconds(120), Duration::ZERO), None);
    assert_eq!(pace.pause(seconds(121), Duration::ZERO), None);
}

#[test]
fn an_answer_may_ask_for_a_longer_pause() {
    let policy = ConfirmPolicy::new().pauses(seconds(4), seconds(8)).deadline(seconds(20));
    let paused = |requested, now| Pace::new(&policy, seconds(100)).pause(seconds(now), seconds(requested));
    assert_eq!(paused(1, 100), Some(seconds(4)));
    assert_eq!(paused(7, 100), Some(seconds(7)));
    assert_eq!(paused(20, 100), Some(seconds(20)));
    assert_eq!(paused(21, 100), None, "it would end after the deadline");
    // A pause of the policy's own is cut short instead.
    assert_eq!(paused(4, 118), Some(seconds(2)));
    assert_eq!(paused(5, 118), None);
}
