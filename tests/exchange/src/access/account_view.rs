//! Snapshots of accounts, orders and books, for the program that owns the exchange.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use crate::state::accounts::{Account, Balance, Position};
use crate::state::core::Core;
use crate::state::instruments::Instrument;
use crate::state::orders::{Order, Quantity, State};
use crate::state::words::{Line, PositionSide, Side};

/// A snapshot of an account, for assertions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountView {
    /// The coins that the account has, or had.
    pub balances: BTreeMap<String, BalanceView>,
    /// The open positions.
    pub positions: Vec<PositionView>,
    /// The open orders, the oldest first.
    pub open_orders: Vec<OrderView>,
}

impl AccountView {
    pub(crate) fn of(core: &Core, account: &Account) -> Self {
        let balances = account.balances.iter().map(|(coin, balance)| ((*coin).to_owned(), BalanceView::of(balance)));
        let positions = account.positions.iter();
        let positions = positions.map(|((index, pos), position)| PositionView::of(&core.pairs[*index], *pos, position));
        let orders = account.open.iter().filter_map(|id| core.orders.get(id)).map(|order| OrderView::of(core, order));
        Self { balances: balances.collect(), positions: positions.collect(), open_orders: orders.collect() }
    }
}

/// The balance of a coin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BalanceView {
    /// The whole balance, borrowed funds included.
    pub total: Decimal,
    /// The part that orders and positions leave free.
    pub available: Decimal,
    /// The part reserved for orders.
    pub frozen: Decimal,
    /// The debt.
    pub debt: Decimal,
}

impl BalanceView {
    fn of(balance: &Balance) -> Self {
        let Balance { total, frozen, debt, .. } = *balance;
        Self { total, available: balance.available(), frozen, debt }
    }
}

/// An open position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PositionView {
    /// The business line.
    pub line: Line,
    /// The pair.
    pub symbol: String,
    /// The position of the pair.
    pub pos: PositionSide,
    /// The side that opened it.
    pub side: Side,
    /// The quantity.
    pub qty: Decimal,
    /// The margin of the position.
    pub margin: Decimal,
}

impl PositionView {
    fn of(pair: &Instrument, pos: PositionSide, position: &Position) -> Self {
        Self {
            line: pair.line,
            symbol: pair.symbol.to_owned(),
            pos,
            side: position.side,
            qty: pair.qty(position.lots),
            margin: position.margin,
        }
    }
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderView {
    /// The exchange's id.
    pub id: String,
    /// The client's id.
    pub client_id: Option<String>,
    /// The pair.
    pub symbol: String,
    /// The side in the book.
    pub side: Side,
    /// The limit.
    pub price: Option<Decimal>,
    /// The quantity.
    pub qty: Decimal,
    /// The filled quantity.
    pub filled: Decimal,
    /// The state.
    pub state: State,
    /// The limit that it was placed with, before any modification.
    pub placed_price: Option<Decimal>,
    /// The quantity that it was placed with, in base or quote coin.
    pub placed_qty: Decimal,
    /// True if it can only reduce a position.
    pub closes: bool,
}

impl OrderView {
    pub(crate) fn of(core: &Core, order: &Order) -> Self {
        let pair = &core.pairs[order.ticket.pair];
        let (Quantity::Lots(placed_qty) | Quantity::Amount(placed_qty)) = order.ticket.quantity;
        Self {
            id: order.id.to_string(),
            client_id: order.client().map(str::to_owned),
            symbol: pair.symbol.to_owned(),
            side: order.ticket.side,
            price: order.ticks.map(|ticks| pair.price(ticks)),
            qty: pair.qty(order.lots),
            filled: pair.qty(order.filled),
            state: order.state,
            placed_price: order.ticket.price,
            placed_qty,
            closes: order.is_closing(),
        }
    }
}

/// The book of a pair: price and quantity of each level, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookView {
    /// The buy side.
    pub bids: Vec<(Decimal, Decimal)>,
    /// The sell side.
    pub asks: Vec<(Decimal, Decimal)>,
}

impl BookView {
    pub(crate) fn of(core: &Core, pair: usize) -> Self {
        let levels = |side| {
            let depth = core.books[pair].depth(side).into_iter();
            depth.map(|(ticks, lots)| (core.pairs[pair].price(ticks), core.pairs[pair].qty(lots))).collect()
        };
        Self { bids: levels(Side::Buy), asks: levels(Side::Sell) }
    }
}
