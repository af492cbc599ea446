//! The rounds in which everything is cancelled, closed and read, and the wait for changes that were sent before without
//! an answer.

use std::time::Duration;

use super::Flat;
use super::calls::{CallDoubt, ValueCall};
use super::holdings::{self, Holdings};
use super::report::{FlattenRound, Flattened, Left, LeftOver, NotFlat};
use crate::calls::client::{ClientCore, Departure, UnderWay};
use crate::calls::retry::{RetryPolicy, is_final};
use crate::data::clock::{Moment, pause};
use crate::data::error::Error;
use crate::data::lifecycle::Sighting;
use crate::data::sorting::sort_by;
use crate::data::value::Decimal;
use crate::outcomes::confirm::{ConfirmPolicy, can_no_longer_arrive, visible_within};
use crate::outcomes::reconcile::{Listing, Part};
use crate::state::journal::{Selection, StoredChange};

/// The number of times that a round asks for what an answer did not show. What is asked only reads, or closes what is
/// open.
pub(super) const ATTEMPTS: usize = 8;

/// The pause between two rounds while something is left, and between two attempts.
const BETWEEN: Duration = Duration::from_millis(250);

/// The longest time without progress.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(180);

/// The longest time for all rounds, unless the caller wants less.
const LONGEST: Duration = Duration::from_secs(600);

/// The reason why nothing is known of what was not read.
const NO_TIME: &str = "the deadline has passed before it was read";

/// The number of rounds in a row that may end with every change of a family refused that has something left.
const REFUSED_ROUNDS: usize = 2;

/// The time for all rounds. After it nothing more is sent.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    begun: Moment,
    longest: Duration,
}

impl Allowed {
    /// Returns the time that `policy` allows, from now on.
    pub(super) fn from_now(client: &ClientCore, policy: &ConfirmPolicy) -> Self {
        let longest = if policy.lasts() < ConfirmPolicy::DEADLINE { policy.lasts() } else { LONGEST };
        Self { begun: client.moment(), longest }
    }

    /// Returns the part of it for what is asked before the first round, so that most of a short time is left for that.
    pub(super) fn before_rounds(self) -> Self {
        Self { longest: self.longest / 4, ..self }
    }

    /// Returns how much is left; `None` when it has passed.
    pub(super) fn left(&self, client: &ClientCore) -> Option<Duration> {
        self.longest.checked_sub(client.moment().steady_since(self.begun))
    }

    /// Returns the retries of a read, none of which begins later.
    pub(super) fn retries(&self, client: &ClientCore) -> RetryPolicy {
        RetryPolicy::new().within(self.left(client).unwrap_or_default())
    }

    /// Returns when the time has passed, by the steady clock.
    fn end(&self) -> Duration {
        self.begun.steady.saturating_add(self.longest)
    }
}

pub(super) async fn flatten(
    client: &ClientCore,
    flats: &[Flat],
    listings: &[Listing],
    (policy, allowed): (&ConfirmPolicy, Allowed),
    report: &mut (dyn FnMut(&FlattenRound<'_>) + Send),
) -> Result<Flattened, NotFlat> {
    let mut progress = Progress { at: client.moment(), fewest: usize::MAX, hopeless: 0 };
    let mut has_arrived = false;
    for rounds in 1.. {
        // One listing may lack an order that has arrived meanwhile.
        let denials = if has_arrived { policy.denials_and_pause().0 } else { 1 };
        let denials = usize::try_from(denials).unwrap_or(usize::MAX);
        let round = Round { client, listings, allowed, denials, left: Vec::new(), refusals: Refusals::default() };
        let Round { left, refusals, .. } = round.run(flats, !has_arrived).await;
        let arrivals = if has_arrived { Arrivals::AreOver } else { Arrivals::AreShown };
        let wait = if left.is_empty() { expected_wait(client, arrivals, policy) } else { Duration::ZERO };
        report(&FlattenRound { number: rounds, left: &left, wait });
        let give_up = |left| Err(NotFlat { left, rounds, refusals: refusals.reasons() });
        if left.is_empty() {
            // The last round began when everything that was sent before had arrived and was shown. What it sent itself
            // can only cancel and close, and must not do so to what is placed after the success.
            if let Err(open) = wait_for(client, arrivals, policy, allowed.end()).await {
                return give_up(open);
            }
            if has_arrived {
                return Ok(Flattened { rounds, refused: Vec::new() });
            }
            has_arrived = true;
            continue;
        }
        has_arrived = false;
        let goes_on = progress.goes_on(client.moment(), &left, refusals.is_hopeless(&left));
        if !goes_on || allowed.left(client).is_none() {
            return give_up(left);
        }
        pause(client.environment(), BETWEEN).await;
    }
    Err(NotFlat { left: Vec::new(), rounds: usize::MAX, refusals: Vec::new() })
}

/// True if another round may find less.
struct Progress {
    /// When a round found less than all before it.
    at: Moment,
    fewest: usize,
    /// The number of rounds in a row that were hopeless.
    hopeless: usize,
}

impl Progress {
    /// Takes what a round has found. Returns whether there is another one.
    fn goes_on(&mut self, now: Moment, left: &[Left], is_hopeless: bool) -> bool {
        if left.len() < self.fewest {
            (self.fewest, self.at) = (left.len(), now);
        }
        self.hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
        self.hopeless < REFUSED_ROUNDS && now.steady_since(self.at) <= LONGEST_STANDSTILL
    }
}

/// The outcomes of the changes of a round.
#[derive(Default)]
struct Refusals {
    /// Each family with a change, and whether all of them were refused for a reason that stays.
    families: Vec<(&'static str, bool)>,
    reasons: Vec<String>,
}

impl Refusals {
    /// Takes how a change of a family ended. `why` is the error, unless it was done or needed nothing.
    fn note(&mut self, family: &'static str, why: Option<&Error>) {
        let refusal = why.filter(|error| is_final(error));
        match self.families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, all_refused)) => *all_refused &= refusal.is_some(),
            None => self.families.push((family, refusal.is_some())),
        }
        if let Some(reason) = refusal.map(Error::to_string)
            && !self.reasons.contains(&reason)
        {
            self.reasons.push(reason);
        }
    }

    /// Returns whether every family with something left refuses every change.
    fn is_hopeless(&self, left: &[Left]) -> bool {
        left.iter().all(|left| self.families.contains(&(left.family, true)))
    }

    /// Returns the reasons, if a family refused every change.
    fn reasons(&self) -> Vec<String> {
        if self.families.iter().any(|(_, all_refused)| *all_refused) { self.reasons.clone() } else { Vec::new() }
    }
}

