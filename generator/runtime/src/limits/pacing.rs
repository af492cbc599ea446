use std::sync::Arc;

use super::call::Call;
use super::class::Classes;
use super::in_process::InProcessLimits;
use super::limiter::{Admission, Denied, Full, Limiter, Unavailable};
use super::permit::Permit;
use super::plan::Plan;
use crate::account::Account;
use crate::error::{Error, Limited, LimiterFailure};
use crate::observe;
use crate::operation::Operation;
use crate::tables::Api;

/// What a client does when a rate limit is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitMode {
    /// Waits until there is room; [`Reply::waited`](crate::Reply::waited) and [`Error::waited`] tell how long.
    #[default]
    Wait,
    /// Sends nothing and gives [`Error::Limited`], which tells how long it would take.
    Refuse,
    /// Sends whatever comes. Such calls are not counted for others either.
    Off,
}

/// How one client keeps limits: which, whose, and what it does when they are used up.
#[derive(Clone)]
pub(crate) struct Pacing {
    pub(crate) mode: LimitMode,
    pub(crate) limiter: Arc<dyn Limiter>,
    pub(crate) classes: Classes,
    pub(crate) address: String,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            mode: LimitMode::default(),
            limiter: Arc::new(InProcessLimits::default()),
            classes: Classes::default(),
            address: String::new(),
        }
    }
}

impl Pacing {
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
        super::forked::refuse_in_child().map_err(|forked| Denied::from(forked).of(O::META.id))?;
        if self.mode == LimitMode::Off {
            return Ok(Permit::new(limiter, api, None));
        }
        let slot = match limiter.ask(self.call(operation, account), self.mode == LimitMode::Wait) {
            Admission::Now(known) => known,
            Admission::Later(later) => {
                observe::waits_for_room(O::META);
                later.await
            }
        };
        let slot = slot.map_err(|denied| denied.of(O::META.id))?;
        Ok(Permit::new(limiter, api, Some(slot)))
    }

    pub(crate) fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.limiter.plan(calls)
    }
}

impl Denied {
    fn of(self, operation: &'static str) -> Error {
        match self {
            Self::Full(Full { free_in, binding }) => Error::Limited(Box::new(Limited { operation, free_in, binding })),
            Self::Unavailable(Unavailable { trouble, why, waited }) => {
                Error::LimiterFailed(Box::new(LimiterFailure { operation, trouble, why, waited }))
            }
        }
    }
}
