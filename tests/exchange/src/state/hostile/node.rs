//! The nodes behind the address of an exchange, and the views of those that lag: earlier versions of orders, during the
//! settling time.

use std::collections::BTreeSet;
use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::{Counts, HostileEvent, HostileFault};
use crate::state::dice::Dice;
use crate::state::events::Event;
use crate::state::orders::{Name, Order, State};
use crate::state::values::{MAX_DELAY, MAX_OFFSET};

/// The greatest share of a node.
const MAX_SHARE: u64 = 1_000;

/// A node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Node {
    /// The milliseconds by which the clock for timestamps is ahead.
    pub clock: i64,
    /// The milliseconds by which the time in answers is ahead.
    pub answer_time: i64,
    /// The age of the node's view of orders, in milliseconds.
    pub lag: u64,
    /// The share of requests that reach it, relative to that of others.
    pub share: u64,
}

impl Node {
    /// Creates a node without mistakes, with this share of requests.
    pub const fn new(share: u64) -> Self {
        Self { clock: 0, answer_time: 0, lag: 0, share }
    }

    /// Returns the same node with a view that is this many milliseconds old.
    #[must_use]
    pub const fn lagging(self, lag: u64) -> Self {
        Self { lag, ..self }
    }

    /// Returns the same node with a wrong time in its answers.
    #[must_use]
    pub const fn with_answer_time(self, answer_time: i64) -> Self {
        Self { answer_time, ..self }
    }

    /// Returns the same node with a wrong clock, whose time is also in its answers.
    #[must_use]
    pub const fn ahead_by(self, millis: i64) -> Self {
        Self { clock: millis, answer_time: millis, ..self }
    }

    /// Parses a node in the form of its [display](fmt::Display).
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let mut node = Self::new(parts.next()?.parse().ok()?);
        for (name, millis) in parts.map(|part| part.split_once('=')).collect::<Option<Vec<_>>>()? {
            match name {
                "clock" => node.clock = millis.parse().ok()?,
                "answer_time" => node.answer_time = millis.parse().ok()?,
                "lag" => node.lag = millis.parse().ok()?,
                _ => return None,
            }
        }
        Some(node)
    }

    /// Refuses what is out of bounds.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { clock, answer_time, lag, share } = *self;
        for (name, millis) in [("clock", clock), ("answer_time", answer_time)] {
            if millis.unsigned_abs() > MAX_OFFSET.unsigned_abs() {
                return Err(format!(
                    "{name} {millis} of a node: expected {} to {MAX_OFFSET} milliseconds",
                    -MAX_OFFSET
                ));
            }
        }
        if lag > MAX_DELAY {
            return Err(format!("lag {lag} of a node: expected up to {MAX_DELAY} milliseconds"));
        }
        if !(1..=MAX_SHARE).contains(&share) {
            return Err(format!("share {share} of a node: expected 1 to {MAX_SHARE}"));
        }
        Ok(())
    }

    pub(crate) fn is_accurate(self) -> bool {
        (self.clock, self.answer_time, self.lag) == (0, 0, 0)
    }

    /// Creates a random node by share.
    pub(crate) fn random(nodes: &[Self], dice: &mut Dice) -> Self {
        let shares: Vec<_> = nodes.iter().map(|node| (*node, node.share)).collect();
        dice.weighted(&shares).unwrap_or_default()
    }
}

/// The share and the mistakes: `1:clock=20000:answer_time=-300:lag=2500`.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock, answer_time, lag, share } = *self;
        write!(f, "{share}")?;
        let clocks = [("clock", clock), ("answer_time", answer_time)];
        clocks
            .iter()
            .filter(|(_, millis)| *millis != 0)
            .try_for_each(|(name, millis)| write!(f, ":{name}={millis}"))?;
        if lag == 0 { Ok(()) } else { write!(f, ":lag={lag}") }
    }
}

/// The number of deleted orders that are remembered for the counts.
const MAX_FORGOTTEN: usize = 100_000;

/// A version of an order, valid from a time on.
#[derive(Clone, Debug)]
struct Version {
    at: u64,
    /// When all nodes show it.
    settled: u64,
    order: Order,
}

/// The versions of an order.
#[derive(Clone, Debug)]
struct History {
    versions: Vec<Version>,
    /// When all nodes show the order, and when the first one does.
    settled: u64,
    visible: u64,
}

/// The versions of all orders, for the views of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Views {
    histories: FxHashMap<u64, History>,
    /// The orders that have changed since their versions were recorded.
    touched: BTreeSet<u64>,
    /// The orders that have ended and that some nodes may still show as open: until when, and which.
    ended: BTreeSet<(u64, u64)>,
    /// The ids that a query did not find.
    missed: FxHashSet<String>,
    /// The ids of deleted orders.
    forgotten: FxHashSet<String>,
    /// The number of times in a row that queries did not show existing orders.
    denied: FxHashMap<u64, u32>,
}

