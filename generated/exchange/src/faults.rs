//! What goes wrong on purpose: answers, connections, latency, clocks, listings that lag, and maintenance.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde::{Deserialize, Serialize};
use tradeapi::Operation;
use tradeapi::runtime::tables::{CodeProof, Effect, Meta};
use tradeapi::unified::PlaceOrder;

use crate::delivery::Delivered;
use crate::dice::Dice;
use crate::hostile::Hostility;

/// What goes wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Trouble {
    /// It is refused with this code and has no effect.
    Refuse(String),
    /// It takes effect, and the answer has this code.
    Hide(String),
    /// The connection is closed before the request is handled.
    Drop,
    /// It takes effect, and the connection is closed without an answer.
    Lose,
    /// It takes effect, and the connection is closed in the middle of the answer.
    Cut,
    /// A proxy answers with status 502, and the request has no effect.
    Gateway,
    /// It takes effect, and a proxy answers with status 504.
    LateGateway,
    /// Nothing but a late answer, if the fault has a delay.
    Slow,
    /// One of the above by chance. Codes are those after which the documents leave the outcome open.
    Any,
}

/// One of the codes after which a request may have taken effect or not, by the documents.
fn open_code(dice: &mut Dice) -> String {
    let open = PlaceOrder::META.errors.iter().filter(|error| error.proves == CodeProof::Unknown);
    let codes: Vec<&str> = open.map(|error| error.code).collect();
    let index = dice.below(u64::try_from(codes.len()).unwrap_or(1));
    usize::try_from(index).ok().and_then(|index| codes.get(index)).copied().unwrap_or_default().to_owned()
}

impl Trouble {
    /// The trouble of this name; `refuse` and `hide` need a code.
    pub(crate) fn named(name: &str, code: Option<&str>) -> Option<Self> {
        Some(match (name, code) {
            ("refuse", Some(code)) => Self::Refuse(code.to_owned()),
            ("hide", Some(code)) => Self::Hide(code.to_owned()),
            ("drop", None) => Self::Drop,
            ("lose", None) => Self::Lose,
            ("cut", None) => Self::Cut,
            ("gateway", None) => Self::Gateway,
            ("late-gateway", None) => Self::LateGateway,
            ("slow", None) => Self::Slow,
            ("any", None) => Self::Any,
            _ => return None,
        })
    }

    /// The name, and the code if there is one.
    pub(crate) fn name(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Refuse(code) => ("refuse", Some(code)),
            Self::Hide(code) => ("hide", Some(code)),
            Self::Drop => ("drop", None),
            Self::Lose => ("lose", None),
            Self::Cut => ("cut", None),
            Self::Gateway => ("gateway", None),
            Self::LateGateway => ("late-gateway", None),
            Self::Slow => ("slow", None),
            Self::Any => ("any", None),
        }
    }

    /// One that is not left to chance.
    fn thrown(self, dice: &mut Dice) -> Self {
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

    /// Whether the request takes effect.
    pub(crate) fn takes_effect(&self) -> bool {
        !matches!(self, Self::Refuse(_) | Self::Drop | Self::Gateway)
    }

    /// What arrives of an answer.
    pub(crate) fn delivered(&self, answer: Response<Bytes>) -> Delivered {
        match self {
            Self::Drop | Self::Lose => Delivered::Nothing,
            Self::Cut => Delivered::Half(answer),
            Self::Gateway => Delivered::Whole(proxy(StatusCode::BAD_GATEWAY)),
            Self::LateGateway => Delivered::Whole(proxy(StatusCode::GATEWAY_TIMEOUT)),
            Self::Refuse(_) | Self::Hide(_) | Self::Slow | Self::Any => Delivered::Whole(answer),
        }
    }
}

/// What a proxy says when it gives up.
fn proxy(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(format!("<html><title>{status}</title></html>")));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    response
}

/// Which requests a fault concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Aim {
    /// Those that change something.
    Changes,
    /// All.
    All,
    /// Those of the operation with this id: `unified.place-order`.
    Operation(String),
}

