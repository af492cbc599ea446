//! A simulated network between a client and an exchange: connections that take time, rest, break and lose what is on them.
//!
//! A request that has left arrives whether or not its caller still waits, at most once, and no later than a second after
//! its caller gave it up, which is the default of the limiter.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tradeapi::runtime::error::{Delivery as Sent, TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{ResponseFuture, RoundTrip, Transport, TransportLimits};
use tradeapi_exchange::{Behind, Delivered, Delivery};
use tradeapi_tests::dice::Dice;

use self::answers::{DeliveryLine, code, failed, is_distinct_from, lost, read, response, timed_out};
use self::slot::{Caller, Slot};
use super::time::Time;
use crate::account::CALL;
use crate::codes::{Proof, proof};
use crate::counts::Reached;
use crate::exchange::Exchange;
use crate::ledger::Ledger;
use crate::line::Line;
use crate::operation::{Deed, Operation};

mod answers;
mod slot;

/// How long anything takes in one direction at most, but for a quarter.
const LONGEST_WAY: Duration = Duration::from_millis(40);

/// How many bytes of an answer that comes in pieces come at once.
const PIECE: u64 = 64;

/// What goes wrong on the way of a request and of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    None,
    /// The request is lost, and the connection breaks.
    Request,
    /// The request is lost without an error.
    RequestInSilence,
    /// The request arrives, and the answer is lost with the connection.
    Answer,
    /// The request arrives, and the answer is lost without a word.
    AnswerInSilence,
    /// The request takes longer than those after it.
    LateRequest,
    /// The answer takes longer than those after it.
    LateAnswer,
    /// No connection comes about.
    NoConnection,
    /// A node on the way sends the request to the exchange twice, and the client gets the second answer.
    Twice,
}

const LOSSES: [(Loss, u64); 8] = [
    (Loss::Request, 3),
    (Loss::RequestInSilence, 2),
    (Loss::Answer, 3),
    (Loss::AnswerInSilence, 2),
    (Loss::LateRequest, 4),
    (Loss::LateAnswer, 4),
    (Loss::NoConnection, 2),
    (Loss::Twice, 2),
];

/// A network with one client and one exchange. Clones are the same network.
#[derive(Clone)]
pub(super) struct Network(Arc<Inner>);

/// What a network is like.
pub(super) struct Way {
    pub(super) line: Line,
    /// With how many of a hundred requests something goes wrong.
    pub(super) losses: u64,
    pub(super) seed: u64,
    /// Whether the exchange makes one order of a request that comes twice.
    pub(super) refuses_duplicates: bool,
    /// The only requests with which something goes wrong, if they are given.
    pub(super) only: Option<Arc<BTreeSet<String>>>,
}

struct Inner {
    time: Time,
    exchange: Arc<Exchange>,
    line: Line,
    /// How long anything takes in each direction, at least and at most.
    latency: (Duration, Duration),
    seed: u64,
    /// With how many of a hundred requests something goes wrong.
    losses: u64,
    refuses_duplicates: bool,
    /// The only requests with which something goes wrong, if they are given.
    only: Option<Arc<BTreeSet<String>>>,
    ledger: Ledger,
    limits: TransportLimits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The connections that are kept, the latest last.
    kept: Vec<Connection>,
    connections: usize,
    /// Until when the exchange is away, and how often it went.
    away_until: Duration,
    outages: u64,
    /// How often each request was seen.
    seen: HashMap<u64, u64>,
    /// The requests with which something went wrong.
    hit: BTreeSet<String>,
}

#[derive(Debug)]
struct Connection {
    number: usize,
    made: Duration,
    /// How many requests went over it.
    requests: u64,
    /// How many outages there had been when it was made.
    outages: u64,
    /// When the client closes it.
    expires: Duration,
    /// When the exchange closes it.
    closes: Option<Duration>,
    /// What the exchange sends unasked if nothing comes until then, and when that arrives.
    behind: Option<(Duration, Duration, Bytes)>,
}

/// A request on its way.
struct Flight {
    request: http::Request<Bytes>,
    connection: Connection,
    loss: Loss,
    sent: Duration,
    back: Duration,
    slot: Slot,
}

