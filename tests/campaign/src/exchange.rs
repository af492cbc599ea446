//! The exchange of an account: the local exchange in hostile conditions, on a port or without sockets, with a record of
//! what it did.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::HeaderValue;
use rust_decimal::Decimal;
use tradeapi::Timestamp;
use tradeapi::runtime::limits::InProcessLimits;
use tradeapi_exchange::{
    Conditions, Delivered, Delivery, Exchange as Local, Family as LocalFamily, Hostility, Keys, Node, PositionView,
    Profile, Settings, Side, SignedQuery, Time,
};
use tradeapi_tests::dice::Dice;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::arrivals::Arrivals;
use crate::clock::FastClock;
use crate::connections::ConnectionProfile;
use crate::counts::{Counts, Rate, Situation};
use crate::ground_truth::{Duplicates, GroundTruth, OF_OTHERS};
use crate::operation::{Family, Listed, Operation};
use crate::orders::{self, Order};

/// The longest time after which an accepted request still takes effect.
const MAX_EFFECT_DELAY: Duration = Duration::from_secs(60 * 60);

/// The size of the position that reversals turn, in coins, and the account's balance.
const POSITION: u64 = 400;
pub(crate) const BALANCE: u64 = 1_000_000_000;

/// The settings of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct ExchangeSettings {
    pub(crate) hostility: Hostility,
    /// The clock by which signatures are checked.
    pub(crate) clock: FastClock,
    /// The delays and time-outs of connections.
    pub(crate) profile: ConnectionProfile,
    /// The exchange's treatment of a client's id that was used before.
    pub(crate) duplicates: Duplicates,
    /// True if it verifies signatures over the query as it was sent, and not over the decoded one.
    pub(crate) signs_as_sent: bool,
}

/// An exchange with one account. It ends when it is dropped.
pub(crate) struct Exchange {
    server: Option<ScriptedServer>,
    inner: Arc<Inner>,
}

struct Inner {
    local: Local,
    settings: ExchangeSettings,
    is_calm: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    truth: GroundTruth,
    arrivals: BTreeMap<(Family, &'static str), (Arrivals, usize)>,
    /// The connections that have carried a request.
    connections: HashSet<usize>,
    late_first: u64,
}

impl Exchange {
    /// Starts on a free port of this machine.
    pub(crate) fn start(settings: ExchangeSettings) -> io::Result<Self> {
        let server = ScriptedServer::start()?;
        settings.profile.apply_to(&server, settings.hostility.seed.0);
        let mut exchange = Self::without_sockets(settings);
        let inner = Arc::clone(&exchange.inner);
        server.answer_otherwise(move |request| match in_http(request) {
            Some(http) => on_the_wire(inner.deliver(&http, request.connection, true)),
            None => Answer::new(400, "no request"),
        });
        exchange.server = Some(server);
        Ok(exchange)
    }

    /// Creates an exchange that only answers [requests](Self::deliver).
    pub(crate) fn without_sockets(settings: ExchangeSettings) -> Self {
        let mut local_settings = Settings::default();
        local_settings.seed = settings.hostility.seed;
        (local_settings.rate_limits, local_settings.ceilings, local_settings.liquidation) = (false, false, false);
        // No fill shows what is paid for funding, so no ledger could agree with the balance.
        local_settings.funding = false;
        local_settings.unique_client_ids =
            matches!(settings.duplicates, Duplicates::Refused | Duplicates::RefusedWhileOpen);
        local_settings.first_of_client_id = settings.duplicates == Duplicates::AcceptedAndFirstShown;
        local_settings.signed_query = settings.signs_as_sent.then_some(SignedQuery::Sent);
        let time = Time::by_hand_from(Timestamp::from_millis(settings.clock.now()));
        let local = Local::with(local_settings, time, Profile::new().both().balance("USDT", BALANCE));
        open_position(&local);
        let mut conditions = Conditions::default();
        conditions.hostility = Some(settings.hostility.clone());
        local.set_conditions(conditions);
        Self {
            server: None,
            inner: Arc::new(Inner {
                local,
                is_calm: AtomicBool::new(settings.hostility.faults == 0),
                settings,
                state: Mutex::default(),
            }),
        }
    }

    /// Returns the credentials of its user.
    pub(crate) fn keys(&self) -> &Keys {
        self.inner.local.keys()
    }

    /// Answers a request that arrived over a connection, and counts it against rates if that is wanted.
    pub(crate) fn deliver(&self, request: &http::Request<Bytes>, connection: usize, is_counted: bool) -> Delivery {
        self.inner.deliver(request, connection, is_counted)
    }

    /// Returns the requests that were faulted.
    pub(crate) fn faulted_requests(&self) -> BTreeSet<String> {
        self.inner.local.faulted_requests()
    }

    /// Returns the base address.
    pub(crate) fn url(&self) -> String {
        self.server.as_ref().map_or("http://127.0.0.1".to_owned(), ScriptedServer::url)
    }