/// The view of the node that serves a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) now: u64,
    pub(crate) lag: u64,
    pub(crate) fault: HostileFault,
    /// The number of times in a row that an order may be denied.
    pub(crate) denials: u32,
}

fn named(name: &Name) -> &str {
    match name {
        Name::Id(id) | Name::Client(id) => id,
    }
}

impl Views {
    /// Returns the views of nodes that have shown these orders so far.
    pub(crate) fn of<'a>(orders: impl Iterator<Item = &'a Order>, now: u64) -> Self {
        let mut views = Self::default();
        for order in orders {
            views.note(order, now, now);
        }
        views
    }

    /// Records that an order has changed.
    pub(crate) fn touch(&mut self, event: &Event) {
        self.touched.extend(event.order());
    }

    /// Returns the orders that have changed since this was asked last.
    pub(crate) fn take_touched(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.touched)
    }

    /// Records a version of an order. Returns whether a query has missed the order before.
    pub(crate) fn note(&mut self, order: &Order, now: u64, settled: u64) -> bool {
        self.ended = self.ended.split_off(&(now + 1, 0));
        if !order.state.is_open() && settled > now {
            self.ended.insert((settled, order.id));
        }
        let version = Version { at: now, settled, order: order.clone() };
        match self.histories.get_mut(&order.id) {
            Some(history) => {
                // A settled version makes earlier ones obsolete.
                if let Some(last) = history.versions.iter().rposition(|version| version.settled <= now) {
                    history.versions.drain(..last);
                }
                history.versions.push(version);
                false
            }
            None => {
                let history = History { versions: vec![version], settled, visible: now };
                self.histories.insert(order.id, history);
                order.client().is_some_and(|client| self.missed.remove(client))
            }
        }
    }

    /// Returns the orders that have ended, and that a node may still show as open.
    pub(crate) fn ended_lately(&self, now: u64) -> impl Iterator<Item = u64> {
        self.ended.range((now + 1, 0)..).map(|(_, order)| *order)
    }

    /// Hides an order until a time.
    pub(crate) fn hide(&mut self, order: u64, until: u64) {
        if let Some(history) = self.histories.get_mut(&order) {
            history.visible = until;
        }
    }

    /// Forgets an order.
    pub(crate) fn forget(&mut self, order: &Order) {
        self.histories.remove(&order.id);
        if self.forgotten.len() < MAX_FORGOTTEN {
            self.forgotten.insert(order.id.to_string());
            self.forgotten.extend(order.client().map(str::to_owned));
        }
    }

    /// Returns the order as a node shows it; `found` is the current state.
    pub(crate) fn shown(
        &mut self,
        view: View,
        name: &Name,
        found: Option<&Order>,
        counts: &mut Counts,
    ) -> Option<Order> {
        let shown = found.and_then(|order| self.version(view, order));
        match (&shown, found) {
            (Some(shown), Some(order)) if !is_alike(shown, order) => counts.record(HostileEvent::ShownOutdated),
            (None, found) => {
                if found.is_none() && self.forgotten.contains(named(name)) {
                    counts.record(HostileEvent::QueriedAfterDeletion);
                }
                if let (None, Name::Client(client)) = (found, name) {
                    self.missed.insert(client.clone());
                }
            }
            _ => {}
        }
        shown
    }

    fn version(&mut self, view: View, order: &Order) -> Option<Order> {
        let Some(history) = self.histories.get(&order.id) else { return Some(order.clone()) };
        let version = history.last(view).filter(|_| history.visible <= view.now)?;
        let denied = self.denied.get(&order.id).copied().unwrap_or_default();
        if view.fault == HostileFault::Hidden && view.now < history.settled {
            return None;
        }
        // Only so often in a row: the next query finds the order.
        if denied == 0 && view.fault == HostileFault::FalseAbsence || (1..view.denials).contains(&denied) {
            self.denied.insert(order.id, denied + 1);
            return None;
        }
        let shown = version.clone();
        self.denied.remove(&order.id);
        Some(shown)
    }

    /// Returns the order as a listing of a node shows it; `None` if the node does not know it yet.
    pub(crate) fn listed<'a>(&'a self, view: View, order: &'a Order) -> Option<&'a Order> {
        let Some(history) = self.histories.get(&order.id) else { return Some(order) };
        history.last(view).filter(|_| history.visible <= view.now)
    }
}

impl History {
    /// Returns the version that a node shows.
    fn last(&self, view: View) -> Option<&Order> {
        let is_shown = |version: &&Version| version.at + view.lag <= view.now || version.settled <= view.now;
        self.versions.iter().rev().find(is_shown).map(|version| &version.order)
    }
}

fn is_alike(one: &Order, other: &Order) -> bool {
    let of = |order: &Order| -> (Option<u64>, u64, u64, State) { (order.ticks, order.lots, order.filled, order.state) };
    of(one) == of(other)
}
