//! The queries of one change: what each answer leads to, and when the next query is due. Nothing here makes a call.

use std::sync::Arc;
use std::time::Duration;

use super::ConfirmPolicy;
use super::question::{Finding, QueryResult};
use super::record::AnyRecord;
use super::verdict::{Because, Concluded, Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};
use crate::data::error::Error;
use crate::data::tables::{CodeProof, Outcome};
use crate::data::value::Timestamp;
use crate::network::wire::Reply;

/// One answer to a query may be wrong, so it does not end a confirmation by asking to wait for hours.
const LONGEST_REQUESTED: Duration = Duration::from_secs(60);

/// The answer to a query, as far as it is about the change.
pub(super) type QueryAnswer = Result<Reply<QueryResult>, Error>;

/// An answer, and what it proves.
pub(super) struct Evaluated {
    pub(super) finding: Finding,
    pub(super) answer: QueryAnswer,
}

impl Evaluated {
    /// Returns what the answers of two places prove together: it is absent only if neither has it, and the first one
    /// was queried before.
    pub(super) fn and_then(self, second: Self) -> Self {
        if matches!(second.finding, Finding::Absence) { self } else { second }
    }
}

/// A change whose outcome is queried.
pub(super) struct Inquiry {
    /// The error of the call, and when the request was signed.
    call: Option<Arc<Error>>,
    signed_at: Timestamp,
    absences: ConsecutiveAbsences,
    /// The number of queries that were answered.
    queries: u32,
    confirmation: Concluded,
}

impl Inquiry {
    /// A change that was not queried yet.
    pub(super) fn new(call: Option<Arc<Error>>, signed_at: Timestamp) -> Self {
        let because = Because::new("the deadline passed before a query was answered", None);
        let confirmation = unknown(call.clone(), signed_at, None, because, 0);
        Self { call, signed_at, absences: ConsecutiveAbsences::default(), queries: 0, confirmation }
    }

    /// The same, because of something else than the deadline.
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

    /// Takes what the answers of all places prove. `others` are the calls of other tasks that asked for the same: how
    /// many got no answer so far, and whether one is under way.
    pub(super) fn take(&mut self, evaluated: Evaluated, others: (u32, bool), policy: &ConfirmPolicy) {
        let is_absence = matches!(evaluated.finding, Finding::Absence);
        self.absences.count(is_absence, others);
        self.confirmation = self.concluded(evaluated, self.absences.count >= policy.denials);
    }

    /// Takes the proof of a record from outside.
    pub(super) fn prove(&mut self, outside: Option<AnyRecord>) {
        self.confirmation = self.done(None, outside);
    }

    /// Returns what follows from what an answer proves. `is_repeated` if an absence was stated often enough in a row.
    fn concluded(&self, Evaluated { finding, answer }: Evaluated, is_repeated: bool) -> Concluded {
        match finding {
            Finding::Proof => self.done(answer.ok().and_then(of_record), None),
            Finding::Absence if self.is_contradicted() => {
                self.still(answer, "it was not found, but a record from outside shows it")
            }
            Finding::Absence if !is_repeated => self.still(answer, "it was not found, but not often enough in a row"),
            Finding::Absence => self.not_done(answer.err().map(Arc::new), true),
            // The exchange refused it because of the existing record, which this request did not create.
            Finding::Older if self.is_duplicate() => self.not_done(self.call.clone(), false),
            Finding::Older => self.still(answer, "something older has the same id"),
            Finding::Nothing(because) => self.still(answer, because),
        }
    }

    fn done(&self, record: Option<Reply<AnyRecord>>, outside: Option<AnyRecord>) -> Concluded {
        Confirmation::Done(Box::new(ConfirmedDone { answer: None, record, outside, queries: self.queries }))
    }

    fn not_done(&self, why: Option<Arc<Error>>, by_absence: bool) -> Concluded {
        Confirmation::NotDone(Box::new(ConfirmedNotDone { why, by_absence, queries: self.queries }))
    }

    fn still(&self, answer: QueryAnswer, why: &'static str) -> Concluded {
        let last = answer.err();
        let because = Because::new(why, last.as_ref());
        unknown(self.call.clone(), self.signed_at, last, because, self.queries)
    }

    /// Returns whether the call was refused because its id was used before.
    fn is_duplicate(&self) -> bool {
        let refusal = self.call.as_ref().and_then(|call| call.exchange());
        // To a repeat, it may say that the first copy used the id.
        refusal.is_some_and(|error| error.proves == Some(CodeProof::DuplicateId) && !error.may_answer_repeat)
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

/// The record in a reply, if it has one.
pub(super) fn of_record(reply: Reply<QueryResult>) -> Option<Reply<AnyRecord>> {
    let record = reply.map(|picked| match picked {
        QueryResult::Record(record) => Some(record),
        QueryResult::Absent | QueryResult::Nothing(_) => None,
    });
    record.transpose()
}

/// The number of answers in a row that state an absence. Exchanges were seen to deny orders that exist, but not twice
/// in a row. An answer that was not an absence, or could not be read, may have been the record, whichever task of the
/// client asked for it.
#[derive(Clone, Copy, Default)]
struct ConsecutiveAbsences {
    count: u32,
    /// The number of unanswered calls of other tasks at the last absence.
    unanswered: u32,
}

impl ConsecutiveAbsences {
    /// Counts an answer, given the number of unanswered calls of other tasks so far, and whether one is under way.
    fn count(&mut self, is_absence: bool, (unanswered, is_one_under_way): (u32, bool)) {
        let is_next = unanswered == self.unanswered && !is_one_under_way;
        self.unanswered = unanswered;
        self.count = match is_absence {
            true if is_next => self.count + 1,
            true => 1,
            false => 0,
        };
    }
}

/// When the changes of a confirmation are queried again.
pub(super) struct Pace {
    /// When it ends, by the steady clock.
    pub(super) end: Duration,
    wait: Duration,
    longest: Duration,
}

impl Pace {
    /// That of a policy, from `now` on.
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
mod tests;
