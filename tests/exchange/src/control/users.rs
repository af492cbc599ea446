//! Users and their accounts, from the parameters of control requests.

use bytes::Bytes;
use tradeapi::runtime::json::JsonWriter;

use super::query::Query;
use super::{Refused, act};
use crate::accounts::Profile;
use crate::exchange::Exchange;
use crate::journal::Action;
use crate::words::{Family, Mode};

fn mode(query: Query<'_>) -> Result<Option<Mode>, Refused> {
    query.word("mode", Mode::of)
}

fn family(query: Query<'_>, name: &str) -> Result<Option<Family>, Refused> {
    query.word(name, Family::of)
}

/// A new user; the answer has the keys.
pub(super) fn open(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let mut profile = Profile::new();
    if let Some(mode) = mode(query)? {
        profile = profile.mode(mode);
    }
    if let Some(only) = family(query, "only")? {
        profile = profile.only(only);
    }
    let balance = |text: &str| {
        let (coin, amount) = text.split_once(':')?;
        let amount: rust_decimal::Decimal = amount.parse().ok()?;
        (!amount.is_sign_negative()).then(|| (coin.to_owned(), amount))
    };
    for (coin, amount) in query.list("balances", "balances such as USDT:500", balance)?.unwrap_or_default() {
        profile = profile.balance(&coin, amount);
    }
    if let Some(permissions) = query.list("permissions", "permissions", |text| Some(text.to_owned()))? {
        profile = profile.permissions(permissions);
    }
    profile.check().and_then(|()| profile.check_coins(&exchange.core().pairs)).map_err(Refused::bad)?;
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
pub(super) fn change(exchange: &Exchange, query: Query<'_>) -> Result<Bytes, Refused> {
    let user = query.number("user", u64::MAX)?.ok_or_else(|| Refused::bad("missing user"))?;
    let permissions = query.list("permissions", "permissions", |text| Some(text.to_owned()))?;
    let action = match (query.price("balance")?, mode(query)?, permissions) {
        (Some(amount), None, None) => {
            let family = family(query, "family")?.unwrap_or(Family::Unified);
            Action::Balance { user, family, coin: query.needed("coin")?, amount }
        }
        (None, Some(mode), None) => Action::Mode { user, mode },
        (None, None, Some(permissions)) => {
            let permissions = Some(permissions).filter(|permissions| *permissions != ["all"]);
            Profile { permissions: permissions.clone(), ..Profile::new() }.check().map_err(Refused::bad)?;
            Action::Permissions { user, permissions }
        }
        _ => return Err(Refused::bad("expected one of balance, mode and permissions")),
    };
    act(exchange, action)
}
