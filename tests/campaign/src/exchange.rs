//! The exchange of an account: the local exchange in hostile conditions, with its book, on a port or without sockets.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::HeaderValue;
use tradeapi::Timestamp;
use tradeapi::runtime::limits::InProcessLimits;
use tradeapi_exchange::{
    Conditions, Delivered, Delivery, Exchange as Local, Family as OfLocal, Hostility, Keys, Profile, Settings, Time,
};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::arrivals::Arrivals;
use crate::book::{Book, Duplicates};
use crate::counts::{Counts, Rate, Reached};
use crate::fast::FastClock;
use crate::line::Line;
use crate::operation::{Family, Listed, Operation};
use crate::orders::{self, Order};

/// How long what was accepted may still take to be seen.
const UNDER_WAY: Duration = Duration::from_secs(60 * 60);

/// The size of the position that reversals turn, in coins, and what its owner has.
const POSITION: u64 = 400;
const BALANCE: u64 = 1_000_000_000;

/// How an exchange behaves.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) hostility: Hostility,
    /// The clock that signatures are judged by.
    pub(crate) clock: FastClock,
    /// What connections are like.
    pub(crate) line: Line,
    /// How the exchange treats a client's id that was used before.
    pub(crate) duplicates: Duplicates,
}

/// An exchange with one account. It ends when it is dropped.
pub(crate) struct Exchange {
    server: Option<ScriptedServer>,
    inner: Arc<Inner>,
}

struct Inner {
    local: Local,
    terms: Terms,
    is_calm: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    book: Book,
    arrivals: BTreeMap<(Family, &'static str), (Arrivals, usize)>,
    /// The connections that have brought something.
    connections: HashSet<usize>,
    late_first: u64,
}

impl Exchange {
    /// Starts on a free port of this machine.
    pub(crate) fn start(terms: Terms) -> io::Result<Self> {
        let server = ScriptedServer::start()?;
        terms.line.lay(&server, terms.hostility.seed.0);
        let mut exchange = Self::without_sockets(terms);
        let inner = Arc::clone(&exchange.inner);
        server.answer_otherwise(move |request| match in_http(request) {
            Some(http) => on_the_wire(inner.deliver(&http, request.connection, true)),
            None => Answer::new(400, "no request"),
        });
        exchange.server = Some(server);
        Ok(exchange)
    }

    /// An exchange that answers [requests](Self::deliver), and runs nothing by itself.
    pub(crate) fn without_sockets(terms: Terms) -> Self {
        let mut settings = Settings::default();
        settings.seed = terms.hostility.seed;
        (settings.rate_limits, settings.ceilings, settings.liquidation) = (false, false, false);
        settings.unique_client_ids = terms.duplicates == Duplicates::Refused;
        settings.first_of_client_id = terms.duplicates == Duplicates::TakenAndFirstShown;
        let time = Time::by_hand_from(Timestamp::from_millis(terms.clock.now()));
        let local = Local::with(settings, time, Profile::new().balance("USDT", BALANCE));
        open_position(&local);
        let mut conditions = Conditions::default();
        conditions.hostility = Some(terms.hostility.clone());
        local.set_conditions(conditions);
        Self {
            server: None,
            inner: Arc::new(Inner {
                local,
                is_calm: AtomicBool::new(terms.hostility.faults == 0),
                terms,
                state: Mutex::default(),
            }),
        }
    }

    /// What its user signs with.
    pub(crate) fn keys(&self) -> &Keys {
        self.inner.local.keys()
    }

    /// Answers one request that a connection has brought.
    pub(crate) fn deliver(&self, request: &http::Request<Bytes>, connection: usize) -> Delivery {
        self.inner.deliver(request, connection, true)
    }

    /// Answers a request that a node on the way has sent a second time, which does not count against rate limits.
    pub(crate) fn deliver_again(&self, request: &http::Request<Bytes>, connection: usize) -> Delivery {
        self.inner.deliver(request, connection, false)
    }

