//! Users and their accounts, from the parameters of control requests.

use std::collections::BTreeSet;

use bytes::Bytes;
use tradeapi::runtime::json::JsonWriter;

use super::query::{Query, price};
use super::{Refused, act};
use crate::access::exchange::Exchange;
use crate::state::accounts::Profile;
use crate::state::journal::Action;
use crate::state::words::{Accounts, Family, Mode};

fn mode(query: &Query) -> Result<Option<Mode>, Refused> {
    query.word("mode", "one_way_mode or hedge_mode", Mode::of)
}

fn family(query: &Query, name: &str) -> Result<Option<Family>, Refused> {
    query.word(name, "classic or unified", Family::of)
}

/// Permissions; `all` of them are not a restriction.
fn permissions(query: &Query) -> Result<Option<Option<Vec<String>>>, Refused> {
    let given = query.list("permissions", "permissions", |text| Some(text.to_owned()))?;
    Ok(given.map(|given| Some(given).filter(|given| *given != ["all"])))
}

/// A new user; the answer has the keys.
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
        Some((coin.to_owned(), price(amount)?))
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

/// A change of a user: of a balance, the mode of positions, or the permissions.
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
