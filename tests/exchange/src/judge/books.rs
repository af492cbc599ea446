//! The case against a program by the books of the exchange: its requests with what they did, and what is left.

use std::collections::{BTreeMap, BTreeSet};

use http::StatusCode;
use percent_encoding::percent_decode_str;
use rust_decimal::Decimal;
use serde_json::{Number, Value};
use tradeapi::API;
use tradeapi::runtime::tables::{Access, Effect, Meta};

use super::{Belief, Change, Finding, FindingKind};
use crate::access::answer_plan::changes::{Proof, proof};
use crate::operations::routes::id_parameters;
use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::hostile::Hostility;
use crate::state::hostile::fault::is_list;
use crate::state::orders::Order;
use crate::state::trace::Call;

/// Reasons that are no rules of an operation, but for which a correct program is never refused.
const MISTAKES: [&str; 9] = [
    "missing-key",
    "missing-signature",
    "missing-timestamp",
    "missing-passphrase",
    "unknown-key",
    "wrong-passphrase",
    "wrong-signature",
    "content-type",
    "wrong-encoding",
];

/// The statement of an answer about the change that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    NotDone,
    Nothing,
}

/// An order that a program asked for: a request, or an item of one.
struct Intent {
    /// The number of the request, from 0.
    call: usize,
    /// The parameters without ids, in one order. Orders with the same text are alike.
    wanted: String,
    /// The client's id.
    client: Option<String>,
    /// The order that was placed, at once or later.
    order: Option<u64>,
    is_item: bool,
}

/// The books, for a program whose key is that of the first user.
pub(super) struct Books<'a> {
    core: &'a Core,
    calls: &'a [Call],
    intents: Vec<Intent>,
    /// The time after its signature until a request shows its effect at the latest, in milliseconds.
    visible_after: u64,
    /// The milliseconds by which the times that answers state are ahead, of each node.
    stated_ahead: Vec<i64>,
}

impl<'a> Books<'a> {
    pub(super) fn of(core: &'a Core, hostility: &Hostility) -> Self {
        let calls = core.trace.as_ref().map_or(&[][..], |trace| &trace.calls);
        let intents = (0..).zip(calls).flat_map(|(number, call)| intents(core, number, call)).collect();
        let visible_after = window() + hostility.settling + hostility.lag;
        let stated_ahead = hostility.nodes.iter().map(|node| node.answer_time).chain([0]).collect();
        Self { core, calls, intents, visible_after, stated_ahead }
    }

