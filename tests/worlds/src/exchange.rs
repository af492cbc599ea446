//! A tiny exchange, written from the documents alone: the orders of two families in one book, and a replica that shows
//! it as it was a while ago.
//!
//! Its state is the history of each order, so that any earlier state can be shown. Nothing is ever matched: an order
//! rests until it is cancelled or a world lets it be filled.

mod answer;
mod records;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub(crate) use answer::Answer;
use records::{classic_fill, classic_item, classic_order, unified_fill, unified_order};

/// The greatest distance between the time in a signature and the clock that checks it, in milliseconds.
const WINDOW: i64 = 30_000;

/// The most items of a page.
const PAGE: usize = 100;

/// The only business line with orders.
pub(crate) const FUTURES: &str = "USDT-FUTURES";

/// The positions of each world at its beginning, by symbol.
const POSITIONS: [(&str, i64); 2] = [("BTCUSDT", 5), ("ETHUSDT", 7)];

/// Which requests of a client an exchange got, in the order in which they were sent.
pub(crate) type RequestNumber = usize;

/// A request that arrived.
pub(crate) struct Request<'a> {
    pub(crate) number: RequestNumber,
    /// The key that it was signed with. Each account has one.
    pub(crate) account: &'a str,
    pub(crate) path: &'a str,
    pub(crate) parameters: &'a Value,
    /// The time in the signature.
    pub(crate) signed_at: i64,
}

/// When a request is answered, by several clocks, in Unix milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct When {
    /// The right time.
    pub(crate) now: i64,
    /// The clock that checks signatures.
    pub(crate) gate: i64,
    /// The clock that dates answers.
    pub(crate) stated: i64,
    /// Until when reads show what happened.
    pub(crate) shown: i64,
}

/// The treatment of what the documents leave open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conduct {
    /// True if a second order may have the id of another one.
    pub allows_duplicates: bool,
    /// True if a second order may have the id of another one that has ended.
    pub forgets_ended: bool,
    /// The number of orders that the funds are enough for; no limit if not given.
    pub funds: Option<usize>,
    /// True if the second part of a request that does two things is refused.
    pub refuses_second_part: bool,
}

/// The family of operations that an order was placed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Classic,
    Unified,
}

/// An order.
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) client_id: Option<String>,
    pub(crate) family: Family,
    pub(crate) account: String,
    /// The request that placed the order.
    pub(crate) request: RequestNumber,
    pub(crate) created: i64,
    pub(crate) side: String,
    /// True if it is shown no more.
    pub(crate) is_forgotten: bool,
    /// The states, the first one first, and since when it has each.
    pub(crate) states: Vec<OrderState>,
}

/// The state of an order since a time.
#[derive(Clone)]
pub(crate) struct OrderState {
    pub(crate) since: i64,
    pub(crate) status: Status,
    pub(crate) qty: String,
    pub(crate) price: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Live,
    Filled,
    Cancelled,
}

/// The effect of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) request: RequestNumber,
    /// The number of its item that did it.
    pub(crate) item: usize,
    pub(crate) what: What,
    pub(crate) at: i64,
}

/// The possible actions. Orders are meant by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Placed(usize),
    Cancelled(usize),
    Amended(usize),
    /// A position was closed.
    Closed,
    /// A countdown runs to this time, or none runs.
    CountsDown(Option<i64>),
}

/// The books.
pub(crate) struct Exchange {
    pub(crate) conduct: Conduct,
    pub(crate) orders: Vec<Order>,
    pub(crate) effects: Vec<Effect>,
    /// The sizes of the positions, by symbol.
    positions: BTreeMap<&'static str, i64>,
    /// When the countdown of each account comes to its end.
    countdowns: BTreeMap<String, i64>,
    /// The countdowns that came to their end: of which account, and when.
    pub(crate) fired: Vec<(String, i64)>,
}

/// A refusal by a code.
type Refused = (&'static str, &'static str);

const DUPLICATE: Refused = ("25212", "The clientOid was used before.");
const DUPLICATE_CLASSIC: Refused = ("40786", "The clientOid was used before.");
const FUNDS: Refused = ("40762", "The order size is greater than the max open size.");
const NO_ORDER: Refused = ("25204", "The order does not exist.");
const NO_ORDER_CLASSIC: Refused = ("40768", "The order does not exist.");
const ENDED: Refused = ("45134", "The order is filled or cancelled.");
const EXPIRED: Refused = ("40008", "The timestamp of the request is expired.");
const NO_POSITION: Refused = ("22002", "There is no position to close.");

