//! What became of a request, where the call itself did not tell: prepared requests, and asking until one knows.

mod absence;
mod confirm;
mod confirmable;
mod each;
mod evidence;
mod policy;
mod prepared;
mod question;
mod rounds;
mod verdict;

pub use confirmable::{Asked, Confirmable, ConfirmableItems, Repeatable};
pub use each::{ItemFate, ItemFates};
pub use policy::ConfirmPolicy;
pub use prepared::Prepared;
pub(crate) use prepared::client_ids;
pub use verdict::{DidNotHappen, Fate, Happened, StillUnknown};