impl Network {
    pub(super) fn new(time: &Time, exchange: &Arc<Exchange>, way: Way, ledger: Ledger) -> Self {
        let Way { line, losses, seed, refuses_duplicates, only } = way;
        let mut dice = Dice::new(seed, "latency");
        // Who closes a connection sooner than a request takes to come over it hears of none but the first.
        let most = line.idle.map_or(LONGEST_WAY, |idle| LONGEST_WAY.min(idle / 4)).as_micros() as u64;
        let least = Duration::from_micros(200 + dice.below(most));
        let latency = (least, least + Duration::from_micros(dice.below(most / 4)));
        let (time, exchange, limits) = (time.clone(), Arc::clone(exchange), TransportLimits::default());
        let state = Mutex::default();
        Self(Arc::new(Inner {
            time,
            exchange,
            line,
            latency,
            seed,
            losses,
            refuses_duplicates,
            only,
            ledger,
            limits,
            state,
        }))
    }

    /// Sends a request on its way.
    fn begin(&self, request: &http::Request<Bytes>, slot: &Slot) {
        let Inner { time, ledger, .. } = &*self.0;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let operation = Operation::find(request.method().as_str(), request.uri().path());
        let (name, mut dice) = self.dice(target, request.body());
        let is_spared = self.0.only.as_ref().is_some_and(|only| !only.contains(&name));
        let losses = if self.0.exchange.is_calm() { 0 } else { self.0.losses };
        let mut loss = if dice.percent(losses) { dice.weighted(&LOSSES) } else { Loss::None };
        if is_spared || loss == Loss::Twice && !self.can_come_twice(operation, request.body()) {
            loss = Loss::None;
        }
        if loss != Loss::None {
            self.state().hit.insert(name);
        }
        let now = time.now();
        let (there, back) = (self.latency(&mut dice), self.latency(&mut dice));
        if loss == Loss::NoConnection || self.state().away_until > now {
            ledger.reach(Reached::NotConnected);
            let error = failed(TransportErrorKind::Connect, Sent::NotSent);
            return self.end(slot, now + there + back, Err(error), None);
        }
        let (mut connection, sent) = match self.kept(now, back) {
            Some(kept) => (kept, now),
            None => (self.connect(now), now + there + back),
        };
        let slot_at_deadline = slot.clone();
        time.at(now + CALL, move || slot_at_deadline.end(timed_out(), None));
        let line = self.0.line;
        let first = if connection.requests == 0 { line.first } else { Duration::ZERO };
        let jitter = Duration::from_micros(dice.below(line.jitter.as_micros() as u64 + 1));
        let late = match loss {
            Loss::LateRequest => Duration::from_millis(100 + dice.below(400)),
            _ => Duration::ZERO,
        };
        let arrives = sent + there + first + jitter + late;
        let back = match loss {
            Loss::LateAnswer => back + Duration::from_millis(100 + dice.below(3_000)),
            _ => back,
        };
        if connection.closes.is_some_and(|closes| closes <= arrives) {
            ledger.reach(Reached::ClosedUnderWay);
            return self.end(slot, arrives + back, Err(lost()), None);
        }
        if let Some((unless_before, seen, bytes)) = connection.behind.take()
            && arrives > unless_before
            && sent < seen
        {
            // It left before the client could see the unsolicited bytes, and gets them for an answer.
            if is_distinct_from(operation, request.body(), &bytes) {
                ledger.reach(Reached::TakenForAnother);
                self.end(slot, seen, read(&bytes), None);
                // A client counts an answered request as arrived, so this one must not arrive later.
                if arrives > seen {
                    return;
                }
            } else {
                self.end(slot, seen, Err(lost()), None);
            }
        }
        connection.requests += 1;
        let request = request.clone();
        let flight = Flight { request, connection, loss, sent, back, slot: slot.clone() };
        let network = self.clone();
        time.at(arrives, move || network.arrive(flight));
    }

