//! A hostile but honest exchange.
//!
//! What it calls a success happens, and what it refuses with a code that proves that nothing was done was not done; no
//! client could be right otherwise. Everything else is open: an order may be placed or not, whatever the answer looks
//! like, and may be placed after a query did not find it, as late as its signature is valid and an accepted change takes
//! to be seen.
//!
//! What goes wrong with a request follows from the seed, from what the request says and how often it was sent, not from
//! when it comes.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::{Request, Response};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tradeapi::API;
use tradeapi::runtime::tables::{Effect, Meta, Part};

use crate::dice::{Dice, Seed};
use crate::events::Event;
use crate::gate::{Caller, FAULT, Late, Route, Served, authentication, id_parameters};
use crate::refusal::Refusal;
use crate::state::Core;

mod arrival;
mod changes;
mod codes;
mod counts;
mod items;
mod node;
mod quirk;
mod views;
mod wrong;

use self::codes::Proof;
use self::items::Batch;
use self::views::{View, Views};

pub use self::counts::{Counts, Reached};
pub use self::node::Node;
pub use self::quirk::Quirk;
pub use self::wrong::{Landing, Wrong};

/// An enum that lists its values, so that a test can show that it reached each.
macro_rules! listed {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value,)*];
        }
    };
}
use listed;

/// How long after it was accepted a change may take to be seen by all nodes, in milliseconds.
const SETTLING: u64 = 9_000;

/// How long before the end of its signature a request is accepted at the latest, in milliseconds: it was sent before it
/// came.
const ON_ITS_WAY: u64 = 6_000;

/// How a hostile exchange behaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostility {
    /// The seed of everything that goes wrong.
    pub seed: Seed,
    /// With how many of a hundred changes something goes wrong; with queries half as often.
    pub faults: u64,
    /// How many of a hundred answers are odd otherwise.
    pub quirks: u64,
    /// The machines behind the address; none for one that is right.
    pub nodes: Vec<Node>,
    /// How fast the clock runs, by which a second of delay is as long as it is elsewhere.
    pub speed: u32,
    /// The only requests with which something goes wrong, as [`Exchange::hit`](crate::Exchange::hit) calls them; all if
    /// there is none.
    pub only: Option<BTreeSet<String>>,
}

impl Default for Hostility {
    fn default() -> Self {
        Self { seed: Seed::default(), faults: 40, quirks: 8, nodes: Vec::new(), speed: 1, only: None }
    }
}

impl Hostility {
    /// This much goes wrong, of a hundred changes and answers.
    pub fn new(seed: Seed, faults: u64, quirks: u64) -> Self {
        Self { seed, faults, quirks, ..Self::default() }
    }

    /// Nothing goes wrong any more; what is under way still arrives.
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
    /// The requests with which something went wrong.
    pub(crate) hit: BTreeSet<String>,
    /// How often each request was seen.
    seen: FxHashMap<u64, u64>,
    /// The data of the latest good answers, by operation, to be mixed up with others.
    latest: FxHashMap<&'static str, String>,
    /// The latest good answer to a change, which may come again without a request.
    last: Option<Response<Bytes>>,
    /// Orders that have changed since versions were noted.
    touched: FxHashSet<u64>,
    /// How the node of the request under way shows orders, and from when on all see what it changes.
    view: View,
    settled: u64,
    /// Whether only the first of several things is done.
    pub(crate) halves: bool,
}

/// How one request is answered: by which node, and what is wrong and odd about it.
pub(crate) struct Treatment {
    pub(crate) wrong: Wrong,
    pub(crate) node: Node,
    quirk: Quirk,
    dice: Dice,
    now: u64,
    /// The body, if it is JSON.
    body: Value,
}

impl Hostile {
    pub(crate) fn new(settings: Hostility) -> Self {
        Self {
            settings,
            counts: Counts::default(),
            views: Views::default(),
            hit: BTreeSet::new(),
            seen: FxHashMap::default(),
            latest: FxHashMap::default(),
            last: None,
            touched: FxHashSet::default(),
            view: View { now: 0, lag: 0, wrong: Wrong::None },
            settled: 0,
            halves: false,
        }
    }

