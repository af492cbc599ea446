//! Deliberate faults of answers and connections, and conditions: latency, clocks, lagging listings, and maintenance.
//!
//! The core decides faults, and its callers carry them out: which part of an answer arrives and when, and the transport
//! or the server closes connections and waits. Faults follow from the content of requests, not from the order of
//! arrival.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde::{Deserialize, Serialize};
use tradeapi::Operation;
use tradeapi::runtime::tables::{CodeProof, Effect, Meta};
use tradeapi::unified::PlaceOrder;

use crate::state::dice::Dice;
use crate::state::hostile::fault::shows_value;
use crate::state::hostile::{Hostility, Node};
use crate::state::journal_entry::Delivered;
use crate::state::values::{MAX_DELAY, MAX_OFFSET, Named};

/// The kind of a fault.
///
/// In a setup it is a name, and where it has a code, a name with it: `drop`, or `{ refuse: '40762' }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Named", into = "Named")]
#[non_exhaustive]
pub enum FaultKind {
    /// The request is refused with this code and has no effect.
    Refuse(String),
    /// The request takes effect, and the answer has this code.
    Hide(String),
    /// The connection is closed before the request is handled.
    Drop,
    /// The request takes effect, and the connection is closed without an answer.
    Lose,
    /// The request takes effect, and the connection is closed in the middle of the answer.
    Cut,
    /// The request takes effect, and the answer is a status of success without a body.
    Empty,
    /// A proxy answers with status 502, and the request has no effect.
    Gateway,
    /// The request takes effect, and a proxy answers with status 504.
    LateGateway,
    /// The answer is late by the delay of the fault.
    Slow,
    /// The request sets something, and the answer shows the value of before: a machine that lags gives it.
    Outdated,
    /// The request sets nothing, and the answer shows the value that there is: another request came first or afterwards.
    Kept,
    /// A random one of those that any request can have, without [`Empty`](Self::Empty). Its code is one after which the documents leave the outcome
    /// open.
    Any,
}

/// The value that the answer to a request shows which sets something, where it is not the one that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownValue {
    /// The value of before; the request takes effect.
    Outdated,
    /// The value of before, which stays.
    Kept,
}

impl TryFrom<Named> for FaultKind {
    type Error = String;

    fn try_from(Named { name, text }: Named) -> Result<Self, String> {
        Self::named(&name, text.as_deref())
    }
}

impl From<FaultKind> for Named {
    fn from(kind: FaultKind) -> Self {
        let (name, code) = kind.name();
        Self { name: name.to_owned(), text: code.map(str::to_owned) }
    }
}

/// Returns a random code after which the documents leave the outcome open.
fn open_code(dice: &mut Dice) -> String {
    let open = PlaceOrder::META.errors.iter().filter(|error| error.proves == CodeProof::Unknown);
    let codes: Vec<&str> = open.map(|error| error.code).collect();
    let index = dice.below(u64::try_from(codes.len()).unwrap_or(1));
    usize::try_from(index).ok().and_then(|index| codes.get(index)).copied().unwrap_or_default().to_owned()
}

impl FaultKind {
    /// Returns the kind with this name.
    ///
    /// # Errors
    ///
    /// There is none, `refuse` or `hide` has no code, or another kind has one.
    pub(crate) fn named(name: &str, code: Option<&str>) -> Result<Self, String> {
        let kind = match (name, code) {
            ("refuse", Some(code)) => return Ok(Self::Refuse(code.to_owned())),
            ("hide", Some(code)) => return Ok(Self::Hide(code.to_owned())),
            ("refuse" | "hide", None) => return Err(format!("missing code: {name} needs one, such as 40762")),
            ("drop", _) => Self::Drop,
            ("lose", _) => Self::Lose,
            ("cut", _) => Self::Cut,
            ("empty", _) => Self::Empty,
            ("gateway", _) => Self::Gateway,
            ("late-gateway", _) => Self::LateGateway,
            ("slow", _) => Self::Slow,
            ("outdated", _) => Self::Outdated,
            ("kept", _) => Self::Kept,
            ("any", _) => Self::Any,
            _ => {
                return Err(format!(
                    "invalid kind {name:?}: expected refuse, hide, drop, lose, cut, empty, gateway, late-gateway, slow, \
                     outdated, kept or any"
                ));
            }
        };
        if code.is_some() { Err(format!("code beside kind {name}: it means nothing there")) } else { Ok(kind) }
    }