/// A fault: what goes wrong with which requests, how often and how late.
///
/// ```
/// use std::time::Duration;
/// use tradeapi_exchange::{Aim, Exchange, Fault, Seed, Trouble};
///
/// let exchange = Exchange::new(Seed(7));
/// exchange.add_fault(Fault::new(Trouble::Lose).aim(Aim::Operation("unified.place-order".into())).times(2));
/// exchange.add_fault(Fault::new(Trouble::Any).aim(Aim::All).per_mille(400).delay(Duration::from_millis(80)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Fault {
    pub(crate) trouble: Trouble,
    pub(crate) aim: Aim,
    /// How many more times; always if not set.
    pub(crate) times: Option<u32>,
    pub(crate) per_mille: u32,
    #[serde(with = "crate::setup::millis")]
    pub(crate) delay: Duration,
}

impl Fault {
    /// This trouble with each request that changes something.
    pub fn new(trouble: Trouble) -> Self {
        Self { trouble, aim: Aim::Changes, times: None, per_mille: 1_000, delay: Duration::ZERO }
    }

    /// Which requests it concerns.
    pub fn aim(mut self, aim: Aim) -> Self {
        self.aim = aim;
        self
    }

    /// How many times it happens before it is over.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// How many of a thousand of these requests it happens to, by chance that follows from the seed.
    pub fn per_mille(mut self, share: u32) -> Self {
        self.per_mille = share.min(1_000);
        self
    }

    /// How much later the answer arrives.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn concerns(&self, meta: &Meta) -> bool {
        match &self.aim {
            Aim::Changes => meta.effect != Effect::Read,
            Aim::All => true,
            Aim::Operation(id) => meta.id == id,
        }
    }
}

/// How the network and the machines of the exchange behave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Conditions {
    /// The latency of answers in milliseconds at equal shares, such as the least, the median and the greatest: half of the
    /// answers take between the first two. One number is the latency of all.
    pub latency: Vec<u64>,
    /// How many milliseconds the clock of each node is ahead; a request reaches one of them by chance. None: one node, whose
    /// clock is right.
    pub clocks: Vec<i64>,
    /// How many milliseconds listings lag behind what happens.
    pub lag: u64,
    /// Whether the exchange is under maintenance, and refuses every request.
    pub maintenance: bool,
    /// How a hostile exchange behaves, if it is one.
    pub hostility: Option<Hostility>,
}

/// The faults and conditions of an exchange.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    /// The first one that fits a request happens to it.
    pub(crate) list: Vec<Fault>,
    pub(crate) conditions: Conditions,
    dice: Dice,
}

impl Faults {
    pub(crate) fn new(dice: Dice) -> Self {
        Self { list: Vec::new(), conditions: Conditions::default(), dice }
    }

    /// What happens to a request of an operation, and how late its answer is.
    pub(crate) fn happen(&mut self, meta: &Meta) -> (Option<Trouble>, Duration) {
        let mut latency = self.latency();
        for index in 0..self.list.len() {
            let fault = &mut self.list[index];
            let is_hit = fault.concerns(meta)
                && (fault.per_mille >= 1_000 || self.dice.below(1_000) < u64::from(fault.per_mille));
            if !is_hit {
                continue;
            }
            latency += fault.delay;
            let trouble = fault.trouble.clone().thrown(&mut self.dice);
            if let Some(times) = &mut fault.times {
                *times = times.saturating_sub(1);
            }
            if fault.times == Some(0) {
                let _over = self.list.remove(index);
            }
            return (Some(trouble), latency);
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

    /// The time as the node shows it that a request reaches.
    pub(crate) fn shown_time(&mut self, now: u64) -> u64 {
        let clocks = &self.conditions.clocks;
        if clocks.is_empty() {
            return now;
        }
        let node = self.dice.below(u64::try_from(clocks.len()).unwrap_or(1));
        now.saturating_add_signed(clocks[usize::try_from(node).unwrap_or_default()])
    }
}