impl Order {
    /// Returns the state at a time; `None` before it was placed.
    pub(crate) fn state_at(&self, time: i64) -> Option<&OrderState> {
        self.states.iter().rev().find(|state| state.since <= time)
    }

    fn is_live_at(&self, time: i64) -> bool {
        self.state_at(time).is_some_and(|state| state.status == Status::Live)
    }

    /// Returns the last state.
    pub(crate) fn status(&self) -> Status {
        self.states.last().map_or(Status::Cancelled, |state| state.status)
    }

    fn enter(&mut self, since: i64, change: impl FnOnce(&mut OrderState)) {
        let Some(mut state) = self.states.last().cloned() else { return };
        state.since = since;
        change(&mut state);
        self.states.push(state);
    }
}

impl Exchange {
    pub(crate) fn new(conduct: Conduct) -> Self {
        let positions = POSITIONS.into();
        let (countdowns, fired) = (BTreeMap::new(), Vec::new());
        Self { conduct, orders: Vec::new(), effects: Vec::new(), positions, countdowns, fired }
    }

    /// Answers a request, and does what it asks for.
    pub(crate) fn answer(&mut self, request: &Request<'_>, when: When) -> Answer {
        if (when.gate - request.signed_at).abs() > WINDOW {
            return Answer::refused(EXPIRED, when.stated);
        }
        match self.data(request, when) {
            Ok(data) => Answer::of(data, when.stated),
            Err(refused) => Answer::refused(refused, when.stated),
        }
    }

    /// Returns the answer to a query of an order, or of the open orders, by which there is none.
    pub(crate) fn denial(path: &str, stated: i64) -> Option<Answer> {
        match path {
            "/api/v3/trade/order-info" => Some(Answer::refused(NO_ORDER, stated)),
            "/api/v2/mix/order/detail" => Some(Answer::refused(NO_ORDER_CLASSIC, stated)),
            "/api/v3/trade/unfilled-orders" => Some(Answer::of(list("list", "cursor", std::iter::empty()), stated)),
            "/api/v2/mix/order/orders-pending" => {
                Some(Answer::of(list("entrustedList", "endId", std::iter::empty()), stated))
            }
            _ => None,
        }
    }

    /// Returns what the books had at a time: how many live orders, and how many positions.
    pub(crate) fn left_at(&self, time: i64) -> [usize; 2] {
        let live = self.orders.iter().filter(|order| order.is_live_at(time)).count();
        let is_closed = |effect: &&Effect| effect.what == What::Closed && effect.at <= time;
        [live, POSITIONS.len() - self.effects.iter().filter(is_closed).count().min(POSITIONS.len())]
    }

    /// Fills a live order as a whole.
    pub(crate) fn fill(&mut self, order: usize, now: i64) {
        if let Some(order) = self.orders.get_mut(order).filter(|order| order.status() == Status::Live) {
            order.enter(now, |state| state.status = Status::Filled);
        }
    }

    /// Returns the orders that were filled, and since when they are.
    pub(crate) fn fills(&self) -> impl Iterator<Item = (&Order, &OrderState)> {
        let filled = |order: &Order| order.states.iter().position(|state| state.status == Status::Filled);
        self.orders.iter().filter_map(move |order| Some((order, &order.states[filled(order)?])))
    }

    /// Cancels an order, and shows it no more.
    pub(crate) fn forget(&mut self, order: usize, now: i64) {
        if let Some(order) = self.orders.get_mut(order) {
            order.enter(now, |state| state.status = Status::Cancelled);
            order.is_forgotten = true;
        }
    }

    /// Returns the record of the latest order with a client id, as it is now.
    pub(crate) fn record(&self, client_id: &str) -> Option<Value> {
        let order = self.orders.iter().rfind(|order| order.client_id.as_deref() == Some(client_id))?;
        Some(unified_order((order, order.states.last()?)))
    }

    /// Returns the quantity of the latest order with a client id.
    pub(crate) fn quantity(&self, client_id: &str) -> Option<u64> {
        let order = self.orders.iter().rfind(|order| order.client_id.as_deref() == Some(client_id))?;
        order.states.last()?.qty.parse().ok()
    }

