//! Operations: their rates and pools, their effects, the call that they name, and the times that bound a query.

use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{
    Access, Api, Calls, Credentials, Duration, Effect, Family, Method, Need, Operation, Part, Pool, PoolReporting,
    PoolWeight, Rate, Role, SignedPart, Type, WeightCondition, Window,
};
use crate::compiler::words::Sends;
use heck::ToSnakeCase as _;

/// Checks the operations of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        users_are_known(operation, to);
        rates_are_distinct(operation, to);
        weights_are_of_parameters(family, operation, to);
    }
}

/// Refuses a list of users for a public call, which shows none.
fn users_are_known(operation: &Operation, to: &mut Diagnostics) {
    if operation.whitelisted && operation.access == Access::Public {
        to.at(
            operation.key_places.whitelisted,
            Code::Misplaced,
            "`whitelisted` and `access: public` exclude each other",
        )
        .help("remove one of them: a public call is sent without a key");
    }
}

/// Rates are unique by class of users, unit counted and window.
fn rates_are_distinct(operation: &Operation, to: &mut Diagnostics) {
    let counts = |rate: &Rate| (rate.counted(), rate.every.window());
    for (first, rate) in repeated(&operation.rates, |one, other| counts(one) == counts(other)) {
        let help = match rate.of_pool {
            None => "remove one of them, or give each a class with `for` or a window of its own",
            Some(_) => "remove one of them, or state which calls have this weight, such as `with limit over 100`",
        };
        to.at(rate.place, Code::BadRate, format!("duplicate rate limit {}", rate.counted()))
            .related(first.place, "the first one")
            .help(help);
    }
}

/// Checks that a weight depends on a parameter of the operation, and there is a weight for all other calls.
fn weights_are_of_parameters(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    for rate in &operation.rates {
        let Some((of, when)) = rate.of_pool.as_ref().and_then(|of| Some((of, of.when.as_ref()?))) else { continue };
        let is_of_all = |other: &&PoolWeight| other.pool == of.pool && other.when.is_none();
        if operation.rates.iter().filter_map(|other| other.of_pool.as_ref()).find(is_of_all).is_none() {
            to.at(rate.place, Code::BadRate, format!("missing weight in `{}` for all other calls", of.pool))
                .help(format!("add what any other call takes, such as `1 of {}`", of.pool));
        }
        let found = family.names(operation.members()).find(when.parameter());
        let Some(found) = found.or_report(&operation.name, when.parameter(), rate.place, to) else { continue };
        let fits = match (when, found.role) {
            (WeightCondition::Over(..), Role::Plain(parameter)) => parameter.shape.is_one(|ty| ty == Type::Integer),
            (WeightCondition::Without(_) | WeightCondition::With(_), Role::Plain(parameter)) => {
                parameter.need != Need::Always
            }
            (_, Role::Alternative(_) | Role::Member(_) | Role::Decider(_)) => {
                !matches!(when, WeightCondition::Over(..))
            }
        };
        if !fits {
            to.at(rate.place, Code::BadRate, format!("the weight of a call cannot depend on `{}`", when.parameter()))
                .related(found.name.place, "the parameter is here")
                .help("name a parameter that can be left out, or with `over` an integer outside of choices");
        }
    }
}

/// Checks that every pool is used.
pub(super) fn pools_are_used(api: &Api, to: &mut Diagnostics) {
    let rates = || api.operations().flat_map(|(_, operation)| &operation.rates);
    // A rate that could not be read may be one of the pool.
    let are_read = api.operations().all(|(_, operation)| !to.is_unread(operation.place.file, "rate_limit"));
    for pool in api.pools.iter().filter(|_| api.is_whole && are_read) {
        if !rates().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == pool.name) {
            to.at(pool.place, Code::Unused, format!("unused pool `{}`: no operation counts in it", pool.name))
                .help(format!("remove the pool, or write `1 of {}` in the `rate_limit` of an operation", pool.name));
        }
    }
}

