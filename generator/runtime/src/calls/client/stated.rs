//! Compares what answers show of the account with what the caller states, and keeps what a client learnt of the
//! exchange: the instruments that it lists, and the families of operations that serve the key.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::core::ClientCore;
use crate::data::account::{Account, AccountEvidence, AccountMismatch, ListedInstruments, Mismatches};
use crate::data::checks::{CheckContext, CheckPolicy};
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

    /// The stated property that a code denies, which is noted.
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
#[derive(Debug, Default)]
pub(super) struct Listed {
    instruments: RwLock<ListedInstruments>,
    has_said_so: AtomicBool,
}

impl Listed {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, ListedInstruments> {
        self.instruments.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn replace(&self, listed: ListedInstruments) {
        *self.instruments.write().unwrap_or_else(PoisonError::into_inner) = listed;
        self.has_said_so.store(false, Ordering::Relaxed);
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
