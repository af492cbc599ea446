//! The orders, fills and positions that a request selects.

use crate::state::core::Core;
use crate::state::orders::Order;
use crate::state::words::Line;

/// The orders, fills and positions that a request selects: those of a business line, of a pair, of pairs that are margined in a coin,
/// or all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) line: Option<&'a str>,
    pub(crate) symbol: Option<&'a str>,
    pub(crate) coin: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Returns what belongs to a pair of a business line.
    pub(crate) fn of(line: &'a str, symbol: &'a str) -> Self {
        Self { line: Some(line), symbol: Some(symbol), coin: None }
    }

    /// Returns whether what belongs to a pair of a line is selected.
    pub(crate) fn holds(self, core: &Core, line: Line, pair: usize) -> bool {
        self.line.is_none_or(|wanted| line.as_str() == wanted)
            && self.symbol.is_none_or(|wanted| core.pairs[pair].is_named(wanted))
            && self.coin.is_none_or(|wanted| core.is_margined_in(pair, wanted))
    }

    /// Returns whether an order is selected.
    pub(crate) fn is(self, core: &Core, order: &Order) -> bool {
        self.holds(core, order.ticket.line, order.ticket.pair)
    }
}
