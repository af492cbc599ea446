//! The client whose functions block the calling thread, with its batches, listings and countdown.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::background::Background;
use crate::calls::batches::{Batch, BatchReport, ListsResults};
use crate::calls::client::{Assumptions, Callable, ClientBuilder, Departed, Prepared, UnderWay};
use crate::calls::countdown::{self, MayHaveFired, NotEnded, NotKept};
use crate::calls::pages::{Clipped, Page, PageError, Paged, Position, PositionError, RangeOrder};
use crate::calls::retry::{self, RetryPolicy};
use crate::data::account::{Account, AccountMismatch, Instrument, InstrumentLine};
use crate::data::checks::CheckPolicy;
use crate::data::clock::{Environment, Skew};
use crate::data::error::{BuildError, Error, JournalError};
use crate::data::json::BadItem;
use crate::data::operation::{Cancellation, Operation, Repeatable};
use crate::data::tables::{Api, Meta};
use crate::data::value::{Decimal, Timestamp};
use crate::network::limits::{Call, Classes, Permit, Plan};
use crate::network::wire::CodePolicy;
use crate::outcomes::confirm::{BatchConfirmation, ConfirmPolicy, ConfirmableItems, ConfirmedItem, Queryable};
use crate::state::budget::{Budget, BudgetLeft};
use crate::state::journal::Journal;
use crate::state::orders::TrackedOrders;

/// [`ClientCore`](crate::ClientCore) for programs without async: its async functions block the calling thread here.
/// Cheap to clone; several threads may make calls at the same time.
///
/// Functions that take an async client, such as [`confirm::settle`](crate::outcomes::confirm::settle), block here within
/// [`wait`](Self::wait): `client.wait(settle(client.to_async(), ..))`.
#[derive(Clone)]
pub struct ClientCore {
    core: crate::calls::client::ClientCore,
    background: Arc<Background>,
}

impl ClientCore {
    /// Returns a builder for a client of `api` at the address `base_url`.
    pub fn builder(api: &'static Api, base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(api, base_url)
    }

    /// Returns a client for one change, and what shows whether it has left. It shares everything else with this one.
    pub fn noting(&self) -> (Self, Departed) {
        let (core, departed) = self.core.noting();
        (self.with(core), departed)
    }

    /// Returns a client for calls of these classes of rate limits.
    #[must_use]
    pub fn in_classes(&self, classes: Classes) -> Self {
        self.with(self.core.in_classes(classes))
    }

    /// Returns a client that checks requests by `policy`; `false` disables all rules.
    #[must_use]
    pub fn with_check_policy(&self, policy: impl Into<CheckPolicy>) -> Self {
        self.with(self.core.with_check_policy(policy))
    }

    /// Returns a client for calls of `account`, with the same credentials.
    #[must_use]
    pub fn with_account(&self, account: impl Into<Account>) -> Self {
        self.with(self.core.with_account(account))
    }

    /// Returns a client that interprets error codes by `policy`.
    ///
    /// It shares everything else with this one, and is cheap enough for a single call.
    #[must_use]
    pub fn with_code_policy(&self, policy: CodePolicy) -> Self {
        self.with(self.core.with_code_policy(policy))
    }

    /// Returns a client without a journal.
    #[must_use]
    pub fn without_journal(&self) -> Self {
        self.with(self.core.without_journal())
    }

    /// Returns the changes that wait for a rate limit, are under way, or got no answer and may still be carried out;
    /// see [`ClientCore::under_way`](crate::ClientCore::under_way).
    pub fn under_way(&self) -> Vec<UnderWay> {
        self.core.under_way()
    }

    /// Returns the journal, if the client has one.
    pub fn journal(&self) -> Option<&Arc<dyn Journal>> {
        self.core.journal()
    }

    /// Notes in the journal that the changes of this account belong to clients like this one; see
    /// [`ClientCore::claim_journal`](crate::ClientCore::claim_journal).
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub fn claim_journal(&self) -> Result<(), JournalError> {
        self.wait(self.core.claim_journal())
    }