/// One round, and what it finds.
struct Round<'a> {
    client: &'a ClientCore,
    listings: &'a [Listing],
    allowed: Allowed,
    /// The number of listings in a row that have to show no open order.
    denials: usize,
    left: Vec<Left>,
    refusals: Refusals,
}

impl Round<'_> {
    /// Takes the rounds: cancels, if `cancels`, reads and closes.
    async fn run(mut self, flats: &[Flat], cancels: bool) -> Self {
        for flat in flats.iter().filter(|_| cancels) {
            self.cancel(flat).await;
        }
        for flat in flats {
            self.look_at_orders(flat).await;
            self.close(flat).await;
            self.look_at_value(flat).await;
        }
        self.note_unknown_families(flats);
        self
    }

    fn note(&mut self, flat: &Flat, line: Option<&'static str>, what: LeftOver) {
        self.left.push(Left { family: flat.family, line, what });
    }

    /// Cancels all orders. Whether that worked is seen in the listings.
    async fn cancel(&mut self, flat: &Flat) {
        let Some(cancel) = &flat.cancel else { return };
        for line in cancel.lines {
            if !self.has_time() {
                return;
            }
            let cancelled = cancel.send(self.client, line).await;
            self.refusals.note(flat.family, cancelled.err().as_ref());
        }
    }

    /// Lists the open orders, and cancels each of them.
    async fn look_at_orders(&mut self, flat: &Flat) {
        let listings = self.listings;
        let mut is_listed = false;
        for listing in holdings::of(listings, flat.family, Part::OpenOrders) {
            is_listed = true;
            for turn in listing.turns() {
                match self.open_orders(listing, turn).await {
                    Ok(orders) => {
                        for order in orders {
                            if self.has_time() {
                                let cancelled = listing.cancel(self.client, turn, &order).await;
                                self.refusals.note(flat.family, cancelled.err().as_ref());
                            }
                            self.note(flat, turn, LeftOver::Order(order.id.unwrap_or_default()));
                        }
                    }
                    Err(why) => self.note(flat, turn, LeftOver::UnknownOrders(why)),
                }
            }
        }
        if !is_listed {
            self.note(flat, None, LeftOver::UnknownOrders("no operation lists open orders".to_owned()));
        }
    }

    /// Returns the open orders of a listing that could be read as a whole.
    async fn open_orders(&self, listing: &Listing, turn: Option<&'static str>) -> Result<Vec<Sighting>, String> {
        let (mut doubt, mut empty) = (NO_TIME.to_owned(), 0);
        for attempt in 0..ATTEMPTS.saturating_add(self.denials) {
            if !self.has_time_for(attempt).await {
                break;
            }
            match self.read_once(listing, turn).await {
                Ok(orders) if orders.is_empty() && empty + 1 < self.denials => empty += 1,
                Ok(orders) => return Ok(orders),
                Err(why) => (doubt, empty) = (why, 0),
            }
        }
        Err(doubt)
    }

    async fn read_once(&self, listing: &Listing, turn: Option<&'static str>) -> Result<Vec<Sighting>, String> {
        let (client, retry, mut open) = (self.client, self.allowed.retries(self.client), Vec::new());
        let pages = listing.walk(client, turn, client.now(), &retry);
        let mut pages = pages.map_err(|violations| violations.to_string())?;
        while let Some(page) = pages.next().await {
            let page = page.map_err(|failure| failure.of(listing.operation).to_string())?;
            open.extend(page.orders);
        }
        open.retain(|order: &Sighting| order.has_ended != Some(true));
        Ok(open)
    }

    fn has_time(&self) -> bool {
        self.allowed.left(self.client).is_some()
    }

    /// Pauses before another attempt than the first; returns whether there is time for it.
    async fn has_time_for(&self, attempt: usize) -> bool {
        if attempt > 0 {
            pause(self.client.environment(), BETWEEN).await;
        }
        self.has_time()
    }

    /// Closes all positions by the operation that does so.
    async fn close(&mut self, flat: &Flat) {
        let Some(close) = &flat.close else { return };
        for line in close.lines.lines.iter().copied() {
            let mut found = LeftOver::UnknownPositions(NO_TIME.to_owned());
            for attempt in 0..ATTEMPTS {
                if !self.has_time_for(attempt).await {
                    break;
                }
                let closed = close.close(self.client, line).await;
                let why = closed.as_ref().err().and_then(CallDoubt::error);
                self.refusals.note(flat.family, why);
                let is_refused = why.is_some_and(is_final);
                found = match closed {
                    Ok(count) => LeftOver::Positions(count),
                    Err(doubt) => LeftOver::UnknownPositions(doubt.to_string()),
                };
                if matches!(found, LeftOver::Positions(_)) || is_refused {
                    break;
                }
            }
            if found != LeftOver::Positions(0) {
                self.note(flat, Some(line), found);
            }
        }
    }

    /// Returns what all positions are worth.
    async fn worth(&self, value: &ValueCall) -> Result<Decimal, String> {
        let mut doubt = NO_TIME.to_owned();
        for attempt in 0..ATTEMPTS {
            if !self.has_time_for(attempt).await {
                break;
            }
            match value.read(self.client).await {
                Ok(value) => return Ok(value),
                Err(why) => doubt = format!("{}: {why}", value.operation),
            }
        }
        Err(doubt)
    }

    /// Reads what all positions are worth, and closes by orders those that follow from fills unless that is nothing.
    async fn look_at_value(&mut self, flat: &Flat) {
        let Some(value) = &flat.value else { return };
        let found = match self.worth(value).await {
            Ok(value) if value.is_zero() => return,
            Ok(value) => LeftOver::Value(value),
            Err(why) => LeftOver::UnknownPositions(why),
        };
        self.note(flat, None, found);
        if self.has_time() {
            self.reduce(flat).await;
        }
    }

    async fn reduce(&mut self, flat: &Flat) {
        let Some(reduce) = &flat.reduce else { return };
        let read = holdings::read(self.client, self.listings, flat.family, &reduce.fields, self.allowed).await;
        let Holdings { known, unknown } = match read {
            Ok(holdings) => holdings,
            Err(doubt) => return self.note(flat, None, LeftOver::UnknownPositions(doubt.to_string())),
        };
        for of_line in unknown.chunk_by(|(one, _), (other, _)| one == other) {
            let instruments = of_line.iter().map(|(_, instrument)| instrument.clone());
            self.note(flat, of_line.first().map(|(line, _)| *line), LeftOver::NotClosed(instruments.collect()));
        }
        for holding in known {
            let (line, instrument) = (holding.line, holding.instrument);
            let closed = match self.has_time() {
                true => reduce.reduce(self.client, [line, &instrument], &holding.quantity, holding.is_long).await,
                false => Err(CallDoubt::new(NO_TIME.to_owned())),
            };
            self.refusals.note(flat.family, closed.as_ref().err().and_then(CallDoubt::error));
            if let Err(doubt) = closed {
                let size = if holding.is_long { holding.quantity } else { -holding.quantity };
                self.note(flat, Some(line), LeftOver::Position { instrument, size, why: doubt.to_string() });
            }
        }
    }

    /// Families with open orders that the schema does not say how to make flat.
    fn note_unknown_families(&mut self, flats: &[Flat]) {
        let mut unknown = Vec::new();
        for Listing { family, .. } in self.listings {
            if !unknown.contains(family) && flats.iter().all(|flat| flat.family != *family) {
                unknown.push(*family);
            }
        }
        sort_by(&mut unknown, &Ord::cmp);
        for family in unknown {
            let why = "the schema does not say how it becomes flat".to_owned();
            self.left.push(Left { family, line: None, what: LeftOver::Unknown(why) });
        }
        if self.listings.is_empty() && flats.is_empty() {
            let why = "no family lists open orders".to_owned();
            self.left.push(Left { family: "", line: None, what: LeftOver::Unknown(why) });
        }
    }
}

