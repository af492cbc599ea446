//! A hostile but honest exchange.
//!
//! A success was done, and a refusal with a code that proves so was not done; otherwise no client could be right.
//! Everything else is open: an order may or may not be placed whatever the answer, and it may be placed after a query
//! did not find it, within the signature window and the settling time.
//!
//! The faults of a request follow from the seed, from its content and from how often it was sent, not from the time of
//! arrival.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::{Request, Response};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tradeapi::API;
use tradeapi::runtime::tables::{Effect, Meta};

use crate::dice::{Dice, Seed};
use crate::events::Event;
use crate::gate::{Caller, FAULT, Late, Route, Served, authentication, id_parameters};
use crate::refusal::Refusal;
use crate::state::Core;

mod arrival;
mod changes;
mod codes;
mod counts;
mod fault;
mod items;
mod node;
mod quirk;
mod views;

use self::codes::Proof;
use self::items::Batch;
use self::views::{View, Views};

pub use self::counts::{Counts, HostileEvent};
pub use self::fault::{EffectTime, HostileFault};
pub use self::node::Node;
pub use self::quirk::Quirk;

/// Declares an enum with a list of its values, so that a test can show that it covers each.
macro_rules! listed {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value,)*];
        }
    };
}
use listed;

/// The settling time, after which all nodes show an accepted change, in milliseconds.
const SETTLING: u64 = 9_000;

/// The last moment at which a request is accepted, in milliseconds before its signature expires. It allows for the
/// transit of the request.
const ON_ITS_WAY: u64 = 6_000;

/// The settings of a hostile exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostility {
    /// The seed of all faults and quirks.
    pub seed: Seed,
    /// The percentage of changes that are faulted; queries are faulted half as often.
    pub faults: u64,
    /// The percentage of answers with a [`Quirk`].
    pub quirks: u64,
    /// The nodes behind the address; empty for one node without mistakes.
    pub nodes: Vec<Node>,
    /// The speed of the clock, by which real delays are scaled.
    pub speed: u32,
    /// The only requests that may be faulted, as listed by
    /// [`Exchange::faulted_requests`](crate::Exchange::faulted_requests); `None` allows all.
    pub only: Option<BTreeSet<String>>,
}

impl Default for Hostility {
    fn default() -> Self {
        Self { seed: Seed::default(), faults: 40, quirks: 8, nodes: Vec::new(), speed: 1, only: None }
    }
}

impl Hostility {
    /// Settings with these percentages of faults and quirks.
    pub fn new(seed: Seed, faults: u64, quirks: u64) -> Self {
        Self { seed, faults, quirks, ..Self::default() }
    }

    /// Settings without faults and quirks. Delayed requests still take effect.
    #[must_use]
    pub fn calm(self) -> Self {
        Self { faults: 0, quirks: 0, nodes: Vec::new(), ..self }
    }
}

/// The state of a hostile exchange.
#[derive(Debug)]
pub(crate) struct Hostile {
    pub(crate) settings: Hostility,
    pub(crate) counts: Counts,
    pub(crate) views: Views,
    /// The requests that were faulted.
    pub(crate) faulted: BTreeSet<String>,
    /// How often each request was sent.
    seen: FxHashMap<u64, u64>,
    /// The data of the latest successful answers by operation, for answers to the wrong request.
    latest: FxHashMap<&'static str, String>,
    /// The latest successful answer to a change, which may be sent again without a request.
    last: Option<Response<Bytes>>,
    /// The orders that have changed since their versions were recorded.
    touched: FxHashSet<u64>,
    /// The node's view during the current request, and when all nodes show its effect.
    view: View,
    settled: u64,
    /// Whether only the first part of a compound request is done.
    pub(crate) halves: bool,
}

/// How a request is answered: its node, fault and quirk.
pub(crate) struct AnswerPlan {
    pub(crate) fault: HostileFault,
    pub(crate) node: Node,
    quirk: Quirk,
    dice: Dice,
    now: u64,
    /// The body of a faulted request, if it is JSON.
    body: Value,
}

impl Hostile {
    pub(crate) fn new(settings: Hostility) -> Self {
        Self {
            settings,
            counts: Counts::default(),
            views: Views::default(),
            faulted: BTreeSet::new(),
            seen: FxHashMap::default(),
            latest: FxHashMap::default(),
            last: None,
            touched: FxHashSet::default(),
            view: View { now: 0, lag: 0, fault: HostileFault::None },
            settled: 0,
            halves: false,
        }
    }

    /// Records that an order has changed.
    pub(crate) fn touch(&mut self, event: &Event) {
        match event {
            Event::Placed { order }
            | Event::Filled { order, .. }
            | Event::Amended { order, .. }
            | Event::Cancelled { order, .. } => {
                self.touched.insert(*order);
            }
            Event::DoneHalf { .. } => self.counts.record(HostileEvent::DoneHalf),
            Event::Refused { .. } => {}
        }
    }