    /// Returns all that is wrong, in the order of time. What is left at the end comes last.
    pub(super) fn findings(&self, beliefs: &[Belief]) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.repeats(beliefs).collect();
        findings.extend((0..).zip(self.calls).flat_map(|(number, call)| self.of_call(number, call)));
        findings.extend(self.unread(beliefs));
        findings.sort_by_key(|finding| finding.requests.last().copied());
        findings.extend(self.false_beliefs(beliefs));
        findings.extend(self.left());
        findings
    }

    /// Orders that were sent again while it was open whether the first one had been placed. An order that is alike but has
    /// another id is no repeat while the first one is under way, nor if the program knows that the first one is or may be
    /// done.
    fn repeats(&self, beliefs: &[Belief]) -> impl Iterator<Item = Finding> {
        let may_be_done = |intent: &Intent| {
            let of_it = |belief: &&Belief| Some(&belief.id) == intent.client.as_ref() && belief.change == Change::Place;
            beliefs.iter().rev().find(of_it).is_some_and(|belief| belief.outcome != Some(false))
        };
        let repeated = (0..).zip(&self.intents).filter_map(move |(place, second)| {
            let is_open = |first: &&Intent| {
                let at = self.calls[second.call].at;
                let is_over = || self.calls[first.call].ended_at.is_some_and(|ended| ended <= at);
                let is_same = first.client.is_some() && first.client == second.client;
                let is_alike = first.call < second.call && first.wanted == second.wanted;
                is_alike && (is_same || is_over() && !may_be_done(first)) && !self.is_settled(first, second.call)
            };
            self.intents[..place].iter().rev().find(is_open).map(|first| (first, second))
        });
        repeated.map(|(first, second)| {
            let fault = self.calls[first.call].fault.as_deref().unwrap_or("It had not arrived.");
            let (kind, then) = match (first.order, second.order) {
                (Some(one), Some(other)) => {
                    (FindingKind::Twice, format!("both were done, as the orders {one} and {other}"))
                }
                _ => (FindingKind::UnsafeRetry, "the first one could still have been done".to_owned()),
            };
            let answer = first.call + 1;
            let why = format!("request {answer} asked for the same, and {then}; of its answer: {fault}");
            self.finding(kind, &[first.call, second.call], why, self.right_after(first))
        })
    }

    fn right_after(&self, first: &Intent) -> String {
        let seconds = self.visible_after.div_ceil(1_000);
        let meta = self.calls[first.call].meta;
        match (&first.client, meta.and_then(|meta| meta.client_id)) {
            (None, Some(id)) => {
                format!(
                    "give each order a {}, query it after such an answer, and repeat only what is absent",
                    id.parameter
                )
            }
            (client, _) => format!(
                "query {} until it is shown, or until it is absent more than {seconds} s after the first request was signed",
                client.as_deref().unwrap_or("the order")
            ),
        }
    }

    /// Returns whether the program had read, when it sent the request `until`, what became of an order.
    fn is_settled(&self, intent: &Intent, until: usize) -> bool {
        let at = self.calls.get(until).map_or(u64::MAX, |call| call.at);
        let first = &self.calls[intent.call];
        let late = first.signed_at.unwrap_or(first.at).saturating_add(self.visible_after);
        let has_arrived = |call: &&Call| call.arrived_at.is_some_and(|arrived| arrived <= at);
        let later = self.calls[..until.min(self.calls.len())].iter().skip(intent.call + 1);
        self.told(intent, at) != Told::Nothing
            || later
                .filter(has_arrived)
                .any(|call| shows(call, intent) || call.at > late && excludes(call, first, intent))
    }

    /// Returns what the answer to an order had said of it at a time.
    fn told(&self, intent: &Intent, at: u64) -> Told {
        let call = &self.calls[intent.call];
        match call.arrived_at {
            Some(arrived) if arrived <= at => match (told(call), &intent.client) {
                (Told::Done, Some(client)) if intent.is_item => told_of_item(call, client),
                (told, _) => told,
            },
            _ => Told::Nothing,
        }
    }

    /// Returns what is wrong with a single request.
    fn of_call(&self, number: usize, call: &Call) -> Option<Finding> {
        let now = call.at;
        // A program cannot know which of the times that the exchange has told it are wrong.
        let is_in_time = |signed_at: u64| {
            let mut stated = self.stated_ahead.iter().map(|ahead| now.saturating_add_signed(*ahead));
            stated.any(|stated| signed_at.abs_diff(stated) <= window())
        };
        let is_signed = call.meta.is_some_and(|meta| meta.access == Access::Signed);
        if let Some(signed_at) = call.signed_at.filter(|signed_at| is_signed && !is_in_time(*signed_at)) {
            let (seconds, side) = (signed_at.abs_diff(now) / 1_000, if signed_at < now { "before" } else { "after" });
            let why = format!("it was signed {seconds} s {side} it arrived; the window is {} s", window() / 1_000);
            let right = "sign by the exchange's time, which its answers state, just before sending";
            return Some(self.finding(FindingKind::OutOfTime, &[number], why, right.to_owned()));
        }
        let refusal = call.refusal.as_ref()?;
        let rule = refusal.rule.as_str();
        let of_operation = call.meta.and_then(|meta| Some((meta, rule.strip_prefix(meta.id)?.strip_prefix('.')?)));
        match of_operation {
            Some((_, rest)) if rest.starts_with("rate-") => {
                let right = "wait before the next one, as long as the limit or the header Retry-After says".to_owned();
                Some(self.finding(FindingKind::BeyondLimit, &[number], refusal.message.clone(), right))
            }
            Some((meta, rest)) if rest.contains('.') || meta.rules.iter().any(|known| known.id == rest) => {
                let why = format!("{rule}: {}", refusal.message);
                let stated = meta.rules.iter().find(|known| known.id == rest).map(|known| known.says);
                let right = stated.map_or_else(|| format!("as {} states", meta.source()), str::to_owned);
                Some(self.finding(FindingKind::Forbidden, &[number], why, right))
            }
            _ if MISTAKES.contains(&rule) => {
                let why = format!("{rule}: {}", refusal.message);
                Some(self.finding(FindingKind::Forbidden, &[number], why, "sign each request as documented".to_owned()))
            }
            _ => None,
        }
    }

    /// Orders whose answer the program did not read to its end, and of which it read nothing else.
    fn unread(&self, beliefs: &[Belief]) -> impl Iterator<Item = Finding> {
        let is_unread = |intent: &&Intent| {
            let call = &self.calls[intent.call];
            let is_open = intent
                .client
                .as_ref()
                .is_some_and(|client| beliefs.iter().any(|belief| belief.id == *client && belief.outcome.is_none()));
            call.ended_at.is_some()
                && call.arrived_at.is_none()
                && call.answer.is_some()
                && !is_open
                && !self.is_settled(intent, usize::MAX)
        };
        self.intents.iter().filter(is_unread).map(|intent| {
            let why = "the program closed the connection before the answer came, and read nothing else of the order";
            self.finding(FindingKind::Unread, &[intent.call], why.to_owned(), self.right_after(intent))
        })
    }

    /// Returns beliefs that the books contradict, in the order of time. Of several about one change, the last one counts.
    fn false_beliefs(&self, beliefs: &[Belief]) -> Vec<Finding> {
        let latest: BTreeMap<_, _> =
            beliefs.iter().map(|belief| ((belief.id.as_str(), belief.change), belief.outcome)).collect();
        let outcomes =
            latest.into_iter().filter_map(|((id, change), outcome)| self.false_outcome(id, change, outcome?));
        let filled: BTreeMap<_, _> =
            beliefs.iter().filter_map(|belief| Some((belief.id.as_str(), belief.filled?))).collect();
        let fills = filled.into_iter().filter_map(|(id, filled)| self.false_fill(id, filled));
        let mut wrong: Vec<Finding> = outcomes.chain(fills).collect();
        wrong.sort_by_key(|finding| finding.requests.last().copied());
        wrong
    }

    fn false_outcome(&self, id: &str, change: Change, believes: bool) -> Option<Finding> {
        let (calls, is_done) = self.books_of(id, change).filter(|(_, is_done)| *is_done != believes)?;
        let [believed, is] = [!is_done, is_done].map(|done| if done { "done" } else { "not done" });
        let why = format!("the program says that {} {id} was {believed}, and it was {is}", change.word());
        let right = match self.told_of(id, change, &calls, is_done) {
            _ if change == Change::Place && calls.len() > 1 => {
                format!("give each order an id of its own: requests {} have the same", listed(&calls))
            }
            Some(call) => format!("read the whole answer to request {}: it says so{}", call + 1, self.said(call)),
            None => {
                let said = calls.last().map(|last| (last + 1, self.said(*last))).filter(|(_, said)| !said.is_empty());
                let said = said.map(|(last, said)| format!("; request {last} was refused{said}"));
                format!("say `unknown` until an answer or a query proves it{}", said.unwrap_or_default())
            }
        };
        Some(self.finding(FindingKind::FalseBelief, &calls, why, right))
    }

    fn false_fill(&self, id: &str, believed: Decimal) -> Option<Finding> {
        let mut filled = Decimal::ZERO;
        for order in self.orders_named(id).filter_map(|order| self.core.orders.get(&order)) {
            filled += self.core.pairs[order.ticket.pair].qty(order.filled);
        }
        let why = format!("the program says that {believed} of {id} was filled, and it was {filled}");
        let right = "read an order once more after its end: it can be filled until then, also while it is cancelled";
        let (calls, _) = self.books_of(id, Change::Place)?;
        (filled != believed).then(|| self.finding(FindingKind::FalseBelief, &calls, why, right.to_owned()))
    }

    /// Returns the request among these whose answer said what became of a change.
    fn told_of(&self, id: &str, change: Change, calls: &[usize], is_done: bool) -> Option<usize> {
        let wanted = if is_done { Told::Done } else { Told::NotDone };
        let is_its = |intent: &&Intent| change == Change::Place && intent.client.as_deref() == Some(id);
        let placed = self.intents.iter().filter(is_its).find(|intent| self.told(intent, u64::MAX) == wanted);
        let is_told = |call: &Call| call.arrived_at.is_some() && told(call) == wanted && !lists_items(call);
        let other = || calls.iter().copied().find(|call| change != Change::Place && is_told(&self.calls[*call]));
        placed.map(|intent| intent.call).or_else(other)
    }

    /// Returns the code and the message of a refusal, in brackets.
    fn said(&self, call: usize) -> String {
        let call = &self.calls[call];
        let message = || {
            let (_, body) = call.answer.as_ref()?;
            serde_json::from_slice::<Value>(body).ok()?.get("msg")?.as_str().map(str::to_owned)
        };
        match code(call) {
            Some((code, false)) => format!(" ({code}: {})", message().unwrap_or_default()),
            Some((_, true)) | None => String::new(),
        }
    }

    /// Returns the requests for a change, and whether one of them was done. `None` where the requests of several
    /// amendments of one order cannot be told apart.
    fn books_of(&self, id: &str, change: Change) -> Option<(Vec<usize>, bool)> {
        let names: BTreeSet<String> = self.names(id);
        let is_named = |call: &Call| names.iter().any(|name| names_it(call, name));
        let is_of = |call: &Call| call.meta.is_some_and(|meta| change.is_by(meta.effect)) && is_named(call);
        let calls: Vec<usize> = (0..self.calls.len()).filter(|number| is_of(&self.calls[*number])).collect();
        let is_order = |order: &u64| names.contains(&order.to_string());
        let events = self.calls.iter().flat_map(|call| &call.events);
        let by = |request: &Option<u64>| request.is_some_and(|request| request.to_string() == id);
        let is_done = match change {
            Change::Place => self.orders_named(id).next().is_some(),
            Change::Cancel => {
                events.into_iter().any(|event| matches!(event, Event::Cancelled { order, .. } if is_order(order)))
            }
            Change::Amend => {
                let mut amended = events.filter_map(|event| match event {
                    Event::Amended { order, request_id } => Some((*order, *request_id)),
                    Event::DoneHalf { order: Some(order), request_id, .. } => Some((*order, *request_id)),
                    _ => None,
                });
                let is_one = calls.len() == 1;
                let is_its = |(order, request): (u64, Option<u64>)| by(&request) || is_one && is_order(&order);
                let is_done = amended.any(is_its);
                if calls.len() > 1 && !is_done && self.orders_named(id).next().is_some() {
                    return None;
                }
                is_done
            }
        };
        Some((calls, is_done))
    }

    /// Returns the orders of the program with an id, of its own or of the exchange.
    fn orders_named(&self, id: &str) -> impl Iterator<Item = u64> {
        let is_own = |order: &&Order| {
            self.core.users.first().is_some_and(|user| [user.classic, user.unified].contains(&order.ticket.account))
        };
        let orders = self.core.orders.iter().filter(is_own);
        orders.filter(move |order| order.client() == Some(id) || order.id.to_string() == id).map(|order| order.id)
    }

    /// Returns the ids of what an id names.
    fn names(&self, id: &str) -> BTreeSet<String> {
        let orders: BTreeSet<u64> = self.orders_named(id).collect();
        let clients = orders.iter().filter_map(|order| Some(self.core.orders.get(order)?.client()?.to_owned()));
        orders.iter().map(u64::to_string).chain(clients).chain([id.to_owned()]).collect()
    }

    /// Returns findings about open orders and positions.
    fn left(&self) -> Vec<Finding> {
        let Some(user) = self.core.users.first() else { return Vec::new() };
        let mut left = Vec::new();
        for place in [user.classic, user.unified] {
            let plans = self.core.waiting_plans(place);
            left.extend(plans.map(|plan| (None, format!("conditional order {}", plan.id))));
            let account = &self.core.accounts[place];
            let orders = account.open.iter().filter_map(|id| self.core.orders.get(id));
            left.extend(orders.map(|order| {
                let pair = &self.core.pairs[order.ticket.pair];
                let (id, client) = (order.id, order.client().unwrap_or("no id of its own"));
                let (qty, tried) = (pair.qty(order.remaining()), self.tried_to_cancel(id));
                (Some(id), format!("order {id} ({client}): {} {qty} {}{tried}", order.ticket.side, pair.symbol))
            }));
            left.extend(account.positions.iter().map(|((number, _), position)| {
                let pair = &self.core.pairs[*number];
                let qty = pair.qty(position.lots);
                let opens = |order: &&Order| order.ticket.account == place && order.ticket.pair == *number;
                let traded = self.core.orders.iter().filter(opens).filter(|order| order.filled > 0);
                let ids: BTreeSet<u64> = traded.map(|order| order.id).collect();
                let of =
                    if ids.len() > 1 { format!(", of {} orders, the last one here", ids.len()) } else { String::new() };
                (ids.last().copied(), format!("position: {} {qty} {}{of}", position.side, pair.symbol))
            }));
        }
        let by_call = |order: u64| {
            let placed = |call: &Call| call.events.contains(&Event::Placed { order });
            self.calls.iter().position(placed)
        };
        left.into_iter()
            .map(|(order, what)| {
                let calls: Vec<usize> = order.and_then(by_call).into_iter().collect();
                let untold = self.intents.iter().find(|intent| order.is_some() && intent.order == order);
                let untold = untold.filter(|intent| !self.is_settled(intent, usize::MAX));
                let first = untold.map(|intent| self.right_after(intent) + "; then ").unwrap_or_default();
                let right = "cancel orders and close positions at the end, and read both again until nothing is left";
                self.finding(FindingKind::LeftOpen, &calls, what, first + right)
            })
            .collect()
    }

    /// Returns what became of the requests to cancel an order by its id.
    fn tried_to_cancel(&self, order: u64) -> String {
        match self.books_of(&order.to_string(), Change::Cancel).unwrap_or_default().0.last() {
            Some(last) => format!("; request {} was to cancel it{}", last + 1, self.said(*last)),
            None => "; no request cancels it by its id".to_owned(),
        }
    }

    fn finding(&self, kind: FindingKind, calls: &[usize], why: String, right: String) -> Finding {
        let last = calls.last().and_then(|number| self.calls.get(*number));
        let request = last.map(|call| {
            let parameters: String = call.parameters.chars().take(300).collect();
            format!("{} {} {parameters}", call.method, call.path)
        });
        let requests = calls.iter().map(|number| number + 1).collect();
        Finding { kind, at: last.map(|call| call.at), requests, request, why, right }
    }
}

