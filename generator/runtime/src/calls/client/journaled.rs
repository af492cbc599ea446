//! A call with a journal: the change is stored before it is sent, and its outcome after. The journal of a client also
//! notes what was sent without it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::call::Start;
use super::core::ClientCore;
use super::prepared::client_ids;
use super::recent::RequestNumber;
use super::sending::{CallContext, CallFuture};
use crate::data::error::{Error, JournalError, LONGEST_CODE, NotStored};
use crate::data::operation::{DynOperation, DynResponse, ItemJudge, ItemOutcome, ItemOutcomes};
use crate::data::parameters::json_of;
use crate::data::tables::{Effect, Meta, Outcome};
use crate::data::value::Timestamp;
use crate::network::observe;
use crate::network::signing::Authenticator;
use crate::network::transport::RoundTrip;
use crate::network::wire::Reply;
use crate::state::journal::{Change, ChangeNumber, Ending, ItemEnding, Journal, LostSpan, Owner, StoredChange};

/// A signed request whose change is being stored. If its call is dropped or fails meanwhile, it never leaves.
struct Unsent<'a> {
    core: &'a ClientCore,
    number: Option<RequestNumber>,
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        self.core.void(self.number);
    }
}

impl ClientCore {
    /// Returns the journal, if the client has one, once it belongs to the client and notes what was sent without it.
    pub(crate) async fn noted_journal(&self) -> Result<Option<&Arc<dyn Journal>>, JournalError> {
        let Some(own) = &self.journal else { return Ok(None) };
        let journal = self.bound(own).await?;
        if let Some(unstored) = own.unstored(self.account().name()) {
            let span = LostSpan::after(Some(unstored.first)).until(unstored.last);
            let mut change = span.change(self.now());
            (change.made_at, change.account) = (Some(self.moment().wall()), self.account_in_journal());
            let number = journal.begin(change).await?;
            journal.end(number, Ending::new(Outcome::Done)).await?;
            own.noted(&unstored);
        }
        Ok(Some(journal))
    }

    /// Remembers a change that this client is about to send without the journal that it leaves out.
    pub(super) fn note_unstored(&self, meta: &Meta) {
        if let Some(own) = self.left_out.as_ref().filter(|_| meta.effect != Effect::Read) {
            own.lacks(self.account().name(), (self.earliest_now(), self.latest_now()));
        }
    }

    /// Returns the journal, if the client has one, once it is certain that it belongs to the client.
    pub(crate) async fn bound_journal(&self) -> Result<Option<&Arc<dyn Journal>>, JournalError> {
        match &self.journal {
            None => Ok(None),
            Some(own) => self.bound(own).await.map(Some),
        }
    }