    /// Returns an instrument; see [`ClientCore::instrument`](crate::ClientCore::instrument).
    pub fn instrument(&self, line: impl InstrumentLine, symbol: &str) -> Option<Instrument> {
        self.core.instrument(line, symbol)
    }

    /// Returns when the instruments that the exchange lists were last read; see
    /// [`ClientCore::instruments_read_at`](crate::ClientCore::instruments_read_at).
    pub fn instruments_read_at(&self) -> Option<Timestamp> {
        self.core.instruments_read_at()
    }

    /// Returns what the client assumes of its exchange; see [`ClientCore::assumptions`](crate::ClientCore::assumptions).
    pub fn assumptions(&self) -> &Assumptions {
        self.core.assumptions()
    }

    /// Returns the orders that the client knows from its calls, if it was built with
    /// [`track_orders`](crate::ClientBuilder::track_orders).
    pub fn tracked_orders(&self) -> Option<&TrackedOrders> {
        self.core.tracked_orders()
    }

    /// Returns what is left of the budget, if the client has one; see
    /// [`ClientCore::budget_left`](crate::ClientCore::budget_left).
    ///
    /// # Errors
    ///
    /// Fails if the file with what was spent cannot be read.
    pub fn budget_left(&self) -> std::io::Result<Option<BudgetLeft>> {
        self.core.budget_left()
    }

    /// Returns the budget, if the client has one.
    pub fn budget(&self) -> Option<&Budget> {
        self.core.budget()
    }

    /// Returns the most that the orders of a request are worth; see
    /// [`ClientCore::worth_of`](crate::ClientCore::worth_of).
    ///
    /// # Errors
    ///
    /// Fails if the budget does not cover them.
    pub fn worth_of(&self, meta: &'static Meta, request: &str) -> Result<Option<Decimal>, Error> {
        self.core.worth_of(meta, request)
    }

    /// States the last price of an instrument; see [`ClientCore::set_last_price`](crate::ClientCore::set_last_price).
    pub fn set_last_price(&self, line: impl InstrumentLine, symbol: &str, price: Decimal) {
        self.core.set_last_price(line, symbol, price);
    }

    /// States that the account has no order and no position; see [`ClientCore::set_flat`](crate::ClientCore::set_flat).
    ///
    /// # Errors
    ///
    /// Fails if the file with what was spent cannot be written.
    pub fn set_flat(&self) -> std::io::Result<()> {
        self.core.set_flat()
    }

    /// Returns the account.
    pub fn account(&self) -> &Account {
        self.core.account()
    }

    /// Returns the properties of the account whose stated values contradict the exchange's answers; see
    /// [`ClientCore::account_mismatches`](crate::ClientCore::account_mismatches).
    pub fn account_mismatches(&self) -> Vec<AccountMismatch> {
        self.core.account_mismatches()
    }