/// Returns the numbers of requests, from 1, in words.
fn listed(calls: &[usize]) -> String {
    calls.iter().map(|call| (call + 1).to_string()).collect::<Vec<_>>().join(" and ")
}

/// Returns whether a request has this id as one of its values.
fn names_it(call: &Call, id: &str) -> bool {
    fn holds(value: &Value, id: &str) -> bool {
        match value {
            Value::Array(items) => items.iter().any(|item| holds(item, id)),
            Value::Object(members) => members.values().any(|member| holds(member, id)),
            Value::String(text) => text == id,
            Value::Number(number) => id.parse().is_ok_and(|id: Number| id == *number),
            Value::Null | Value::Bool(_) => false,
        }
    }
    let mut pairs = call.parameters.split('&').filter_map(|pair| pair.split_once('='));
    match serde_json::from_str(&call.parameters) {
        Ok(body) => holds(&body, id),
        Err(_) => pairs.any(|(_, value)| percent_decode_str(value).eq(id.bytes())),
    }
}

/// Returns whether the answer to a request has a result for each of its items.
fn lists_items(call: &Call) -> bool {
    call.meta.is_some_and(|meta| meta.confirm.is_some_and(|confirm| confirm.list.is_some()))
}

/// Returns the time for which a signature is valid, in milliseconds.
pub(super) fn window() -> u64 {
    API.credentials.and_then(|credentials| credentials.window_ms).unwrap_or(u64::MAX / 4)
}