    /// Returns the counts so far.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = self.inner.counts();
        counts.cover(Situation::SignedAsSent, u64::from(self.inner.settings.signs_as_sent));
        if let Some(server) = &self.server {
            counts.cover(Situation::IdleClose, server.idle_closes() as u64);
            counts.cover(Situation::Unsolicited, server.unsolicited() as u64);
        }
        counts
    }

    /// Ends all faults, and corrects the clocks of all nodes.
    pub(crate) fn calm(&self) {
        let mut conditions = self.inner.local.conditions();
        conditions.hostility = conditions.hostility.map(Hostility::calm);
        self.inner.local.set_conditions(conditions);
        self.inner.is_calm.store(true, Ordering::Relaxed);
    }

    /// Returns whether there are no faults.
    pub(crate) fn is_calm(&self) -> bool {
        self.inner.is_calm.load(Ordering::Relaxed)
    }

    /// Returns the ids of the orders that belong into a listing, the latest first.
    pub(crate) fn listed(&self, family: Family, listed: Listed) -> Vec<String> {
        let Inner { local, settings, .. } = &*self.inner;
        local.advance_to(Timestamp::from_millis(settings.clock.now()));
        let [open, closed] = local.order_ids(local.keys(), of_exchange(family));
        let ids = if listed == Listed::Open { open } else { closed };
        ids.iter().map(u64::to_string).collect()
    }

    /// Returns the open orders of both families: their ids, and those of the client.
    pub(crate) fn open_orders(&self) -> Vec<(String, Option<String>)> {
        let Inner { local, settings, .. } = &*self.inner;
        local.advance_to(Timestamp::from_millis(settings.clock.now()));
        let of = |family| local.account(local.keys(), family).open_orders;
        let orders = FAMILIES.into_iter().flat_map(of);
        orders.map(|order| (order.id, order.client_id)).collect()
    }

    /// Returns the same of the orders that have ended and are kept.
    pub(crate) fn ended_orders(&self) -> Vec<(String, Option<String>)> {
        let local = &self.inner.local;
        let ids = FAMILIES.into_iter().flat_map(|family| {
            let [_, closed] = local.order_ids(local.keys(), family);
            closed
        });
        ids.filter_map(|id| local.order(id)).map(|order| (order.id, order.client_id)).collect()
    }

    /// Returns the id of a random order, if there is one.
    pub(crate) fn one_order(&self, family: Family, dice: &mut Dice) -> Option<String> {
        let local = &self.inner.local;
        let [open, closed] = local.order_ids(local.keys(), of_exchange(family));
        let all = [open, closed].concat();
        let place = usize::try_from(dice.below(all.len() as u64)).unwrap_or_default();
        all.get(place).map(u64::to_string)
    }

    /// Returns the sizes of the positions by their line and pair, negative if they were sold.
    pub(crate) fn position_sizes(&self, family: Family) -> BTreeMap<String, Decimal> {
        let local = &self.inner.local;
        let positions = local.account(local.keys(), of_exchange(family)).positions.into_iter();
        let size = |position: &PositionView| if position.side == Side::Buy { position.qty } else { -position.qty };
        positions.map(|one| (format!("{} {}", one.line.as_str(), one.symbol), size(&one))).collect()
    }

    /// Returns the balance in USDT.
    pub(crate) fn balance(&self, family: Family) -> Option<Decimal> {
        let local = &self.inner.local;
        local.account(local.keys(), of_exchange(family)).balances.get("USDT").map(|balance| balance.total)
    }

    /// Replaces the nodes behind the address, unless the exchange is calm.
    pub(crate) fn set_nodes(&self, nodes: &[Node]) {
        if self.is_calm() {
            return;
        }
        let mut conditions = self.inner.local.conditions();
        conditions.hostility.iter_mut().for_each(|hostility| hostility.nodes = nodes.to_vec());
        self.inner.local.set_conditions(conditions);
    }

    /// Attributes cancellations to the request that cancels all orders, while that is under way.
    pub(crate) fn sweep(&self, is_under_way: bool) {
        let Inner { local, settings, state, .. } = &*self.inner;
        local.advance_to(Timestamp::from_millis(settings.clock.now()));
        let mut state = lock(state);
        state.truth.follow(local);
        state.truth.sweep(is_under_way);
    }

    /// Returns the open orders and the positions, but not the order with a client id.
    pub(crate) fn left_beside(&self, client_id: Option<&str>) -> Vec<String> {
        let is_other = |order: &(String, Option<String>)| client_id.is_none() || order.1.as_deref() != client_id;
        let orders = self.open_orders().into_iter().filter(is_other).map(|(id, _)| format!("order {id}"));
        let positions = [Family::Classic, Family::Unified].map(|family| self.position_sizes(family));
        orders.chain(positions.into_iter().flatten().map(|(name, size)| format!("{size} of {name}"))).collect()
    }