/// The longest pause before it is looked again what is under way.
const LOOK: Duration = Duration::from_secs(2);

/// The event that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrivals {
    /// The requests that were sent before can have no effect any more.
    AreOver,
    /// The same, and the effect that it had is visible on every machine of the exchange.
    AreShown,
}

/// Waits until nothing that was sent before, or waits to be sent, can have an effect.
///
/// Fails with what may still have one, if that takes until `end`, or longer than the deadline of the policy.
pub(super) async fn wait_for(
    client: &ClientCore,
    arrivals: Arrivals,
    policy: &ConfirmPolicy,
    end: Duration,
) -> Result<(), Vec<Left>> {
    let mut journaled = open_in_journal(client).await.map_err(|why| vec![of_no_family(LeftOver::Unknown(why))])?;
    loop {
        let (now, outstanding) = (client.moment(), client.outstanding());
        // What the exchange has not been asked to do yet.
        let mut open: Vec<LeftOver> = Vec::new();
        for operation in outstanding.waiting {
            open.push(LeftOver::UnderWay(UnderWay::waiting(operation)));
        }
        // The journal has the changes of this run, too, by clocks that may have been set since.
        journaled.retain(|stored| outstanding.unanswered.iter().all(|left| left.change != Some(stored.number)));
        let mut longest = Duration::ZERO;
        for left in outstanding.unanswered {
            let wait = needed(client, arrivals, policy, left, now);
            if !wait.is_zero() {
                open.push(LeftOver::UnderWay(client.shown(left)));
                longest = longest.max(wait);
            }
        }
        longest = longest.max(until_shown(outstanding.last_added, arrivals, policy, now));
        journaled.retain(|StoredChange { change, .. }| {
            let id = change.client_ids.first().map(String::as_str);
            !can_no_longer_arrive(client, (&change.request, id), change.signed(), now, policy)
        });
        for StoredChange { change, .. } in &journaled {
            let (operation, signed_at) = (change.operation.clone(), change.signed_at);
            open.push(LeftOver::OpenInJournal { operation, signed_at });
        }
        if open.is_empty() && longest.is_zero() {
            return Ok(());
        }
        if longest > policy.lasts() || now.steady.saturating_add(longest) >= end {
            if open.is_empty() {
                open.push(LeftOver::Unknown("what was done may be shown after the deadline only".to_owned()));
            }
            return Err(open.into_iter().map(of_no_family).collect());
        }
        pause(client.environment(), if longest.is_zero() { LOOK } else { longest.min(LOOK) }).await;
    }
}

