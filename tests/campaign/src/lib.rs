//! Thousands of orders against a hostile exchange.
//!
//! Tasks that share a client place orders, one by one and several at once, amend and cancel some of them, and keep their
//! own account of the outcome of each, from nothing but the client's results. When all is done, and what was unknown
//! has been queried once more, the account is compared with the exchange's book: none may be lost, none doubled, none
//! claimed falsely, no listing may miss an order or have it twice, and no rate limit be exceeded by the exchange's count.
//! What the client calls unknown may be either.
//!
//! A campaign runs [in virtual time](simulate), one account after the other, each with an exchange, a client and a network
//! of its own on one thread. What an account does is a [`Script`], which follows from a seed and always has the same trace;
//! one that fails is [shrunk](shrink) to the shortest one that fails in the same way.
//!
//! What sockets do is left to a smaller campaign [over sockets](run), which takes no shortcut with time. Limits are some ten
//! calls a second and user, so there are many users that run at once. An absence proves something after some 45 seconds,
//! which are waited for; a shorter campaign has both sides read a clock that runs fast, by which signatures are made and
//! judged. Limits are counted by the real one then, too.
//!
//! A process can also be [killed](kill()) in the middle, again and again: it writes each id down before the order leaves,
//! and the next process queries those without a result in it.
#![allow(clippy::expect_used, reason = "only tests use this, and a panic is how they fail")]

mod account;
mod arrivals;
mod batches;
mod book;
mod busy;
mod cancel;
mod child;
mod clock;
mod codes;
mod conduct;
mod counts;
mod desk;
mod exchange;
mod fast;
mod figures;
pub mod fleet;
mod health;
mod journal;
mod judge;
mod kill;
mod later;
mod ledger;
mod line;
mod listing;
mod operation;
mod orders;
mod raw;
mod run;
mod settings;
mod simulation;
mod trader;
mod world;
mod wrong;

pub use book::Effect;
pub use child::Child;
pub use conduct::Conduct;
pub use counts::{Counts, Rate, Reached};
pub use figures::{Figures, Truth, Word};
pub use judge::Violation;
pub use kill::{CHILD, kill};
pub use ledger::{Claim, Decided, Known, Ledger, Naming};
pub use operation::Family;
pub use run::run;
pub use settings::Settings;
pub use simulation::{Played, Script, Simulated, shrink, simulate};