/// Returns the orders that a request asks for.
fn intents(core: &Core, number: usize, call: &Call) -> Vec<Intent> {
    let Some(meta) = call.meta.filter(|meta| meta.effect == Effect::Create) else { return Vec::new() };
    let Ok(body) = serde_json::from_str::<Value>(&call.parameters) else { return Vec::new() };
    let list = meta.client_id.and_then(|id| id.list);
    let items = match list {
        Some("[]") => body.as_array().cloned(),
        Some(list) => body.get(list).and_then(Value::as_array).cloned(),
        None => Some(vec![Value::Null]),
    };
    let mut placed: Vec<u64> = call
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Placed { order } => Some(*order),
            _ => None,
        })
        .collect();
    let mut intents: Vec<Intent> =
        items.unwrap_or_default().iter().map(|item| intent(meta, number, &body, item)).collect();
    for intent in &mut intents {
        let is_its = |order: &u64| {
            let client = core.orders.get(order).and_then(|order| order.client());
            intent.client.is_none() || client == intent.client.as_deref()
        };
        intent.order = placed.iter().position(is_its).map(|place| placed.remove(place));
    }
    intents
}

fn intent(meta: &'static Meta, call: usize, body: &Value, item: &Value) -> Intent {
    let is_id = |name: &str| id_parameters().contains(&name) || meta.client_id.is_some_and(|id| id.parameter == name);
    let outer = body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_array());
    let all: BTreeMap<&str, &Value> =
        outer.chain(item.as_object().into_iter().flatten()).map(|(name, value)| (name.as_str(), value)).collect();
    let client = meta.client_id.and_then(|id| all.get(id.parameter)?.as_str()).filter(|id| !id.is_empty());
    let client = client.map(str::to_owned);
    let wanted = all.iter().filter(|(name, _)| !is_id(name)).map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={value}\n")
    });
    Intent {
        call,
        wanted: meta.family.to_owned() + &wanted.collect::<String>(),
        client,
        order: None,
        is_item: !item.is_null(),
    }
}