/// The number of pools whose reports the runtime keeps.
const MAX_REPORTED: usize = 4;

/// Checks that the number of pools with reports is limited, and no two pools of an operation are reported in the same
/// place.
pub(super) fn pool_reports_are_distinct(api: &Api, to: &mut Diagnostics) {
    let reporting: Vec<_> = api.pools.iter().filter_map(|pool| Some((pool, pool.reporting.as_ref()?))).collect();
    if let Some((_, beyond)) = reporting.get(MAX_REPORTED) {
        to.at(beyond.place, Code::BadRate, format!("`reported` for more than {MAX_REPORTED} pools"))
            .help("keep it for the pools that other programs use, too");
    }
    for (index, (pool, own)) in reporting.iter().enumerate() {
        let is_same =
            |(_, other): &&(_, &PoolReporting)| other.count.to_string().eq_ignore_ascii_case(&own.count.to_string());
        let first = reporting.iter().take(index).filter(is_same).find_map(|(first, _)| {
            let taking =
                api.operations().find(|(_, operation)| takes_of(operation, pool) && takes_of(operation, first));
            taking.map(|(_, operation)| (first, operation))
        });
        if let Some((first, operation)) = first {
            to.at(own.place, Code::BadRate, format!("{} already reports `{}`", own.count, first.name))
                .related(first.place, "the pool is here")
                .related(operation.place, "an operation counts in both")
                .help(format!("name what reports `{}`", pool.name));
        }
    }
}

fn takes_of(operation: &Operation, pool: &Pool) -> bool {
    operation.rates.iter().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == pool.name)
}

/// Verbs of trading that change something, wherever they stand in a name.
const CHANGES: &str = "amend amends buy buys cancel cancels close closes create creates delete deletes liquidate \
    liquidates modify modifies place places replace replaces sell sells submit submits withdraw withdraws";

/// Verbs that are nouns as well: they change something if nothing says that they are only looked at.
const CHANGES_OR_NOUNS: &str = "order transfer";

/// Words for the things that an order is a part of.
const OF_ORDERS: &str = "book books";

/// First words of what only reads.
const READS: &str = "all calculate check count current describe download estimate fetch find get list lookup my preview \
    query read retrieve search show test view your";

/// Last words of what is looked at, such as `order-info` and `close-price`.
const LOOKED_AT: &str = "by count detail details estimate fee fees history id info information limit limits list log logs \
    price prices quota quote quotes rate rates ratio record records result results rules state stats \
    status types volume";

/// Checks that an operation with the effect `read`, which is repeated after a lost answer, states why it changes
/// nothing if it is named after a change, and that one that changes something by GET states why.
pub(super) fn reads_are_meant(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let place = operation.key_places.effect;
        if let Some((text, verb)) = doubt_of_read(operation) {
            let says =
                format!("the effect is `read`, but `{text}` says `{verb}`: a read is sent again after a lost answer");
            to.at(place, Code::DoubtfulEffect, says)
                .help("write what it does, such as `create`; if it only reads, `effect: { is: read, why: .. }`");
        }
        let changes = operation.effect != Effect::Read && operation.method == Method::Get && operation.call.is_none();
        let is_reported = || to.iter().any(|item| item.related.iter().any(|(related, _)| *related == place));
        if changes && operation.states_effect() && operation.effect_why.is_none() && !is_reported() {
            let effect = operation.effect.as_str();
            to.at(place, Code::DoubtfulEffect, format!("the effect is `{effect}`, but a GET only reads"))
                .help(format!("write `read`, or correct the method; if it does change something, `effect: {{ is: {effect}, why: .. }}`"));
        }
    }
}

/// Returns the text that names an operation after a change, and the verb in it, if the effect says without a reason that
/// it only reads.
pub(super) fn doubt_of_read(operation: &Operation) -> Option<(&str, String)> {
    let is_stated = operation.effect != Effect::Read || operation.effect_why.is_some();
    (!is_stated).then(|| change_in_name(operation)).flatten()
}

