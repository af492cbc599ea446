//! A simulated exchange with listings: it filters by time, has short pages, and refuses ranges that the documents
//! forbid. Its time advances on request only.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tradeapi::runtime::client::{ClientBuilder, LimitMode};
use tradeapi::runtime::clock::Clock;
use tradeapi::runtime::limits::{Admission, Call, Limiter, RateLimitFeedback, Reservation};
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::{Client, Credentials, Timestamp};
use tradeapi_tests::query;

pub(crate) const DAY: u64 = 86_400_000;

/// The initial time.
pub(crate) const NOW: u64 = 1_790_000_000_000;

/// The time by which a signature may be off.
const SIGNATURE_WINDOW: u64 = 30_000;

/// A listed item.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) at: u64,
    pub(crate) status: &'static str,
    /// Another field; two items may differ in it alone.
    pub(crate) side: Option<&'static str>,
    /// True if the item is unreadable.
    pub(crate) is_bad: bool,
    /// When the listing begins to show it.
    pub(crate) shown_from: u64,
}

impl Item {
    pub(crate) fn new(id: impl Into<String>, at: u64) -> Self {
        Self { id: id.into(), at, status: "live", side: None, is_bad: false, shown_from: 0 }
    }

    fn json(&self, names: Names) -> Value {
        let mut json = json!({names.id: self.id});
        if let Some(side) = self.side {
            json["side"] = json!(side);
        }
        if self.is_bad {
            json["price"] = json!("what");
            json["execPrice"] = json!("what");
        }
        json
    }
}

/// The fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Nothing,
    /// A gateway answers that the exchange is busy.
    Busy,
    /// The data of a success is `null`.
    NullData,
    /// A success has no data.
    NoData,
    /// The data of a success is an object without a list.
    NoList,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] = [Self::Nothing, Self::Busy, Self::NullData, Self::NoData, Self::NoList];

    fn answer(self, now: u64) -> Option<(u16, String)> {
        let success = |data: &str| format!(r#"{{"code": "00000", "msg": "success", "requestTime": {now}{data}}}"#);
        match self {
            Self::Nothing => None,
            Self::Busy => Some((503, "busy".to_owned())),
            Self::NullData => Some((200, success(r#", "data": null"#))),
            Self::NoData => Some((200, success(""))),
            Self::NoList => Some((200, success(r#", "data": {}"#))),
        }
    }
}

/// The names of an operation's parameters and fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) list: &'static str,
    pub(crate) cursor: &'static str,
    pub(crate) next: &'static str,
    pub(crate) id: &'static str,
}

pub(crate) const UNIFIED_FILLS: Names = Names { list: "list", cursor: "cursor", next: "cursor", id: "execId" };
pub(crate) const CLASSIC_FILLS: Names = Names { list: "fillList", cursor: "endId", next: "idLessThan", id: "tradeId" };
pub(crate) const CLASSIC_ORDERS: Names =
    Names { list: "entrustedList", cursor: "endId", next: "idLessThan", id: "orderId" };
pub(crate) const UNIFIED_ORDERS: Names = Names { id: "orderId", ..UNIFIED_FILLS };
pub(crate) const COMMISSIONS: Names = Names { list: "commissionList", id: "uid", ..CLASSIC_FILLS };
pub(crate) const INSIDERS: Names = Names { id: "reporterName", ..UNIFIED_FILLS };

/// The mark by which an exchange ends a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last page with items has no cursor: it is `null`.
    Null,
    /// The cursor is an empty text.
    EmptyText,
    /// The cursor is missing.
    LeftOut,
    /// The cursor leads to an empty page without a list and a cursor.
    ToNothing,
    /// The cursor leads to an empty page with the same cursor.
    ToItself,
}

/// The behaviour of an exchange's listings.
#[derive(Clone, Debug)]
pub(crate) struct ListingBehavior {
    pub(crate) names: Names,
    pub(crate) page: usize,
    pub(crate) start_belongs: bool,
    pub(crate) end_belongs: bool,
    pub(crate) end: End,
    /// The order of pages: the newest first, the oldest first, or unordered.
    pub(crate) order: u8,
    /// The longest accepted range.
    pub(crate) span: Option<u64>,
    /// Only items with the requested status, or `live`, are listed.
    pub(crate) by_status: bool,
    /// The retention, and how long ago a range may begin.
    pub(crate) access: Option<u64>,
}

impl ListingBehavior {
    pub(crate) fn of(names: Names) -> Self {
        Self {
            names,
            page: 3,
            start_belongs: true,
            end_belongs: true,
            end: End::Null,
            order: 0,
            span: None,
            by_status: false,
            access: None,
        }
    }
}

/// The parameters of a request.
type Query = Vec<(String, String)>;

#[derive(Clone)]
pub(crate) struct Exchange {
    ways: ListingBehavior,
    things: Arc<Vec<Item>>,
    calls: Arc<AtomicUsize>,
    queries: Arc<Mutex<Vec<Query>>>,
    now: Arc<AtomicU64>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    /// True if it refuses signatures with another time.
    is_strict: bool,
}

/// The clock of a client.
struct PageClock {
    now: Arc<AtomicU64>,
    is_ahead_by: i64,
}

impl Clock for PageClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed).saturating_add_signed(self.is_ahead_by))
    }
}

