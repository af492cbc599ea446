//! The market, from the parameters of control requests.

use bytes::Bytes;

use super::query::Query;
use super::{Refused, act};
use crate::exchange::Exchange;
use crate::journal::Action;
use crate::values::Price;
use crate::words::{Line, Side};

/// A price, the price of the latest trade, or the mark price; one of them, so that each request is done as a whole.
pub(super) fn price(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let symbol = query.needed("symbol")?;
    let action = match (query.price("price")?, query.price("last")?, query.get("mark").as_deref()) {
        (Some(price), None, None) => Action::Price { symbol, price },
        (None, Some(price), None) => Action::Last { symbol, price },
        (None, None, Some("none")) => Action::Mark { symbol, price: None },
        (None, None, Some(_)) => Action::Mark { symbol, price: query.price("mark")? },
        _ => return Err(Refused::bad("expected one of price, last and mark")),
    };
    act(exchange, action)
}

fn pair(query: Query<'_>) -> Result<(Line, String), Refused> {
    Ok((query.word("line", Line::of)?.unwrap_or(Line::UsdtFutures), query.needed("symbol")?))
}

/// The quotes of other participants.
pub(super) fn book(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let (line, symbol) = pair(query)?;
    let level = |text: &str| {
        let (price, qty) = text.split_once(':')?;
        Some((Price(price.parse().ok()?), Price(qty.parse().ok()?)))
    };
    let levels = |name| query.list(name, "levels such as 63990:1", level);
    let quotes = match (levels("bids")?, levels("asks")?, query.get("quotes").as_deref()) {
        (None, None, Some("auto")) => None,
        (None, None, _) => return Err(Refused::bad("missing bids, asks or quotes=auto")),
        (_, _, Some(_)) => return Err(Refused::bad("quotes beside bids or asks: send either")),
        (bids, asks, None) => Some([bids.unwrap_or_default(), asks.unwrap_or_default()]),
    };
    act(exchange, Action::Book { line, symbol, quotes })
}

/// An order of another participant.
pub(super) fn order(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let (line, symbol) = pair(query)?;
    let side = query.word("side", Side::of)?.ok_or_else(|| Refused::bad("missing side"))?;
    let qty = query.price("qty")?.ok_or_else(|| Refused::bad("missing qty"))?;
    act(exchange, Action::Other { line, symbol, side, price: query.price("price")?, qty })
}

/// A fill of an open order.
pub(super) fn fill(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let qty = query.price("qty")?.ok_or_else(|| Refused::bad("missing qty"))?;
    act(exchange, Action::Fill { order: query.needed("order")?, qty })
}

/// A pair that is suspended, or resumed.
pub(super) fn suspend(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let is_suspended = match query.get("on").as_deref() {
        None | Some("yes") => true,
        Some("no") => false,
        Some(other) => return Err(Refused::bad(format!("invalid on {other:?}: expected yes or no"))),
    };
    act(exchange, Action::Suspend { symbol: query.needed("symbol")?, is_suspended })
}
