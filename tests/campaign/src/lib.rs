//! Campaigns: thousands of orders against a hostile exchange.
//!
//! Tasks that share a client place orders, alone and in batches, and amend and cancel some of them. A [`Ledger`]
//! records the outcome that the client reports for each request. At the end, unknown outcomes are queried again, and
//! the ledger is compared with the exchange's own events: no order may be lost, doubled or claimed falsely, no listing
//! may miss or repeat an order, and no rate limit may be exceeded by the exchange's count. An outcome that the client
//! reports as unknown is consistent with both.
//!
//! A campaign runs [in virtual time](simulate), one account after the other, each with its own exchange, client and
//! network on one thread. A [`Scenario`] describes what one account does. It follows from a seed, and its trace is
//! always the same. A failing scenario is [shrunk](shrink) to the shortest one that fails in the same way.
//!
//! A smaller campaign runs [over sockets](run), in real time. Rate limits are about ten calls per second and user, so
//! many users run at once. An absence is a proof only after nearly three minutes. To shorten that wait, client and exchange
//! can read a clock that runs fast, which is also used for signatures; rate limits still use the real clock.
//!
//! A third kind [kills](kill()) the client's process repeatedly. The process stores each id before it sends the order,
//! and the next process queries the ids that have no stored outcome.
//!
//! Orders are labelled by id, size and price, because an id alone can name two orders. Claims of the client are
//! compared with the exchange's events and orders, and with codes as they were observed. Incorrect clients live outside
//! the client: they draw other conclusions, or wrap its transport. Over sockets, rate limits are not sped up, because a
//! limit counted by a fast clock is another limit.
#![allow(clippy::expect_used, reason = "only tests use this, and a panic is how they fail")]

mod account;
mod arrivals;
mod assumptions;
mod batches;
mod busy;
mod cancel;
mod child;
mod claim;
mod clock;
mod codes;
mod connections;
mod context;
mod counts;
mod deployment;
mod exchange;
mod figures;
pub mod fleet;
mod ground_truth;
mod health;
mod incorrect;
mod journal;
mod judged;
mod kill;
mod ledger;
mod listing;
mod operation;
mod orders;
mod pending;
mod raw;
mod run;
mod sending;
mod settings;
mod simulation;
mod trader;
mod variant;
mod violation;

pub use assumptions::{Assumption, Varied};
pub use child::Child;
pub use claim::{Claim, Known, Naming};
pub use counts::{Counts, Rate, Situation};
pub use figures::{ActualOutcomes, ClaimedOutcome, Figures, KINDS};
pub use ground_truth::Effect;
pub use judged::Judged;
pub use kill::kill;
pub use ledger::{Decided, Ledger};
pub use operation::Family;
pub use run::run;
pub use settings::Settings;
pub use simulation::{Scenario, SimulationReport, TracedRun, shrink, simulate};
pub use variant::ClientVariant;
pub use violation::Violation;