    fn plan_answer(&mut self, meta: &'static Meta, request: &Request<Bytes>, now: u64) -> AnswerPlan {
        let Self { settings, counts, .. } = self;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        // A body that is not UTF-8 is refused, whatever the fault.
        let body = str::from_utf8(request.body()).unwrap_or_default();
        let parts = [meta.method.as_str(), " ", target, " ", body];
        let hash = Dice::hash(&parts);
        let times = self.seen.entry(hash).or_default();
        *times += 1;
        let times = times.to_string();
        let mut dice = Dice::new(settings.seed, Dice::hash_on(hash, &[" ", &times]));
        let parts = [parts[0], " ", target, " ", body, " ", &times];
        let is_spared = settings.only.as_ref().is_some_and(|only| !only.contains(&parts.concat()));
        let chance = if meta.effect == Effect::Read { settings.faults / 2 } else { settings.faults };
        let is_faulted = dice.percent(chance) && !is_spared;
        let body = if is_faulted { serde_json::from_str(body).unwrap_or_default() } else { Value::Null };
        let fault = match is_faulted {
            true => HostileFault::random(meta, Batch::is_batch(&body), &mut dice),
            false if !is_spared && is_in_burst(settings, request) && dice.percent(50) => HostileFault::TooManyCoded,
            false => HostileFault::None,
        };
        if fault != HostileFault::None {
            self.faulted.insert(parts.concat());
        }
        let (quirk, node) = (Quirk::random(settings.quirks, &mut dice), Node::random(&settings.nodes, &mut dice));
        *counts.faults.entry(fault).or_default() += 1;
        *counts.quirks.entry(quirk).or_default() += 1;
        if !node.is_accurate() {
            counts.record(HostileEvent::IncorrectNode);
        }
        AnswerPlan { fault, quirk, node, dice, now, body }
    }
}

/// Whether a request belongs to a burst that exceeds a rate: ids that differ in their last character only are one
/// burst.
fn is_in_burst(settings: &Hostility, request: &Request<Bytes>) -> bool {
    if settings.faults == 0 {
        return false;
    }
    let id = str::from_utf8(request.body()).ok().and_then(|body| items::first_text(body, id_parameters()));
    let stem = id.as_deref().and_then(|id| id.get(..id.len().saturating_sub(1)));
    stem.is_some_and(|stem| Dice::named(settings.seed, &[stem]).below(1_000) < 4)
}

impl Core {
    /// How a hostile exchange answers a request.
    pub(crate) fn answer_plan(&mut self, meta: Option<&'static Meta>, request: &Request<Bytes>) -> Option<AnswerPlan> {
        let now = self.now;
        self.hostile.as_mut().zip(meta).map(|(hostile, meta)| hostile.plan_answer(meta, request, now))
    }

    /// Records the versions of changed orders, for nodes that lag.
    pub(crate) fn note_versions(&mut self) {
        let now = self.now;
        let Some(hostile) = &mut self.hostile else { return };
        let mut touched: Vec<u64> = hostile.touched.drain().collect();
        touched.sort_unstable();
        let settled = hostile.settled.max(now);
        for id in touched {
            if let Some(order) = self.orders.get(&id) {
                hostile.views.note(order, now, settled, &mut hostile.counts);
            }
        }
    }

    /// Carries out a delayed request.
    pub(crate) fn carry_out_late(&mut self, late: &Late) {
        if let Some(hostile) = &mut self.hostile {
            hostile.settled = late.settled;
        }
        // A refusal has no effect: the order that it names may have ended.
        let _ = late.carry_out(self);
        self.note_versions();
    }
}

impl AnswerPlan {
    /// The fault of the request, and the quirk of its answer.
    pub(crate) fn fault_and_quirk(&self) -> (HostileFault, Quirk) {
        (self.fault, self.quirk)
    }

    /// The time by the clock of the node that checks timestamps.
    pub(crate) fn node_time(&self) -> u64 {
        self.now.saturating_add_signed(self.node.clock)
    }

    /// Counts a timestamp that is refused by the node's clock, but valid by the true one.
    pub(crate) fn note_wrong_clock(&self, core: &mut Core, request: &Request<Bytes>) {
        let Some((signed_at, window)) = signed_at(request).zip(API.credentials.and_then(|known| known.window_ms))
        else {
            return;
        };
        let is_valid_by = |now: u64| now.abs_diff(signed_at) <= window;
        if let Some(hostile) = core.hostile.as_mut().filter(|_| is_valid_by(self.now) && !is_valid_by(self.node_time()))
        {
            hostile.counts.record(HostileEvent::RefusedByWrongClock);
        }
    }

    /// The time that answers state.
    pub(crate) fn stated_time(&mut self) -> String {
        let time = self.now.saturating_add_signed(self.node.answer_time);
        self.quirk.time(&mut self.dice).map_or_else(|| time.to_string(), str::to_owned)
    }

