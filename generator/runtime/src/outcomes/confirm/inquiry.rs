//! The queries of one change: what each answer leads to, and when the next query is due. Nothing here makes a call.

use std::sync::Arc;
use std::time::Duration;

use super::ConfirmPolicy;
use super::places::AnyRecord;
use super::verdict::{Because, Concluded, Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};
use crate::data::error::Error;
use crate::data::tables::{CodeProof, Outcome};
use crate::data::value::Timestamp;
use crate::network::wire::Reply;
use crate::state::evidence::{CallEnd, Denials, Proof, Seen, Verdict};

/// One answer to a query may be wrong, so it does not end a confirmation by asking to wait for hours.
const LONGEST_REQUESTED: Duration = Duration::from_secs(60);

/// The answer to a query, as far as it is about the change.
pub(super) type QueryAnswer = Result<Reply<Seen<AnyRecord>>, Error>;

/// A change whose outcome is queried.
pub(super) struct Inquiry {
    /// The error of the call, and when the request was signed.
    call: Option<Arc<Error>>,
    signed_at: Timestamp,
    denials: Denials,
    /// The number of queries that were answered.
    queries: u32,
    confirmation: Concluded,
}

impl Inquiry {
    /// Creates a change that was not queried yet.
    pub(super) fn new(call: Option<Arc<Error>>, signed_at: Timestamp) -> Self {
        let because = Because::new("the deadline passed before a query was answered", None);
        let confirmation = unknown(call.clone(), signed_at, None, because, 0);
        Self { call, signed_at, denials: Denials::default(), queries: 0, confirmation }
    }

    /// Returns the same, because of something else than the deadline.
    pub(super) fn not_queried(self, because: &'static str) -> Concluded {
        unknown(self.call, self.signed_at, None, Because::new(because, None), 0)
    }

    /// Returns whether the outcome is not known yet.
    pub(super) fn is_open(&self) -> bool {
        self.confirmation.outcome() == Outcome::Unknown
    }

    /// Returns whether another query could settle it.
    pub(super) fn can_change(&self) -> bool {
        matches!(&self.confirmation, Confirmation::Unknown(still) if still.can_change())
    }

    /// Returns whether a record from outside can prove it. If the exchange refused it although such a record shows its
    /// effect, only a query can decide.
    pub(super) fn takes_records(&self) -> bool {
        !self.is_contradicted()
    }

    pub(super) fn queries(&self) -> u32 {
        self.queries
    }

    pub(super) fn confirmation(&self) -> &Concluded {
        &self.confirmation
    }

    pub(super) fn into_confirmation(self) -> Concluded {
        self.confirmation
    }

    /// Notes that a query is answered. A place that it does not decide may lead to another one.
    pub(super) fn queried(&mut self) {
        self.queries += 1;
    }

    /// Takes what an answer proves. `state` is the state of the order that it shows; `others` are the calls that asked for
    /// the same: how many got no answer so far, and whether one is under way.
    pub(super) fn take(
        &mut self,
        (verdict, answer, state): (Verdict, QueryAnswer, Option<String>),
        others: (u32, bool),
        policy: &ConfirmPolicy,
    ) {
        self.denials.count(verdict == Verdict::NotDone(Proof::Absence), others);
        self.confirmation = match verdict {
            Verdict::Done => self.done(answer.ok().and_then(of_record), None),
            Verdict::NotDone(Proof::Absence) if !self.denials.suffice(&policy.assumptions) => {
                self.still(answer, "it was not found, but not often enough in a row")
            }
            Verdict::NotDone(Proof::Absence) => self.not_done(answer.err().map(Arc::new), true, None),
            Verdict::NotDone(Proof::State) => self.not_done(None, false, state),
            Verdict::NotDone(Proof::RefusedId) => self.not_done(self.call.clone(), false, None),
            Verdict::NotDone(Proof::RefusedChange) => self.not_done(self.call.clone(), false, state),
            Verdict::Unknown(_, because) => self.still(answer, because),
        };
    }

    /// Takes the proof of a record from outside.
    pub(super) fn prove(&mut self, outside: Option<AnyRecord>) {
        self.confirmation = self.done(None, outside);
    }

    /// Returns how the call ended. The refusal of a repeat may tell what the first copy did, and does not count.
    pub(super) fn call_end(&self) -> CallEnd {
        let refusal = self.call.as_ref().and_then(|call| call.exchange()).filter(|error| !error.may_answer_repeat);
        let known = refusal.and_then(|error| error.known);
        CallEnd {
            is_duplicate: refusal.is_some_and(|error| error.proves == Some(CodeProof::DuplicateId)),
            is_refused: known.is_some_and(|known| known.proves == CodeProof::NotDone),
            is_contradicted: self.is_contradicted(),
        }
    }