    /// Returns the name, and the code if there is one.
    pub(crate) fn name(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Refuse(code) => ("refuse", Some(code)),
            Self::Hide(code) => ("hide", Some(code)),
            Self::Drop => ("drop", None),
            Self::Lose => ("lose", None),
            Self::Cut => ("cut", None),
            Self::Empty => ("empty", None),
            Self::Gateway => ("gateway", None),
            Self::LateGateway => ("late-gateway", None),
            Self::Slow => ("slow", None),
            Self::Outdated => ("outdated", None),
            Self::Kept => ("kept", None),
            Self::Any => ("any", None),
        }
    }

    /// Replaces [`Any`](Self::Any) by a random kind.
    fn resolved(self, dice: &mut Dice) -> Self {
        if self != Self::Any {
            return self;
        }
        let open = open_code(dice);
        match dice.below(8) {
            0 => Self::Refuse(open),
            1 => Self::Hide(open),
            2 => Self::Drop,
            3 => Self::Lose,
            4 => Self::Cut,
            5 => Self::Gateway,
            6 => Self::LateGateway,
            _ => Self::Slow,
        }
    }

    /// Returns whether the request takes effect.
    pub(crate) fn takes_effect(&self) -> bool {
        !matches!(self, Self::Refuse(_) | Self::Drop | Self::Gateway)
    }

    /// Returns the value that the answer shows, if that is the fault.
    pub(crate) fn shown_value(&self) -> Option<ShownValue> {
        match self {
            Self::Outdated => Some(ShownValue::Outdated),
            Self::Kept => Some(ShownValue::Kept),
            _ => None,
        }
    }

    /// Returns how an answer is delivered.
    pub(crate) fn delivered(&self, answer: Response<Bytes>) -> Delivered {
        match self {
            Self::Drop | Self::Lose => Delivered::Nothing,
            Self::Cut => Delivered::Half(answer),
            Self::Empty => Delivered::Whole(Response::new(Bytes::new())),
            Self::Gateway => Delivered::Whole(proxy(StatusCode::BAD_GATEWAY)),
            Self::LateGateway => Delivered::Whole(proxy(StatusCode::GATEWAY_TIMEOUT)),
            Self::Refuse(_) | Self::Hide(_) | Self::Slow | Self::Outdated | Self::Kept | Self::Any => {
                Delivered::Whole(answer)
            }
        }
    }
}

/// Returns the error page of a proxy.
fn proxy(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(format!("<html><title>{status}</title></html>")));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    response
}

/// The requests that a fault applies to.
///
/// In a setup they are `changes`, `all`, or the id of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Named", into = "Named")]
#[non_exhaustive]
pub enum FaultTarget {
    /// Requests that change something.
    Changes,
    /// All requests.
    All,
    /// Requests of the operation with this id, such as `unified.place-order`.
    Operation(String),
}

impl FaultTarget {
    /// Returns the target with this name: `changes`, `all`, or the id of an operation.
    pub(crate) fn of(name: &str) -> Result<Self, String> {
        match name {
            "changes" => Ok(Self::Changes),
            "all" => Ok(Self::All),
            id if crate::state::words::all_operations().any(|meta| meta.id == id) => Ok(Self::Operation(id.to_owned())),
            id => Err(format!(
                "invalid aim {id:?}: expected changes, all, or the id of an operation such as unified.place-order"
            )),
        }
    }
}

/// A journal has the id as `{ operation: ID }`.
impl TryFrom<Named> for FaultTarget {
    type Error = String;