/// Returns how long until what this client has sent without an answer has no effect any more, or is shown.
pub(super) fn expected_wait(client: &ClientCore, arrivals: Arrivals, policy: &ConfirmPolicy) -> Duration {
    let (now, outstanding) = (client.moment(), client.outstanding());
    let of_last = outstanding.unanswered.last().map(|left| needed(client, arrivals, policy, *left, now));
    of_last.unwrap_or_default().max(until_shown(outstanding.last_added, arrivals, policy, now))
}

/// Returns how long until a change without an answer has no effect any more, or is shown.
fn needed(client: &ClientCore, arrivals: Arrivals, policy: &ConfirmPolicy, left: Departure, now: Moment) -> Duration {
    let visible = visible_within(client, left.at, policy).unwrap_or(Duration::MAX);
    let needed = match arrivals {
        Arrivals::AreOver => visible.saturating_sub(policy.assumptions().lag),
        Arrivals::AreShown => visible,
    };
    needed.saturating_sub(now.steady_since(left.at))
}

/// Returns how long until the order that was placed or amended last is shown.
fn until_shown(added: Option<Moment>, arrivals: Arrivals, policy: &ConfirmPolicy, now: Moment) -> Duration {
    let added = added.filter(|_| arrivals == Arrivals::AreShown);
    added.map_or(Duration::ZERO, |added| policy.assumptions().shown_after().saturating_sub(now.steady_since(added)))
}

/// Returns the changes of the account that the journal has open.
async fn open_in_journal(client: &ClientCore) -> Result<Vec<StoredChange>, String> {
    let of_journal = |error| format!("the journal, which may have changes that arrive later: {error}");
    let Some(journal) = client.bound_journal().await.map_err(of_journal)? else { return Ok(Vec::new()) };
    let mut open = journal.read(Selection::Open).await.map_err(of_journal)?;
    open.retain(|stored| client.is_of_account(stored));
    Ok(open)
}

fn of_no_family(what: LeftOver) -> Left {
    Left { family: "", line: None, what }
}