impl Exchange {
    pub(crate) fn new(ways: ListingBehavior, things: Vec<Item>) -> Self {
        Self {
            ways,
            things: Arc::new(things),
            calls: Arc::default(),
            queries: Arc::default(),
            now: Arc::new(AtomicU64::new(NOW)),
            faults: Arc::default(),
            is_strict: false,
        }
    }

    /// Returns the same, which refuses signatures with another time.
    pub(crate) fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    pub(crate) fn set_clock(&self, now: u64) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// Advances the time.
    pub(crate) fn wait(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    /// Sets the faults of the next calls.
    pub(crate) fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    pub(crate) fn client(&self) -> Client {
        self.client_ahead_by(0)
    }

    pub(crate) fn client_behind_by(&self, millis: u64) -> Client {
        self.client_ahead_by(-i64::try_from(millis).unwrap())
    }

    pub(crate) fn client_ahead_by(&self, millis: i64) -> Client {
        self.builder(millis).limits(LimitMode::Off).build().unwrap()
    }

    /// Returns a client whose calls wait this long for their limits, one after the other, and later ones not at all.
    pub(crate) fn client_waiting(&self, waits: impl IntoIterator<Item = u64>) -> Client {
        let waits = Mutex::new(waits.into_iter().collect());
        self.builder(0).limiter(Arc::new(Waits { exchange: self.clone(), waits })).build().unwrap()
    }

    fn builder(&self, is_ahead_by: i64) -> ClientBuilder<Client> {
        Client::builder("https://exchange.example")
            .credentials(Credentials::new("key", "secret", "passphrase"))
            .clock(PageClock { now: self.now.clone(), is_ahead_by })
            .transport(self.clone())
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Returns the requests so far: start, end and cursor.
    pub(crate) fn requested(&self) -> Vec<(Option<u64>, Option<u64>, Option<String>)> {
        let queries = self.queries.lock().unwrap();
        let of = |query: &Query| {
            let find = |name: &str| query.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
            let time = |name: &str| find(name).map(|time| time.parse().unwrap());
            (time("startTime"), time("endTime"), find(self.ways.names.next))
        };
        queries.iter().map(of).collect()
    }

    fn answer(&self, query: &[(String, String)]) -> Value {
        let find = |name: &str| query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        let time = |name: &str| find(name).map(|time| time.parse::<u64>().unwrap());
        let (from, to) = (time("startTime"), time("endTime"));
        let is_too_long = |(from, to): (u64, u64)| self.ways.span.is_some_and(|span| from > to || to - from > span);
        if from.zip(to).is_some_and(is_too_long) {
            return json!({"code": "40017", "msg": "the range is too long", "data": null});
        }
        let now = self.now();
        let oldest = self.ways.access.map_or(0, |access| now - access);
        if from.is_some_and(|from| from < oldest) {
            return json!({"code": "40018", "msg": "the range begins too early", "data": null});
        }
        let status = find("status").unwrap_or("live");
        let ListingBehavior { start_belongs, end_belongs, by_status, page, end, order, names, .. } = self.ways;
        let mut listed: Vec<&Item> = self.things.iter().filter(|thing| thing.shown_from <= now).collect();
        match order {
            0 => listed.sort_by_key(|thing| std::cmp::Reverse(thing.at)),
            1 => listed.sort_by_key(|thing| thing.at),
            _ => listed.sort_by_key(|thing| (thing.id.bytes().rev().collect::<Vec<_>>(), thing.at)),
        }
        // A cursor cannot be computed from an id.
        let begin = find(names.next).map_or(0, |cursor| cursor.strip_prefix("~p").unwrap().parse::<usize>().unwrap());
        let ranked = listed
            .into_iter()
            .enumerate()
            .filter(|(_, thing)| thing.at >= oldest)
            .filter(|(_, thing)| from.is_none_or(|from| thing.at > from || start_belongs && thing.at == from))
            .filter(|(_, thing)| to.is_none_or(|to| thing.at < to || end_belongs && thing.at == to))
            .filter(|(_, thing)| !by_status || thing.status == status);
        // As items expire, a cursor is the place of an item, not the number of items before it.
        let listed: Vec<(usize, &Item)> = match self.ways.access {
            Some(_) => ranked.filter(|(rank, _)| *rank >= begin).collect(),
            None => ranked.skip(begin).enumerate().map(|(n, (_, thing))| (begin + n, thing)).collect(),
        };
        let shown: Vec<Value> = listed.iter().take(page).map(|(_, thing)| thing.json(names)).collect();
        let reached = listed[..listed.len().min(page)].last().map_or(begin, |(place, _)| place + 1);
        let is_last = shown.len() == listed.len();
        let cursor = match end {
            _ if !is_last => json!(format!("~p{reached}")),
            End::ToNothing if !shown.is_empty() => json!(format!("~p{reached}")),
            End::ToItself => json!(format!("~p{reached}")),
            End::EmptyText => json!(""),
            End::Null | End::LeftOut | End::ToNothing => Value::Null,
        };
        let list = if shown.is_empty() && end != End::EmptyText { Value::Null } else { json!(shown) };
        let mut data = json!({names.list: list});
        if !(end == End::LeftOut && cursor.is_null()) {
            data[names.cursor] = cursor;
        }
        json!({"code": "00000", "msg": "success", "requestTime": now, "data": data})
    }
}

impl Transport for Exchange {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let query = query::pairs(request.uri().query().unwrap_or_default());
        let signed = request.headers().get("ACCESS-TIMESTAMP").and_then(|time| time.to_str().ok()?.parse::<u64>().ok());
        if self.is_strict && signed.is_none_or(|signed| signed.abs_diff(self.now()) > SIGNATURE_WINDOW) {
            let body = json!({"code": "40008", "msg": "expired", "requestTime": self.now(), "data": null}).to_string();
            return Box::pin(async move { Ok(http::Response::builder().status(400).body(Bytes::from(body)).unwrap()) });
        }
        let fault = self.faults.lock().unwrap().pop_front().unwrap_or(Fault::Nothing);
        let (status, body) = fault.answer(self.now()).unwrap_or_else(|| (200, self.answer(&query).to_string()));
        self.queries.lock().unwrap().push(query);
        Box::pin(async move { Ok(http::Response::builder().status(status).body(Bytes::from(body)).unwrap()) })
    }
}

/// A limiter with a wait for each of the next calls, during which the time of the exchange advances.
struct Waits {
    exchange: Exchange,
    waits: Mutex<VecDeque<u64>>,
}

impl Limiter for Waits {
    fn admit<'a>(&'a self, _: Call<'a>, _: bool) -> Admission<'a> {
        let wait = self.waits.lock().unwrap().pop_front().unwrap_or(0);
        self.exchange.wait(wait);
        Admission::Now(Ok(Reservation::new(0, Duration::from_millis(wait))))
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}
}

/// Runs a future that never waits.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
