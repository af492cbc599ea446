//! An exchange that lists things, without sockets: it filters by time, keeps its pages short, and refuses ranges that the
//! documents forbid. Its time passes only on request.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::{Value, json};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::Clock;
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::{Client, Credentials, Timestamp};
use tradeapi_tests::query;

pub(crate) const DAY: u64 = 86_400_000;

/// The time at which everything begins.
pub(crate) const NOW: u64 = 1_790_000_000_000;

/// What is listed.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) id: String,
    pub(crate) at: u64,
    pub(crate) status: &'static str,
    /// A field beside the id; two things may differ in nothing else.
    pub(crate) side: Option<&'static str>,
    /// It cannot be read.
    pub(crate) is_bad: bool,
    /// The listing shows it from this time on.
    pub(crate) shown_from: u64,
}

impl Thing {
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

/// What goes wrong with a call.
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

/// The names that an operation has for what every listing has.
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

/// How an exchange says that there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last page with items has no cursor: it is `null`.
    Null,
    /// It is an empty text.
    EmptyText,
    /// It is left out.
    LeftOut,
    /// It leads to an empty page, which has no list and no cursor.
    ToNothing,
    /// It leads to an empty page with the same cursor.
    ToItself,
}

/// How an exchange lists things.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    pub(crate) names: Names,
    pub(crate) page: usize,
    pub(crate) start_belongs: bool,
    pub(crate) end_belongs: bool,
    pub(crate) end: End,
    /// Whether pages go from the newest to the oldest, from the oldest to the newest, or in no order at all.
    pub(crate) order: u8,
    /// The longest range that is not refused.
    pub(crate) span: Option<u64>,
    /// Only things with the requested status, or `live`, are listed.
    pub(crate) by_status: bool,
    /// How long things are kept, and how long ago a range may begin.
    pub(crate) access: Option<u64>,
}

impl Ways {
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
    ways: Ways,
    things: Arc<Vec<Thing>>,
    calls: Arc<AtomicUsize>,
    queries: Arc<Mutex<Vec<Query>>>,
    now: Arc<AtomicU64>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
}

/// The clock of a client.
struct Watch {
    now: Arc<AtomicU64>,
    is_behind_by: u64,
}

impl Clock for Watch {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed) - self.is_behind_by)
    }
}

impl Exchange {
    pub(crate) fn new(ways: Ways, things: Vec<Thing>) -> Self {
        Self {
            ways,
            things: Arc::new(things),
            calls: Arc::default(),
            queries: Arc::default(),
            now: Arc::new(AtomicU64::new(NOW)),
            faults: Arc::default(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    pub(crate) fn set_clock(&self, now: u64) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, millis: u64) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    /// What goes wrong with the next calls, one after the other.
    pub(crate) fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    pub(crate) fn client(&self) -> Client {
        self.client_behind_by(0)
    }

    pub(crate) fn client_behind_by(&self, millis: u64) -> Client {
        Client::builder("https://exchange.example")
            .credentials(Credentials::new("key", "secret", "passphrase"))
            .clock(Watch { now: self.now.clone(), is_behind_by: millis })
            .limits(LimitMode::Off)
            .transport(self.clone())
            .build()
            .unwrap()
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// The requests so far: from, to and the cursor.
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
        let Ways { start_belongs, end_belongs, by_status, page, end, order, names, .. } = self.ways;
        let mut listed: Vec<&Thing> = self.things.iter().filter(|thing| thing.shown_from <= now).collect();
        match order {
            0 => listed.sort_by_key(|thing| std::cmp::Reverse(thing.at)),
            1 => listed.sort_by_key(|thing| thing.at),
            _ => listed.sort_by_key(|thing| (thing.id.bytes().rev().collect::<Vec<_>>(), thing.at)),
        }
        // Nothing in a cursor can be computed from an id.
        let begin = find(names.next).map_or(0, |cursor| cursor.strip_prefix("~p").unwrap().parse::<usize>().unwrap());
        let ranked = listed
            .into_iter()
            .enumerate()
            .filter(|(_, thing)| thing.at >= oldest)
            .filter(|(_, thing)| from.is_none_or(|from| thing.at > from || start_belongs && thing.at == from))
            .filter(|(_, thing)| to.is_none_or(|to| thing.at < to || end_belongs && thing.at == to))
            .filter(|(_, thing)| !by_status || thing.status == status);
        // Where things go, a cursor is the place of one of them and not how many came before it.
        let listed: Vec<(usize, &Thing)> = match self.ways.access {
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
        let fault = self.faults.lock().unwrap().pop_front().unwrap_or(Fault::Nothing);
        let (status, body) = fault.answer(self.now()).unwrap_or_else(|| (200, self.answer(&query).to_string()));
        self.queries.lock().unwrap().push(query);
        Box::pin(async move { Ok(http::Response::builder().status(status).body(Bytes::from(body)).unwrap()) })
    }
}

/// Runs what never waits.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
