use std::fmt;
use std::sync::Arc;

use super::background::Background;
use super::batch::BatchCall;
use super::pages::Pages;
use super::retrying::Retrying;
use crate::account::Account;
use crate::batches::Batch;
use crate::checks::CheckPolicy;
use crate::client::{BuildError, ClientBuilder, Skew};
use crate::error::Error;
use crate::exchange::{CodePolicy, Reply};
use crate::fate::{Asked, ConfirmPolicy, Confirmable, ConfirmableItems, Fate, Prepared};
use crate::limits::{Call, Classes, Permit, Plan};
use crate::operation::Operation;
use crate::pages::Paged;
use crate::retry::RetryPolicy;
use crate::tables::Api;
use crate::value::Timestamp;

/// [`ClientCore`](crate::ClientCore) for programs without async: what is awaited there blocks the calling thread here.
/// Cheap to clone, and may be called from several threads at once.
#[derive(Clone)]
pub struct ClientCore {
    core: crate::ClientCore,
    background: Arc<Background>,
}

impl ClientCore {
    /// Begins a client of `api` at the address `base_url`.
    pub fn builder(api: &'static Api, base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(api, base_url)
    }

    /// The same client, for calls to which the rate limits of these classes apply.
    #[must_use]
    pub fn in_classes(&self, classes: Classes) -> Self {
        self.with(self.core.in_classes(classes))
    }

    /// The same client, for calls that are checked against the rules that `policy` names; `false` stands for none.
    #[must_use]
    pub fn checked_by(&self, policy: impl Into<CheckPolicy>) -> Self {
        self.with(self.core.checked_by(policy))
    }

    /// The same client, for calls of an account of which `account` tells; the credentials stay the same.
    #[must_use]
    pub fn told_of(&self, account: impl Into<Account>) -> Self {
        self.with(self.core.told_of(account))
    }

    /// The same client, for calls whose refusals prove what `policy` says.
    ///
    /// It shares everything with this one, and is made for a single call too.
    #[must_use]
    pub fn believing(&self, policy: CodePolicy) -> Self {
        self.with(self.core.believing(policy))
    }

    /// What was told about the account.
    pub fn account(&self) -> &Account {
        self.core.account()
    }

    /// Checks `operation`, waits for room within its rate limits, sends it once, and reads the answer.
    ///
    /// # Errors
    ///
    /// As [`ClientCore::call`](crate::ClientCore::call).
    pub fn call<O: Operation>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        self.wait(self.core.call(operation))
    }

    /// Sends what was prepared, once: waits for room within its rate limits, and reads the answer.
    ///
    /// # Errors
    ///
    /// As [`ClientCore::send`](crate::ClientCore::send).
    pub fn send<O: Operation>(&self, prepared: Prepared<'_, O>) -> Result<Reply<O::Response>, Error> {
        self.wait(self.core.send(prepared))
    }

    /// The same client, for calls that are repeated when they fail in a way that passes. An operation of which a repeat
    /// could have its effect again does not compile here.
    pub fn retrying<'a>(&'a self, policy: &'a RetryPolicy) -> Retrying<'a> {
        Retrying::new(self, policy)
    }

    /// Waits for room within the rate limits of `operation`, for who sends it by other means. Nothing is sent.
    ///
    /// # Errors
    ///
    /// When there is no room and the client does not wait, or the limiter is in trouble.
    pub fn admit<O: Operation>(&self, operation: &O) -> Result<Permit<'_>, Error> {
        self.wait(self.core.admit(operation))
    }

    /// All pages that answer `request`, one after the other. Nothing is sent yet.
    pub fn pages<O: Paged>(&self, request: O) -> Pages<O> {
        Pages::new(self.clone(), self.core.pages(request))
    }

    /// A batch of any length, in as many calls as it takes. Nothing is sent yet.
    pub fn batch<O: Batch>(&self, request: O) -> BatchCall<O> {
        BatchCall::new(self.clone(), self.core.batch(request))
    }

    /// How `operation` counts against rate limits.
    pub fn limited<O: Operation>(&self, operation: &O) -> Call<'_> {
        self.core.limited(operation)
    }

    /// How long it will take until all of `calls` have gone out when they are made now, and what makes them wait.
    /// Nothing is sent.
    pub fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.core.plan(calls)
    }

    /// Checks `operation` and makes the signed request for it, for [`send`](Self::send). Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// When the documents forbid it or it cannot be signed.
    pub fn prepare<'a, O: Operation>(&self, operation: &'a O) -> Result<Prepared<'a, O>, Error> {
        self.core.prepare(operation)
    }

    /// Sends `operation`, once, and asks what became of it where the answer does not tell; see
    /// [`ClientCore::place_and_confirm`](crate::ClientCore::place_and_confirm).
    pub fn place_and_confirm<O: Confirmable>(
        &self,
        operation: &O,
        policy: &ConfirmPolicy,
    ) -> Fate<Reply<O::Response>, O::Record> {
        self.wait(self.core.place_and_confirm(operation, policy))
    }

    /// Asks what became of a request that an earlier run of the program signed at `signed_at` and may have sent; see
    /// [`ClientCore::settle`](crate::ClientCore::settle).
    pub fn settle<O: Confirmable>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> Fate<Reply<O::Response>, O::Record> {
        self.wait(self.core.settle(operation, signed_at, policy))
    }

    /// As [`settle`](Self::settle), for each item of a request.
    pub fn settle_each<O: ConfirmableItems>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> Vec<Fate<O::Done, <O as Asked>::Record>> {
        self.wait(self.core.settle_each(operation, signed_at, policy))
    }

    /// Asks once for what `operation` made or changed, by the caller's own id.
    ///
    /// # Errors
    ///
    /// When the request carries nothing to ask by, or the question fails.
    pub fn locate<O: Confirmable>(&self, operation: &O) -> Result<Reply<O::Record>, Error> {
        self.wait(self.core.locate(operation))
    }

    /// The API that is called.
    pub fn api(&self) -> &'static Api {
        self.core.api()
    }

    /// The time by the client's clock.
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// How far the exchange's clock is from the client's, as far as its answers have told of late.
    pub fn skew(&self) -> Option<Skew> {
        self.core.skew()
    }

    /// The client whose calls are awaited. What it opens is looked after by this one's thread only within
    /// [`wait`](Self::wait).
    pub fn to_async(&self) -> &crate::ClientCore {
        &self.core
    }

    /// Blocks this thread until `future` is done, which may use whatever needs tokio.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.background.wait(future)
    }

    fn with(&self, core: crate::ClientCore) -> Self {
        Self { core, background: Arc::clone(&self.background) }
    }
}

impl TryFrom<crate::ClientCore> for ClientCore {
    type Error = BuildError;

    /// Gives the client a thread. Connections it has already are not moved there: what an async runtime has opened
    /// stands still when that runtime does.
    fn try_from(core: crate::ClientCore) -> Result<Self, BuildError> {
        let background = Background::start()?.keeping(core.clone());
        Ok(Self { core, background: Arc::new(background) })
    }
}

impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.fmt(f)
    }
}