    /// Serves a request with its fault.
    pub(crate) fn serve(
        &mut self,
        core: &mut Core,
        route: &'static Route,
        caller: &Caller<'_>,
        signed_at: u64,
    ) -> Served {
        let served = match route.meta.effect {
            Effect::Read => self.query(core, route, caller),
            _ => self.change(core, route, caller, signed_at),
        };
        self.instead(route.meta).unwrap_or(served)
    }

    /// The refusal of a fault.
    fn refusal(&mut self, meta: &'static Meta, proof: Proof) -> Refusal {
        let status = if self.dice.percent(50) { 200 } else { 400 };
        injected_refusal(codes::random(meta, proof, &mut self.dice), status)
    }

    /// The answer that the fault sends in place of the right one, whether or not the request is done.
    fn instead(&mut self, meta: &'static Meta) -> Option<Served> {
        let server_error = [500, 502, 503, 504].map(|status| (status, 1));
        let server_error = self.dice.weighted(&server_error).unwrap_or(500);
        let refusal = match self.fault {
            HostileFault::DoubtfulCode => self.refusal(meta, Proof::Doubtful),
            HostileFault::OpenCode => self.refusal(meta, Proof::Open),
            HostileFault::Timestamp => self.refusal(meta, Proof::Timestamp),
            HostileFault::UnlistedCode => injected_refusal(UNLISTED, 200),
            HostileFault::RateCode => Refusal { status: Some(200), ..self.refusal(meta, Proof::Rate) },
            HostileFault::TooManyCoded => injected_refusal(codes::random(meta, Proof::Rate, &mut self.dice), 429),
            HostileFault::ServerErrorCoded if meta.effect == Effect::Read => injected_refusal(UNLISTED, server_error),
            HostileFault::ServerErrorCoded => {
                injected_refusal(codes::random(meta, Proof::Open, &mut self.dice), server_error)
            }
            _ => return None,
        };
        Some(Served::refused(refusal))
    }

    fn query(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>) -> Served {
        if let Some(hostile) = &mut core.hostile {
            hostile.view = View { now: self.now, lag: self.node.lag, fault: self.fault };
        }
        let served = self.alike(route.meta, route.call(core, caller));
        match (&served.data, &mut core.hostile) {
            (Ok(data), Some(hostile)) => {
                let other = hostile.latest.insert(route.meta.id, data.clone());
                let data = self
                    .quirk
                    .numbers(data, &mut self.dice)
                    .or_else(|| other.filter(|_| self.fault == HostileFault::MixedUp));
                data.map_or(served, |data| Served { data: Ok(data), left: None })
            }
            _ => served,
        }
    }

    /// Replaces the code of a refusal by another one with the same meaning.
    fn alike(&mut self, meta: &'static Meta, served: Served) -> Served {
        let data = served.data.map_err(|refusal| {
            let code = codes::alike(meta, refusal.code.clone(), &mut self.dice);
            Refusal { code, ..refusal }
        });
        Served { data, ..served }
    }
}

impl Core {
    /// The order of an account with this name, as the node of the request shows it.
    pub(crate) fn shown(&mut self, account: usize, name: &crate::amending::Name) -> Option<crate::orders::Order> {
        let Some(mut hostile) = self.hostile.take() else { return self.find(account, name).cloned() };
        let shown = hostile.views.shown(hostile.view, name, self.find(account, name), &mut hostile.counts);
        self.hostile = Some(hostile);
        shown
    }

    /// Whether listings show an order.
    pub(crate) fn is_visible(&self, order: u64) -> bool {
        self.hostile.as_ref().is_none_or(|hostile| hostile.views.is_visible(order, self.now))
    }

    /// The fault of the current listing.
    pub(crate) fn listing_fault(&self) -> HostileFault {
        self.hostile.as_ref().map_or(HostileFault::None, |hostile| hostile.view.fault)
    }

    /// Whether a compound request ends after its first part.
    pub(crate) fn ends_half_done(&self) -> bool {
        self.hostile.as_ref().is_some_and(|hostile| hostile.halves)
    }

    /// The orders that were placed since this was the next id.
    fn placed_since(&self, first_new: u64) -> Vec<u64> {
        (first_new..self.next_id()).filter(|id| self.orders.get(id).is_some()).collect()
    }
}

/// A code that is in no table.
const UNLISTED: &str = "98765";

fn injected_refusal(code: &str, status: u16) -> Refusal {
    let message = "it failed".to_owned();
    Refusal { status: Some(status), code: code.to_owned(), message, rule: FAULT.to_owned() }
}

/// The signature time that a request states.
pub(crate) fn signed_at(request: &Request<Bytes>) -> Option<u64> {
    authentication::timestamp(request)?.parse().ok()
}