/// Returns the text that names the operation after a change, and the verb in it.
fn change_in_name(operation: &Operation) -> Option<(&str, String)> {
    let last = operation.path.text.split('/').rfind(|part| !part.is_empty() && !part.contains('{'));
    let call = operation.call.as_ref().map(|(call, _)| call.as_str());
    let texts = [Some(operation.name.as_str()), last, call, Some(operation.title.as_str())];
    let is_read_by_title = words(&operation.title).first().is_some_and(|first| is_one_of(READS, first));
    texts.into_iter().flatten().find_map(|text| Some((text, change_in(&words(text), is_read_by_title)?)))
}

/// Returns the verb in the words of a name that says that something is changed.
fn change_in(words: &[String], is_read_by_title: bool) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    if is_one_of(READS, first) || words.len() > 1 && is_one_of(LOOKED_AT, last) {
        return None;
    }
    let is_change = is_one_of(CHANGES_OR_NOUNS, first) && !is_read_by_title && !is_one_of(OF_ORDERS, last);
    words.iter().find(|word| is_one_of(CHANGES, word)).or(Some(first).filter(|_| is_change)).cloned()
}

/// Returns whether a list, a text with spaces between its words, has a word.
fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn words(text: &str) -> Vec<String> {
    let last = text.rsplit('/').next().unwrap_or_default();
    last.to_snake_case().split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Checks that what `calls` describes is used.
pub(super) fn calls(api: &Api, to: &mut Diagnostics) {
    if !api.is_sound {
        return;
    }
    let has_calls = api.operations().any(|(_, operation)| operation.call.is_some());
    if let Some(place) = api.calls.place.filter(|_| api.is_whole && !has_calls) {
        to.at(place, Code::Unused, "no operation has a `call`")
            .help("add `call: ...` to operations, or remove `calls`");
    }
    let number = signed(api, SignedPart::CallId).filter(|_| api.calls.id.is_none());
    if let Some(part) = number {
        to.at(part.place, Code::MissingKey, "`call_id` is signed, but `calls` has no `id`")
            .help("add `id: ...` to `calls`");
    }
}

/// Checks the calls of a family's operations.
pub(super) fn of_operations(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        can_be_sent(&api.calls, operation, to);
        are_used(api, operation, to);
    }
}

/// Checks that the request has room for the name of the call and for its parameters.
fn can_be_sent(calls: &Calls, operation: &Operation, to: &mut Diagnostics) {
    let Some((_, place)) = operation.call.as_ref().filter(|_| calls.method.is_some()) else { return };
    let why = if operation.body.array().is_some() {
        "the body is an array".to_owned()
    } else if calls.params.is_none() {
        return members_are_distinct(calls, operation, to);
    } else if operation.method.has_query() {
        format!("a {} request has no body", operation.method.as_str())
    } else if operation.sends() != Sends::Json {
        "the parameters are not sent as JSON".to_owned()
    } else {
        return;
    };
    to.at(*place, Code::Misplaced, format!("`call` cannot be sent: {why}"))
        .related(operation.path.place, "the method is here")
        .help("use POST with named parameters in JSON, or remove `call`");
}

/// Checks that parameters beside the members of a call have other names than these.
fn members_are_distinct(calls: &Calls, operation: &Operation, to: &mut Diagnostics) {
    for parameter in operation.body.parameters() {
        let name = &parameter.name;
        if calls.members().any(|member| member == name.wire) {
            to.at(name.place, Code::NameCollision, format!("the parameter `{}` is a member of every call", name.wire))
                .help("remove the parameter: `call` sets its value");
        }
    }
}

