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
//! The core is a state machine, `answer(time, request)`, without sockets, clock and threads. All random numbers follow
//! from the [`Seed`]. The same requests at the same times give the same answers, byte for byte. Requests are
//! read and answers written by the types of `tradeapi`, and the documents' rules are checked by the emitted checks, so
//! that a changed schema reaches the exchange: it does not compile until it serves each operation.
//!
//! | module | contents |
//! |---|---|
//! | `words`, `values`, `instruments`, `orders`, `plans`, `accounts` | instruments, orders, and the accounts of users |
//! | `book`, `candles`, `market`, `dice` | the order book, the price of a pair, and random numbers from a seed |
//! | `delivery`, `hostile`, `faults` | answers as they are delivered, and deliberate faults |
//! | `setup`, `playback`, `market_recording`, `reports`, `journal`, `journal_entry`, `tasks`, `state` | the initial state, recorded markets, the journal and its replay, and the whole state |
//! | `matching`, `netting`, `placing`, `amending`, `closing`, `conditional`, `triggers`, `liquidation`, `funding`, `account_settings` | operations on orders and positions |
//! | `participants`, `shown` | other participants, and what a node shows |
//! | `refusal`, `limits`, `tolerance`, `reading`, `operations`, `routes` | the checks of a request: rate limits, rules, and refusals |
//! | `unified`, `classic`, `observed`, `insider_trades`, `commissions`, `pages` | the operations |
//! | `schedule`, `actions` | how the state changes with time, and by actions other than requests |
//! | `authentication`, `answer_plan`, `gate` | the path of a request, and its faults in a hostile exchange |
//! | `exchange`, `time`, `connections`, `server` | around the core: functions for tests, clocks, HTTP |
//! | `log`, `snapshot`, `control` | the page and its control address |
//! | `docs` | the reference of the API, at `/docs/` |
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

mod account_settings;
mod account_view;
mod accounts;
mod actions;
mod amending;
mod answer_plan;
mod authentication;
mod book;
mod candles;
mod classic;
mod closing;
mod commissions;
mod conditional;
mod connections;
mod control;
mod decisions;
mod delivery;
mod dice;
mod docs;
mod events;
mod exchange;
mod faults;
mod funding;
mod gate;
mod hostile;
mod insider_trades;
mod instruments;
mod journal;
mod journal_entry;
mod limits;
mod liquidation;
mod log;
mod market;
mod market_recording;
mod matching;
mod netting;
mod observed;
mod operations;
mod orders;
mod pages;
mod participants;
mod placing;
mod plans;
mod playback;
mod reading;
mod refusal;
mod reports;
mod routes;
mod schedule;
pub mod server;
mod settings;
mod setup;
mod shown;
mod snapshot;
mod state;
mod tasks;
mod time;
mod tolerance;
mod triggers;
mod unified;
mod values;
mod wanted;
mod words;

pub use account_view::{AccountView, BalanceView, BookView, OrderView, PositionView};
pub use accounts::Profile;
pub use control::per_mille;
pub use decisions::{DECISIONS, Decision};
pub use delivery::{Behind, Delivered, Delivery};
pub use dice::Seed;
pub use docs::Docs;
pub use events::{Event, Unplaced};
pub use exchange::{Exchange, InvalidArgument, Keys};
pub use faults::{Conditions, Fault, FaultKind, FaultTarget};
pub use hostile::{Counts, EffectTime, HostileEvent, HostileFault, Hostility, Node, Quirk};
pub use instruments::PairName;
pub use journal::{ReplayError, torn_line};
pub use market_recording::Recording;
pub use orders::State;
pub use playback::{Books, Candles, Prices, RecordedBook, Trades};
pub use reports::Reports;
pub use settings::{Settings, SignedQuery};
pub use setup::{Pair, Setup, SetupError};
pub use time::Time;
pub use values::Price;
pub use words::{Accounts, Cancelled, Effect, Family, Line, Margin, Mode, PositionSide, Side};
