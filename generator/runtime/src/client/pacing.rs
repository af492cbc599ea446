use std::sync::Arc;

use crate::account::Account;
use crate::error::{Error, Limited, LimiterFailure};
use crate::limits::{Admission, AdmissionError, Call, Classes, Full, Limiter, Permit, Plan, Unavailable};
use crate::observe;
use crate::operation::Operation;
use crate::tables::Api;

/// What a client does when a rate limit is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitMode {
    /// The call waits; [`Reply::waited`](crate::Reply::waited) and [`Error::waited`] are the time.
    #[default]
    Wait,
    /// The call fails with [`Error::Limited`], which contains the time until there is room. Nothing is sent.
    Refuse,
    /// The call is sent regardless, and is not counted.
    Off,
}

/// The rate limits of a client: the limiter, the classes, the address, and what to do when a limit is used up.
#[derive(Clone)]
pub(crate) struct RateLimitPolicy {
    pub(crate) mode: LimitMode,
    pub(crate) limiter: Arc<dyn Limiter>,
    pub(crate) classes: Classes,
    pub(crate) address: String,
}

impl RateLimitPolicy {
    /// `operation` of `account` as the limiter sees it.
    pub(crate) fn call<'a, O: Operation>(&'a self, operation: &O, account: &'a Account) -> Call<'a> {
        Call::of(operation, &self.classes, account).counted_for(account.name(), &self.address)
    }

    /// Waits until `operation` of `account` may be sent.
    pub(crate) async fn admit<O: Operation>(
        &self,
        api: &'static Api,
        operation: &O,
        account: &Account,
    ) -> Result<Permit<'_>, Error> {
        let limiter = &*self.limiter;
        #[cfg(feature = "blocking")]
        super::forked::refuse_in_child().map_err(|forked| refused(forked.into(), O::META.id))?;
        let waits = match self.mode {
            LimitMode::Off => return Ok(Permit::new(limiter, api, None)),
            LimitMode::Wait => true,
            LimitMode::Refuse => false,
        };
        let reservation = match limiter.ask(self.call(operation, account), waits) {
            Admission::Now(known) => known,
            Admission::Later(later) => {
                observe::waits_for_room(O::META);
                later.await
            }
        };
        let reservation = reservation.map_err(|denied| refused(denied, O::META.id))?;
        Ok(Permit::new(limiter, api, Some(reservation)))
    }

    pub(crate) fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.limiter.plan(calls)
    }
}

/// The error of a call of `operation` that the limiter denied.
fn refused(denied: AdmissionError, operation: &'static str) -> Error {
    match denied {
        AdmissionError::Full(Full { free_in, binding }) => {
            Error::Limited(Box::new(Limited { operation, free_in, binding }))
        }
        AdmissionError::Unavailable(Unavailable { trouble, why, waited }) => {
            Error::LimiterFailed(Box::new(LimiterFailure { operation, trouble, why, waited }))
        }
    }
}