    /// Returns the record of an order of another account, placed now with the same id.
    pub(crate) fn record_of_another(client_id: &str, now: i64) -> Value {
        let state = OrderState { since: now, status: Status::Live, qty: "3".to_owned(), price: "64000".to_owned() };
        let order = Order {
            id: "6000000".to_owned(),
            client_id: Some(client_id.to_owned()),
            family: Family::Unified,
            account: "another".to_owned(),
            request: 0,
            created: now,
            side: "buy".to_owned(),
            is_forgotten: false,
            states: Vec::new(),
        };
        unified_order((&order, &state))
    }

    fn data(&mut self, request: &Request<'_>, when: When) -> Result<Value, Refused> {
        let Request { path, parameters, .. } = request;
        let text = |name: &str| parameters[name].as_str();
        match *path {
            "/api/v3/trade/place-order" => self.place(request, (0, parameters), Family::Unified, when.now),
            "/api/v2/mix/order/place-order" => self.place(request, (0, parameters), Family::Classic, when.now),
            "/api/v3/trade/place-batch" => Ok(self.place_each(request, when.now)),
            "/api/v3/trade/modify-order" => self.amend(request, when.now),
            "/api/v3/trade/cancel-order" => self.cancel(request, Family::Unified, when.now),
            "/api/v3/trade/countdown-cancel-all" => Ok(self.count_down(request, when.now)),
            "/api/v3/trade/cancel-symbol-order" => {
                Ok(json!({"list": self.cancel_all(request, Family::Unified, when.now)}))
            }
            "/api/v2/mix/order/cancel-all-orders" => {
                let cancelled = self.cancel_all(request, Family::Classic, when.now);
                Ok(json!({"successList": cancelled, "failureList": []}))
            }
            "/api/v2/mix/order/cancel-order" => self.cancel(request, Family::Classic, when.now),
            "/api/v2/mix/order/click-backhand" => self.reverse(request, when.now),
            "/api/v2/mix/order/close-positions" => self.close(request, when.now),
            // Only positions of a classic account are kept here.
            "/api/v3/account/assets" => Ok(json!({"positionValue": "0", "assets": []})),
            "/api/v3/trade/order-info" => {
                self.shown_order(request, Family::Unified, when).map(unified_order).ok_or(NO_ORDER)
            }
            "/api/v2/mix/order/detail" => {
                self.shown_order(request, Family::Classic, when).map(classic_order).ok_or(NO_ORDER_CLASSIC)
            }
            "/api/v3/trade/unfilled-orders" => {
                Ok(list("list", "cursor", self.listed(request, Family::Unified, when, true).map(unified_order)))
            }
            "/api/v3/trade/history-orders" => {
                Ok(list("list", "cursor", self.listed(request, Family::Unified, when, false).map(unified_order)))
            }
            "/api/v3/trade/fills" => {
                let filled = self.listed(request, Family::Unified, when, false).filter(is_filled);
                Ok(list("list", "cursor", filled.map(unified_fill)))
            }
            // By default it lists orders that are live; none here is filled in part.
            "/api/v2/mix/order/orders-pending" => {
                let is_asked = text("status").is_none_or(|status| status == "live");
                let listed = self.listed(request, Family::Classic, when, true).filter(|_| is_asked);
                Ok(list("entrustedList", "endId", listed.map(classic_item)))
            }
            "/api/v2/mix/order/orders-history" => {
                Ok(list("entrustedList", "endId", self.listed(request, Family::Classic, when, false).map(classic_item)))
            }
            "/api/v2/mix/order/fills" | "/api/v2/mix/order/fill-history" => {
                let filled = self.listed(request, Family::Classic, when, false).filter(is_filled);
                Ok(list("fillList", "endId", filled.map(classic_fill)))
            }
            _ => Err(("40404", "Request path not found.")),
        }
    }

