//! The market, users and their accounts, from the parameters of control requests.

use std::collections::BTreeSet;

use bytes::Bytes;
use tradeapi::runtime::json::JsonWriter;

use super::query::{Query, price as number};
use super::{Refused, act};
use crate::access::exchange::Exchange;
use crate::state::accounts::Profile;
use crate::state::journal::Action;
use crate::state::words::{Accounts, Family, Line, Mode, Side};

/// The words for business lines, for messages.
const LINES: &str = "SPOT, MARGIN, USDT-FUTURES, COIN-FUTURES or USDC-FUTURES";

/// Returns a price, the price of the latest trade, or the mark price; one of them, so that each request is done as a
/// whole.
pub(super) fn price(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let (line, symbol) = (line(query)?, query.needed("symbol")?);
    let action = match (query.price("price")?, query.price("last")?, query.get("mark")) {
        (Some(price), None, None) => Action::Price { symbol, line, price },
        (None, Some(price), None) => Action::Last { symbol, line, price },
        (None, None, Some("none")) => Action::Mark { symbol, line, price: None },
        (None, None, Some(_)) => Action::Mark { symbol, line, price: query.price("mark")? },
        _ => return Err(Refused::bad("expected one of price, last and mark")),
    };
    act(exchange, action)
}

fn line(query: &Query) -> Result<Option<Line>, Refused> {
    query.word("line", LINES, Line::of)
}

/// Reads one pair; its business line is that of USDT futures unless it is named.
fn pair(query: &Query) -> Result<(Line, String), Refused> {
    Ok((line(query)?.unwrap_or(Line::UsdtFutures), query.needed("symbol")?))
}

/// Returns the quotes of other participants.
pub(super) fn book(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let (line, symbol) = pair(query)?;
    let level = |text: &str| {
        let (price, qty) = text.split_once(':')?;
        Some((number(price)?, number(qty)?))
    };
    let levels = |name| query.list(name, "levels such as 63990:1", level);
    let automatic = query.word("quotes", "auto", |text| (text == "auto").then_some(()))?;
    let quotes = match (levels("bids")?, levels("asks")?, automatic) {
        (None, None, Some(())) => None,
        (None, None, None) => return Err(Refused::bad("missing bids, asks or quotes=auto")),
        (_, _, Some(())) => return Err(Refused::bad("quotes beside bids or asks: send either")),
        (bids, asks, None) => Some([bids.unwrap_or_default(), asks.unwrap_or_default()]),
    };
    act(exchange, Action::Book { line, symbol, quotes })
}

/// Returns an order of another participant.
pub(super) fn order(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let (line, symbol) = pair(query)?;
    let side = query.word("side", "buy or sell", Side::of)?.ok_or_else(|| Refused::bad("missing side"))?;
    let qty = query.price("qty")?.ok_or_else(|| Refused::bad("missing qty"))?;
    act(exchange, Action::Other { line, symbol, side, price: query.price("price")?, qty })
}

/// Returns a fill of an open order.
pub(super) fn fill(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let qty = query.price("qty")?.ok_or_else(|| Refused::bad("missing qty"))?;
    act(exchange, Action::Fill { order: query.needed("order")?, qty })
}

/// Returns a pair that is suspended, or resumed.
pub(super) fn suspend(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let yes_or_no = |text: &str| ["no", "yes"].iter().position(|word| *word == text);
    let is_suspended = query.word("on", "yes or no", yes_or_no)? != Some(0);
    act(exchange, Action::Suspend { symbol: query.needed("symbol")?, line: line(query)?, is_suspended })
}

fn mode(query: &Query) -> Result<Option<Mode>, Refused> {
    query.word("mode", "one_way_mode or hedge_mode", Mode::of)
}

fn family(query: &Query, name: &str) -> Result<Option<Family>, Refused> {
    query.word(name, "classic or unified", Family::of)
}

/// Reads permissions; `all` of them are not a restriction.
fn permissions(query: &Query) -> Result<Option<Option<Vec<String>>>, Refused> {
    let given = query.list("permissions", "permissions", |text| Some(text.to_owned()))?;
    Ok(given.map(|given| Some(given).filter(|given| *given != ["all"])))
}

/// Returns a new user; the answer has the keys.
pub(super) fn open(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let mut profile = Profile::new();
    if let Some(mode) = mode(query)? {
        profile = profile.mode(mode);
    }
    if let Some(accounts) = query.word("accounts", "unified, classic or both", Accounts::of)? {
        profile = profile.accounts(accounts);
    }
    let balance = |text: &str| {
        let (coin, amount) = text.split_once(':')?;
        Some((coin.to_owned(), number(amount)?))
    };
    if let Some(balances) = query.list("balances", "balances such as USDT:500", balance)? {
        let coins: BTreeSet<&str> = balances.iter().map(|(coin, _)| coin.as_str()).collect();
        if coins.len() < balances.len() {
            return Err(Refused::bad("balances: a coin is there twice"));
        }
        if balances.is_empty() {
            profile.balances.clear();
        }
        profile.balances.extend(balances);
    }
    profile.permissions = permissions(query)?.unwrap_or_default();
    let checked = profile.check(&exchange.core().pairs);
    checked.map_err(|why| Refused::bad(format!("permissions or balances: {why}")))?;
    let keys = exchange.open_account(profile);
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in [("key", &keys.key), ("secret", &keys.secret), ("passphrase", &keys.passphrase)] {
        out.member(name).string(value);
    }
    out.end_object();
    Ok(Bytes::from(out.finish()))
}

/// Returns a change of a user: of a balance, the mode of positions, or the permissions.
pub(super) fn change(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    let user = query.number("user", u64::MAX)?.ok_or_else(|| Refused::bad("missing user"))?;
    let family = family(query, "family")?;
    let action = match (query.price("balance")?, mode(query)?, permissions(query)?) {
        (Some(amount), None, None) => {
            let family = family.or_else(|| exchange.accounts_of(user)?.family()).unwrap_or(Family::Unified);
            Action::Balance { user, family, coin: query.needed("coin")?, amount }
        }
        (None, Some(mode), None) => {
            query.refuse_beside("mode", &["coin", "family"])?;
            Action::Mode { user, mode }
        }
        (None, None, Some(permissions)) => {
            query.refuse_beside("permissions", &["coin", "family"])?;
            Action::Permissions { user, permissions }
        }
        _ => return Err(Refused::bad("expected one of balance, mode and permissions")),
    };
    act(exchange, action)
}
