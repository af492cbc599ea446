//! Compares what answers show of the account with what the caller states, and keeps what a client learnt of the
//! exchange: the instruments that it lists, and the families of operations that serve the key.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use super::core::ClientCore;
use crate::data::account::{Account, AccountEvidence, AccountMismatch, ListedInstruments, Mismatches};
use crate::data::checks::{CheckContext, CheckPolicy};
use crate::data::clock::Moment;
use crate::data::error::Error;
use crate::data::lifecycle::PropertyShown;
use crate::data::operation::{DynOperation, DynResponse};
use crate::data::tables::{AccountProperty, Api, Effect, KnownError, Meta, PropertyKind};
use crate::data::value::Timestamp;
use crate::network::observe;
use crate::network::wire::Reply;

/// The properties of the account as the caller states them.
pub(crate) struct StatedAccount<'a> {
    api: &'static Api,
    account: &'a Account,
    listed: &'a Listed,
    mismatches: &'a Mismatches,
    now: Timestamp,
}

impl ClientCore {
    /// Returns what the caller states of the account; `None` if it is nothing.
    pub(crate) fn stated(&self) -> Option<StatedAccount<'_>> {
        let account = self.account();
        account.properties().next()?;
        let (api, listed, mismatches) = (self.api(), self.listed(), self.mismatches());
        Some(StatedAccount { api, account, listed, mismatches, now: self.now() })
    }

    /// Replaces the instruments that the exchange listed, for this client and its clones. They were asked for at `begun`.
    pub(crate) fn set_listed(&self, listed: ListedInstruments, begun: Moment, again: ReadAgain) {
        self.listed().replace(listed, Reading { at: begun.wall(), asked: self.moment(), again });
    }

    /// Returns when the instruments that the exchange lists were last
    /// [read](crate::calls::instruments::load_instruments), by the clock of the client. `None` if they were not.
    pub fn instruments_read_at(&self) -> Option<Timestamp> {
        self.listed().reading().as_ref().map(|reading| reading.at)
    }

    /// Returns what reads the instruments again, if an answer shows that their steps are others by now.
    pub(super) fn stale_steps(
        &self,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        answer: &Result<Reply<()>, Error>,
    ) -> Option<ReadAgain> {
        let is_read = self.listed().is_read.load(Ordering::Relaxed);
        let is_stale = is_read && self.denies_steps(operation, data, answer);
        is_stale.then(|| self.listed().read_again(self.moment())).flatten()
    }

    /// Returns whether an answer refuses a request, or an item of it, because an instrument has other steps.
    fn denies_steps(
        &self,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        answer: &Result<Reply<()>, Error>,
    ) -> bool {
        let denies = |code: &str| self.api().account.instrument_denied_by.contains(&code);
        if !matches!(operation.meta().effect, Effect::Create | Effect::Amend) {
            return false;
        }
        match answer {
            Err(error) => error.code().is_some_and(denies),
            Ok(_) => {
                let mut is_denied = false;
                data.show_results(&mut |item| is_denied |= item.code.as_deref().is_some_and(denies));
                is_denied
            }
        }
    }
}

