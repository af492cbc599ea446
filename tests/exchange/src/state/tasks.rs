//! Tasks that are carried out later.

use std::fmt;
use std::net::IpAddr;

use tradeapi::runtime::tables::Meta;

use crate::state::orders::{Changes, Ticket};
use crate::state::playback::MarketStep;

/// A scheduled task.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Places the order that replaces a modified one.
    Place(Box<Ticket>),
    /// Applies a modification.
    Amend(u64, Changes),
    /// The next step of a market that is played back.
    Market(usize, MarketStep),
    /// Serves a request that a hostile exchange has delayed.
    Late(Box<Late>),
}

/// A request whose effect is delayed.
#[derive(Clone)]
pub(crate) struct Late {
    pub(crate) meta: &'static Meta,
    pub(crate) user: Option<usize>,
    pub(crate) address: IpAddr,
    pub(crate) parameters: String,
    /// When all nodes show its effect.
    pub(crate) settled: u64,
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").field("operation", &self.meta.id).finish_non_exhaustive()
    }
}