    fn done(&self, record: Option<Reply<AnyRecord>>, outside: Option<AnyRecord>) -> Concluded {
        let (call, queries) = (self.call.clone(), self.queries);
        Confirmation::Done(Box::new(ConfirmedDone { answer: None, record, outside, call, queries }))
    }

    fn not_done(&self, why: Option<Arc<Error>>, by_absence: bool, state: Option<String>) -> Concluded {
        let (call, queries) = (self.call.clone(), self.queries);
        Confirmation::NotDone(Box::new(ConfirmedNotDone { why, by_absence, state, call, queries }))
    }

    fn still(&self, answer: QueryAnswer, why: &'static str) -> Concluded {
        let last = answer.err();
        let because = Because::new(why, last.as_ref());
        unknown(self.call.clone(), self.signed_at, last, because, self.queries)
    }

    /// Returns whether the exchange refused it, although a record from outside shows its effect.
    fn is_contradicted(&self) -> bool {
        matches!(self.call.as_deref(), Some(Error::Unknown(unknown)) if unknown.is_contradicted)
    }
}

fn unknown(
    call: Option<Arc<Error>>,
    signed_at: Timestamp,
    last: Option<Error>,
    because: Because,
    queries: u32,
) -> Concluded {
    let signed_at = Some(signed_at);
    Confirmation::Unknown(Box::new(Unconfirmed { call, last, signed_at, because, queries }))
}

/// Returns the record in a reply, if it has one.
pub(super) fn of_record(reply: Reply<Seen<AnyRecord>>) -> Option<Reply<AnyRecord>> {
    let record = reply.map(|picked| match picked {
        Seen::Record(record) => Some(record),
        Seen::Absent | Seen::Nothing(_) => None,
    });
    record.transpose()
}

/// When the changes of a confirmation are queried again.
pub(super) struct Pace {
    /// When it ends, by the steady clock.
    pub(super) end: Duration,
    wait: Duration,
    longest: Duration,
}

impl Pace {
    /// Returns the pace of a policy, from `now` on.
    pub(super) fn new(policy: &ConfirmPolicy, now: Duration) -> Self {
        let (wait, longest) = policy.pauses;
        Self { end: now.saturating_add(policy.deadline), wait, longest }
    }

    /// Returns how long to wait after a round, in which an answer asked to wait for `requested`; a longer wait than a
    /// minute is not believed, as by the limiter. `None` if nothing is queried again: the deadline passed, or would
    /// before what was asked for.
    pub(super) fn pause(&mut self, now: Duration, requested: Duration) -> Option<Duration> {
        let requested = requested.min(LONGEST_REQUESTED);
        let (wait, left) = (self.wait, self.end.saturating_sub(now));
        if left.is_zero() || requested > left && requested > wait {
            return None;
        }
        self.wait = wait.saturating_mul(2).min(self.longest);
        Some(wait.max(requested).min(left))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

    use bytes::Bytes;
    use http::StatusCode;

    use super::*;
    use crate::data::checks::Violations;
    use crate::data::clock::Moment;
    use crate::data::error::{
        Code, Delivery, ExchangeError, Refusal, SentRequest, TransportError, TransportErrorKind, TransportFailure,
        UnknownOutcome,
    };
    use crate::data::tables::{CallResult, Effect, KnownError, Meta};
    use crate::state::evidence::Doubt;

    const SIGNED: Timestamp = Timestamp::from_millis(7);

    /// Nobody else asks.
    const ALONE: (u32, bool) = (0, false);

    /// Returns the query got no answer.
    fn lost() -> Error {
        let error = TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent);
        let (outcome, waited) = (Outcome::Unknown, Duration::ZERO);
        Error::Transport(Box::new(TransportFailure { operation: "a.b", effect: Effect::Read, outcome, error, waited }))
    }

    static NOT_DONE: KnownError = KnownError::documented("1", "no", CodeProof::NotDone);

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
            known: proves.filter(|proves| *proves == CodeProof::NotDone).map(|_| &NOT_DONE),
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

    /// Returns the error of a call, which a record from outside contradicts or not.
    fn call(why: Error, is_contradicted: bool) -> Option<Arc<Error>> {
        let at = Moment { wall: SIGNED, steady: Duration::ZERO };
        let sent = SentRequest::new(http::Method::POST, (http::Uri::default(), Bytes::new()), SIGNED, at);
        let unknown = UnknownOutcome::new(&Meta::DEFAULT, Vec::new(), sent, why);
        Some(Arc::new(Error::Unknown(Box::new(UnknownOutcome { is_contradicted, ..unknown }))))
    }

    const ABSENCE: Verdict = Verdict::NotDone(Proof::Absence);

    fn nothing(why: &'static str) -> Verdict {
        Verdict::Unknown(Doubt::Open, why)
    }

