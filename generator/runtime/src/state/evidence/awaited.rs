//! Calls that wait for evidence, and records from outside that may be evidence.
//!
//! A record from outside does not cut a call short, whose answer often comes a moment later; it is remembered, and
//! counts if there is no answer. A refusal of a request whose effect a record shows has an unknown outcome.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;

use tradeapi_words::Assumptions;

use super::judge::Target;
use crate::data::clock::Moment;
use crate::data::json::{Decode, Encode, Form, write_json};
use crate::data::parameters::Named;
use crate::data::tables::Outcome;
use crate::state::journal::{ChangeNumber, SigningTimes, StoredChange};

/// The maximum number of records that are remembered for calls in progress.
const MAX_RECORDS: usize = 1 << 10;

/// The maximum number of requests without an effect that later records are compared with.
pub(crate) const MAX_REFUSED: usize = 1 << 12;

/// A record of an order that no query of this client returned.
pub(crate) struct OutsideRecord {
    /// The operations whose effects it can show.
    operations: Vec<&'static str>,
    pub(crate) fields: Named,
    pub(crate) form: Form,
    pub(crate) json: String,
}

impl OutsideRecord {
    pub(crate) fn of<R: Decode + Encode>(record: &R, operations: Vec<&'static str>) -> Self {
        let json = write_json(record);
        Self { operations, fields: Named::of_record(json.clone(), R::FORM), form: R::FORM, json }
    }

    /// Returns whether it has one of these ids.
    pub(crate) fn names_any(&self, ids: &[String]) -> bool {
        ids.iter().any(|id| self.fields.has_text(id))
    }

    /// Returns whether it is about what a request of this operation creates or changes.
    pub(crate) fn is_about(&self, operation: &str, target: &Target) -> bool {
        self.operations.contains(&operation) && target.is_shown_by(&self.fields)
    }
}

/// A request that is queried until its outcome is known.
pub(crate) struct Pending {
    pub(crate) operation: &'static str,
    pub(crate) target: Target,
    pub(crate) signed: SigningTimes,
    /// When it left; `None` if an earlier run of the program sent it.
    pub(crate) left: Option<Moment>,
    pub(crate) assumptions: Assumptions,
    state: Mutex<State>,
}

enum State {
    Waiting(Option<Waker>),
    /// A record from outside proves that it had its effect.
    Proven(Arc<OutsideRecord>),
    /// The queries ended.
    Ended(Outcome),
}

impl Pending {
    pub(crate) fn new(
        operation: &'static str,
        target: Target,
        signed: SigningTimes,
        left: Option<Moment>,
        assumptions: Assumptions,
    ) -> Self {
        Self { operation, target, signed, left, assumptions, state: Mutex::new(State::Waiting(None)) }
    }

    /// Returns the record that proves it, if there is one.
    pub(crate) fn proof(&self) -> Option<Arc<OutsideRecord>> {
        match &*self.state() {
            State::Proven(outside) => Some(Arc::clone(outside)),
            State::Waiting(_) | State::Ended(_) => None,
        }
    }

    /// Returns what the queries found, if they have ended.
    pub(crate) fn ended(&self) -> Option<Outcome> {
        match &*self.state() {
            State::Ended(outcome) => Some(*outcome),
            State::Waiting(_) | State::Proven(_) => None,
        }
    }

