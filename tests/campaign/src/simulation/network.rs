//! A simulated network between a client and an exchange, with latency, idle time-outs, broken connections and faults.
//!
//! A request that was sent arrives even if its caller has dropped it, seconds later at times, and even if its caller has
//! taken another answer for its own. A client's limits assume that it arrives at most a second after that, or that nothing
//! sent later was answered since, so others are not counted against rates, unless the campaign goes beyond this assumption.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rustc_hash::{FxHashMap, FxHasher};
use tradeapi::runtime::error::{Delivery as Sent, TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{ResponseFuture, RoundTrip, Transport, TransportLimits};
use tradeapi_exchange::{Behind, Delivered, Delivery};
use tradeapi_tests::dice::Dice;

use self::answers::{
    DeliveryLine, Interruption, Transfer, code, failed, is_distinct_from, lost, read, refusal_of_repeat, response,
    timed_out, with_fewer_ids,
};
use self::connections::{Connection, Connections};
use self::faults::{NETWORK_FAULTS, NetworkFault, can_be_repeated, is_amended_or_cancelled};
use self::slot::{Caller, Slot};
use super::time::Time;
use crate::account::CALL;
use crate::assumptions::Assumption;
use crate::codes::{Proof, proof};
use crate::connections::ConnectionProfile;
use crate::counts::Situation;
use crate::exchange::Exchange;
use crate::ledger::Ledger;
use crate::operation::Operation;

mod answers;
mod connections;
mod faults;
mod slot;

/// The largest base latency of one direction; variation adds up to a quarter.
const MAX_LATENCY: Duration = Duration::from_millis(40);

/// The longest time by which a request may arrive after its caller gave it up, as limits assume.
const LATE_ARRIVAL: Duration = Duration::from_secs(1);

/// The longest time by which a request may arrive that no later one has overtaken, as limits assume.
const HELD_BACK: Duration = Duration::from_secs(15);

/// The greatest shortening of the way to the exchange from one call to the next, as limits assume.
const SHORTER: Duration = Duration::from_millis(35);

/// The shortest time after a request at which a proxy sends a copy, unless the campaign goes beyond that.
const COPIED_AFTER: Duration = Duration::from_millis(1_050);

/// The longest time for which a request is held back, and for which all messages are, in milliseconds.
const HELD: u64 = 24_000;
const STALLED: u64 = 6_000;

/// A network with one client and one exchange. Clones are the same network.
#[derive(Clone)]
pub(super) struct Network(Arc<Inner>);

/// The settings of a network.
pub(super) struct NetworkSettings {
    pub(super) profile: ConnectionProfile,
    /// The percentage of requests that are faulted.
    pub(super) faults: u64,
    pub(super) seed: u64,
    /// True if the exchange refuses a request that arrives twice.
    pub(super) refuses_duplicates: bool,
    /// The only requests that may be faulted, if given.
    pub(super) only: Option<Arc<BTreeSet<String>>>,
    /// True if the way of a request is as much longer as that of its answer is shorter.
    pub(super) opposes_ways: bool,
    /// The assumptions that do not hold.
    pub(super) beyond: BTreeSet<Assumption>,
}

struct Inner {
    time: Time,
    exchange: Arc<Exchange>,
    profile: ConnectionProfile,
    /// The smallest and the largest latency of one direction.
    latency: (Duration, Duration),
    seed: u64,
    /// The percentage of requests that are faulted.
    faults: u64,
    refuses_duplicates: bool,
    /// The only requests that may be faulted, if given.
    only: Option<Arc<BTreeSet<String>>>,
    opposes_ways: bool,
    beyond: BTreeSet<Assumption>,
    ledger: Ledger,
    limits: TransportLimits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connections: Connections,
    /// The end of the current outage.
    outage_ends: Duration,
    /// The end of the current stall.
    stall_ends: Duration,
    /// When requests were begun that were answered, and when their answers came.
    answered: Vec<(Duration, Duration)>,
    /// The number of times that each request was sent.
    seen: FxHashMap<u64, u64>,
    /// The requests that were faulted.
    faulted: BTreeSet<String>,
}

/// A request in flight.
struct Flight {
    request: http::Request<Bytes>,
    connection: Connection,
    fault: NetworkFault,
    /// When its caller began it, and when it was sent, over a new connection later.
    begun: Duration,
    sent: Duration,
    back: Duration,
    slot: Slot,
}

impl Network {
    pub(super) fn new(time: &Time, exchange: &Arc<Exchange>, settings: NetworkSettings, ledger: Ledger) -> Self {
        let NetworkSettings { profile, faults, seed, refuses_duplicates, only, opposes_ways, beyond } = settings;
        let mut dice = Dice::new(seed, "latency");
        // With a latency above the idle time-out, no request but the first would ever arrive.
        let most = profile.idle_timeout.map_or(MAX_LATENCY, |idle| MAX_LATENCY.min(idle / 4)).as_micros() as u64;
        let least = Duration::from_micros(200 + dice.below(most));
        let latency = (least, least + Duration::from_micros(dice.below(most / 4)));
        let (time, exchange, limits) = (time.clone(), Arc::clone(exchange), TransportLimits::default());
        let state = Mutex::default();
        Self(Arc::new(Inner {
            time,
            exchange,
            profile,
            latency,
            seed,
            faults,
            refuses_duplicates,
            only,
            opposes_ways,
            beyond,
            ledger,
            limits,
            state,
        }))
    }

    /// Sends a request.
    fn begin(&self, request: http::Request<Bytes>, slot: &Slot) {
        let Inner { time, ledger, profile, .. } = &*self.0;
        let operation = Operation::find(request.method().as_str(), request.uri().path());
        let (fault, mut dice) = self.fault_of(&request, operation);
        let now = time.now();
        let (there, back) = self.ways(&mut dice);
        if fault == NetworkFault::NotConnected || self.state().outage_ends > now {
            ledger.cover(Situation::NotConnected);
            let error = failed(TransportErrorKind::Connect, Sent::NotSent);
            return self.end(slot, now + there + back, Err(error), None);
        }
        let pooled = self.state().connections.take(now, back, ledger);
        let (mut connection, sent) = match pooled {
            Some(pooled) => (pooled, now),
            None => (self.state().connections.make(now), now + there + back),
        };
        let slot_at_deadline = slot.clone();
        time.at(now + CALL, move || slot_at_deadline.end(now + CALL, timed_out(), None));
        let first = if connection.requests == 0 { profile.first_delay } else { Duration::ZERO };
        let arrives = self.arrival(sent + there + first, fault, &mut dice);
        let back = match fault {
            NetworkFault::AnswerDelayed => back + Duration::from_millis(100 + dice.below(3_000)),
            _ => back,
        };
        if connection.closes.is_some_and(|closes| closes <= arrives) {
            ledger.cover(Situation::ClosedUnderWay);
            return self.end(slot, arrives + back, Err(lost()), None);
        }
        if let Some((unless_before, seen, bytes)) = connection.unsolicited.take()
            && arrives > unless_before
            && sent < seen
        {
            // The request was sent before the client saw the unsolicited bytes, which it takes for the answer.
            match self.foreign(operation, request.body(), &bytes, &mut dice) {
                Some(foreign) => {
                    ledger.cover(Situation::TakenForAnother);
                    self.end(slot, seen, Ok(foreign), None);
                }
                None => self.end(slot, seen, Err(lost()), None),
            }
        }
        connection.requests += 1;
        let flight = Flight { request, connection, fault, begun: now, sent, back, slot: slot.clone() };
        let network = self.clone();
        time.at(arrives, move || network.arrive(flight));
    }

    /// Returns the fault of a request, and its other random choices.
    fn fault_of(&self, request: &http::Request<Bytes>, operation: Option<&Operation>) -> (NetworkFault, Dice) {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let (times, mut dice) = self.dice(target, request.body());
        let name = || format!("{target} {} {times}", String::from_utf8_lossy(request.body()));
        let is_spared = self.0.only.as_ref().is_some_and(|only| !only.contains(&name()));
        let faults = if self.0.exchange.is_calm() { 0 } else { self.0.faults };
        let mut fault = if dice.percent(faults) { dice.weighted(&NETWORK_FAULTS) } else { NetworkFault::None };
        if is_spared || fault == NetworkFault::Repeated && !can_be_repeated(operation, request.body()) {
            fault = NetworkFault::None;
        }
        if fault != NetworkFault::None {
            self.state().faulted.insert(name());
        }
        (fault, dice)
    }

    /// Returns when a request arrives that is due at a time unless it is delayed.
    fn arrival(&self, due: Duration, fault: NetworkFault, dice: &mut Dice) -> Duration {
        let jitter = Duration::from_micros(dice.below(self.0.profile.jitter.as_micros() as u64 + 1));
        let late = match fault {
            NetworkFault::RequestDelayed => Duration::from_millis(100 + dice.below(400)),
            NetworkFault::RequestHeld => Duration::from_millis(1_000 + dice.below(HELD - 1_000)),
            _ => Duration::ZERO,
        };
        if fault == NetworkFault::Stall {
            self.0.ledger.cover(Situation::Stalled);
            let longest = if self.0.beyond.contains(&Assumption::Flight) { HELD } else { STALLED };
            self.state().stall_ends = self.0.time.now() + Duration::from_millis(500 + dice.below(longest - 500));
        }
        let released = self.state().stall_ends + Duration::from_micros(dice.below(3_000));
        (due + jitter + late).max(released)
    }

    /// Serves a request that has arrived, and sends the answer.
    fn arrive(&self, flight: Flight) {
        let Inner { time, ledger, .. } = &*self.0;
        let Flight { request, connection, fault, begun, back, slot, .. } = &flight;
        let lost_at = time.now() + *back;
        let is_cut_off = {
            let state = self.state();
            state.outage_ends > time.now() || state.connections.are_cut_since(connection)
        };
        if is_cut_off {
            ledger.cover(Situation::CutOff);
            return self.end(slot, lost_at, Err(lost()), None);
        }
        if matches!(fault, NetworkFault::RequestLost | NetworkFault::RequestLostSilently) {
            ledger.cover(Situation::RequestLost);
            time.trace(format_args!("lost {}", RequestLine(request)));
            if *fault == NetworkFault::RequestLost {
                self.end(slot, lost_at, Err(lost()), None);
            }
            return;
        }
        fault.shown_by(request).into_iter().for_each(|shown| ledger.cover(shown));
        let delivery = self.serve(request, connection, *fault, self.is_counted(slot, *begun));
        time.trace(format_args!("{} -> {}", RequestLine(request), DeliveryLine(&delivery)));
        match fault {
            NetworkFault::AnswerLost => self.end(slot, lost_at, Err(lost()), None),
            NetworkFault::AnswerLostSilently => {}
            _ => self.answer(flight, delivery),
        }
    }

    /// Sends the answer to a request that has arrived now.
    fn answer(&self, flight: Flight, delivery: Delivery) {
        let Inner { time, profile, limits, latency: (shortest, _), .. } = &*self.0;
        let now = time.now();
        let Flight { mut connection, begun, sent, back, slot, .. } = flight;
        let Delivery { delivered, behind, latency, .. } = delivery;
        let trip = (connection.requests > 1).then_some(now + back - sent + latency);
        let back = back + latency;
        let Transfer { answer, announced, takes, closes } = match Transfer::of(delivered) {
            Ok(transfer) => transfer,
            // The client runs into its time-out.
            Err(Interruption::Hang) => return,
            Err(interruption) => {
                if let Interruption::Outage(lasts) = interruption {
                    let mut state = self.state();
                    state.outage_ends = now + lasts;
                    state.connections.cut();
                }
                return self.end(&slot, now + back, Err(lost()), None);
            }
        };
        let whole = answer.body().len();
        let is_clean = announced == whole && !self.has_behind(behind.as_ref());
        if announced > whole {
            return;
        }
        let answer = response(answer, announced);
        let (done, arrives) = (now + takes, (now + takes + back).max(self.state().stall_ends));
        connection.closes = if closes { Some(now) } else { profile.idle_timeout.map(|idle| done + idle) };
        connection.unsolicited = behind
            .filter(|behind| !behind.pause.is_zero())
            .map(|Behind { bytes, pause }| (done + pause, done + pause + *shortest, bytes));
        let rests = limits.idle.min(profile.announced_idle().unwrap_or(limits.idle));
        let network = self.clone();
        time.at(arrives, move || {
            // An unreadable head closes the connection, and so does an answer that no call waits for.
            if slot.is_awaited() && answer.is_ok() {
                network.state().answered.push((begun, arrives));
                if is_clean {
                    connection.expires = (arrives + rests).min(connection.made + network.0.limits.age);
                    network.state().connections.keep(connection);
                }
            }
            slot.end(arrives, answer, trip);
        });
    }

    /// Returns whether a request that arrives now counts against rates.
    fn is_counted(&self, slot: &Slot, begun: Duration) -> bool {
        let Inner { time, ledger, beyond, .. } = &*self.0;
        let Some(over) = slot.over() else { return true };
        let is_late = time.now() > over.at + LATE_ARRIVAL;
        let is_held_back = || time.now() <= begun + HELD_BACK && !self.is_overtaken(begun, time.now());
        let kinds = [(is_late, Situation::ArrivedLate), (over.is_answered, Situation::ArrivedAfterAnswer)];
        kinds.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| ledger.cover(what));
        beyond.contains(&Assumption::Flight) || !over.is_answered && (!is_late || is_held_back())
    }

    /// Returns whether something that was begun later than a request was answered more than a moment ago.
    fn is_overtaken(&self, begun: Duration, now: Duration) -> bool {
        self.state().answered.iter().any(|(later, answered)| *later > begun && *answered + LATE_ARRIVAL < now)
    }

    /// Returns the answer of the exchange.
    fn serve(
        &self,
        request: &http::Request<Bytes>,
        connection: &Connection,
        fault: NetworkFault,
        is_counted: bool,
    ) -> Delivery {
        let exchange = &self.0.exchange;
        let deliver = |is_counted| exchange.deliver(request, connection.number, is_counted);
        let first = deliver(is_counted);
        let operation = Operation::find(request.method().as_str(), request.uri().path());
        let is_read = operation.is_some_and(Operation::reads);
        // A change that was refused the first time must not be done the second time. One that was done is refused: for its
        // id, or because the first one has used up what it needs.
        if fault != NetworkFault::Repeated || !is_read && code(&first.delivered).as_deref() != Some("00000") {
            return first;
        }
        if !is_read && self.0.beyond.contains(&Assumption::Duplicates) && !is_amended_or_cancelled(request) {
            let body: serde_json::Value = serde_json::from_slice(request.body()).unwrap_or_default();
            exchange.fill(body["clientOid"].as_str().unwrap_or_default());
            return deliver(false);
        }
        let mut dice = Dice::new(self.0.seed, &String::from_utf8_lossy(request.body()));
        let copies_at_once = self.0.beyond.contains(&Assumption::Repeats);
        let has_no_id = !self.0.refuses_duplicates || is_amended_or_cancelled(request);
        if !is_read && (copies_at_once || has_no_id || dice.percent(50)) {
            let mut second = first;
            if !copies_at_once {
                second.latency += COPIED_AFTER + Duration::from_millis(dice.below(400));
            }
            second.delivered = Delivered::Whole(refusal_of_repeat(&mut dice));
            return second;
        }
        // The second request does not count against rates, because no client knows of it.
        let second = deliver(false);
        let is_of_duplicate = || code(&second.delivered).as_deref().and_then(proof) == Some(Proof::DuplicateId);
        if is_read || is_of_duplicate() { second } else { first }
    }

    /// Returns the answer to another request, as far as it is honest that a caller takes it for its own.
    fn foreign(
        &self,
        operation: Option<&Operation>,
        body: &[u8],
        bytes: &[u8],
        dice: &mut Dice,
    ) -> Option<http::Response<Bytes>> {
        if !is_distinct_from(operation, body, bytes) {
            return None;
        }
        if !operation.is_some_and(Operation::reads) && self.0.beyond.contains(&Assumption::Answers) {
            return Some(refusal_of_repeat(dice));
        }
        let answer = read(bytes).ok()?;
        Some(with_fewer_ids(answer, dice))
    }

    /// Returns whether unsolicited bytes directly follow an answer, so that the client sees them before its next
    /// request.
    fn has_behind(&self, behind: Option<&Behind>) -> bool {
        if behind.is_some() {
            self.0.ledger.cover(Situation::Unsolicited);
        }
        behind.is_some_and(|behind| behind.pause.is_zero())
    }

    /// Returns how often a request was sent, and its random choices, which follow from its content and from that.
    fn dice(&self, target: &str, body: &[u8]) -> (u64, Dice) {
        let mut hasher = FxHasher::default();
        hasher.write(target.as_bytes());
        hasher.write(body);
        let hash = hasher.finish();
        let mut state = self.state();
        let times = state.seen.entry(hash).or_default();
        *times += 1;
        hasher.write_u64(*times);
        (*times, Dice::of_hash(self.0.seed, hasher.finish()))
    }

    /// Returns the requests that were faulted.
    pub(super) fn faulted_requests(&self) -> BTreeSet<String> {
        self.state().faulted.clone()
    }

    /// Returns how long a request and its answer take. If one is as much longer as the other is shorter, the round trip
    /// shows nothing of it. Limits assume that the way there becomes shorter by no more than so much from one call to
    /// the next.
    fn ways(&self, dice: &mut Dice) -> (Duration, Duration) {
        let (there, back) = (self.latency(dice), self.latency(dice));
        if !self.0.opposes_ways {
            return (there, back);
        }
        self.0.ledger.cover(Situation::WaysOpposed);
        let both = self.0.latency.0 * 2;
        let there = Duration::from_micros(dice.below(both.min(SHORTER).as_micros() as u64 + 1));
        (there, both - there)
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
        self.0.time.at(at, move || slot.end(at, answer, trip));
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
            self.begin(request, &slot);
            Caller(slot, self.0.time.clone()).await.0
        })
    }

    fn send_timed<'a>(&'a self, request: http::Request<Bytes>, trip: &'a RoundTrip) -> ResponseFuture<'a> {
        Box::pin(async move {
            let slot = Slot::default();
            self.begin(request, &slot);
            let (answer, measured) = Caller(slot, self.0.time.clone()).await;
            measured.into_iter().for_each(|measured| trip.set(measured));
            answer
        })
    }
}