    fn take(inquiry: &mut Inquiry, verdict: Verdict, others: (u32, bool)) -> Outcome {
        inquiry.queried();
        inquiry.take((verdict, Err(lost()), None), others, &ConfirmPolicy::new());
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
        assert_eq!(take(&mut inquiry, nothing("not yet"), ALONE), Outcome::Unknown);
        assert_eq!(why(&inquiry), "not yet");
        assert_eq!(take(&mut inquiry, Verdict::Done, ALONE), Outcome::Done);
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
        assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::Unknown);
        assert_eq!(why(&inquiry), "it was not found, but not often enough in a row");
        assert!(inquiry.can_change());
        assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::NotDone);
        let Confirmation::NotDone(not) = inquiry.into_confirmation() else { panic!("unknown") };
        assert_eq!((not.by_absence, not.queries, not.why.is_some()), (true, 2, true));
    }

    #[test]
    fn absences_count_again_after_anything_else() {
        for verdict in [nothing("no answer"), Verdict::Unknown(Doubt::Another, "something older has the same id")] {
            let mut inquiry = Inquiry::new(None, SIGNED);
            assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::Unknown);
            assert_eq!(take(&mut inquiry, verdict, ALONE), Outcome::Unknown);
            assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::Unknown);
            assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::NotDone);
        }
        // Another task's query got no answer meanwhile, or is under way: it may have shown the order.
        let mut inquiry = Inquiry::new(None, SIGNED);
        assert_eq!(take(&mut inquiry, ABSENCE, ALONE), Outcome::Unknown);
        assert_eq!(take(&mut inquiry, ABSENCE, (1, false)), Outcome::Unknown);
        assert_eq!(take(&mut inquiry, ABSENCE, (1, false)), Outcome::NotDone);
        let mut inquiry = Inquiry::new(None, SIGNED);
        for _ in 0..5 {
            assert_eq!(take(&mut inquiry, ABSENCE, (0, true)), Outcome::Unknown);
        }
    }

    #[test]
    fn a_policy_says_how_many_absences_it_takes() {
        for denials in 1..4 {
            let (policy, mut inquiry) = (ConfirmPolicy::new().denials(denials), Inquiry::new(None, SIGNED));
            let mut taken = 0;
            while inquiry.is_open() {
                inquiry.take((ABSENCE, Err(lost()), None), ALONE, &policy);
                taken += 1;
            }
            assert_eq!(taken, denials);
        }
    }

    #[test]
    fn the_refusal_of_a_call_counts_unless_it_may_answer_a_repeat() {
        let end = |why: Error| {
            let CallEnd { is_duplicate, is_refused, is_contradicted } =
                Inquiry::new(call(why, false), SIGNED).call_end();
            assert!(!is_contradicted);
            (is_duplicate, is_refused)
        };
        assert_eq!(end(refusal(Some(CodeProof::DuplicateId), false)), (true, false));
        assert_eq!(end(refusal(Some(CodeProof::NotDone), false)), (false, true));
        for other in [
            refusal(Some(CodeProof::DuplicateId), true),
            refusal(Some(CodeProof::NotDone), true),
            refusal(Some(CodeProof::Unknown), false),
            refusal(None, false),
            lost(),
        ] {
            assert_eq!(end(other), (false, false));
        }
        assert!(Inquiry::new(call(lost(), true), SIGNED).call_end().is_contradicted);
        let CallEnd { is_duplicate, is_refused, is_contradicted } = Inquiry::new(None, SIGNED).call_end();
        assert!(!is_duplicate && !is_refused && !is_contradicted);
    }

    #[test]
    fn the_proof_that_nothing_was_done_is_kept_with_the_call() {
        let after = |why: Error, proof| {
            let mut inquiry = Inquiry::new(call(why, false), SIGNED);
            inquiry.queried();
            inquiry.take(
                (Verdict::NotDone(proof), Err(lost()), Some("filled".to_owned())),
                ALONE,
                &ConfirmPolicy::new(),
            );
            let Confirmation::NotDone(not) = inquiry.into_confirmation() else { panic!("unknown") };
            not
        };
        let not = after(lost(), Proof::State);
        assert_eq!((not.state.as_deref(), not.by_absence, not.queries), (Some("filled"), false, 1));
        assert!(not.to_string().starts_with("the order is filled; the call itself failed before: "), "{not}");
        let not = after(refusal(Some(CodeProof::NotDone), false), Proof::RefusedChange);
        assert!(not.why.is_some() && not.state.is_some());
        let not = after(refusal(Some(CodeProof::DuplicateId), false), Proof::RefusedId);
        assert!(not.why.is_some() && not.state.is_none());
    }

    #[test]
    fn a_query_that_cannot_be_sent_is_not_repeated() {
        let mut inquiry = Inquiry::new(None, SIGNED);
        let refused = Error::Refused(Box::new(Refusal::new("a.b", Violations::default())));
        inquiry.take((nothing("the query was not sent"), Err(refused), None), ALONE, &ConfirmPolicy::new());
        assert!(inquiry.is_open() && !inquiry.can_change());
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
}
