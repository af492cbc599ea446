//! A small simulated exchange with its orders and one fault.

use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tradeapi_tests::loopback::{Answer, Request};

use super::Settled;
use super::virtual_time::VirtualTime;

/// A placement and its outcome.
type Placement = Pin<Box<dyn Future<Output = Settled>>>;

/// The protocol of an exchange.
pub(super) struct Adapter {
    /// Places an order by the exchange's client, at an address.
    pub(super) place: fn(String, VirtualTime) -> Placement,
    /// The method and path of a placement, or the method of its call.
    pub(super) create: &'static str,
    /// The same for listings; without a history, the first one has all orders.
    pub(super) open: &'static str,
    pub(super) history: Option<&'static str>,
    /// The fields of a record that have other names than the parameters of a placement.
    pub(super) renamed: &'static [(&'static str, &'static str)],
    /// The field with the time at which an order was placed, and how that is written.
    pub(super) created: (&'static str, fn(u64) -> Value),
    /// The parameters of a query that select records, with the field of the record.
    pub(super) selects: &'static [(&'static str, &'static str)],
    /// The field with the caller's id.
    pub(super) id: &'static str,
    /// Writes the answer to a query.
    pub(super) shows: fn(Shown<'_>) -> Answer,
    /// The places whose queries are for orders of their own time only.
    pub(super) hides_older: &'static [Place],
    /// True if a placement with an id that is in use places nothing.
    pub(super) recognizes: bool,
}

/// The result of a query.
pub(super) struct Shown<'a> {
    /// The orders that its parameters select.
    pub(super) orders: Vec<Value>,
    /// The parameters of the query.
    pub(super) query: &'a Map<String, Value>,
    pub(super) now: u64,
}

impl Shown<'_> {
    /// Returns a number in the query.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        let given = self.query.get(name)?;
        let given = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
        Some(given.parse().unwrap())
    }

    /// Returns the page of `size` orders from `offset` on.
    pub(super) fn page(&self, offset: usize, size: usize) -> Vec<Value> {
        self.orders.iter().skip(offset).take(size).cloned().collect()
    }
}

/// The fault of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    RequestLost,
    /// The client runs into its time-out before the request arrives.
    RequestLate,
    /// The same, with most of a minute of delay.
    RequestVeryLate,
    AnswerLost,
    /// The answer is truncated.
    AnswerTorn,
    /// The order is accepted, and a gateway answers with an error.
    GatewayFails,
    /// The request is lost, and an older order has its id.
    IdTaken,
}

/// Where an order is listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Open,
    History,
}

/// More queries than any confirmation needs.
const MAX_QUERIES: usize = 10_000;
const LATE: u64 = 2_000;
const VERY_LATE: u64 = 50_000;
const HOUR: u64 = 3_600_000;

pub(super) struct Exchange {
    speaks: &'static Adapter,
    fault: Fault,
    place: Place,
    /// The number of other orders that are listed first.
    others: usize,
    virtual_time: VirtualTime,
    creates: AtomicUsize,
    queries: AtomicUsize,
    /// The records of orders, each with the time from which it is shown.
    orders: Mutex<Vec<(u64, Value)>>,
}