/// Returns the code of an answer, and whether it is a success.
fn code(call: &Call) -> Option<(String, bool)> {
    let (status, body) = call.answer.as_ref()?;
    let body: Value = serde_json::from_slice(body).ok()?;
    let envelope = API.envelope?;
    let code = body.get(envelope.code_member()?)?;
    let code = code.as_str().map_or_else(|| code.to_string(), str::to_owned);
    let is_success = *status == StatusCode::OK && Some(code.as_str()) == envelope.success;
    Some((code, is_success))
}

fn told(call: &Call) -> Told {
    let Some((status, _)) = &call.answer else { return Told::Nothing };
    match code(call) {
        Some((_, true)) => Told::Done,
        Some((code, _)) if !status.is_server_error() => told_by(call, &code),
        None if *status == StatusCode::TOO_MANY_REQUESTS => Told::NotDone,
        _ => Told::Nothing,
    }
}

/// Returns what a code says of a change.
fn told_by(call: &Call, code: &str) -> Told {
    match call.meta.and_then(|meta| proof(meta, code)) {
        Some(Proof::NotDone) if does_several_things(call) => Told::Nothing,
        Some(Proof::NotBegun | Proof::NotDone | Proof::Rate | Proof::Timestamp | Proof::NoSuchOrder) => Told::NotDone,
        _ => Told::Nothing,
    }
}

