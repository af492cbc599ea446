use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};

use super::call::Call;
use super::class::Classes;
use super::in_process::InProcessLimits;
use super::limiter::{Admission, Full, Limiter, Signs, Slot};
use super::plan::Plan;
use crate::account::Account;
use crate::error::{Error, Limited};
use crate::exchange::remaining_calls;
use crate::operation::Operation;
use crate::tables::Api;

/// What a client does when a rate limit is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitMode {
    /// Waits until there is room; [`Reply::waited`](crate::Reply::waited) tells how long.
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

/// The leave to make one call. However the call ends, dropping this tells the limiter.
pub(crate) struct Pass<'a> {
    limiter: &'a dyn Limiter,
    slot: Option<Slot>,
    waited: Duration,
    sent: bool,
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
    pub(crate) async fn admit<O: Operation>(&self, operation: &O, account: &Account) -> Result<Pass<'_>, Error> {
        let limiter = &*self.limiter;
        if self.mode == LimitMode::Off {
            return Ok(Pass { limiter, slot: None, waited: Duration::ZERO, sent: false });
        }
        let slot = match limiter.ask(self.call(operation, account), self.mode == LimitMode::Wait) {
            Admission::Now(known) => known,
            Admission::Later(later) => later.await,
        };
        let slot = slot.map_err(|Full { free_in, binding }| {
            Error::Limited(Box::new(Limited { operation: O::META.id, free_in, binding }))
        })?;
        Ok(Pass { limiter, waited: slot.waited, slot: Some(slot), sent: false })
    }

    pub(crate) fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.limiter.plan(calls)
    }
}

impl Pass<'_> {
    /// How long the call had to wait for it.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// The call goes out now.
    pub(crate) fn sent(&mut self) {
        self.sent = true;
        if let Some(slot) = &mut self.slot {
            self.limiter.sent(slot);
        }
    }

    /// The call was answered. The status and the header are looked at before anything else is, for they tell
    /// something even where the answer cannot be read.
    pub(crate) fn answered(&mut self, api: &Api, response: &Response<Bytes>) {
        if let Some(slot) = self.slot.take() {
            let too_many = response.status() == StatusCode::TOO_MANY_REQUESTS;
            self.limiter.answered(slot, Signs::new(too_many, remaining_calls(api, response.headers())));
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        match self.slot.take() {
            // Without an answer, it may have been counted.
            Some(slot) if self.sent => self.limiter.answered(slot, Signs::default()),
            Some(slot) => self.limiter.give_back(slot),
            None => {}
        }
    }
}