impl Exchange {
    pub(super) fn new(speaks: &'static Adapter, fault: Fault, place: Place, virtual_time: VirtualTime) -> Self {
        let (creates, queries, orders) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::default());
        Self { speaks, fault, place, others: 0, virtual_time, creates, queries, orders }
    }

    /// Returns the same with other orders that are listed first.
    pub(super) fn among(self, others: usize) -> Self {
        Self { others, ..self }
    }

    /// Returns the number of accepted orders.
    pub(super) fn accepted(&self) -> usize {
        self.orders.lock().unwrap().len()
    }

    /// Returns the number of placements, lost ones included.
    pub(super) fn creates(&self) -> usize {
        self.creates.load(Ordering::Relaxed)
    }

    pub(super) fn answer(&self, request: &Request) -> Answer {
        let (target, parameters) = read(request);
        let answer = match target.as_str() {
            target if target == self.speaks.create => self.create(parameters),
            target if target == self.speaks.open => self.show(Place::Open, &parameters[0]),
            target if Some(target) == self.speaks.history => self.show(Place::History, &parameters[0]),
            other => panic!("nothing is at {other}"),
        };
        let close = Answer::close();
        if answer == close { close } else { answer.header("Date", &self.virtual_time.date()) }
    }

    fn create(&self, orders: Vec<Map<String, Value>>) -> Answer {
        self.creates.fetch_add(1, Ordering::Relaxed);
        let now = self.virtual_time.millis();
        for other in 0..self.others {
            let mut order = orders[0].clone();
            order.insert(self.speaks.id.to_owned(), format!("other-{other}").into());
            self.accept(order, now, now);
        }
        for order in orders {
            match self.fault {
                Fault::RequestLost => {}
                Fault::RequestLate => self.accept(order, now + LATE, now + LATE),
                Fault::RequestVeryLate => self.accept(order, now + VERY_LATE, now + VERY_LATE),
                Fault::AnswerLost | Fault::AnswerTorn | Fault::GatewayFails => self.accept(order, now, now),
                Fault::IdTaken => self.accept(order, now - HOUR, now),
            }
        }
        match self.fault {
            Fault::RequestLost | Fault::RequestLate | Fault::RequestVeryLate | Fault::AnswerLost | Fault::IdTaken => {
                Answer::close()
            }
            Fault::AnswerTorn => Answer::json("{"),
            Fault::GatewayFails => Answer::new(502, "<html>"),
        }
    }

    fn accept(&self, mut record: Map<String, Value>, created: u64, shown: u64) {
        for (field, parameter) in self.speaks.renamed {
            let value = record.remove(*parameter).unwrap();
            record.insert((*field).to_owned(), value);
        }
        let (field, write) = self.speaks.created;
        record.insert(field.to_owned(), write(created));
        let mut orders = self.orders.lock().unwrap();
        if !self.speaks.recognizes || orders.iter().all(|(_, other)| other[self.speaks.id] != record[self.speaks.id]) {
            orders.push((shown, Value::Object(record)));
        }
    }

    fn show(&self, place: Place, query: &Map<String, Value>) -> Answer {
        let queries = self.queries.fetch_add(1, Ordering::Relaxed);
        assert!(queries < MAX_QUERIES, "{}: the queries do not end", self.speaks.create);
        let now = self.virtual_time.millis();
        let is_here = self.speaks.history.is_none() || self.place == place;
        let is_meant = |record: &Value| self.speaks.selects.iter().all(|(of, field)| query[*of] == record[*field]);
        let orders = self.orders.lock().unwrap();
        let shown = orders.iter().filter(|(from, record)| is_here && *from <= now && is_meant(record));
        let orders = shown.map(|(_, record)| record.clone()).collect();
        (self.speaks.shows)(Shown { orders, query, now })
    }
}

/// Returns the method and path of a request, or the method of its call, and its parameters: of each item where the body
/// is a list.
fn read(request: &Request) -> (String, Vec<Map<String, Value>>) {
    let target = format!("{} {}", request.method, request.path);
    let payload = request.header("X-GEMINI-PAYLOAD").map(|payload| STANDARD.decode(payload).unwrap());
    let body = payload.as_ref().unwrap_or(&request.body);
    let body: Value = serde_json::from_slice(body).unwrap_or_else(|_| json!({}));
    let form = if body == json!({}) { request.text() } else { String::new() };
    if let Value::Array(items) = body {
        return (target, items.iter().map(|item| item.as_object().unwrap().clone()).collect());
    }
    if let (Some(call), Some(parameters)) = (body["method"].as_str(), body["params"].as_object()) {
        return (call.to_owned(), vec![parameters.clone()]);
    }
    let mut parameters = body.as_object().unwrap().clone();
    let query = request.query.as_deref().unwrap_or_default();
    for (name, value) in query.split('&').chain(form.split('&')).filter_map(|pair| pair.split_once('=')) {
        let value = decoded(value);
        // The members of an object in a query select records like parameters.
        parameters.extend(serde_json::from_str::<Map<String, Value>>(&value).unwrap_or_default());
        parameters.insert(name.to_owned(), value.into());
    }
    (target, vec![parameters])
}

fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + &char::from(u8::from_str_radix(&part[..2], 16).unwrap()).to_string() + &part[2..]
    })
}
