//! The unified account's operations on single orders, its queries, and those on Reality pairs.

use super::account::Account;
use super::request::{Request, Words, clear_zero, limit, words};
use super::window::{Window, within_days};
use super::{Findings, unified_batch, unknown};

/// Parameters with the same meaning in every operation of the family, except where Reality narrows it.
const WORDS: &Words = &[
    ("category", &["SPOT", "MARGIN", "USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"]),
    ("side", &["buy", "sell"]),
    ("orderType", &["limit", "market"]),
    ("timeInForce", &["ioc", "fok", "gtc", "post_only", "rpi"]),
    ("posSide", &["long", "short"]),
    ("reduceOnly", &["yes", "no"]),
    ("stpMode", &["none", "cancel_taker", "cancel_maker", "cancel_both"]),
    ("tpTriggerBy", &["market", "mark"]),
    ("slTriggerBy", &["market", "mark"]),
    ("tpOrderType", &["limit", "market"]),
    ("slOrderType", &["limit", "market"]),
    ("marginMode", &["crossed", "isolated"]),
    ("autoBorrow", &["yes", "no"]),
    ("autoCancel", &["yes", "no"]),
    ("pxAmendType", &["yes", "no"]),
];

const REALITY_WORDS: &Words = &[("category", &["SPOT", "MARGIN"])];

const FUTURES: [&str; 3] = ["USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"];

/// The parameters of presets.
pub(super) const TAKE_PROFIT_STOP_LOSS: [&str; 8] = [
    "takeProfit",
    "stopLoss",
    "tpTriggerBy",
    "slTriggerBy",
    "tpOrderType",
    "slOrderType",
    "tpLimitPrice",
    "slLimitPrice",
];

/// Limit prices of presets, with the parameter of their order type.
const LIMIT_PRICES: [(&str, &str); 2] = [("tpLimitPrice", "tpOrderType"), ("slLimitPrice", "slOrderType")];

pub(super) fn inspect(name: &str, request: Request, account: Account, now: i128, out: &mut Findings) {
    shapes(request, out);
    limit(request, 100, out);
    let window = Window::of(request, out);
    match name {
        "place-order" => place_order(request, account, out),
        "modify-order" => modify_order(request, out),
        "place-batch" => unified_batch::place(&request.body_list(), account, out),
        "batch-modify-order" => unified_batch::modify(&request.body_list(), out),
        "cancel-batch" => unified_batch::cancel(&request.body_list(), out),
        "history-orders" | "fills" => {
            window.spans_days(30, out);
            within_days(window.start.or(window.end), 90, now, out);
        }
        "place-reality-order" => {
            reality(request, account, out);
            reality_pair(request, account, out);
        }
        "cancel-reality-order" => {
            reality(request, account, out);
            reality_pair(request, account, out);
        }
        "reality-fills" => {
            reality(request, account, out);
            reality_pair(request, account, out);
        }
        "cancel-order" | "cancel-symbol-order" | "order-info" | "unfilled-orders" | "assets" | "inner-trades" => {}
        _ => unknown(name),
    }
}

/// Makes the checks of every object of the family, a request or an item of a batch.
pub(super) fn shapes(request: Request, out: &mut Findings) {
    words(request, WORDS, out);
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || ".:/_-".contains(letter);
    let is_client_id = |id: &String| (1..=32).contains(&id.chars().count()) && id.chars().all(is_known);
    out.refuse_if(!request.text("clientOid").as_ref().is_none_or(is_client_id), "clientOid is malformed");
    let is_request_id = |id: &String| (1..=18).contains(&id.len()) && id.bytes().all(|digit| digit.is_ascii_digit());
    out.refuse_if(!request.text("requestId").as_ref().is_none_or(is_request_id), "requestId is malformed");
}

fn place_order(order: Request, account: Account, out: &mut Findings) {
    new_order(order, account, out);
    let needs_futures = order.has_any(&["tpTriggerBy", "slTriggerBy", "marginMode"]);
    out.refuse_if(needs_futures && !is_futures(order), "trigger kinds and margin mode are for futures");
    out.refuse_if(order.has("autoBorrow") && !order.is("category", "SPOT"), "autoBorrow is for spot orders");
    for (price, kind) in LIMIT_PRICES {
        out.refuse_if(order.has(price) && !order.is(kind, "limit"), format!("{price} needs {kind} limit"));
        let limit_reality = is_reality(order, account) == Some(true) && order.is(kind, "limit");
        out.refuse_if(limit_reality, format!("Reality pairs have no {kind} limit"));
    }
    let preset = is_new_coin_m(order) && order.has_any(&TAKE_PROFIT_STOP_LOSS);
    out.refuse_if(preset, "the new Coin-M line has no preset take-profit or stop-loss");
}