    /// The requests with which something went wrong.
    pub(crate) fn hit(&self) -> BTreeSet<String> {
        self.inner.local.hit()
    }

    /// Where it listens, as a base address.
    pub(crate) fn url(&self) -> String {
        self.server.as_ref().map_or("http://127.0.0.1".to_owned(), ScriptedServer::url)
    }

    /// What it has counted so far.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = self.inner.counts();
        if let Some(server) = &self.server {
            counts.reach(Reached::IdleClose, server.idle_closes() as u64);
            counts.reach(Reached::Unsolicited, server.unsolicited() as u64);
        }
        counts
    }

    /// From now on, nothing goes wrong, and all machines are right.
    pub(crate) fn calm(&self) {
        let mut conditions = self.inner.local.conditions();
        conditions.hostility = conditions.hostility.map(Hostility::calm);
        self.inner.local.set_conditions(conditions);
        self.inner.is_calm.store(true, Ordering::Relaxed);
    }

    /// Whether nothing goes wrong.
    pub(crate) fn is_calm(&self) -> bool {
        self.inner.is_calm.load(Ordering::Relaxed)
    }

    /// The ids of the orders that a listing is to have, the latest first.
    pub(crate) fn listed(&self, family: Family, listed: Listed) -> Vec<String> {
        let Inner { local, terms, .. } = &*self.inner;
        local.advance_to(Timestamp::from_millis(terms.clock.now()));
        let family = match family {
            Family::Classic => OfLocal::Classic,
            Family::Unified => OfLocal::Unified,
        };
        let [open, closed] = local.order_ids(local.keys(), family);
        let ids = if listed == Listed::Open { open } else { closed };
        ids.iter().map(u64::to_string).collect()
    }

    /// Closes the book, with everything in it that was accepted and would come later.
    pub(crate) fn close(&self) -> (Book, Counts) {
        let Inner { local, terms, state, .. } = &*self.inner;
        let end = terms.clock.now() + UNDER_WAY.as_millis() as u64;
        local.advance_to(Timestamp::from_millis(end));
        lock(state).book.follow(local);
        let counts = self.counts();
        (std::mem::take(&mut lock(state).book), counts)
    }
}

impl Inner {
    fn deliver(&self, request: &http::Request<Bytes>, connection: usize, is_counted: bool) -> Delivery {
        let Self { local, terms, state, .. } = self;
        // Events of one request are taken before the next one.
        let mut state = lock(state);
        if is_counted && let Some(operation) = Operation::find(request.method().as_str(), request.uri().path()) {
            let arrivals = state.arrivals.entry((operation.family, operation.name)).or_default();
            arrivals.0.note(terms.clock.real());
            arrivals.1 = operation.per_second;
        }
        if state.connections.insert(connection) && !terms.line.first.is_zero() {
            state.late_first += 1;
        }
        let now = Timestamp::from_millis(terms.clock.now());
        let delivery = local.deliver_at(now, request, IpAddr::V4(Ipv4Addr::LOCALHOST));
        state.book.follow(local);
        match terms.line.keep_alive().and_then(|keep_alive| HeaderValue::try_from(keep_alive).ok()) {
            Some(keep_alive) => with_header(delivery, &keep_alive),
            None => delivery,
        }
    }

    fn counts(&self) -> Counts {
        let state = lock(&self.state);
        let rate = |(arrivals, allowed): &(Arrivals, usize)| Rate {
            calls: arrivals.count(),
            most: arrivals.most(),
            allowed: *allowed,
            beyond: arrivals.beyond(*allowed),
        };
        let calls = state.arrivals.iter().map(|(operation, arrivals)| (*operation, rate(arrivals))).collect();
        let mut counts = Counts { calls, hostile: self.local.hostile_counts(), ..Counts::default() };
        let violations = self.local.violations();
        let times = |part: &str| -> u64 {
            violations.iter().filter(|(rule, _)| rule.contains(part)).map(|(_, times)| *times).sum()
        };
        counts.stale = times(STALE);
        counts.reach(Reached::RefusedTwin, times(DUPLICATE));
        counts.reach(Reached::Twin, state.book.twins());
        counts.reach(Reached::LateFirstRequest, state.late_first);
        let is_sensible = |rule: &str| SENSIBLE.iter().any(|part| rule.contains(part));
        counts.refused.extend(violations.into_keys().filter(|rule| !is_sensible(rule)));
        counts
    }
}