    fn place(
        &mut self,
        request: &Request<'_>,
        (item, order): (usize, &Value),
        family: Family,
        now: i64,
    ) -> Result<Value, Refused> {
        let text = |name: &str| order[name].as_str().map(str::to_owned);
        let live = self.orders.iter().filter(|order| order.status() == Status::Live).count();
        if self.conduct.funds.is_some_and(|funds| live >= funds) {
            return Err(FUNDS);
        }
        let client_id = text("clientOid");
        let is_known = |known: &Order| {
            let is_checked = !self.conduct.forgets_ended || known.status() == Status::Live;
            is_checked && known.account == request.account && known.client_id == client_id
        };
        if client_id.is_some() && !self.conduct.allows_duplicates && self.orders.iter().any(is_known) {
            return Err(if family == Family::Unified { DUPLICATE } else { DUPLICATE_CLASSIC });
        }
        let number = self.orders.len();
        let id = (9_000_000 + number).to_string();
        let qty = text("qty").or(text("size")).unwrap_or_default();
        let state = OrderState { since: now, status: Status::Live, qty, price: text("price").unwrap_or_default() };
        self.orders.push(Order {
            id: id.clone(),
            client_id: client_id.clone(),
            family,
            account: request.account.to_owned(),
            request: request.number,
            created: now,
            side: text("side").unwrap_or_default(),
            is_forgotten: false,
            states: vec![state],
        });
        self.effect(request, item, What::Placed(number), now);
        Ok(json!({"orderId": id, "clientOid": client_id}))
    }

    fn place_each(&mut self, request: &Request<'_>, now: i64) -> Value {
        let items = request.parameters.as_array().map_or(&[][..], Vec::as_slice);
        let placed = items.iter().enumerate().map(|(number, item)| {
            self.place(request, (number, item), Family::Unified, now).unwrap_or_else(
                |(code, msg)| json!({"orderId": null, "clientOid": item["clientOid"], "code": code, "msg": msg}),
            )
        });
        placed.collect()
    }

    fn amend(&mut self, request: &Request<'_>, now: i64) -> Result<Value, Refused> {
        let number = self.named(request, Family::Unified).ok_or(NO_ORDER)?;
        let order = &mut self.orders[number];
        if order.status() != Status::Live {
            return Err(ENDED);
        }
        let text = |name: &str| request.parameters[name].as_str().map(str::to_owned);
        order.enter(now, |state| {
            state.qty = text("qty").unwrap_or_else(|| state.qty.clone());
            state.price = text("price").unwrap_or_else(|| state.price.clone());
        });
        let answer = json!({"orderId": order.id, "clientOid": order.client_id});
        self.effect(request, 0, What::Amended(number), now);
        Ok(answer)
    }

    /// Starts the countdown of an account again, or ends it.
    fn count_down(&mut self, request: &Request<'_>, now: i64) -> Value {
        let seconds = request.parameters["countdown"].as_str().and_then(|text| text.parse::<i64>().ok());
        let until = seconds.filter(|seconds| *seconds > 0).map(|seconds| now + seconds * 1_000);
        match until {
            Some(until) => self.countdowns.insert(request.account.to_owned(), until),
            None => self.countdowns.remove(request.account),
        };
        self.effect(request, 0, What::CountsDown(until), now);
        json!("success")
    }

    /// Cancels every order of an account whose countdown has come to its end. Returns whether it has.
    pub(crate) fn fire(&mut self, account: &str, now: i64) -> bool {
        if self.countdowns.get(account).is_none_or(|until| *until > now) {
            return false;
        }
        self.countdowns.remove(account);
        self.fired.push((account.to_owned(), now));
        let is_meant = |order: &&mut Order| order.account == account && order.status() == Status::Live;
        for order in self.orders.iter_mut().filter(is_meant) {
            order.enter(now, |state| state.status = Status::Cancelled);
        }
        true
    }

    fn cancel(&mut self, request: &Request<'_>, family: Family, now: i64) -> Result<Value, Refused> {
        let number = self.named(request, family).ok_or(NO_ORDER)?;
        if self.orders[number].status() != Status::Live {
            return Err(ENDED);
        }
        Ok(self.cancel_order(request, number, now))
    }

    fn cancel_all(&mut self, request: &Request<'_>, family: Family, now: i64) -> Value {
        let is_meant = |order: &Order| {
            has_orders(request.parameters)
                && order.family == family
                && order.account == request.account
                && order.status() == Status::Live
        };
        let meant: Vec<_> = (0..self.orders.len()).filter(|number| is_meant(&self.orders[*number])).collect();
        meant.into_iter().map(|number| self.cancel_order(request, number, now)).collect()
    }

    fn cancel_order(&mut self, request: &Request<'_>, number: usize, now: i64) -> Value {
        let order = &mut self.orders[number];
        order.enter(now, |state| state.status = Status::Cancelled);
        let answer = json!({"orderId": order.id, "clientOid": order.client_id});
        self.effect(request, 0, What::Cancelled(number), now);
        answer
    }