    /// An order has changed.
    pub(crate) fn touch(&mut self, event: &Event) {
        match event {
            Event::Placed { order }
            | Event::Filled { order, .. }
            | Event::Amended { order, .. }
            | Event::Cancelled { order, .. } => {
                self.touched.insert(*order);
            }
            Event::DoneHalf { .. } => self.counts.reach(Reached::DoneHalf),
            Event::Refused { .. } => {}
        }
    }

    fn treat(&mut self, meta: &'static Meta, request: &Request<Bytes>, now: u64) -> Treatment {
        let Self { settings, counts, .. } = self;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let body = String::from_utf8_lossy(request.body());
        let said = [meta.method.as_str(), " ", target, " ", &body];
        let hash = Dice::hash(&said);
        let times = self.seen.entry(hash).or_default();
        *times += 1;
        let times = times.to_string();
        let mut dice = Dice::new(settings.seed, Dice::hash_on(hash, &[" ", &times]));
        let said = [said[0], " ", target, " ", &body, " ", &times];
        let is_spared = settings.only.as_ref().is_some_and(|only| !only.contains(&said.concat()));
        let body = if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap_or_default() };
        let chance = if meta.effect == Effect::Read { settings.faults / 2 } else { settings.faults };
        let wrong = match dice.percent(chance) {
            _ if is_spared => Wrong::None,
            true => Wrong::throw(meta, Batch::is_batch(&body), &mut dice),
            false if settings.faults > 0 && is_in_burst(settings.seed, &body) && dice.percent(50) => {
                Wrong::TooManyCoded
            }
            false => Wrong::None,
        };
        if wrong != Wrong::None {
            self.hit.insert(said.concat());
        }
        let (quirk, node) = (Quirk::throw(settings.quirks, &mut dice), Node::throw(&settings.nodes, &mut dice));
        *counts.wrongs.entry(wrong).or_default() += 1;
        *counts.quirks.entry(quirk).or_default() += 1;
        if !node.is_right() {
            counts.reach(Reached::AnotherNode);
        }
        Treatment { wrong, quirk, node, dice, now, body }
    }
}

/// Ids that differ in their last character belong to calls that come together, of which some are too many.
fn is_in_burst(seed: Seed, body: &Value) -> bool {
    let mut ids = Vec::new();
    items::texts(body, id_parameters(), &mut ids);
    let stem = ids.first().and_then(|(_, id)| id.get(..id.len().saturating_sub(1)));
    stem.is_some_and(|stem| Dice::named(seed, &[stem]).below(1_000) < 4)
}

impl Core {
    /// How a request is answered, in a hostile exchange.
    pub(crate) fn treatment(&mut self, meta: Option<&'static Meta>, request: &Request<Bytes>) -> Option<Treatment> {
        let now = self.now;
        self.hostile.as_mut().zip(meta).map(|(hostile, meta)| hostile.treat(meta, request, now))
    }

    /// Notes how orders are now that have changed, for nodes that lag.
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

    /// What a hostile exchange does later.
    pub(crate) fn do_late(&mut self, late: &Late) {
        if let Some(hostile) = &mut self.hostile {
            hostile.settled = late.settled;
        }
        // What it names may be gone by now; then nothing happens.
        let _ = late.carry_out(self);
        self.note_versions();
    }
}

impl Treatment {
    /// What goes wrong with the request, and what is odd about the answer.
    pub(crate) fn did(&self) -> (Wrong, Quirk) {
        (self.wrong, self.quirk)
    }

    /// The time by the clock of the node that checks timestamps.
    pub(crate) fn judged_at(&self) -> u64 {
        self.now.saturating_add_signed(self.node.clock)
    }

