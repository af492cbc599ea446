//! A macro for the type of a client.
//!
//! It has an async and a blocking form, which are otherwise the same. The macro writes both, so that emitted code lists
//! only what differs between APIs.

/// Declares `Client` and, if the feature `blocking` is on, `blocking::Client`, for the API of a table.
///
/// The table is followed by the list of recoveries, the list of listings that a journal is compared with, what makes an
/// account flat, what lists instruments, and the type of one. A row for each family gives the function that leads to its operations:
/// `module: Type;`, where the module has what [`operations!`](crate::operations) declares.
#[macro_export]
macro_rules! client {
    (
        $api:ident, $recoveries:ident, $listings:ident, $flats:ident, $instruments:ident, $instrument:ident;
        $($(#[$attribute:meta])* $family:ident: $operations:ident;)*
    ) => {
        /// A client of an exchange. Clones share its connections.
        ///
        /// [`from_env`](Self::from_env) and [`builder`](Self::builder) make one. The functions that have the names of
        /// families lead to their operations, and [`call`](Self::call) sends a request of any of them.
        #[derive(Clone, Debug)]
        pub struct Client {
            core: $crate::ClientCore,
        }

        $crate::__client! {
            [$crate::emitted::awaited] [async] [.await] $api, $recoveries, $listings, $flats, $instruments, $instrument;
            $($(#[$attribute])* $family() -> [$family::$operations];)*
        }

        impl ::core::convert::From<$crate::ClientCore> for Client {
            fn from(core: $crate::ClientCore) -> Self {
                Self { core }
            }
        }

        impl ::core::convert::AsRef<$crate::ClientCore> for Client {
            fn as_ref(&self) -> &$crate::ClientCore {
                &self.core
            }
        }

        $crate::with_blocking! {
            /// The client for programs without async: every call blocks the calling thread.
            ///
            /// Otherwise it is the same as [`Client`](super::Client). Several threads may make calls at the same time.
            /// A call within an async runtime is allowed and blocks its thread; see [`tradeapi_runtime::blocking`].
            pub mod blocking {
                use super::{$api, $recoveries, $listings, $flats, $instrument, $instruments};

                /// A blocking client of an exchange. Clones share its connections.
                #[derive(Clone, Debug)]
                pub struct Client {
                    core: $crate::blocking::ClientCore,
                }

                $crate::__client! {
                    [$crate::blocking] [] [] $api, $recoveries, $listings, $flats, $instruments, $instrument;
                    $($(#[$attribute])* $family() -> [super::$family::blocking::$operations];)*
                }

                impl ::core::convert::TryFrom<$crate::ClientCore> for Client {
                    type Error = $crate::error::BuildError;

                    fn try_from(core: $crate::ClientCore) -> ::core::result::Result<Self, $crate::error::BuildError> {
                        ::core::result::Result::Ok(Self { core: core.try_into()? })
                    }
                }
            }
        }
    };
}

/// The functions of a client, whose type holds `core`.
#[doc(hidden)]
#[macro_export]
macro_rules! __client {
    (
        [$($home:tt)*] [$($async:ident)?] [$($wait:tt)*] $api:ident, $recoveries:ident, $listings:ident, $flats:ident, $instruments:ident, $instrument:ident;
        $($(#[$attribute:meta])* $family:ident() -> [$($operations:tt)*];)*
    ) => {
        impl Client {
            /// Returns a builder for a client of the exchange at `base_url`, such as `https://api.example.com`.
            pub fn builder(base_url: impl ::core::convert::Into<::std::string::String>) -> $crate::ClientBuilder<Self> {
                $crate::ClientBuilder::new(&$api, base_url)
            }

            /// Returns a builder with the address, the credentials and the headers from the environment, like
            /// [`from_env`](Self::from_env), for further settings.
            ///
            /// # Errors
            ///
            /// Fails if a variable is not set or is empty, or if the headers are not `NAME=VALUE`.
            pub fn builder_from_env(
                prefix: &str,
            ) -> ::core::result::Result<$crate::ClientBuilder<Self>, $crate::error::BuildError> {
                $crate::ClientBuilder::from_env(&$api, prefix)
            }

            /// Creates a client with the address and the credentials from the environment: the variables
            /// `{prefix}_URL`, `{prefix}_KEY`, `{prefix}_SECRET` and `{prefix}_PASSPHRASE`, as far as the API uses
            /// them. Headers of the API, such as one that chooses the market, come from `{prefix}_HEADERS` if it is
            /// set: `NAME=VALUE`, separated by commas. For more settings, use
            /// [`builder_from_env`](Self::builder_from_env).
            ///
            /// # Errors
            ///
            /// Fails if a variable is not set or is empty, or if the client cannot be built.
            pub fn from_env(prefix: &str) -> ::core::result::Result<Self, $crate::error::BuildError> {
                Self::builder_from_env(prefix)?.build()
            }

            /// Checks an operation, waits for its rate limits, signs it if necessary, sends it once and reads the
            /// response. [`LimitMode`](tradeapi_runtime::client::LimitMode) says what to do instead of waiting.
            ///
            /// # Cancellation
            ///
            /// If a call is dropped before it ends, the outcome of a change is unknown.
            ///
            /// # Errors
            ///
            /// See [`Error`](tradeapi_runtime::Error). If a call that changes something fails with
            /// [`Error::Unknown`](tradeapi_runtime::Error::Unknown), its outcome is unknown; with every other error, it
            /// had no effect.
            pub $($async)? fn call<O: $crate::client::Callable>(
                &self,
                operation: &O,
            ) -> ::core::result::Result<O::Reply, $crate::Error> {
                self.core.call(operation)$($wait)*
            }

            /// Returns a client that retries calls after transient failures. An operation that is not safe to repeat
            /// does not compile here.
            pub fn retrying<'a>(&'a self, policy: &'a $crate::retry::RetryPolicy) -> $($home)*::Retrying<'a> {
                $($home)*::Retrying::new(&self.core, policy)
            }

            /// Checks and signs an operation, for [`send`](Self::send), so that its ids can be stored first.
            ///
            /// # Errors
            ///
            /// Fails if the request breaks a rule or cannot be signed.
            pub fn prepare<'a, O: $crate::Operation>(
                &self,
                operation: &'a O,
            ) -> ::core::result::Result<$crate::client::Prepared<'a, O>, $crate::Error> {
                self.core.prepare(operation)
            }

            /// Sends a prepared request once and reads the response.
            ///
            /// # Errors
            ///
            /// Like [`call`](Self::call); also if the signature has expired.
            pub $($async)? fn send<O: $crate::client::Callable>(
                &self,
                prepared: $crate::client::Prepared<'_, O>,
            ) -> ::core::result::Result<O::Reply, $crate::Error> {
                self.core.send(prepared)$($wait)*
            }

            /// Sends an operation once, and queries its effect if the outcome is unknown; see
            /// [`confirm::place_and_confirm`](tradeapi_runtime::confirm::place_and_confirm). For several items,
            /// [`BatchCall::send_and_confirm`](tradeapi_runtime::batches::BatchCall::send_and_confirm) does the same
            /// for each.
            pub $($async)? fn place_and_confirm<O: $crate::confirm::Confirmable>(
                &self,
                operation: &O,
                policy: &$crate::confirm::ConfirmPolicy,
            ) -> $crate::confirm::Confirmation<$crate::Reply<O::Response>, O::Record> {
                $crate::__run!([$($async)?] self.core, confirm::place_and_confirm, operation, policy)
            }

            /// Queries the outcome of a request that an earlier call or run left unknown; `signed_at` is when it was
            /// signed, or `None` after a call of this run that was dropped. See
            /// [`confirm::settle`](tradeapi_runtime::confirm::settle).
            pub $($async)? fn settle<O: $crate::confirm::Confirmable>(
                &self,
                operation: &O,
                signed_at: impl ::core::convert::Into<::core::option::Option<$crate::Timestamp>>,
                policy: &$crate::confirm::ConfirmPolicy,
            ) -> $crate::confirm::Confirmation<$crate::Reply<O::Response>, O::Record> {
                $crate::__run!([$($async)?] self.core, confirm::settle, operation, signed_at, policy)
            }

            /// Queries once what an operation created or changed, by the client id.
            ///
            /// # Errors
            ///
            /// Fails if the request carries no id to query by, or if the query fails.
            pub $($async)? fn locate<O: $crate::confirm::Confirmable>(
                &self,
                operation: &O,
            ) -> ::core::result::Result<$crate::Reply<O::Record>, $crate::Error> {
                $crate::__run!([$($async)?] self.core, confirm::locate, operation)
            }

            /// Notes in the journal that the changes of this account belong to clients like this one, after its key or
            /// address was replaced; see [`ClientCore::claim_journal`](tradeapi_runtime::ClientCore::claim_journal).
            ///
            /// # Errors
            ///
            /// Fails if the journal cannot be written.
            pub $($async)? fn claim_journal(&self) -> ::core::result::Result<(), $crate::error::JournalError> {
                self.core.claim_journal()$($wait)*
            }

            /// Queries the outcomes of the changes that the journal has open, and closes those whose outcome is known;
            /// see [`confirm::recover`](tradeapi_runtime::confirm::recover()). Call it at the start of a program.
            ///
            /// # Errors
            ///
            /// Fails if the journal cannot be read or written.
            pub $($async)? fn recover(
                &self,
                policy: &$crate::confirm::ConfirmPolicy,
            ) -> ::core::result::Result<$crate::confirm::RecoveredChanges, $crate::error::JournalError> {
                $crate::__run!([$($async)?] self.core, confirm::recover, $recoveries, policy)
            }

            /// Evaluates a record of an order from outside, such as from the user's own stream: it can settle unknown
            /// outcomes, and contradictions are returned; see
            /// [`confirm::evidence`](tradeapi_runtime::confirm::evidence).
            ///
            /// # Errors
            ///
            /// Fails if the journal cannot be read or written.
            pub $($async)? fn evidence<R: $crate::json::Decode + $crate::json::Encode + 'static>(
                &self,
                record: &R,
            ) -> ::core::result::Result<$crate::confirm::OutsideEvidence, $crate::error::JournalError> {
                $crate::__run!([$($async)?] self.core, confirm::evidence, $recoveries, record)
            }

            /// Compares the account with the journal: recovers what is open, reads orders and fills, and reports for
            /// each order how it differs; see [`reconcile::reconcile`](tradeapi_runtime::reconcile::reconcile). Call
            /// it at the start of a program and after an outage.
            ///
            /// # Errors
            ///
            /// Fails if any part of the account or of the journal cannot be read. With the same `reconciliation`,
            /// another call goes on where it stopped.
            pub $($async)? fn reconcile(
                &self,
                reconciliation: &mut $crate::reconcile::Reconciliation,
            ) -> ::core::result::Result<$crate::reconcile::Reconciled, $crate::reconcile::ReconcileError> {
                $crate::__run!([$($async)?] self.core, reconcile::reconcile, $listings, $recoveries, reconciliation)
            }

            /// Cancels foreign open orders that a comparison found, by id; see
            /// [`reconcile::cancel_foreign`](tradeapi_runtime::reconcile::cancel_foreign).
            ///
            /// # Errors
            ///
            /// Fails if the journal lacked changes, or if an order is not listed as foreign. Nothing is cancelled then.
            pub $($async)? fn cancel_foreign(
                &self,
                reconciled: &$crate::reconcile::Reconciled,
                ids: &[&str],
            ) -> ::core::result::Result<
                ::std::vec::Vec<$crate::reconcile::ReconciledOrder>,
                $crate::reconcile::CancelForeignError,
            > {
                $crate::__run!([$($async)?] self.core, reconcile::cancel_foreign, reconciled, ids)
            }

            /// Reads the fills of a family since a time into a ledger of positions, and returns how many are new; see
            /// [`reconcile::update_ledger`](tradeapi_runtime::reconcile::update_ledger).
            ///
            /// # Errors
            ///
            /// Fails if the fills cannot be read as a whole. The ledger is unchanged then.
            pub $($async)? fn update_ledger(
                &self,
                ledger: &mut $crate::ledger::Ledger,
                family: &str,
                since: $crate::Timestamp,
            ) -> ::core::result::Result<usize, $crate::reconcile::LedgerUpdateError> {
                $crate::__run!([$($async)?] self.core, reconcile::update_ledger, $listings, ledger, family, since)
            }

            /// Asks which families of operations serve the key, once, where a key is of an account of one kind; see
            /// [`reconcile::served_families`](tradeapi_runtime::reconcile::served_families).
            ///
            /// # Errors
            ///
            /// Fails if a family cannot be asked.
            pub $($async)? fn served_families(
                &self,
            ) -> ::core::result::Result<$crate::reconcile::ServedFamilies, $crate::Error> {
                $crate::__run!([$($async)?] self.core, reconcile::served_families, $listings)
            }

            /// Cancels all orders and closes all positions, until reading shows that none is left; see
            /// [`flatten::flatten`](tradeapi_runtime::flatten::flatten).
            ///
            /// # Errors
            ///
            /// Fails with what is left or may be left.
            pub $($async)? fn flatten(
                &self,
                policy: &$crate::confirm::ConfirmPolicy,
            ) -> ::core::result::Result<$crate::flatten::Flattened, $crate::flatten::NotFlat> {
                $crate::__run!([$($async)?] self.core, flatten::flatten, $flats, $listings, policy)
            }

            /// Reads the instruments that the exchange lists, with their steps and bounds, for the rules that compare
            /// requests with them, and returns how many there are, and when they were read; see
            /// [`load_instruments`](tradeapi_runtime::instruments::load_instruments). Call it at start-up and
            /// periodically.
            ///
            /// # Errors
            ///
            /// Fails if a listing cannot be read, or if the schema has none. The instruments are unchanged then.
            pub $($async)? fn load_instruments(
                &self,
            ) -> ::core::result::Result<
                $crate::instruments::LoadedInstruments,
                $crate::instruments::LoadInstrumentsError,
            > {
                $crate::__run!([$($async)?] self.core, instruments::load_instruments, $instruments)
            }

            /// Returns the instrument `symbol` of a business line, which is a value of the enum in requests of its
            /// family: as the account states it, or else as it was last [listed](Self::load_instruments).
            pub fn instrument(
                &self,
                line: impl $crate::account::InstrumentLine,
                symbol: &str,
            ) -> ::core::option::Option<$instrument> {
                self.core.instrument(line, symbol).map($instrument::from)
            }

            /// Returns the orders that the client knows from its calls, if it was built with
            /// [`track_orders`](tradeapi_runtime::ClientBuilder::track_orders).
            pub fn tracked_orders(&self) -> ::core::option::Option<&$crate::orders::TrackedOrders> {
                self.core.tracked_orders()
            }

            /// Returns what is left of the budget, if the client has one; see
            /// [`ClientCore::budget_left`](tradeapi_runtime::ClientCore::budget_left).
            ///
            /// # Errors
            ///
            /// Fails if the file with what was spent cannot be read.
            pub fn budget_left(
                &self,
            ) -> ::std::io::Result<::core::option::Option<$crate::budget::BudgetLeft>> {
                self.core.budget_left()
            }

            /// States the last price of an instrument, from which the worth of market orders follows; see
            /// [`ClientCore::set_last_price`](tradeapi_runtime::ClientCore::set_last_price).
            pub fn set_last_price(
                &self,
                line: impl $crate::account::InstrumentLine,
                symbol: &str,
                price: $crate::Decimal,
            ) {
                self.core.set_last_price(line, symbol, price);
            }

            /// States that the account has no order and no position; see
            /// [`ClientCore::set_flat`](tradeapi_runtime::ClientCore::set_flat).
            ///
            /// # Errors
            ///
            /// Fails if the file with what was spent cannot be written.
            pub fn set_flat(&self) -> ::std::io::Result<()> {
                self.core.set_flat()
            }

            /// Reads the open orders of a family into the view of a client that tracks orders, and returns them; see
            /// [`reconcile::refresh_orders`](tradeapi_runtime::reconcile::refresh_orders).
            ///
            /// # Errors
            ///
            /// Fails if the client does not track orders or if the listing cannot be read as a whole.
            pub $($async)? fn refresh_orders(
                &self,
                family: &str,
            ) -> ::core::result::Result<
                ::std::vec::Vec<::std::sync::Arc<$crate::orders::TrackedOrder>>,
                $crate::reconcile::RefreshError,
            > {
                $crate::__run!([$($async)?] self.core, reconcile::refresh_orders, $listings, family)
            }

            /// Returns a client without a journal, for an emergency such as a full disk. It shares everything else with
            /// this one.
            #[must_use]
            pub fn without_journal(&self) -> Self {
                Self { core: self.core.without_journal() }
            }

            /// Returns all pages of a listing. Nothing is sent until a page is requested.
            ///
            /// Cursors are followed and long time ranges are split; see
            /// [`Pages`](tradeapi_runtime::pages::Pages).
            pub fn pages<O: $crate::pages::Paged>(&self, request: O) -> $($home)*::Pages<O> {
                $($home)*::Pages::new(self.core.clone(), request)
            }

            /// Returns a batch of any length, sent in as many calls as needed, with the outcome of each item; see
            /// [`BatchCall`](tradeapi_runtime::batches::BatchCall).
            pub fn batch<O: $crate::batches::Batch>(&self, request: O) -> $($home)*::BatchCall<O> {
                $($home)*::BatchCall::new(self.core.clone(), request)
            }

            /// Returns a client that checks requests by `policy`; `false` disables all rules.
            ///
            /// It shares connections and limits with this one, and is cheap enough for a single call:
            /// `client.with_check_policy(CheckPolicy::new().off("limit.max")).call(&request)`.
            #[must_use]
            pub fn with_check_policy(&self, policy: impl ::core::convert::Into<$crate::CheckPolicy>) -> Self {
                Self { core: self.core.with_check_policy(policy) }
            }

            /// Returns a client for calls of `account`, with the same credentials.
            #[must_use]
            pub fn with_account(&self, account: impl ::core::convert::Into<$crate::Account>) -> Self {
                Self { core: self.core.with_account(account) }
            }

            /// Returns the properties of the account whose stated values contradict the exchange's answers; see
            /// [`ClientCore::account_mismatches`](tradeapi_runtime::ClientCore::account_mismatches).
            pub fn account_mismatches(&self) -> ::std::vec::Vec<$crate::account::AccountMismatch> {
                self.core.account_mismatches()
            }

            /// Returns a client that interprets error codes by `policy`.
            ///
            /// It shares everything else with this one, and is cheap enough for a single call.
            #[must_use]
            pub fn with_code_policy(&self, policy: $crate::wire::CodePolicy) -> Self {
                Self { core: self.core.with_code_policy(policy) }
            }

            /// Returns the changes that wait for a rate limit, are under way, or got no answer and may still be carried
            /// out; see [`ClientCore::under_way`](tradeapi_runtime::ClientCore::under_way).
            pub fn under_way(&self) -> ::std::vec::Vec<$crate::client::UnderWay> {
                self.core.under_way()
            }

            /// Returns the offset of the exchange's clock from the client's, estimated from recent responses.
            pub fn skew(&self) -> ::core::option::Option<$crate::clock::Skew> {
                self.core.skew()
            }

            /// Returns the core of the client, to build requests or read responses without sending anything.
            pub fn core(&self) -> &$($home)*::ClientCore {
                &self.core
            }

            $(
                $(#[$attribute])*
                pub fn $family(&self) -> $($operations)*<'_> {
                    $($operations)*::of(self)
                }
            )*
        }
    };
}

/// Runs a function of the runtime that takes an async client: awaits it, or blocks for it.
#[doc(hidden)]
#[macro_export]
macro_rules! __run {
    ([async] $core:expr, $module:ident::$function:ident, $($argument:expr),*) => {
        $crate::$module::$function(&$core, $($argument),*).await
    };
    ([] $core:expr, $module:ident::$function:ident, $($argument:expr),*) => {
        $core.wait($crate::$module::$function($core.to_async(), $($argument),*))
    };
}
