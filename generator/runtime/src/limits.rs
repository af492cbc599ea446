//! Rate limits: kept before sending, exactly, for all clients of an account together.
//!
//! [`Limiter`] is what a client asks before each call, [`InProcessLimits`] the one that is there by default. What is
//! limited comes from the operation's table ([`Meta::limits`](crate::Meta::limits)); which rows of it hold for a call
//! is data the caller gives ([`Classes`]).
//!
//! # Exactness
//!
//! A [`window::Window`] logs the moments of the latest N calls, and lets another one go when the N-th latest is a whole
//! window old. So no window of that length, wherever it begins, has more than N calls in it, and none that has work
//! waiting has fewer. A token bucket keeps neither promise: it lets up to twice N through around a pause.
//!
//! # Skew
//!
//! A call is counted here when it goes out, and by the exchange when it arrives. Calls that went out a window apart can
//! arrive closer together, by as much as the way of the earlier one took longer. The margin (see [`LimitSettings`])
//! makes up for what differs between two trips over a warm connection. It does not make up for a new connection, whose
//! first request arrives several round trips after it went out. Who must not be refused even then counts calls when
//! they are answered ([`Counted::WhenAnswered`]): the exchange has counted them before that.

mod book;
mod call;
mod class;
mod hash;
mod in_process;
mod lane;
mod learning;
mod limiter;
mod pacing;
mod plan;
mod settings;
mod timer;
mod waiting;
mod window;

pub use call::Call;
pub use class::Classes;
pub use in_process::InProcessLimits;
pub use limiter::{Admission, AdmissionFuture, Full, Limiter, Signs, Slot};
pub use pacing::LimitMode;
pub(crate) use pacing::Pacing;
pub use plan::{Binding, Plan};
pub use settings::{Counted, LimitSettings};
pub use timer::{ManualTimer, SystemTimer, Timer};

#[cfg(test)]
mod tests;