    fn try_from(Named { name, text }: Named) -> Result<Self, String> {
        match text {
            Some(id) if name == "operation" => Ok(Self::Operation(id)),
            _ => Self::of(&name),
        }
    }
}

impl From<FaultTarget> for Named {
    fn from(target: FaultTarget) -> Self {
        let (name, text) = match target {
            FaultTarget::Changes => ("changes", None),
            FaultTarget::All => ("all", None),
            FaultTarget::Operation(id) => ("operation", Some(id)),
        };
        Self { name: name.to_owned(), text }
    }
}

/// A fault: its kind, the requests that it applies to, how often it occurs, and a delay.
///
/// ```
/// use std::time::Duration;
/// use tradeapi_exchange::{Exchange, Fault, FaultKind, FaultTarget, Seed};
///
/// let exchange = Exchange::new(Seed(7));
/// let placements = FaultTarget::Operation("unified.place-order".into());
/// exchange.add_fault(Fault::new(FaultKind::Lose).target(placements).times(2));
/// let any = Fault::new(FaultKind::Any).target(FaultTarget::All);
/// exchange.add_fault(any.per_mille(400).delay(Duration::from_millis(80)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Fault {
    #[serde(alias = "trouble")]
    pub(crate) kind: FaultKind,
    #[serde(rename = "aim", default = "changes")]
    pub(crate) target: FaultTarget,
    /// The number of times that the fault still occurs; unlimited if `None`.
    #[serde(default)]
    pub(crate) times: Option<u32>,
    #[serde(default = "always")]
    pub(crate) per_mille: u32,
    #[serde(with = "crate::state::values::millis", default)]
    pub(crate) delay: Duration,
}

fn changes() -> FaultTarget {
    FaultTarget::Changes
}

fn always() -> u32 {
    1_000
}

impl Fault {
    /// Creates a fault of this kind for every request that changes something.
    pub fn new(kind: FaultKind) -> Self {
        Self { kind, target: FaultTarget::Changes, times: None, per_mille: 1_000, delay: Duration::ZERO }
    }

    /// Sets the requests that the fault applies to.
    pub fn target(mut self, target: FaultTarget) -> Self {
        self.target = target;
        self
    }

    /// Limits the number of occurrences.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Sets the probability, in thousandths. The choice follows from the seed.
    pub fn per_mille(mut self, share: u32) -> Self {
        self.per_mille = share.min(1_000);
        self
    }

    /// Delays the answer.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Refuses what cannot be.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (name, _) = self.kind.name();
        let wrong = |why: &str| Err(format!("the fault {name}: {why}"));
        let delay = u64::try_from(self.delay.as_millis()).unwrap_or(u64::MAX);
        if !(1..=1_000).contains(&self.per_mille) {
            return wrong("expected per_mille from 1 to 1000");
        }
        if self.times == Some(0) {
            return wrong("expected times of at least 1");
        }
        if delay > MAX_DELAY {
            return wrong(&format!("expected a delay of up to {MAX_DELAY} milliseconds"));
        }
        if self.kind == FaultKind::Slow && delay == 0 {
            return wrong("expected a delay above 0");
        }
        let FaultTarget::Operation(id) = &self.target else { return Ok(()) };
        FaultTarget::of(id)?;
        match crate::state::words::all_operations().find(|meta| meta.id == id) {
            Some(meta) if self.kind.shown_value().is_some() && !shows_value(meta) => {
                wrong(&format!("answers of {id} show no value that it sets"))
            }
            _ => Ok(()),
        }
    }

    fn concerns(&self, meta: &Meta) -> bool {
        let is_target = match &self.target {
            FaultTarget::Changes => meta.effect != Effect::Read,
            FaultTarget::All => true,
            FaultTarget::Operation(id) => meta.id == id,
        };
        is_target && (self.kind.shown_value().is_none() || shows_value(meta))
    }
}