    /// Notes that a record proves it, and wakes the call that waits for it.
    pub(crate) fn prove(&self, outside: Arc<OutsideRecord>) {
        let mut state = self.state();
        if let State::Waiting(waker) = &mut *state {
            let waker = waker.take();
            *state = State::Proven(outside);
            drop(state);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Calls `waker` when a record proves it.
    pub(crate) fn wake(&self, new: &Waker) {
        if let State::Waiting(waker) = &mut *self.state() {
            match waker {
                Some(waker) => waker.clone_from(new),
                None => *waker = Some(new.clone()),
            }
        }
    }

    /// Notes what the queries found.
    pub(crate) fn end(&self, outcome: Outcome) {
        *self.state() = State::Ended(outcome);
    }

    /// Returns whether a record can still prove something new about it.
    fn is_of_interest(&self) -> bool {
        matches!(&*self.state(), State::Waiting(_) | State::Ended(Outcome::NotDone))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the calls of all tasks that ask for something by its id, as long as somebody has it.
pub(crate) struct Watch {
    key: String,
    /// The number of calls under way, and of those that got no answer.
    under_way: AtomicU32,
    unanswered: AtomicU32,
}

impl Watch {
    /// Returns how many calls got no answer so far, and whether one is under way: each may show what another answer denies.
    pub(crate) fn others(&self) -> (u32, bool) {
        (self.unanswered.load(Ordering::Acquire), self.under_way.load(Ordering::Acquire) > 0)
    }
}

/// The number of answers in a row that deny something. Exchanges were seen to deny orders that exist, but not twice in a
/// row. An answer that was no denial, or could not be read, may have been the record, whichever task of the client asked
/// for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Denials {
    count: u32,
    /// The number of unanswered calls at the last denial.
    unanswered: u32,
}

impl Denials {
    /// Counts an answer, given the number of unanswered calls so far, and whether one is under way.
    pub(crate) fn count(&mut self, is_denial: bool, (unanswered, is_one_under_way): (u32, bool)) {
        let is_next = unanswered == self.unanswered && !is_one_under_way;
        self.unanswered = unanswered;
        self.count = match is_denial {
            true if is_next => self.count + 1,
            true => 1,
            false => 0,
        };
    }

    /// Returns whether they are as many as have to deny what does not exist.
    pub(crate) fn suffice(&self, assumptions: &Assumptions) -> bool {
        self.count >= assumptions.denials.max(1)
    }
}

/// A call that asks for something that is watched. If it gets no answer, the lost answer may have shown the record.
pub(crate) struct QueryInProgress {
    about: Vec<Arc<Watch>>,
    is_answered: bool,
}

impl QueryInProgress {
    /// Notes that the call has an answer.
    pub(crate) fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for QueryInProgress {
    fn drop(&mut self) {
        for watch in &self.about {
            watch.unanswered.fetch_add(u32::from(!self.is_answered), Ordering::AcqRel);
            watch.under_way.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// The requests that wait, and records from outside.
#[derive(Default)]
pub(crate) struct Awaited(Mutex<AwaitedState>);

#[derive(Default)]
struct AwaitedState {
    pending: Vec<Arc<Pending>>,
    watched: Vec<Weak<Watch>>,
    records: VecDeque<Arc<OutsideRecord>>,
    /// Changes of the journal that ended without an effect or without an outcome, from the first record on.
    refused: Option<VecDeque<StoredChange>>,
}

impl Awaited {
    /// Adds a request that waits. Records that came before may prove it.
    pub(crate) fn register(&self, pending: Pending) -> Arc<Pending> {
        let (pending, mut known) = (Arc::new(pending), self.lock());
        known.pending.retain(|pending| pending.is_of_interest());
        if known.pending.len() >= MAX_REFUSED
            && let Some(oldest) = known.pending.iter().position(|pending| pending.ended().is_some())
        {
            known.pending.remove(oldest);
        }
        known.pending.push(Arc::clone(&pending));
        pending
    }

    /// Begins to count the calls that ask for something by this id.
    pub(crate) fn watch(&self, key: &str) -> Arc<Watch> {
        let (under_way, unanswered) = (AtomicU32::new(0), AtomicU32::new(0));
        let watch = Arc::new(Watch { key: key.to_owned(), under_way, unanswered });
        self.lock().watched.push(Arc::downgrade(&watch));
        watch
    }

    /// Registers a call that is about to be sent, if its parameters name something that is watched.
    pub(crate) fn ask(&self, parameters: impl FnOnce() -> Named) -> Option<QueryInProgress> {
        let mut known = self.lock();
        known.watched.retain(|watch| watch.strong_count() > 0);
        if known.watched.is_empty() {
            return None;
        }
        let parameters = parameters();
        let mut about = Vec::new();
        for watch in known.watched.iter().filter_map(Weak::upgrade) {
            if parameters.has_text(&watch.key) {
                watch.under_way.fetch_add(1, Ordering::AcqRel);
                about.push(watch);
            }
        }
        (!about.is_empty()).then_some(QueryInProgress { about, is_answered: false })
    }

    /// Returns the requests that a record is about.
    pub(crate) fn pending(&self, outside: &OutsideRecord) -> Vec<Arc<Pending>> {
        let mut meant = Vec::new();
        for pending in &self.lock().pending {
            if pending.is_of_interest() && outside.is_about(pending.operation, &pending.target) {
                meant.push(Arc::clone(pending));
            }
        }
        meant
    }

    /// Remembers a record, for calls in progress.
    pub(crate) fn remember(&self, outside: Arc<OutsideRecord>) {
        let mut known = self.lock();
        if known.records.len() >= MAX_RECORDS {
            known.records.pop_front();
        }
        known.records.push_back(outside);
    }

    /// Returns the remembered records about what a request creates or changes.
    pub(crate) fn records(&self, operation: &str, target: &Target) -> Vec<Arc<OutsideRecord>> {
        let mut about = Vec::new();
        for outside in &self.lock().records {
            if outside.is_about(operation, target) {
                about.push(Arc::clone(outside));
            }
        }
        about
    }

    /// Returns whether there is any record from outside.
    pub(crate) fn has_records(&self) -> bool {
        !self.lock().records.is_empty()
    }

    /// Adds a change of the journal that ended without an effect or without an outcome, once records have come.
    pub(crate) fn refuse(&self, change: impl FnOnce() -> StoredChange) {
        if let Some(refused) = &mut self.lock().refused {
            push(refused, change());
        }
    }

    /// Returns the changes that [`refuse`](Self::refuse) added.
    pub(crate) fn refused(&self) -> Vec<StoredChange> {
        self.lock().refused.iter().flatten().cloned().collect()
    }

    /// Begins to keep such changes. Returns `false` if that had begun before.
    pub(crate) fn begin_refused(&self) -> bool {
        let mut known = self.lock();
        let is_new = known.refused.is_none();
        known.refused.get_or_insert_default();
        is_new
    }

    /// Adds such changes that were in the journal before.
    pub(crate) fn add_refused(&self, changes: impl IntoIterator<Item = StoredChange>) {
        let mut known = self.lock();
        let refused = known.refused.get_or_insert_default();
        for change in changes {
            if !refused.iter().any(|known| known.number == change.number) {
                push(refused, change);
            }
        }
    }

    /// Removes a change that had its effect after all.
    pub(crate) fn forget_refused(&self, number: ChangeNumber) {
        self.lock().refused.iter_mut().for_each(|refused| refused.retain(|change| change.number != number));
    }

    fn lock(&self) -> MutexGuard<'_, AwaitedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push(refused: &mut VecDeque<StoredChange>, change: StoredChange) {
    if refused.len() >= MAX_REFUSED {
        refused.pop_front();
    }
    refused.push_back(change);
}