/// Returns whether a request does several things, of which one may be done although another is refused.
fn does_several_things(call: &Call) -> bool {
    let Some(compound) = call.meta.and_then(|meta| meta.compound) else { return false };
    let Some((parameter, value)) = compound.when else { return true };
    match serde_json::from_str(&call.parameters) {
        Ok(Value::Object(given)) => given.get(parameter).is_some_and(|given| given == value),
        Ok(_) | Err(_) => true,
    }
}

/// Returns what the answer to a batch says of an item.
fn told_of_item(call: &Call, client: &str) -> Told {
    fn find<'a>(value: &'a Value, client: &str) -> Option<&'a serde_json::Map<String, Value>> {
        match value {
            Value::Object(members) if members.values().any(|value| value.as_str() == Some(client)) => Some(members),
            Value::Object(members) => members.values().find_map(|value| find(value, client)),
            Value::Array(items) => items.iter().find_map(|value| find(value, client)),
            _ => None,
        }
    }
    let body = call.answer.as_ref().and_then(|(_, body)| serde_json::from_slice::<Value>(body).ok());
    let Some(item) = body.as_ref().and_then(|body| find(body, client)) else { return Told::Nothing };
    let texts = item.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let texts: Vec<_> = texts.filter(|(_, text)| !text.is_empty() && *text != client).collect();
    let code = texts.iter().find(|(name, _)| name.to_ascii_lowercase().ends_with("code"));
    let success = API.envelope.and_then(|envelope| envelope.success);
    match code {
        Some((_, code)) if Some(*code) != success => told_by(call, code),
        _ if texts.iter().any(|(name, _)| id_parameters().contains(name)) => Told::Done,
        _ => Told::Nothing,
    }
}