    /// Has others fill one open order or a part of it, if there is one.
    pub(crate) fn fill_one(&self, dice: &mut Dice) -> bool {
        let Inner { local, settings, state, .. } = &*self.inner;
        local.advance_to(Timestamp::from_millis(settings.clock.now()));
        let open: Vec<_> =
            FAMILIES.into_iter().flat_map(|family| local.account(local.keys(), family).open_orders).collect();
        if open.is_empty() {
            return false;
        }
        let order = &open[usize::try_from(dice.below(open.len() as u64)).unwrap_or_default()];
        let rest = order.qty - order.filled;
        let part = if dice.percent(50) { rest } else { (rest / Decimal::TWO).round_dp(3) };
        let mut state = lock(state);
        let is_filled = local.fill(&order.id, part).is_ok();
        state.truth.follow(local);
        is_filled
    }

    /// Has others fill the order with a client id.
    pub(crate) fn fill(&self, client_id: &str) {
        let Inner { local, state, .. } = &*self.inner;
        let open = FAMILIES.into_iter().flat_map(|family| local.account(local.keys(), family).open_orders);
        for order in open.filter(|order| order.client_id.as_deref() == Some(client_id)).collect::<Vec<_>>() {
            // An order that has ended meanwhile is not filled.
            let _ = local.fill(&order.id, order.qty - order.filled);
        }
        lock(state).truth.follow(local);
    }

    /// Opens an account of another user, and returns the keys.
    pub(crate) fn open_account(&self) -> Keys {
        self.inner.local.open_account(Profile::new().both().balance("USDT", BALANCE))
    }

    /// Advances the exchange until everything it has accepted is done, and returns what it did.
    pub(crate) fn close(&self) -> (GroundTruth, Counts) {
        let Inner { local, settings, state, .. } = &*self.inner;
        let end = settings.clock.now() + MAX_EFFECT_DELAY.as_millis() as u64;
        local.advance_to(Timestamp::from_millis(end));
        lock(state).truth.follow(local);
        let counts = self.counts();
        (std::mem::take(&mut lock(state).truth), counts)
    }
}

impl Inner {
    fn deliver(&self, request: &http::Request<Bytes>, connection: usize, is_counted: bool) -> Delivery {
        let Self { local, settings, state, .. } = self;
        // The events of a request are recorded before the next one.
        let mut state = lock(state);
        if is_counted && let Some(operation) = Operation::find(request.method().as_str(), request.uri().path()) {
            let arrivals = state.arrivals.entry((operation.family, operation.name)).or_default();
            arrivals.0.note(settings.clock.real());
            arrivals.1 = operation.per_second;
        }
        if state.connections.insert(connection) && !settings.profile.first_delay.is_zero() {
            state.late_first += 1;
        }
        let now = Timestamp::from_millis(settings.clock.now());
        let delivery = local.deliver_at(now, request, IpAddr::V4(Ipv4Addr::LOCALHOST));
        state.truth.follow(local);
        match settings.profile.keep_alive().and_then(|keep_alive| HeaderValue::try_from(keep_alive).ok()) {
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
        counts.cover(Situation::RefusedDuplicateId, times(DUPLICATE));
        counts.cover(Situation::DuplicateId, state.truth.duplicate_ids());
        counts.cover(Situation::LateFirstRequest, state.late_first);
        let is_unknowable = |rule: &str| UNKNOWABLE.iter().any(|part| rule.contains(part));
        counts.refused.extend(violations.into_keys().filter(|rule| !is_unknowable(rule)));
        counts
    }
}

const FAMILIES: [LocalFamily; 2] = [LocalFamily::Classic, LocalFamily::Unified];

fn of_exchange(family: Family) -> LocalFamily {
    match family {
        Family::Classic => LocalFamily::Classic,
        Family::Unified => LocalFamily::Unified,
    }
}

/// Rules broken by requests that arrive too late, and by orders whose id was used before.
const STALE: &str = "timestamp";
const DUPLICATE: &str = "duplicate";

/// Parts of rules that a client may break unknowingly, because it cannot see other participants and earlier requests.
const UNKNOWABLE: [&str; 7] =
    [STALE, DUPLICATE, "no-such-order", "not-open", "new-limit-orders-only", "not-below-filled", "no-position"];

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

/// Opens a position that reversals can turn, and places an order of another program, before any fault.
fn open_position(local: &Local) {
    let size = tradeapi::Decimal::from(POSITION);
    let order = Order { size: size.clone(), ..Order::new(Family::Classic, "position") };
    let client = local.client_of(local.keys()).limiter(Arc::<InProcessLimits>::default()).build();
    let client = client.expect("the settings of the exchange's client are valid");
    let placed = client.core().call(&orders::classic_order(&order)).now_or_never();
    placed.expect("the exchange answers at once").expect("the order is taken");
    local.fill("position", size).expect("the order waits");
    let other = Order::new(Family::Unified, &format!("{OF_OTHERS}1"));
    let placed = client.core().call(&orders::unified_order(&other)).now_or_never();
    placed.expect("the exchange answers at once").expect("the order is taken");
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

/// Converts a delivery into an answer of the scripted server.
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

/// Locks the state, also if the lock is poisoned, because a panic fails the campaign anyway.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