    /// Notes that a node refuses a timestamp that is valid by the true clock.
    pub(crate) fn note_wrong_clock(&self, core: &mut Core, request: &Request<Bytes>) {
        let Some((signed_at, window)) = signed_at(request).zip(API.credentials.and_then(|known| known.window_ms))
        else {
            return;
        };
        let is_valid_by = |now: u64| now.abs_diff(signed_at) <= window;
        if let Some(hostile) = core.hostile.as_mut().filter(|_| is_valid_by(self.now) && !is_valid_by(self.judged_at()))
        {
            hostile.counts.reach(Reached::JudgedByWrongClock);
        }
    }

    /// The time as answers state it.
    pub(crate) fn stated_time(&mut self) -> String {
        let time = self.now.saturating_add_signed(self.node.answer_time);
        self.quirk.time(&mut self.dice).map_or_else(|| time.to_string(), str::to_owned)
    }

    /// Serves a request with which this goes wrong.
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

    /// A refusal that is wrong on purpose.
    fn refusal(&mut self, meta: &'static Meta, proof: Proof) -> Refusal {
        let status = if self.dice.percent(50) { 200 } else { 400 };
        on_purpose(codes::throw(meta, proof, &mut self.dice), status)
    }

    /// What is answered whatever was done.
    fn instead(&mut self, meta: &'static Meta) -> Option<Served> {
        let server_error = [500, 502, 503, 504].map(|status| (status, 1));
        let server_error = self.dice.weighted(&server_error).unwrap_or(500);
        let refusal = match self.wrong {
            Wrong::DoubtfulCode => self.refusal(meta, Proof::Doubtful),
            Wrong::OpenCode => self.refusal(meta, Proof::Open),
            Wrong::Timestamp => self.refusal(meta, Proof::Timestamp),
            Wrong::UnlistedCode => on_purpose(UNLISTED, 200),
            Wrong::RateCode => Refusal { status: Some(200), ..self.refusal(meta, Proof::Rate) },
            Wrong::TooManyCoded => on_purpose(codes::throw(meta, Proof::Rate, &mut self.dice), 429),
            Wrong::ServerErrorCoded if meta.effect == Effect::Read => on_purpose(UNLISTED, server_error),
            Wrong::ServerErrorCoded => on_purpose(codes::throw(meta, Proof::Open, &mut self.dice), server_error),
            _ => return None,
        };
        Some(Served::refused(refusal))
    }

    fn query(&mut self, core: &mut Core, route: &'static Route, caller: &Caller<'_>) -> Served {
        if let Some(hostile) = &mut core.hostile {
            hostile.view = View { now: self.now, lag: self.node.lag, wrong: self.wrong };
        }
        let served = self.alike(route.meta, route.call(core, caller));
        match (&served.data, &mut core.hostile) {
            (Ok(data), Some(hostile)) => {
                let other = hostile.latest.insert(route.meta.id, data.clone());
                let data =
                    self.quirk.numbers(data, &mut self.dice).or_else(|| other.filter(|_| self.wrong == Wrong::MixedUp));
                data.map_or(served, |data| Served { data: Ok(data), left: None })
            }
            _ => served,
        }
    }

    /// The same with another code of the same meaning.
    fn alike(&mut self, meta: &'static Meta, served: Served) -> Served {
        let data = served.data.map_err(|refusal| {
            let code = codes::alike(meta, refusal.code.clone(), &mut self.dice);
            Refusal { code, ..refusal }
        });
        Served { data, ..served }
    }
}

impl Core {
    /// The order of an account that a name means, as the node of the request shows it.
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

    /// What goes wrong with the listing under way.
    pub(crate) fn wrong_listing(&self) -> Wrong {
        self.hostile.as_ref().map_or(Wrong::None, |hostile| hostile.view.wrong)
    }

    /// Whether a request that does several things ends here with nothing but the first done.
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

fn on_purpose(code: &str, status: u16) -> Refusal {
    let message = "it failed".to_owned();
    Refusal { status: Some(status), code: code.to_owned(), message, rule: FAULT.to_owned() }
}

/// When a request was signed, by what it says.
pub(crate) fn signed_at(request: &Request<Bytes>) -> Option<u64> {
    authentication::header(request, Part::Timestamp)?.parse().ok()
}
