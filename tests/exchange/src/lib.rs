//! A local exchange. It accepts, matches and fills orders as the documents of the API describe, for trying out programs
//! and for tests.
//!
//! The core is a state machine, `answer(time, request)`, behind one lock; sockets, clocks and clients in the same
//! process surround it, so that the same requests at the same times give the same answers. Requests and answers are the
//! emitted types, and the emitted checks refuse what the documents forbid. Prices and quantities are counted in ticks
//! and lots; money is a `rust_decimal`, whose size is bounded at the gate so that every product is exact. A user has an
//! account of each family behind one key; on the wire an account is of one kind.
//!
//! ```sh
//! cargo run -p tradeapi-exchange   # prints URL, key, secret and passphrase
//! ```
//!
//! In a test it needs no sockets, and its time is moved by hand:
//!
//! ```
//! use std::time::Duration;
//!
//! use tradeapi::dec;
//! use tradeapi::unified::{Category, ClientOid, Execution, GetOrderDetails, OrderRef, OrderStatus, PlaceOrder, Side};
//! use tradeapi_exchange::{Exchange, Family, Seed};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let exchange = Exchange::new(Seed(7));
//! let client = exchange.client();
//! exchange.set_price("BTCUSDT", 64_000)?;
//!
//! let execution = Execution::limit(dec!(63990));
//! let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, execution)
//!     .client_oid(ClientOid::new("test:1")?);
//! client.unified().place_order(&order).await?;
//!
//! exchange.fill("test:1", dec!(0.004))?;
//! exchange.time().advance(Duration::from_secs(1));
//! let detail = GetOrderDetails::new(OrderRef::ClientOid(ClientOid::new("test:1")?));
//! let record = client.unified().get_order_details(&detail).await?;
//! assert_eq!(record.order_status, Some(OrderStatus::PartiallyFilled));
//!
//! exchange.refuse_next("40762");
//! assert!(client.unified().place_order(&order).await.is_err());
//!
//! let position = &exchange.account(exchange.keys(), Family::Unified).positions[0];
//! assert_eq!(position.qty, dec!(0.004));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! All random numbers follow from the [`Seed`], and the answers to the same requests are the same, byte for byte. A
//! changed schema reaches the exchange through the emitted types: it does not compile until it serves each operation.
//!
//! | folder | contents |
//! |---|---|
//! | `state` | instruments, orders and accounts; books, prices and recorded markets; settings, faults and the journal; the whole of it, the core |
//! | `engine` | placing, amending, matching, netting, triggers, funding and liquidation; other participants; actions that are no requests |
//! | `operations` | the operations of each family, their pages and routes; what is tolerated; how the state changes with time |
//! | `access` | the path of a request: connections, signatures, the gate and its faults; clocks, functions for tests, the page and its control address, the reference at `/docs/` |
//! | `judge` | with the feature of this name: programs in any language on trial, judged by the books |
//!
//! A folder imports only from those above it.
//!
//! The program adds `watch`, which shows the state of another one in a terminal.
//!
//! # Decisions
//!
//! [`DECISIONS`] lists what the exchange does where the documents are silent. [`Settings`] change some of it.
//!
//! # Limits
//!
//! A position has one margin mode, that of the fill that began it. Other participants trade only pairs that an account
//! has traded.

mod access;
mod engine;
#[cfg(feature = "judge")]
pub mod judge;
mod operations;
mod state;

pub use access::server;

pub use access::account_view::{AccountView, BalanceView, BookView, OrderView, PositionView};
pub use access::control::per_mille;
pub use access::docs::Docs;
pub use access::exchange::{Exchange, InvalidArgument, Keys};
pub use access::time::Time;
pub use state::accounts::Profile;
pub use state::dice::Seed;
pub use state::events::{Event, Unplaced};
pub use state::faults::{Conditions, Fault, FaultKind, FaultTarget};
pub use state::hostile::{Counts, EffectTime, FaultKinds, HostileEvent, HostileFault, Hostility, Node, Quirk};
pub use state::instruments::PairName;
pub use state::journal::{ReplayError, torn_line};
pub use state::journal_entry::{Behind, Delivered, Delivery};
pub use state::market_recording::Recording;
pub use state::orders::State;
pub use state::playback::{Books, Candles, Prices, RecordedBook, Trades};
pub use state::settings::{DECISIONS, Decision, Settings, SignedQuery};
pub use state::setup::{Fields, Pair, Reports, Setup, SetupError};
pub use state::values::Price;
pub use state::words::{Accounts, Cancelled, Effect, Family, Line, Margin, Mode, PositionSide, Side};