/// Makes the checks of a new order, alone or in a batch.
pub(super) fn new_order(order: Request, account: Account, out: &mut Findings) {
    out.warn_if(!order.has("clientOid"), "without a clientOid the order may be hard to find");
    out.refuse_if(order.has("posSide") && !is_futures(order), "posSide is for futures");
    let sideless = account.is_hedge() && is_futures(order) && !order.has("posSide");
    out.refuse_if(sideless, "posSide is needed in hedge mode");
    let not_allowed = order.is("timeInForce", "rpi") && account.lacks("rpiMarketMaker");
    out.refuse_if(not_allowed, "timeInForce rpi is for retail-price-improvement market makers");
    instrument(order, account, out);
}

fn instrument(order: Request, account: Account, out: &mut Findings) {
    let Some(instrument) = account.instrument(order.text("category"), order.text("symbol")) else { return };
    let futures = is_futures(order);
    if let Some(price) = order.decimal("price") {
        let off_step = futures && instrument.is_off_step(&price, "priceMultiplier");
        out.refuse_if(off_step, "price is not a multiple of priceMultiplier");
        out.refuse_if(instrument.is_too_fine(&price, "pricePrecision"), "price has too many decimals");
    }
    if let Some(qty) = order.decimal("qty") {
        let off_step = futures && instrument.is_off_step(&qty, "sizeMultiplier");
        out.refuse_if(off_step, "qty is not a multiple of sizeMultiplier");
        // Of what qty counts in quote coin, the unit of minOrderAmount is open.
        let in_quote = !futures && order.is("side", "buy") && order.is("orderType", "market");
        let too_small = instrument.is_too_small(&qty);
        out.refuse_if(too_small && !in_quote, "qty is below minOrderAmount");
        out.warn_if(too_small && in_quote, "qty in quote coin is below minOrderAmount");
    }
}

fn modify_order(request: Request, out: &mut Findings) {
    change(request, out);
    let spot = request.has("category") && !is_futures(request);
    out.refuse_if(spot && request.has_any(&["tpTriggerBy", "slTriggerBy"]), "trigger kinds are for futures");
    for (price, kind) in LIMIT_PRICES {
        out.refuse_if(request.has(price) && request.is(kind, "market"), format!("{price} needs {kind} limit"));
    }
    clear_zero(request, &["takeProfit", "stopLoss"], out);
}

/// Makes the checks of a modification, alone or in a batch.
pub(super) fn change(request: Request, out: &mut Findings) {
    out.refuse_if(!request.has_any(&["qty", "price"]), "neither qty nor price");
    out.refuse_if(is_new_coin_m(request), "orders of the new Coin-M line cannot be modified");
}

fn reality(request: Request, account: Account, out: &mut Findings) {
    words(request, REALITY_WORDS, out);
    out.refuse_if(account.lacks("whitelisted"), "Reality operations are for whitelisted users");
}

fn reality_pair(request: Request, account: Account, out: &mut Findings) {
    out.refuse_if(is_reality(request, account) == Some(false), "symbol is not a Reality pair");
}

fn is_futures(request: Request) -> bool {
    request.text("category").is_some_and(|category| FUTURES.contains(&category.as_str()))
}

/// Returns whether the symbol is that of a Reality pair: with the small letter of the document, or in capitals if the
/// instrument of that name is known to be one. `None` if that is not known.
fn is_reality(request: Request, account: Account) -> Option<bool> {
    if has_name_between(request, "r", "USDT") {
        return Some(true);
    }
    if !has_name_between(request, "R", "USDT") {
        return Some(false);
    }
    account.has_reality_mark(request.text("symbol"))
}

fn is_new_coin_m(request: Request) -> bool {
    has_name_between(request, "", "USD_CM")
}

/// Returns whether the symbol is a name between this prefix and suffix.
fn has_name_between(request: Request, before: &str, after: &str) -> bool {
    let symbol = request.text("symbol").unwrap_or_default();
    symbol.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).is_some_and(|name| !name.is_empty())
}