impl StatedAccount<'_> {
    /// Notes what an answer shows of the stated properties, and adds a mismatch to the refusal that shows it.
    pub(super) fn compare(
        &self,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        answer: &mut Result<Reply<()>, Error>,
    ) {
        match answer {
            Ok(reply) => {
                data.show_properties(&mut |shown| self.compare_shown(Some(operation.meta()), shown));
                self.compare_items(operation, data, reply.request_time);
            }
            Err(Error::Exchange(error)) => {
                error.mismatch = self.denied(operation, error.code.as_str(), error.request_time).map(Box::new);
            }
            Err(_) => {}
        }
    }

    /// Notes what a record shows of a stated property. Without an operation, it is a record from outside.
    pub(crate) fn compare_shown(&self, meta: Option<&Meta>, shown: PropertyShown<'_>) {
        let PropertyShown { property, value, at } = shown;
        let Some(AccountProperty { name, kind: PropertyKind::Words(words), .. }) = self.api.account.property(property)
        else {
            return;
        };
        let Some(is_stated) = self.account.is(name, &[value]).filter(|_| words.contains(&value)) else { return };
        let evidence = || AccountEvidence::Record(value.to_owned());
        let mismatch = (!is_stated).then(|| self.mismatch(name, evidence(), at));
        self.note(meta, name, at, mismatch);
    }

    /// Notes what the codes of the items of a batch deny.
    fn compare_items(&self, operation: &dyn DynOperation, data: &dyn DynResponse, at: Option<Timestamp>) {
        if operation.meta().effect != Effect::Create {
            return;
        }
        data.show_results(&mut |order| {
            if let Some(code) = order.code {
                self.denied(operation, &code, at);
            }
        });
    }

    /// Returns the stated property that a code denies, which is noted.
    fn denied(&self, operation: &dyn DynOperation, code: &str, at: Option<Timestamp>) -> Option<AccountMismatch> {
        let is_stated = |property: &&AccountProperty| self.account.get(property.name).is_some();
        let mut stated = self.api.account.properties.iter().filter(is_stated);
        let property = stated.find(|property| property.denied_by.contains(&code))?;
        // A request that breaks a rule is refused for that, even if the account is stated correctly.
        let policy = CheckPolicy::default();
        let context = CheckContext {
            account: self.account,
            listed: Some(&self.listed.read()),
            now: Some(self.now),
            policy: &policy,
            ..CheckContext::default()
        };
        if operation.inspect(context).refuse() {
            return None;
        }
        let mismatch = self.mismatch(property.name, AccountEvidence::Refusal(code.to_owned()), at);
        self.note(Some(operation.meta()), property.name, at, Some(mismatch.clone()));
        Some(mismatch)
    }

    fn mismatch(&self, property: &'static str, evidence: AccountEvidence, at: Option<Timestamp>) -> AccountMismatch {
        let stated = self.account.get(property).map(ToString::to_string).unwrap_or_default();
        AccountMismatch { property, stated, evidence, at }
    }

    fn note(
        &self,
        meta: Option<&Meta>,
        property: &'static str,
        at: Option<Timestamp>,
        mismatch: Option<AccountMismatch>,
    ) {
        if self.mismatches.note(property, at, mismatch) {
            observe::account_mismatch(meta, property);
        }
    }
}

/// The instruments that were listed last, and whether a caller was told that one is not among them.
#[derive(Default)]
pub(super) struct Listed {
    instruments: RwLock<ListedInstruments>,
    /// True if they were read, so that a call without them asks nothing else.
    is_read: AtomicBool,
    reading: Mutex<Option<Reading>>,
    has_said_so: AtomicBool,
}

/// A function that reads the instruments again.
pub(crate) type ReadAgain = Arc<dyn Fn(ClientCore) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The latest reading of the instruments.
struct Reading {
    /// When it began.
    at: Timestamp,
    /// When the instruments were last asked for.
    asked: Moment,
    again: ReadAgain,
}

/// The least time between two readings because of a refusal.
const PAUSE: Duration = Duration::from_secs(60);

impl Listed {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, ListedInstruments> {
        self.instruments.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, listed: ListedInstruments, reading: Reading) {
        *self.instruments.write().unwrap_or_else(PoisonError::into_inner) = listed;
        *self.reading() = Some(reading);
        self.is_read.store(true, Ordering::Relaxed);
        self.has_said_so.store(false, Ordering::Relaxed);
    }

    fn reading(&self) -> MutexGuard<'_, Option<Reading>> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what reads the instruments again, unless they were asked for just now.
    fn read_again(&self, now: Moment) -> Option<ReadAgain> {
        let mut reading = self.reading();
        let reading = reading.as_mut().filter(|reading| now.since(reading.asked) >= PAUSE)?;
        reading.asked = now;
        Some(Arc::clone(&reading.again))
    }

    /// Returns whether a caller was told before that an instrument is not known. From then on, one has been.
    pub(super) fn has_said_so(&self) -> bool {
        self.has_said_so.swap(true, Ordering::Relaxed)
    }
}

/// The answer of each family that was asked about the key: nothing if it serves it, or else the code of the refusal.
#[derive(Debug, Default)]
pub(super) struct KeyFamilies(Mutex<BTreeMap<&'static str, Option<&'static KnownError>>>);

impl KeyFamilies {
    pub(super) fn get(&self, family: &str) -> Option<Option<&'static KnownError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(family).copied()
    }

    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn note(&self, family: &'static str, refused: Option<&'static KnownError>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(family, refused);
    }
}