/// Checks that a call whose name is not sent is signed, and the signed number is sent.
fn are_used(api: &Api, operation: &Operation, to: &mut Diagnostics) {
    let is_signed = operation.access == Access::Signed;
    let signed = [SignedPart::Call, SignedPart::CallId].into_iter().find_map(|word| signed(api, word));
    match (&operation.call, signed) {
        (None, Some(part)) if is_signed => {
            to.missing_key(operation.path.place, "missing key `call`")
                .related(part.place, "it is signed")
                .help("add `call: ...`");
        }
        (Some((_, place)), None) if api.calls.method.is_none() => {
            to.at(*place, Code::Unused, "`call` is neither sent nor signed")
                .help("add `method: ...` to `calls`, or `call` to `signed_text`");
        }
        (Some(_) | None, _) => {}
    }
}

/// Returns the part of the credentials that is `word`, or contains it.
fn signed(api: &Api, word: SignedPart) -> Option<&Part> {
    let parts = api.credentials.as_ref().map(Credentials::all_parts).unwrap_or_default();
    parts.into_iter().find(|part| part.has(word))
}

/// Checks the windows of a family's operations.
pub(super) fn windows(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        if let Some(window) = &operation.window {
            ends_are_distinct(window, to);
            default_fits(window, to);
            span_fits(window, to);
        }
    }
}

fn ends_are_distinct(window: &Window, to: &mut Diagnostics) {
    if window.from.is_same(&window.to) {
        to.at(window.to.place, Code::BadWindow, format!("`from` and `to` of the window are both `{}`", window.to))
            .related(window.from.place, "`from` is here")
            .help("name the parameter with the end of the range");
    }
}

/// Checks that the default is not longer than the limits.
fn default_fits(window: &Window, to: &mut Diagnostics) {
    let Some((default, place)) = window.default else { return };
    let limits = [("span", window.span), ("access", window.access)];
    let mut limits = limits.into_iter().filter_map(|(key, limit)| Some((key, limit?)));
    if let Some((key, (limit, at))) =
        limits.find(|(_, (limit, _))| milliseconds(default, 28) > milliseconds(*limit, 31))
    {
        to.at(place, Code::BadWindow, format!("`default` {default} is longer than `{key}` {limit}"))
            .related(at, format!("`{key}` is here"))
            .help("swap them, or correct one of them");
    }
}

/// Checks that the span is not longer than the access.
fn span_fits(window: &Window, to: &mut Diagnostics) {
    let (Some((span, place)), Some((access, at))) = (window.span, window.access) else { return };
    if milliseconds(span, 28) > milliseconds(access, 31) {
        to.at(place, Code::BadWindow, format!("`span` {span} is longer than `access` {access}"))
            .related(at, "`access` is here")
            .help("swap them, or correct one of them");
    }
}

/// Returns the length in milliseconds if a month has this many days.
fn milliseconds(length: Duration, days_of_month: u64) -> u64 {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    length.milliseconds().unwrap_or(u64::from(length.n) * days_of_month * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_changes_are_told_from_names_of_what_is_looked_at() {
        let change = |text: &str, is_read_by_title| change_in(&words(text), is_read_by_title);
        for text in [
            "private/buy",
            "place-order",
            "Sell Now",
            "closePosition",
            "order",
            "transfer",
            "order-market",
            "Cancels an order",
            "spot-withdraw",
            "batch-cancel-orders",
            "create",
        ] {
            assert!(change(text, false).is_some(), "{text}");
        }
        for text in [
            "order-info",
            "order-book",
            "close-price",
            "get-order",
            "Order Status",
            "orders",
            "Orders History",
            "openOrders",
            "ClosedOrders",
            "transfer-history",
            "orders-pending",
            "test",
            "Query Cancel Reasons",
            "marketplace",
            "get_order_history_by_currency",
            "All orders",
            "time",
            "replacement",
            "buy-sell-ratio",
            "hist",
        ] {
            assert_eq!(change(text, false), None, "{text}");
        }
        assert_eq!(change("order", true), None);
        assert_eq!(change("private/buy", true).as_deref(), Some("buy"));
    }
}