    /// Checks `operation`, waits for its rate limits, sends it once, and reads the response.
    ///
    /// # Errors
    ///
    /// As [`ClientCore::call`](crate::ClientCore::call).
    pub fn call<O: Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        self.wait(self.core.call(operation))
    }

    /// Sends a prepared request once: waits for its rate limits and reads the response.
    ///
    /// # Errors
    ///
    /// As [`ClientCore::send`](crate::ClientCore::send).
    pub fn send<O: Callable>(&self, prepared: Prepared<'_, O>) -> Result<O::Reply, Error> {
        self.wait(self.core.send(prepared))
    }

    /// Waits for the rate limits of `operation`, for a caller that sends it by other means. Nothing is sent.
    ///
    /// # Errors
    ///
    /// Fails if a limit is used up and the client does not wait, or if the limiter fails.
    pub fn admit<O: Operation>(&self, operation: &O) -> Result<Permit<'_>, Error> {
        self.wait(self.core.admit(operation))
    }

    /// Returns how `operation` counts against rate limits.
    pub fn limited<O: Operation>(&self, operation: &O) -> Call<'_> {
        self.core.limited(operation)
    }

    /// Returns how long `calls` take if they are made now, and which limit delays them. Nothing is sent.
    pub fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.core.plan(calls)
    }

    /// Returns for how long the exchange still refuses all requests of the address; see
    /// [`ClientCore::address_refused_for`](crate::ClientCore::address_refused_for).
    pub fn address_refused_for(&self) -> Option<Duration> {
        self.core.address_refused_for()
    }

    /// Checks and signs `operation`, for [`send`](Self::send). Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Fails if the request breaks a rule or cannot be signed.
    pub fn prepare<'a, O: Operation>(&self, operation: &'a O) -> Result<Prepared<'a, O>, Error> {
        self.core.prepare(operation)
    }

    /// Returns the API.
    pub fn api(&self) -> &'static Api {
        self.core.api()
    }

    /// Returns the time by the client's clock.
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// Returns the offset of the exchange's clock from the client's, estimated from recent responses.
    pub fn skew(&self) -> Option<Skew> {
        self.core.skew()
    }

    /// Returns the environment: the timer for pauses, and random numbers.
    pub fn environment(&self) -> &dyn Environment {
        self.core.environment()
    }

    /// Returns the async client. The background thread of this client drives the connections that it opens only within
    /// [`wait`](Self::wait).
    pub fn to_async(&self) -> &crate::calls::client::ClientCore {
        &self.core
    }

    /// Blocks this thread until `future` is done. The future may use tokio.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.background.wait(future)
    }

    fn with(&self, core: crate::calls::client::ClientCore) -> Self {
        Self { core, background: Arc::clone(&self.background) }
    }
}

impl TryFrom<crate::calls::client::ClientCore> for ClientCore {
    type Error = BuildError;

    /// Gives the client a background thread. Existing connections stay with the async runtime that opened them.
    fn try_from(core: crate::calls::client::ClientCore) -> Result<Self, BuildError> {
        let background = Background::start()?.keeping(core.clone());
        Ok(Self { core, background: Arc::new(background) })
    }
}

impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.fmt(f)
    }
}

/// A client that retries calls after transient failures.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Retrying<'a> {
    client: &'a ClientCore,
    policy: &'a RetryPolicy,
}

impl<'a> Retrying<'a> {
    /// Creates a client that makes the calls of `client`, with retries as `policy` allows.
    pub fn new(client: &'a ClientCore, policy: &'a RetryPolicy) -> Self {
        Self { client, policy }
    }

    /// Calls as [`ClientCore::call`] does, with retries as the policy allows.
    ///
    /// # Errors
    ///
    /// Returns the error of the last attempt.
    pub fn call<O: Repeatable + Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        let Self { client, policy } = *self;
        client.wait(retry::Retrying::new(client.to_async(), policy).call(operation))
    }

    /// Repeats a cancellation, while nothing is placed; see
    /// [`Retrying::cancel`](crate::calls::retry::Retrying::cancel).
    ///
    /// # Errors
    ///
    /// Returns the error of the last attempt.
    pub fn cancel<O: Cancellation + Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        let Self { client, policy } = *self;
        client.wait(retry::Retrying::new(client.to_async(), policy).cancel(operation))
    }
}

/// The outcomes of the items of a batch of the operation `O`.
type BatchConfirmationOf<O> =
    BatchConfirmation<<O as Batch>::Item, <O as ListsResults>::Done, <O as Queryable>::Record>;

/// A batch of any length, to be sent in as many calls as needed; see [`BatchCall`](crate::calls::batches::BatchCall).
#[must_use = "nothing is sent until `send` is called"]
pub struct BatchCall<O: Batch> {
    client: ClientCore,
    batch: crate::calls::batches::BatchCall<O>,
}

impl<O: Batch> BatchCall<O> {
    /// Creates a batch of all items of `request`. Nothing is sent yet.
    pub fn new(client: ClientCore, request: O) -> Self {
        let batch = crate::calls::batches::BatchCall::new(client.to_async().clone(), request);
        Self { client, batch }
    }