    async fn bound<'a>(&self, own: &'a OwnJournal) -> Result<&'a Arc<dyn Journal>, JournalError> {
        if !own.is_bound() {
            let account = self.account().name();
            let stored = self.with_owner(|owner| owner.written());
            let stored = own.journal.claim(account, &stored).await?;
            self.with_owner(|owner| owner.check(account, &stored))?;
            own.set_bound();
        }
        Ok(&own.journal)
    }

    /// Notes in the journal that the changes of this account belong to clients like this one from now on. Call it once
    /// after the key of the account was replaced, or its address: a client that differs in one of them from the one
    /// that a journal was begun with is refused with [`JournalError::Foreign`].
    ///
    /// The caller vouches that the account is the same. In the journal of another account, changes would be closed as
    /// not done although their orders live.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written. Without a journal, nothing happens.
    pub async fn claim_journal(&self) -> Result<(), JournalError> {
        let Some(own) = &self.journal else { return Ok(()) };
        let stored = self.with_owner(|owner| owner.written());
        own.journal.claim_again(self.account().name(), &stored).await?;
        own.set_bound();
        Ok(())
    }

    fn with_owner<T>(&self, act: impl FnOnce(Owner<'_>) -> T) -> T {
        let (address, market) = (self.parts.base.to_string(), self.parts.headers.market());
        let credentials = self.parts.authenticator.as_ref().map(Authenticator::credentials);
        let key = credentials.map_or(&[][..], |credentials| credentials.sent()[0]);
        act(Owner { api: self.parts.api.name, address: &address, market: &market, key })
    }

    /// Returns the journal for requests of an operation, if the operation changes something.
    pub(super) fn journal_of(&self, meta: &Meta) -> Option<&Arc<OwnJournal>> {
        self.journal.as_ref().filter(|_| meta.effect != Effect::Read)
    }

    async fn begin(&self, own: &OwnJournal, change: Change) -> Result<ChangeNumber, JournalError> {
        self.bound(own).await?.begin(change).await
    }

    /// Sends as a call without a journal does, but stores the signed request before, and the outcome after.
    // Boxed, so that the future of a call without a journal is not larger.
    pub(super) fn send_journaled<'a>(
        &'a self,
        own: &'a Arc<OwnJournal>,
        call: &'a CallContext<'a>,
        start: Start<'a>,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        Box::pin(async move {
            let (operation, meta) = (call.operation, call.operation.meta());
            let permit = self.admit_call(operation, start.signed()).await?;
            let signed = self.signed(operation, start, permit.waited())?;
            let times = (signed.signed_at, signed.made.wall());
            let mut unsent = Unsent { core: self, number: signed.number };
            let number = match self.begin(own, self.change_of(operation, times)).await {
                Ok(number) => number,
                Err(why) => {
                    let (operation, waited) = (meta.id, permit.waited());
                    return Err(Error::NotStored(Box::new(NotStored { operation, why, waited })));
                }
            };
            if let Some(request) = unsent.number.take() {
                self.parts.recent.is_change(request, number);
            }
            if let Some(ticket) = &call.begun.ticket {
                ticket.is_change(number);
            }
            let trip = RoundTrip::default();
            let mut result = match self.send_once(call, permit, signed, self.moment(), &trip) {
                Ok((mut sent, answer)) => {
                    let answer = answer.await;
                    self.answered(call, &mut sent, answer, trip.get(), data)
                }
                Err(error) => Err(error),
            };
            if let Err(Error::Unknown(unknown)) = &mut result {
                unknown.change = Some(number.0);
            }
            let (ending, items) = self.ending(operation, data, &result);
            let is_refused = ending.as_ref().is_some_and(|ending| ending.outcome == Outcome::NotDone);
            if is_refused || items.iter().any(|item| item.outcome == Outcome::NotDone) {
                self.awaited().refuse(|| {
                    let change = self.change_of(operation, times);
                    StoredChange::new(number, change, ending.clone()).with_items(items.clone())
                });
            }
            if let Err(error) = end(&*own.journal, number, ending, items).await {
                // The change stays open, and the journal refuses the next one.
                observe::end_not_stored(meta, &error);
            }
            result
        })
    }

    /// Stores how a change without an answer ended, once queries have found that.
    pub(crate) async fn settled(&self, operation: &dyn DynOperation, error: &Error, outcome: Outcome) {
        let Error::Unknown(unknown) = error else { return };
        let Some((own, number)) = self.journal.as_ref().zip(unknown.change.map(ChangeNumber)) else { return };
        if outcome == Outcome::Unknown {
            return;
        }
        let ending = Ending::new(outcome);
        if outcome == Outcome::NotDone {
            let times = (unknown.sent.signed_at, unknown.sent.left.wall());
            let change = || self.change_of(operation, times);
            self.awaited().refuse(|| StoredChange::new(number, change(), Some(ending.clone())));
        }
        // Otherwise it stays open until a recovery.
        let _ = own.journal.end(number, ending).await;
    }

    /// Closes the first attempts of a cancellation that was repeated and done. They can only cancel what is cancelled
    /// anyway, and whether one did is not known.
    pub(crate) async fn close_attempts(&self, attempts: &[ChangeNumber]) {
        let Some(own) = self.journal.as_ref().filter(|_| !attempts.is_empty()) else { return };
        for number in attempts {
            // Otherwise they stay open until a recovery.
            let _ = own.journal.end(*number, Ending::new(Outcome::Unknown)).await;
        }
    }

    /// Returns the change of a request, with the time in its signature and that of the machine's clock.
    fn change_of(&self, operation: &dyn DynOperation, (signed_at, made_at): (Timestamp, Timestamp)) -> Change {
        Change {
            operation: operation.meta().id.to_owned(),
            request: json_of(operation),
            client_ids: client_ids(operation),
            signed_at,
            made_at: Some(made_at),
            account: self.account_in_journal(),
        }
    }

    /// Returns the name of the account in changes.
    pub(crate) fn account_in_journal(&self) -> Option<String> {
        Some(self.account().name().to_owned()).filter(|name| !name.is_empty())
    }

    /// Returns how a change ended, if that is known, and how items of a batch ended.
    fn ending(
        &self,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        result: &Result<Reply<()>, Error>,
    ) -> (Option<Ending>, Vec<ItemEnding>) {
        match result {
            Ok(reply) => match self.item_outcomes(operation, data, reply) {
                None => (Some(Ending::new(Outcome::Done)), Vec::new()),
                Some(ItemOutcomes { items, are_of_request }) => {
                    let outcome = Outcome::of_all(items.iter().map(|item| item.outcome)).unwrap_or(Outcome::Done);
                    let ending = (outcome != Outcome::Unknown).then(|| Ending::new(outcome));
                    (ending, if are_of_request { endings(items) } else { Vec::new() })
                }
            },
            Err(error) if error.outcome() == Outcome::Unknown => (None, Vec::new()),
            Err(error) => {
                let ending = Ending::new(error.outcome());
                (Some(error.short_code().map_or(ending.clone(), |code| ending.code(code))), Vec::new())
            }
        }
    }

    /// Returns the outcomes of the items in a response, as the reports of batches show them; `None` if it has no items.
    pub(super) fn item_outcomes(
        &self,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        reply: &Reply<()>,
    ) -> Option<ItemOutcomes> {
        let (api, meta) = (self.api(), operation.meta());
        let codes = self.codes().for_answer(reply.may_answer_repeat);
        let outcome_of = |code: Option<&str>, is_compound: bool| codes.read_item(api, meta, code, is_compound).outcome;
        let is_success = |code: &str| meta.is_success(api, code);
        data.item_outcomes(&ItemJudge {
            raw: &reply.raw,
            is_full: reply.is_full,
            is_success: &is_success,
            outcome_of: &outcome_of,
        })
    }
}