/// Returns whether an answer shows that an order exists.
fn shows(call: &Call, intent: &Intent) -> bool {
    let Some((_, body)) = &call.answer else { return false };
    let Some((code, is_success)) = code(call) else { return false };
    let order = intent.order.map(|order| order.to_string());
    let ids = intent.client.iter().chain(&order).map(|id| format!("\"{id}\""));
    if is_success {
        let text = String::from_utf8_lossy(body);
        return ids.into_iter().any(|id| text.contains(&id));
    }
    let is_its = intent.client.as_ref().is_some_and(|client| names_it(call, client));
    is_its && call.meta.and_then(|meta| proof(meta, &code)) == Some(Proof::DuplicateId)
}

/// Returns whether an answer that comes late enough shows that an order does not exist.
fn excludes(call: &Call, first: &Call, intent: &Intent) -> bool {
    let Some(meta) = call.meta.filter(|meta| meta.effect == Effect::Read) else { return false };
    let is_its = intent.client.as_ref().is_some_and(|client| names_it(call, client));
    match code(call) {
        Some((_, true)) => is_list(meta) && first.meta.is_some_and(|first| first.family == meta.family),
        Some((code, false)) => is_its && proof(meta, &code) == Some(Proof::NoSuchOrder),
        None => false,
    }
}