    /// Makes no further call after an item that failed or whose outcome is unknown. By default, all calls are made.
    pub fn stop_at_first_failure(self) -> Self {
        Self { batch: self.batch.stop_at_first_failure(), ..self }
    }

    /// Checks all items, sends them, and reports the outcome of each.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send`](crate::calls::batches::BatchCall::send).
    pub fn send(self) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.client.wait(self.batch.send())
    }

    /// Sends as [`send`](Self::send) does, until `stop` is ready.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_until`](crate::calls::batches::BatchCall::send_until).
    pub fn send_until(self, stop: impl Future<Output = ()> + Send) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.client.wait(self.batch.send_until(stop))
    }
}

impl<O: ConfirmableItems> BatchCall<O> {
    /// Sends as [`send`](Self::send) does, and then queries each item whose outcome is unknown.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm`](crate::calls::batches::BatchCall::send_and_confirm).
    pub fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<BatchConfirmationOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm(policy))
    }

    /// Sends and queries as [`send_and_confirm`](Self::send_and_confirm) does, until `stop` is ready.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm_until`](crate::calls::batches::BatchCall::send_and_confirm_until).
    pub fn send_and_confirm_until(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm_until(policy, stop))
    }

    /// Sends and queries as [`send_and_confirm_until`](Self::send_and_confirm_until) does, and tells `report` what each
    /// item was answered.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm_reporting`](crate::calls::batches::BatchCall::send_and_confirm_reporting).
    pub fn send_and_confirm_reporting(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
        report: &mut (dyn FnMut(&[ConfirmedItem<O>]) + Send),
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm_reporting(policy, stop, report))
    }
}

impl<O: Batch> fmt::Debug for BatchCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.batch.fmt(f)
    }
}

/// All pages of a listing, one after the other; see [`Pages`](crate::calls::pages::Pages).
///
/// The iterator ends after the first error, so that `flatten` and loops that skip errors end. To go on after an error,
/// [`resume`](Self::resume) a listing from the [`position`](Self::position), or let calls be
/// [retried](Self::retrying).
#[must_use = "nothing is sent until a page is requested"]
pub struct Pages<O: Paged> {
    client: ClientCore,
    pages: crate::calls::pages::Pages<O>,
    failed: bool,
}

impl<O: Paged> Pages<O> {
    /// Returns the pages that answer `request`, beginning with its cursor if it has one. Nothing is sent yet.
    pub fn new(client: ClientCore, request: O) -> Self {
        let pages = crate::calls::pages::Pages::new(client.to_async().clone(), request);
        Self { client, pages, failed: false }
    }

    /// Lists the parts of a long range in this order; by default, the newest first. Has no effect after the first page,
    /// or after [`resume`](Self::resume), which keeps the order of the position.
    pub fn ranges(self, order: RangeOrder) -> Self {
        Self { pages: self.pages.ranges(order), ..self }
    }

    /// Lists the accessible part of a range that begins earlier than the exchange gives access to; see
    /// [`Pages::clip`](crate::calls::pages::Pages::clip).
    pub fn clip(self) -> Self {
        Self { pages: self.pages.clip(), ..self }
    }

    /// Ends the range ten minutes ago, where everything is visible, so that a later run can go on from there; see
    /// [`Pages::settled`](crate::calls::pages::Pages::settled).
    pub fn settled(self) -> Self {
        Self { pages: self.pages.settled(), ..self }
    }

    /// Retries calls after transient failures. By default, the caller decides whether to request the page again.
    pub fn retrying(self, policy: RetryPolicy) -> Self {
        Self { pages: self.pages.retrying(policy), ..self }
    }

    /// Continues from a position of the same listing; see [`Pages::resume`](crate::calls::pages::Pages::resume).
    ///
    /// # Errors
    ///
    /// Fails if the position belongs to another listing, or if that has ended and cannot go on.
    pub fn resume(self, position: &Position) -> Result<Self, PositionError> {
        Ok(Self { pages: self.pages.resume(position)?, ..self })
    }