/// Rules that are broken by requests that come too late, and by orders whose id was used before.
const STALE: &str = "timestamp";
const DUPLICATE: &str = "duplicate";

/// Parts of rules that a client may break unknowingly, because it cannot see what others and earlier requests did.
const SENSIBLE: [&str; 5] = [STALE, DUPLICATE, "no-such-order", "not-open", "new-limit-orders-only"];

fn with_header(delivery: Delivery, keep_alive: &HeaderValue) -> Delivery {
    let with = |mut answer: http::Response<Bytes>| {
        answer.headers_mut().insert("keep-alive", keep_alive.clone());
        answer
    };
    let mut delivery = delivery;
    delivery.delivered = match delivery.delivered {
        Delivered::Whole(answer) => Delivered::Whole(with(answer)),
        Delivered::Last(answer) => Delivered::Last(with(answer)),
        Delivered::Slow(answer, pause) => Delivered::Slow(with(answer), pause),
        Delivered::Half(answer) => Delivered::Half(with(answer)),
        Delivered::Misstated(answer, length) => Delivered::Misstated(with(answer), length),
        other => other,
    };
    delivery
}

/// A position that reversals can turn. Its order is filled before anything goes wrong.
fn open_position(local: &Local) {
    let size = tradeapi::Decimal::from(POSITION);
    let order = Order { size: size.clone(), ..Order::new(Family::Classic, "position") };
    let client = local.client_of(local.keys()).limiter(Arc::<InProcessLimits>::default()).build();
    let client = client.expect("the settings of the exchange's client are valid");
    let placed = client.core().call(&orders::classic_order(&order)).now_or_never();
    placed.expect("the exchange answers at once").expect("the order is taken");
    local.fill("position", size).expect("the order waits");
    local.take_events();
}

fn in_http(request: &Request) -> Option<http::Request<Bytes>> {
    let target = match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    };
    let mut builder = http::Request::builder().method(request.method.as_str()).uri(target);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    builder.body(Bytes::from(request.body.clone())).ok()
}

/// What arrives of an answer, in bytes.
fn on_the_wire(delivery: Delivery) -> Answer {
    let whole = |answer: &http::Response<Bytes>| {
        let headers = answer.headers().iter();
        headers.fold(Answer::new(answer.status().as_u16(), answer.body().to_vec()), |on_wire, (name, value)| {
            on_wire.header(name.as_str(), &String::from_utf8_lossy(value.as_bytes()))
        })
    };
    let answer = match &delivery.delivered {
        Delivered::Whole(answer) => whole(answer),
        Delivered::Last(answer) => whole(answer).then_close(),
        Delivered::Slow(answer, pause) => whole(answer).in_pieces(*pause),
        Delivered::Half(answer) => whole(answer).cut_off_after(answer.body().len() / 2),
        Delivered::Misstated(answer, length) => whole(answer).announcing(*length),
        Delivered::Raw(bytes) => Answer::raw(bytes.to_vec()),
        Delivered::Reset => Answer::reset(),
        Delivered::Outage(lasts) => Answer::outage(*lasts),
        Delivered::Hang => Answer::hang(),
        _ => Answer::close(),
    };
    match delivery.behind {
        Some(behind) => answer.with_behind(behind.bytes.to_vec(), behind.pause),
        None => answer,
    }
}

/// A panic fails the campaign anyway; the book stays good.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
