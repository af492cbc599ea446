//! The classic futures operations.

use super::account::Account;
use super::request::{Request, Words, clear_zero, count, limit, words};
use super::window::{Window, within_days};
use super::{Findings, unknown};

/// Parameters with the same meaning in every operation of the family.
const WORDS: &Words = &[
    ("productType", &["USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"]),
    ("marginMode", &["isolated", "crossed"]),
    ("side", &["buy", "sell"]),
    ("orderType", &["limit", "market"]),
    ("tradeSide", &["open", "close"]),
    ("force", &["ioc", "fok", "gtc", "post_only"]),
    ("reduceOnly", &["YES", "NO"]),
    ("stpMode", &["none", "cancel_taker", "cancel_maker", "cancel_both"]),
    ("holdSide", &["long", "short"]),
    ("status", &["live", "partially_filled"]),
    ("orderSource", ORDER_SOURCES),
];

/// The filters of the order history; records have more values.
const ORDER_SOURCES: &[&str] = &[
    "normal",
    "market",
    "profit_market",
    "loss_market",
    "Trader_delegate",
    "trader_profit",
    "trader_loss",
    "reverse",
    "trader_reverse",
    "profit_limit",
    "loss_limit",
    "liquidation",
    "delivery_close_long",
    "delivery_close_short",
    "pos_profit_limit",
    "pos_profit_market",
    "pos_loss_limit",
    "pos_loss_market",
];

const MAX_ITEMS: usize = 50;

pub(super) fn inspect(name: &str, request: Request, account: Account, now: i128, out: &mut Findings) {
    words(request, WORDS, out);
    limit(request, 100, out);
    let window = Window::of(request, out);
    match name {
        "place-order" => place_order(request, account, out),
        "click-backhand" => reversal(request, account, out),
        "batch-place-order" => batch_place_order(request, account, out),
        "modify-order" => modify_order(request, account, out),
        "cancel-order" | "cancel-all-orders" => capitals(request, "marginCoin", out),
        "batch-cancel-orders" => batch_cancel(request, out),
        "close-positions" => {
            out.warn_if(account.is_one_way() && request.has("holdSide"), "holdSide is ignored in one-way mode");
        }
        "detail" => capitals(request, "symbol", out),
        "fills" => {
            window.spans_months(3, out);
            let bound = window.start.zip(account.binding_time());
            out.refuse_if(bound.is_some_and(|(start, binding)| start < binding), "startTime is before the binding");
        }
        "fill-history" => window.spans_days(7, out),
        "orders-pending" => window.spans_months(3, out),
        "orders-history" => within_days(window.end, 90, now, out),
        _ => unknown(name),
    }
}

fn place_order(order: Request, account: Account, out: &mut Findings) {
    capitals(order, "marginCoin", out);
    copy_trading(order, account, out);
    let hedge = account.is_hedge();
    out.refuse_if(hedge && !order.has("tradeSide"), "tradeSide is needed in hedge mode");
    out.refuse_if(hedge && order.has("reduceOnly"), "reduceOnly is for one-way mode only");
    ignored_trade_side(order, account, out);
    let instrument = account.instrument(order.text("productType"), order.text("symbol"));
    if let Some((instrument, size)) = instrument.zip(order.decimal("size")) {
        out.refuse_if(instrument.is_too_fine(&size, "sizePrecision"), "size has more decimals than the contract");
    }
}

fn reversal(request: Request, account: Account, out: &mut Findings) {
    copy_trading(request, account, out);
    let has_trade_side = request.has("tradeSide");
    out.refuse_if(account.is_hedge() && !has_trade_side, "tradeSide is needed in hedge mode");
    out.refuse_if(account.is_one_way() && has_trade_side, "tradeSide must not be sent in one-way mode");
}

fn batch_place_order(request: Request, account: Account, out: &mut Findings) {
    capitals(request, "marginCoin", out);
    copy_trading(request, account, out);
    if let Some(items) = request.list("orderList") {
        count(&items, MAX_ITEMS, out);
        for item in items {
            words(item, WORDS, out);
            ignored_trade_side(item, account, out);
        }
    }
}

fn modify_order(request: Request, account: Account, out: &mut Findings) {
    let triggers = ["newPresetStopSurplusPrice", "newPresetStopLossPrice"];
    out.refuse_if(request.has("newSize") != request.has("newPrice"), "newSize and newPrice go together");
    let mixed = request.has_any(&["newSize", "newPrice"]) && request.has_any(&triggers);
    out.warn_if(mixed, "take-profit and stop-loss have no effect beside newSize and newPrice");
    let alone = request.has(triggers[0]) != request.has(triggers[1]);
    out.warn_if(alone, "take-profit and stop-loss cancel each other when one is passed alone");
    clear_zero(request, &triggers, out);
    let instrument = account.instrument(request.text("productType"), request.text("symbol"));
    if let Some((instrument, size)) = instrument.zip(request.decimal("newSize")) {
        out.refuse_if(instrument.is_too_small(&size), "newSize is below the minimum");
    }
}

fn batch_cancel(request: Request, out: &mut Findings) {
    if let Some(items) = request.list("orderIdList") {
        count(&items, MAX_ITEMS, out);
        out.refuse_if(!request.has("symbol"), "orderIdList needs a symbol");
        let is_named = |item: &Request| item.has_any(&["orderId", "clientOid"]);
        out.refuse_if(!items.iter().all(is_named), "an item of orderIdList names no order");
    }
}

/// Checks that copy traders have a list of pairs.
fn copy_trading(request: Request, account: Account, out: &mut Findings) {
    out.refuse_if(!account.may_trade(request.text("symbol")), "the symbol is not open to copy traders");
}

fn ignored_trade_side(order: Request, account: Account, out: &mut Findings) {
    out.warn_if(account.is_one_way() && order.has("tradeSide"), "tradeSide is ignored in one-way mode");
}

/// Checks capitals: the documents require upper case, and do not specify what follows otherwise.
fn capitals(request: Request, name: &str, out: &mut Findings) {
    let is_capital = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let small = request.text(name).is_some_and(|text| !text.chars().all(is_capital));
    out.warn_if(small, format!("{name} is not capitalised"));
}