    /// Returns the position of the next page; after an error, of the page that could not be read. Save it after
    /// processing the pages before.
    pub fn position(&self) -> &Position {
        self.pages.position()
    }

    /// Returns the items of all pages, one after the other, up to the first error.
    pub fn items(self) -> Items<O> {
        Items { client: self.client, items: self.pages.items() }
    }
}

impl<O: Paged> Iterator for Pages<O> {
    type Item = Result<Page<O::Item>, PageError>;

    /// Returns the next page; `None` at the end of the listing, and after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let page = self.client.wait(self.pages.next_page());
        self.failed = matches!(page, Some(Err(_)));
        page
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pages.fmt(f)
    }
}

/// The items of all pages of a listing, one after the other; see [`Items`](crate::calls::pages::Items).
///
/// The iterator ends after the first error. To go on, [`resume`](Pages::resume) a listing from the
/// [`position`](Self::position).
#[must_use = "nothing is sent until an item is requested"]
pub struct Items<O: Paged> {
    client: ClientCore,
    items: crate::calls::pages::Items<O>,
}

impl<O: Paged> Items<O> {
    /// Returns the items so far that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        self.items.bad()
    }

    /// Returns the part of the requested times that is not accessible, as far as known.
    pub fn clipped(&self) -> Option<Clipped> {
        self.items.clipped()
    }

    /// Returns the position to continue from: the beginning of the current page while items of it are left.
    pub fn position(&self) -> &Position {
        self.items.position()
    }
}

impl<O: Paged> Iterator for Items<O> {
    type Item = Result<O::Item, PageError>;

    /// Returns the next item; `None` at the end of the listing, and after an error. Items that cannot be read are found
    /// in [`bad`](Self::bad).
    fn next(&mut self) -> Option<Self::Item> {
        self.client.wait(self.items.next())
    }
}

impl<O: Paged> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

/// [`Countdown`](countdown::Countdown) for programs without async.
///
/// A program without threads calls [`renew`](Self::renew) between its other calls, at least three times within the length
/// of the countdown, and looks at [`may_have_fired`](Self::may_have_fired); another one calls
/// [`keep_while`](Self::keep_while) in a thread.
pub struct Countdown<O> {
    client: ClientCore,
    countdown: countdown::Countdown<O>,
}

impl<O: Operation> Countdown<O> {
    /// Creates a countdown of `length`, in whole seconds. `request` makes the request that starts a countdown of so
    /// many seconds, and that ends it with 0.
    pub fn new(client: &ClientCore, length: Duration, request: fn(u64) -> O) -> Self {
        Self { client: client.clone(), countdown: countdown::Countdown::new(client.to_async(), length, request) }
    }

    /// Starts the countdown, and starts it again three times within its length, until it may have come to its end, as
    /// [`keep`](countdown::Countdown::keep) does. Before each renewal it asks `goes_on`, and returns `None` if that is
    /// false: the countdown runs on, until [`end`](Self::end) or its own end.
    pub fn keep_while(&mut self, mut goes_on: impl FnMut() -> bool + Send) -> Option<NotKept> {
        self.client.wait(self.countdown.keep_while(&mut goes_on))
    }

    /// Starts the countdown, or starts it again.
    ///
    /// # Errors
    ///
    /// As [`Countdown::renew`](countdown::Countdown::renew).
    pub fn renew(&mut self) -> Result<(), Error> {
        self.client.wait(self.countdown.renew())
    }

    /// Ends the countdown; see [`Countdown::end`](countdown::Countdown::end).
    ///
    /// # Errors
    ///
    /// As [`Countdown::end`](countdown::Countdown::end).
    pub fn end(&mut self) -> Result<(), NotEnded> {
        self.client.wait(self.countdown.end())
    }

    /// Returns when the exchange may have cancelled every order; see
    /// [`Countdown::may_have_fired`](countdown::Countdown::may_have_fired).
    pub fn may_have_fired(&self) -> Option<MayHaveFired> {
        self.countdown.may_have_fired()
    }
}

impl<O> fmt::Debug for Countdown<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.countdown.fmt(f)
    }
}