    /// Closes a position and opens the opposite one, which can be refused after the first is closed.
    fn reverse(&mut self, request: &Request<'_>, now: i64) -> Result<Value, Refused> {
        let symbol = request.parameters["symbol"].as_str().unwrap_or_default();
        let size = self.positions.get_mut(symbol).filter(|size| **size != 0).ok_or(NO_POSITION)?;
        let opposite = -*size;
        *size = 0;
        self.effect(request, 0, What::Closed, now);
        if self.conduct.refuses_second_part {
            return Err(FUNDS);
        }
        let placed = self.place(request, (0, request.parameters), Family::Classic, now)?;
        self.positions.entry("BTCUSDT").and_modify(|size| *size = opposite);
        self.fill(self.orders.len() - 1, now);
        Ok(placed)
    }

    /// Closes one position after the other.
    fn close(&mut self, request: &Request<'_>, now: i64) -> Result<Value, Refused> {
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        let open = self.positions.iter().filter(|(_, size)| **size != 0 && has_orders(request.parameters));
        let symbols: Vec<_> = open.map(|(name, _)| *name).collect();
        if symbols.is_empty() {
            return Err(NO_POSITION);
        }
        for (item, symbol) in symbols.into_iter().enumerate() {
            if item > 0 && self.conduct.refuses_second_part {
                failed.push(json!({"orderId": "", "clientOid": "", "symbol": symbol, "errorMsg": "The pair is in \
                    delivery.", "errorCode": "40844"}));
                continue;
            }
            self.positions.insert(symbol, 0);
            self.effect(request, item, What::Closed, now);
            done.push(json!({"orderId": (8_000_000 + item).to_string(), "clientOid": "", "symbol": symbol}));
        }
        Ok(json!({"successList": done, "failureList": failed}))
    }

    /// Returns the latest order that a request names.
    fn named(&self, request: &Request<'_>, family: Family) -> Option<usize> {
        let text = |name: &str| request.parameters[name].as_str();
        self.orders.iter().rposition(|order| {
            !order.is_forgotten
                && order.family == family
                && order.account == request.account
                && match (text("orderId"), text("clientOid")) {
                    (Some(id), _) => order.id == id,
                    (None, id) => id.is_some() && order.client_id.as_deref() == id,
                }
        })
    }

    fn shown_order(&self, request: &Request<'_>, family: Family, when: When) -> Option<(&Order, &OrderState)> {
        let order = &self.orders[self.named(request, family)?];
        Some((order, order.state_at(when.shown)?))
    }

    /// Returns the orders that a listing of live or of ended orders shows.
    fn listed<'a>(
        &'a self,
        request: &'a Request<'_>,
        family: Family,
        when: When,
        are_live: bool,
    ) -> impl Iterator<Item = (&'a Order, &'a OrderState)> {
        let text = |name: &str| request.parameters[name].as_str();
        let is_of_line = has_orders(request.parameters);
        let time = |name: &str| text(name).and_then(|time| time.parse::<i64>().ok());
        let (start, end) = (time("startTime").unwrap_or(i64::MIN), time("endTime").unwrap_or(i64::MAX));
        let of_account = self.orders.iter().filter(move |order| {
            is_of_line
                && !order.is_forgotten
                && order.family == family
                && order.account == request.account
                && (start..=end).contains(&order.created)
        });
        of_account
            .filter(move |order| order.is_live_at(when.shown) == are_live)
            .filter_map(move |order| Some((order, order.state_at(when.shown)?)))
            .take(PAGE)
    }

    fn effect(&mut self, request: &Request<'_>, item: usize, what: What, at: i64) {
        self.effects.push(Effect { request: request.number, item, what, at });
    }
}

/// Returns whether a request with these parameters is about the only business line with orders and positions, or about
/// all. What becomes of others makes no difference, so that nothing of them is a choice.
pub(crate) fn has_orders(parameters: &Value) -> bool {
    let text = |name: &str| parameters[name].as_str();
    text("category").or(text("productType")).is_none_or(|line| line == FUTURES)
}

fn is_filled((_, state): &(&Order, &OrderState)) -> bool {
    state.status == Status::Filled
}

fn list(name: &str, cursor: &str, items: impl Iterator<Item = Value>) -> Value {
    json!({name: items.collect::<Value>(), cursor: null})
}
