//! Thousands of orders against a hostile exchange.
//!
//! Tasks that share a client place orders, one by one and several at once, amend and cancel some of them, and keep their
//! own account of what became of each, from nothing but what the client told them. When all is done, and what was unknown
//! has been asked for once more, the account is compared with the exchange's book: none may be lost, none doubled, none
//! claimed falsely, and no rate limit exceeded by the exchange's own count. What the client calls unknown may be either.
//!
//! It takes no shortcut with time. Limits are some ten calls a second and user, so there are many users, each with an
//! exchange, a client and a limiter, that run at once. An absence proves something after some 45 seconds, which are
//! waited for; a shorter campaign has both sides read a clock that runs fast, by which signatures are made and judged.
//! Limits are counted by the real one then, too.
#![allow(clippy::expect_used, reason = "only tests use this, and a panic is how they fail")]

mod account;
mod cancel;
mod conduct;
mod desk;
mod figures;
mod judge;
mod ledger;
mod orders;
mod run;
mod settings;
mod trader;

pub use conduct::Conduct;
pub use figures::{Figures, Word};
pub use judge::Violation;
pub use ledger::{Claim, Known, Ledger};
pub use run::run;
pub use settings::Settings;