/// Returns the endings of the items whose outcomes are known.
fn endings(items: Vec<ItemOutcome>) -> Vec<ItemEnding> {
    let mut known = Vec::new();
    for (place, ItemOutcome { outcome, code }) in items.into_iter().enumerate() {
        if outcome != Outcome::Unknown {
            let code = code.filter(|code| code.len() <= LONGEST_CODE);
            known.push(ItemEnding { place, outcome, code });
        }
    }
    known
}

/// Stores how a change or items of it ended.
async fn end(
    journal: &dyn Journal,
    number: ChangeNumber,
    ending: Option<Ending>,
    items: Vec<ItemEnding>,
) -> Result<(), JournalError> {
    if !items.is_empty() {
        journal.end_items(number, items).await?;
    }
    match ending {
        Some(ending) => journal.end(number, ending).await,
        None => Ok(()),
    }
}

/// The journal of a client for one account.
pub(super) struct OwnJournal {
    pub(super) journal: Arc<dyn Journal>,
    /// True if the journal belongs to the client.
    is_bound: AtomicBool,
    /// True if its requests of earlier runs are remembered.
    is_recalled: AtomicBool,
    unstored: Arc<Mutex<Vec<UnstoredChanges>>>,
}

/// The changes that the clients of an account sent without the journal.
#[derive(Clone, Debug)]
pub(super) struct UnstoredChanges {
    account: String,
    /// When the first and the last of them were signed or made, by the earlier and the later of both clocks.
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

impl OwnJournal {
    pub(super) fn new(journal: Arc<dyn Journal>) -> Arc<Self> {
        Self::with(journal, Arc::default())
    }

    fn with(journal: Arc<dyn Journal>, unstored: Arc<Mutex<Vec<UnstoredChanges>>>) -> Arc<Self> {
        let [is_bound, is_recalled] = [false, false].map(AtomicBool::new);
        Arc::new(Self { journal, is_bound, is_recalled, unstored })
    }

    /// Returns the same journal for a client of another account, for which it may have another owner.
    pub(super) fn of_another(&self) -> Arc<Self> {
        Self::with(Arc::clone(&self.journal), Arc::clone(&self.unstored))
    }

    /// Remembers a change that is sent without the journal.
    pub(super) fn lacks(&self, account: &str, (earliest, latest): (Timestamp, Timestamp)) {
        let mut all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter_mut().find(|unstored| unstored.account == account) {
            Some(known) => {
                (known.first, known.last) = (known.first.min(earliest), known.last.max(latest));
            }
            None => all.push(UnstoredChanges { account: account.to_owned(), first: earliest, last: latest }),
        }
    }

    /// Returns what the account sent without the journal since this was noted.
    pub(super) fn unstored(&self, account: &str) -> Option<UnstoredChanges> {
        let all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|unstored| unstored.account == account).cloned()
    }

    /// Forgets what the journal notes as missing, unless more was sent meanwhile.
    pub(super) fn noted(&self, noted: &UnstoredChanges) {
        let mut all = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|unstored| unstored.account != noted.account || unstored.last > noted.last);
    }

    /// Returns whether the journal is known to belong to the client.
    pub(super) fn is_bound(&self) -> bool {
        self.is_bound.load(Ordering::Acquire)
    }

    pub(super) fn set_bound(&self) {
        self.is_bound.store(true, Ordering::Release);
    }

    /// Returns whether its requests of earlier runs are remembered.
    pub(super) fn is_recalled(&self) -> bool {
        self.is_recalled.load(Ordering::Acquire)
    }

    pub(super) fn set_recalled(&self) {
        self.is_recalled.store(true, Ordering::Release);
    }
}