/// The conditions of the exchange's network and nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Conditions {
    /// The latency of answers in milliseconds, as equally spaced quantiles: with minimum, median and maximum, half of
    /// the answers take between the first two. A single number is the latency of all answers.
    pub latency: Vec<u64>,
    /// The milliseconds by which the clock of each node is ahead. A request reaches a random node. Without any, there
    /// is one node with a right clock.
    pub clocks: Vec<i64>,
    /// The milliseconds by which listings lag. They show orders as they were that long ago; a query for one order does
    /// not lag.
    pub lag: u64,
    /// True if the exchange is under maintenance, and refuses every request.
    pub maintenance: bool,
    /// The settings of a hostile exchange; `None` if it is not hostile.
    pub hostility: Option<Hostility>,
}

impl Conditions {
    /// Returns why the conditions are impossible, if they are.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(late) = self.latency.iter().find(|late| **late > MAX_DELAY) {
            return Err(format!("latency {late}: expected up to {MAX_DELAY} milliseconds"));
        }
        if let Some(ahead) = self.clocks.iter().find(|ahead| ahead.unsigned_abs() > MAX_OFFSET.unsigned_abs()) {
            return Err(format!("clocks {ahead}: expected {} to {MAX_OFFSET} milliseconds", -MAX_OFFSET));
        }
        if self.lag > MAX_DELAY {
            return Err(format!("lag {}: expected up to {MAX_DELAY} milliseconds", self.lag));
        }
        if !self.latency.is_sorted() {
            return Err(format!("latency {:?}: expected quantiles, the smallest first", self.latency));
        }
        let Some(hostility) = &self.hostility else { return Ok(()) };
        let Hostility { faults, quirks, false_refusals, releases, blocks, nodes, .. } = hostility;
        let percentages = [
            ("faults", faults),
            ("quirks", quirks),
            ("false_refusals", false_refusals),
            ("releases", releases),
            ("blocks", blocks),
        ];
        if let Some((key, percent)) = percentages.into_iter().find(|(_, percent)| **percent > 100) {
            return Err(format!("{key} {percent}: expected a percentage"));
        }
        nodes.iter().try_for_each(Node::check)
    }
}

/// The faults and conditions of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    /// The first fault that applies to a request takes effect.
    pub(crate) list: Vec<Fault>,
    pub(crate) conditions: Conditions,
    dice: Dice,
}

impl Faults {
    pub(crate) fn new(dice: Dice) -> Self {
        Self { list: Vec::new(), conditions: Conditions::default(), dice }
    }

    /// Returns the fault of a request, and the delay of its answer.
    pub(crate) fn next(&mut self, meta: &Meta) -> (Option<FaultKind>, Duration) {
        let mut latency = self.latency();
        for index in 0..self.list.len() {
            let fault = &mut self.list[index];
            let is_hit = fault.concerns(meta)
                && (fault.per_mille >= 1_000 || self.dice.below(1_000) < u64::from(fault.per_mille));
            if !is_hit {
                continue;
            }
            latency += fault.delay;
            let kind = fault.kind.clone().resolved(&mut self.dice);
            if let Some(times) = &mut fault.times {
                *times = times.saturating_sub(1);
            }
            if fault.times == Some(0) {
                let _over = self.list.remove(index);
            }
            return (Some(kind), latency);
        }
        (None, latency)
    }

    fn latency(&mut self) -> Duration {
        let millis = match self.conditions.latency.as_slice() {
            [] => 0,
            [all] => *all,
            points => {
                let pieces = u64::try_from(points.len() - 1).unwrap_or(1);
                let piece = usize::try_from(self.dice.below(pieces)).unwrap_or_default();
                let (from, to) = (points[piece], points[piece + 1]);
                from + self.dice.below(to.saturating_sub(from).saturating_add(1))
            }
        };
        Duration::from_millis(millis)
    }

    /// Returns the time by the clock of a random node.
    pub(crate) fn shown_time(&mut self, now: u64) -> u64 {
        let clocks = &self.conditions.clocks;
        if clocks.is_empty() {
            return now;
        }
        let node = self.dice.below(u64::try_from(clocks.len()).unwrap_or(1));
        now.saturating_add_signed(clocks[usize::try_from(node).unwrap_or_default()])
    }
}