    /// What the exchange makes of a request that has arrived.
    fn arrive(&self, flight: Flight) {
        let Inner { time, ledger, line, .. } = &*self.0;
        let now = time.now();
        let Flight { request, mut connection, loss, sent, back, slot } = flight;
        if self.state().away_until > now || connection.outages < self.state().outages {
            ledger.reach(Reached::CutOff);
            return self.end(&slot, now + back, Err(lost()), None);
        }
        if matches!(loss, Loss::Request | Loss::RequestInSilence) {
            ledger.reach(Reached::RequestLost);
            time.trace(format_args!("lost {}", RequestLine(&request)));
            if loss == Loss::Request {
                self.end(&slot, now + back, Err(lost()), None);
            }
            return;
        }
        let reached = match loss {
            Loss::LateRequest => Some(Reached::RequestDelayed),
            Loss::LateAnswer => Some(Reached::AnswerDelayed),
            Loss::Answer | Loss::AnswerInSilence => Some(Reached::AnswerLost),
            Loss::Twice => Some(Reached::Repeated),
            _ => None,
        };
        reached.into_iter().for_each(|reached| ledger.reach(reached));
        let delivery = self.serve(&request, connection.number, loss);
        time.trace(format_args!("{} -> {}", RequestLine(&request), DeliveryLine(&delivery)));
        let trip = (connection.requests > 1).then_some(now + back - sent);
        match loss {
            Loss::Answer => return self.end(&slot, now + back, Err(lost()), None),
            Loss::AnswerInSilence => return,
            _ => {}
        }
        let Delivery { delivered, behind, .. } = delivery;
        let (answer, announced, pieces_take, closes) = match delivered {
            Delivered::Whole(answer) => (answer, None, Duration::ZERO, None),
            Delivered::Misstated(answer, announced) => (answer, Some(announced), Duration::ZERO, None),
            Delivered::Last(answer) => (answer, None, Duration::ZERO, Some(now)),
            Delivered::Slow(answer, pause) => {
                let pieces = (answer.body().len() as u64 + 200).div_ceil(PIECE);
                (answer, None, pause * u32::try_from(pieces).unwrap_or(u32::MAX), None)
            }
            Delivered::Outage(lasts) => {
                let mut state = self.state();
                (state.away_until, state.outages) = (now + lasts, state.outages + 1);
                drop(state);
                return self.end(&slot, now + back, Err(lost()), None);
            }
            // Nothing comes until the client has waited for long enough.
            Delivered::Hang => return,
            _ => return self.end(&slot, now + back, Err(lost()), None),
        };
        let whole = answer.body().len();
        let announced = announced.unwrap_or(whole);
        let is_clean = announced == whole && !self.has_behind(behind.as_ref());
        if announced > whole {
            return;
        }
        let answer = response(answer, announced);
        let (done, arrives) = (now + pieces_take, now + pieces_take + back);
        connection.closes = closes.or(line.idle.map(|idle| done + idle));
        connection.behind = behind
            .filter(|behind| !behind.pause.is_zero())
            .map(|Behind { bytes, pause }| (done + pause, done + pause + self.0.latency.0, bytes));
        let rests = self.0.limits.idle.min(self.announced().unwrap_or(self.0.limits.idle));
        let network = self.clone();
        time.at(arrives, move || {
            // A response with a head that is not read breaks its connection, and so does one that no call waits for.
            if slot.is_awaited() && answer.is_ok() && is_clean {
                connection.expires = (arrives + rests).min(connection.made + network.0.limits.age);
                network.state().kept.push(connection);
            }
            slot.end(answer, trip);
        });
    }

    /// What the exchange answers.
    fn serve(&self, request: &http::Request<Bytes>, connection: usize, loss: Loss) -> Delivery {
        let exchange = &self.0.exchange;
        let first = exchange.deliver(request, connection);
        let operation = Operation::find(request.method().as_str(), request.uri().path());
        let is_read = operation.is_some_and(Operation::reads);
        // A change that was refused once must not be made the second time, nor one that was made be refused for anything
        // but its id.
        if loss != Loss::Twice || !is_read && code(&first.delivered).as_deref() != Some("00000") {
            return first;
        }
        let second = exchange.deliver_again(request, connection);
        let is_of_duplicate = || code(&second.delivered).as_deref().and_then(proof) == Some(Proof::DuplicateId);
        if is_read || is_of_duplicate() { second } else { first }
    }

