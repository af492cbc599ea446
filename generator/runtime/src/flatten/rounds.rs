//! The rounds in which everything is cancelled, closed and read.

use std::time::Duration;

use super::Flat;
use super::calls::ValueCall;
use super::holdings::{self, Holdings};
use super::report::{FlattenRound, Flattened, Left, LeftOver, NotFlat};
use crate::client::ClientCore;
use crate::clock::{Moment, pause};
use crate::confirm::{ConfirmPolicy, wait_until};
use crate::lifecycle::Sighting;
use crate::reconcile::{Listing, Part};
use crate::retry::RetryPolicy;
use crate::sorting::sort_by;
use crate::value::Decimal;

/// How often a round asks for what an answer did not show. What is asked only reads, or closes what is open.
const ATTEMPTS: usize = 8;

/// The pause between two rounds while something is left, and between two attempts.
const BETWEEN: Duration = Duration::from_millis(250);

/// How long no round may find less than those before.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(180);

/// How long all rounds may take, unless the caller wants less.
const LONGEST: Duration = Duration::from_secs(600);

pub(super) async fn flatten(
    client: &ClientCore,
    flats: &[Flat],
    listings: &[Listing],
    policy: &ConfirmPolicy,
    report: &mut (dyn FnMut(&FlattenRound<'_>) + Send),
) -> Result<Flattened, NotFlat> {
    let begun = client.moment();
    let longest = if policy.lasts() < ConfirmPolicy::DEADLINE { policy.lasts() } else { LONGEST };
    let (mut progress_at, mut fewest) = (begun, usize::MAX);
    let mut was_flat = false;
    for rounds in 1.. {
        let mut round = Round { client, listings, begun, longest, left: Vec::new() };
        for flat in flats {
            round.cancel(flat).await;
        }
        for flat in flats {
            round.look_at_orders(flat).await;
            round.close(flat).await;
            round.look_at_value(flat).await;
        }
        round.note_unknown_families(flats);
        let left = round.left;
        let now = client.moment();
        let wait = if left.is_empty() && !was_flat { until_shown(client, policy) } else { Duration::ZERO };
        report(&FlattenRound { number: rounds, left: &left, wait });
        if left.is_empty() {
            if was_flat {
                return Ok(Flattened { rounds, refused: Vec::new() });
            }
            was_flat = true;
            // What was sent before may arrive until then, and what was done may not be shown yet.
            let doubt = if now.steady_since(begun).saturating_add(wait) > longest {
                Some(format!("what was sent is shown for certain only in {wait:.0?}, after the deadline"))
            } else if !wait_for_arrivals(client, policy).await {
                Some("changes of this client may arrive after the deadline of the policy".to_owned())
            } else {
                None
            };
            if let Some(why) = doubt {
                let left = vec![Left { family: "", line: None, what: LeftOver::Unknown(why) }];
                return Err(NotFlat { left, rounds });
            }
            continue;
        }
        was_flat = false;
        if left.len() < fewest {
            (fewest, progress_at) = (left.len(), now);
        }
        if now.steady_since(progress_at) > LONGEST_STANDSTILL || now.steady_since(begun) > longest {
            return Err(NotFlat { left, rounds });
        }
        pause(client.environment(), BETWEEN).await;
    }
    Err(NotFlat { left: Vec::new(), rounds: usize::MAX })
}

/// Waits until what this client has sent can no longer arrive, and all of it is shown. Returns whether the policy allows
/// that long.
async fn wait_for_arrivals(client: &ClientCore, policy: &ConfirmPolicy) -> bool {
    let [last, unsettled] = client.last_departures();
    if let Some(left) = unsettled
        && !wait_until(client, left, policy).await
    {
        return false;
    }
    if last.is_some() {
        pause(client.environment(), until_shown(client, policy)).await;
    }
    true
}

/// How long until everything that this client has sent, and that has arrived, is shown.
fn until_shown(client: &ClientCore, policy: &ConfirmPolicy) -> Duration {
    let [last, _] = client.last_departures();
    last.map_or(Duration::ZERO, |left| policy.shown_after().saturating_sub(client.moment().steady_since(left)))
}

/// One round, and what it finds.
struct Round<'a> {
    client: &'a ClientCore,
    listings: &'a [Listing],
    /// When the first round began, and how long all of them may take.
    begun: Moment,
    longest: Duration,
    left: Vec<Left>,
}

impl Round<'_> {
    fn note(&mut self, flat: &Flat, line: Option<&'static str>, what: LeftOver) {
        self.left.push(Left { family: flat.family, line, what });
    }

    /// Cancels all orders. Whether that worked is seen in the listings.
    async fn cancel(&mut self, flat: &Flat) {
        let Some(cancel) = &flat.cancel else { return };
        for line in cancel.lines {
            let _ = cancel.send(self.client, line).await;
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
                            let _ = listing.cancel(self.client, turn, &order).await;
                            self.note(flat, turn, LeftOver::Order(order.id.unwrap_or_default()));
                        }
                    }
                    Err(why) => self.note(flat, turn, LeftOver::Unknown(why)),
                }
            }
        }
        if !is_listed {
            self.note(flat, None, LeftOver::Unknown("no operation lists open orders".to_owned()));
        }
    }

    /// The open orders of a listing that could be read as a whole.
    async fn open_orders(&self, listing: &Listing, turn: Option<&'static str>) -> Result<Vec<Sighting>, String> {
        let mut doubt = String::new();
        for attempt in 0..ATTEMPTS {
            if !self.has_time_for(attempt).await {
                break;
            }
            match self.read_once(listing, turn).await {
                Ok(orders) => return Ok(orders),
                Err(why) => doubt = why,
            }
        }
        Err(doubt)
    }

    async fn read_once(&self, listing: &Listing, turn: Option<&'static str>) -> Result<Vec<Sighting>, String> {
        let (client, retry, mut open) = (self.client, RetryPolicy::new(), Vec::new());
        let pages = listing.walk(client, turn, client.now(), &retry);
        let mut pages = pages.map_err(|violations| violations.to_string())?;
        while let Some(page) = pages.next().await {
            let page = page.map_err(|failure| failure.of(listing.operation).to_string())?;
            open.extend(page.orders);
        }
        open.retain(|order: &Sighting| order.has_ended != Some(true));
        Ok(open)
    }

    /// Pauses before another attempt; returns whether there is time for it. The first one is always made.
    async fn has_time_for(&self, attempt: usize) -> bool {
        if attempt == 0 {
            return true;
        }
        pause(self.client.environment(), BETWEEN).await;
        self.client.moment().steady_since(self.begun) <= self.longest
    }

    /// Closes all positions by the operation that does so.
    async fn close(&mut self, flat: &Flat) {
        let Some(close) = &flat.close else { return };
        for line in close.lines.lines.iter().copied() {
            let mut found = LeftOver::Positions(0);
            for attempt in 0..ATTEMPTS {
                if !self.has_time_for(attempt).await {
                    break;
                }
                match close.close(self.client, line).await {
                    Ok(count) => {
                        found = LeftOver::Positions(count);
                        break;
                    }
                    Err(doubt) => found = LeftOver::Unknown(doubt.0),
                }
            }
            if found != LeftOver::Positions(0) {
                self.note(flat, Some(line), found);
            }
        }
    }

    /// What all positions are worth.
    async fn worth(&self, value: &ValueCall) -> Result<Decimal, String> {
        let mut doubt = String::new();
        for attempt in 0..ATTEMPTS {
            if !self.has_time_for(attempt).await {
                break;
            }
            match value.read(self.client).await {
                Ok(value) => return Ok(value),
                Err(why) => doubt = format!("{}: {}", value.operation, why.0),
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
            Err(why) => LeftOver::Unknown(why),
        };
        self.note(flat, None, found);
        self.reduce(flat).await;
    }

    async fn reduce(&mut self, flat: &Flat) {
        let Some(reduce) = &flat.reduce else { return };
        let read = holdings::read(self.client, self.listings, flat.family, &reduce.fields).await;
        let Holdings { known, unknown } = match read {
            Ok(holdings) => holdings,
            Err(doubt) => return self.note(flat, None, LeftOver::Unknown(doubt.0)),
        };
        for of_line in unknown.chunk_by(|(one, _), (other, _)| one == other) {
            let instruments = of_line.iter().map(|(_, instrument)| instrument.clone());
            self.note(flat, of_line.first().map(|(line, _)| *line), LeftOver::NotClosed(instruments.collect()));
        }
        for holding in known {
            let (line, instrument) = (holding.line, holding.instrument);
            let closed = reduce.reduce(self.client, [line, &instrument], &holding.quantity, holding.is_long).await;
            if let Err(doubt) = closed {
                let size = if holding.is_long { holding.quantity } else { -holding.quantity };
                self.note(flat, Some(line), LeftOver::Position { instrument, size, why: doubt.0 });
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