    /// Whether something comes behind an answer at once, which the client sees before it sends the next request.
    fn has_behind(&self, behind: Option<&Behind>) -> bool {
        if behind.is_some() {
            self.0.ledger.reach(Reached::Unsolicited);
        }
        behind.is_some_and(|behind| behind.pause.is_zero())
    }

    /// How long a connection is kept for which the exchange stated how long it may rest.
    fn announced(&self) -> Option<Duration> {
        let line = self.0.line;
        line.idle.filter(|_| line.tells_idle).map(|idle| Duration::from_secs(idle.as_secs()) * 3 / 4)
    }

    /// The latest connection that is open as far as the client can see.
    fn kept(&self, now: Duration, back: Duration) -> Option<Connection> {
        let mut state = self.state();
        while let Some(connection) = state.kept.pop() {
            let is_seen_closed = connection.closes.is_some_and(|closes| closes + back <= now);
            let is_cut = connection.outages < state.outages;
            let is_dirty = connection.behind.as_ref().is_some_and(|(_, seen, _)| *seen <= now);
            if is_seen_closed {
                self.0.ledger.reach(Reached::IdleClose);
            } else if connection.expires > now && !is_cut && !is_dirty {
                return Some(connection);
            }
        }
        None
    }

    fn connect(&self, now: Duration) -> Connection {
        let mut state = self.state();
        state.connections += 1;
        Connection {
            number: state.connections,
            made: now,
            requests: 0,
            outages: state.outages,
            expires: now,
            closes: None,
            behind: None,
        }
    }

    /// What goes wrong with a request follows from what it says and how often it was said.
    fn dice(&self, target: &str, body: &[u8]) -> (String, Dice) {
        let text = String::from_utf8_lossy(body);
        let mut name = String::with_capacity(target.len() + text.len() + 4);
        name.extend([target, " ", &text]);
        let mut state = self.state();
        let times = state.seen.entry(Dice::new(0, &name).throw()).or_default();
        *times += 1;
        name.extend([" ", &times.to_string()]);
        let dice = Dice::new(self.0.seed, &name);
        (name, dice)
    }

    /// Whether a request has the same effect when it comes twice.
    fn can_come_twice(&self, operation: Option<&Operation>, body: &[u8]) -> bool {
        let Some(operation) = operation else { return false };
        let is_named = || serde_json::from_slice::<Value>(body).is_ok_and(|body| body["clientOid"].is_string());
        operation.reads()
            || operation.deed == Deed::Place && !operation.several && self.0.refuses_duplicates && is_named()
    }

    /// The requests with which something went wrong.
    pub(super) fn hit(&self) -> BTreeSet<String> {
        self.state().hit.clone()
    }

    fn latency(&self, dice: &mut Dice) -> Duration {
        let (least, most) = self.0.latency;
        least + Duration::from_micros(dice.below((most - least).as_micros() as u64 + 1))
    }

    fn end(
        &self,
        slot: &Slot,
        at: Duration,
        answer: Result<http::Response<Bytes>, TransportError>,
        trip: Option<Duration>,
    ) {
        let slot = slot.clone();
        self.0.time.at(at, move || slot.end(answer, trip));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in a trace.
struct RequestLine<'a>(&'a http::Request<Bytes>);

impl fmt::Display for RequestLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.uri(), String::from_utf8_lossy(self.0.body()))
    }
}

impl Transport for Network {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            let slot = Slot::default();
            self.begin(&request, &slot);
            Caller(slot).await.0
        })
    }

    fn send_timed<'a>(&'a self, request: http::Request<Bytes>, trip: &'a RoundTrip) -> ResponseFuture<'a> {
        Box::pin(async move {
            let slot = Slot::default();
            self.begin(&request, &slot);
            let (answer, measured) = Caller(slot).await;
            measured.into_iter().for_each(|measured| trip.set(measured));
            answer
        })
    }
}
