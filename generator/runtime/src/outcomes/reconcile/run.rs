//! The steps of a comparison: recover, list, query what is missing, compare, adopt. A client that tracks orders
//! refreshes its view by the listing of open orders alone.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::compare::{compare, earliest};
use super::known::{JournalOrders, Listings, missing};
use super::listing::{Listing, ListingPages, PageContent, Part, ask};
use super::report::{Action, Difference, ListingError, ListingFailure, ReconcileError, Reconciled, ReconciledOrder};
use super::{ForeignOrders, Reconciliation};
use crate::calls::client::ClientCore;
use crate::calls::pages::{Clipped, PageError};
use crate::calls::retry::RetryPolicy;
use crate::data::clock::{self, Moment};
use crate::data::error::JournalError;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::outcomes::confirm::{ConfirmPolicy, Recovered, Recovery, can_no_longer_arrive, recover, wait_until};
use crate::state::evidence::{Denials, Seen};
use crate::state::journal::{CHUNK, Change, ChangeNumber, Ending, Gap, Journal, LostSpan, SigningTimes, StoredChange};
use crate::state::orders::TrackedOrder;

/// The progress of a comparison.
pub(super) struct Progress {
    begun: Timestamp,
    since: Timestamp,
    gap: Option<JournalGap>,
    listed_after: Moment,
    recovered: Option<Vec<Recovered>>,
    /// The listings to read, each for a value of a parameter; the next one is the last.
    left: Vec<(Listing, Option<&'static str>)>,
    /// The listing that is being read, and what its pages have shown.
    walk: Option<(Box<dyn ListingPages>, PageContent)>,
    shown: Listings,
    clipped: Vec<Clipped>,
    /// The families of which a listing of open orders may lack some.
    partly_listed: Vec<&'static str>,
}

/// The changes that the journal may lack.
#[derive(Clone)]
struct JournalGap {
    gap: Gap,
    span: LostSpan,
    /// True if nothing of it could arrive when the account was listed.
    is_over: bool,
}

impl JournalGap {
    fn of(gap: Gap) -> Self {
        Self { span: LostSpan::after(gap.after), gap, is_over: false }
    }
}

impl Progress {
    fn begin(client: &ClientCore, listings: &[Listing], how: &Reconciliation) -> Result<Self, ReconcileError> {
        let covered = covered(listings, how);
        let lists_orders = |family: Option<&str>| {
            let is_of = |listing: &Listing| family.is_none_or(|family| listing.family == family);
            covered.iter().any(|listing| listing.part == Part::OpenOrders && is_of(listing))
        };
        let unlisted = how.families.iter().find(|family| !lists_orders(Some(family)));
        if unlisted.is_some() || !lists_orders(None) {
            return Err(ReconcileError::NoListing { family: unlisted.cloned() });
        }
        let mut left = Vec::new();
        for listing in covered {
            for turn in listing.turns() {
                left.push((listing, turn));
            }
        }
        left.reverse();
        let (recovered, walk, shown, clipped) = (None, None, Listings::default(), Vec::new());
        let gap = client.journal().and_then(|journal| journal.gap(client.account().name())).map(JournalGap::of);
        let since = match &gap {
            Some(lost) if lost.gap.after.is_some() => how.since.min(lost.span.since()),
            _ => how.since,
        };
        let (begun, listed_after) = (client.now(), client.moment());
        let partly_listed = Vec::new();
        Ok(Self { begun, since, gap, listed_after, recovered, left, walk, shown, clipped, partly_listed })
    }

    /// Takes what a listing has shown that was read to its end.
    fn take(&mut self, listing: Listing, turn: Option<&'static str>, seen: PageContent) -> Result<(), String> {
        if listing.part == Part::OpenOrders && !seen.shows_all(&listing) {
            self.partly_listed.push(listing.family);
        }
        for order in seen.orders {
            self.shown.add_order(listing.family, order, Some((listing, turn)));
        }
        self.clipped.extend(seen.clipped);
        seen.fills.into_iter().try_for_each(|fill| self.shown.add_fill(listing.family, fill))
    }
}

/// Compares the account with the journal: recovers the changes that the journal has open, reads the open orders,
/// and the past orders and fills since a time, queries the orders of the journal that none of them shows, and
/// reports for each order how it differs. Then foreign orders are adopted, if that is the policy.
/// [`cancel_foreign`](super::cancel_foreign) cancels those that the caller picks from the report.
///
/// An order that the account does not show is reported as [`NotOpen`](super::Gone::NotOpen) only under the
/// conditions of a confirmation: its request can no longer arrive, every machine of the exchange has to show what it
/// did, and it was denied as often in a row as the policy says. Until then it is
/// [`Unsettled`](super::Gone::Unsettled), and `next_since` is not behind it.
///
/// Call it at the start of a program and after an outage, before anything else is sent. All calls wait for their
/// rate limits. If any part of the account cannot be read, it fails and does nothing with foreign orders; with the
/// same `reconciliation` it goes on where it stopped. Reconciling again is safe.
///
/// # Errors
///
/// See [`ReconcileError`].
pub async fn reconcile(
    client: &ClientCore,
    listings: &[Listing],
    recoveries: &[Recovery],
    reconciliation: &mut Reconciliation,
) -> Result<Reconciled, ReconcileError> {
    let journal = Arc::clone(client.noted_journal().await?.ok_or(ReconcileError::NoJournal)?);
    let served = meant(client, listings, reconciliation).await?;
    let listings = served.as_slice();
    let mut progress = match reconciliation.progress.take() {
        Some(progress) => progress,
        None => Progress::begin(client, listings, reconciliation)?,
    };
    let result = advance(client, &journal, listings, recoveries, reconciliation, &mut progress).await;
    match &result {
        Ok(reconciled) => reconciliation.since = reconciled.next_since,
        Err(_) => reconciliation.progress = Some(progress),
    }
    result
}

/// Returns the listings of the families that are meant, or else of those that serve the key.
async fn meant(
    client: &ClientCore,
    listings: &[Listing],
    how: &Reconciliation,
) -> Result<Vec<Listing>, ReconcileError> {
    if !how.families.is_empty() {
        return Ok(listings.to_vec());
    }
    let failed = |(operation, error)| ListingFailure::Page(PageError::Call(error)).of(operation);
    Ok(ask(client, listings, &RetryPolicy::new()).await.map_err(failed)?.of(listings))
}

async fn advance(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    listings: &[Listing],
    recoveries: &[Recovery],
    how: &Reconciliation,
    progress: &mut Progress,
) -> Result<Reconciled, ReconcileError> {
    if progress.recovered.is_none() {
        progress.recovered = Some(recover(client, recoveries, &how.confirm).await?.changes);
        if let Some(lost) = &mut progress.gap {
            lost.is_over = wait_until(client, progress.listed_after, &how.confirm).await;
        }
        (progress.begun, progress.listed_after) = (client.now(), client.moment());
    }
    read_listings(client, how, progress).await?;
    // What was sent without the journal meanwhile may be listed, too.
    client.noted_journal().await?;
    // It is read after the listings, so that it has every order of this program that they show.
    let mut known = journaled(client, journal, listings, recoveries, how, progress).await?;
    let covers_all = !known.is_partial();
    known.note_due(&|request, signed| {
        can_no_longer_arrive(client, request, signed, progress.listed_after, &how.confirm)
    });
    query_missing(client, how, &mut known, progress).await?;
    if known.needs_listing(&progress.shown, progress.since) {
        list_again(client, listings, how, &mut known, progress).await?;
    }
    for number in known.settle(&progress.shown) {
        journal.end(number, Ending::new(Outcome::Unknown)).await?;
    }
    known.lost.extend(progress.gap.as_ref().map(|lost| lost.span));
    let mut orders = compare(&known, &progress.shown, progress.since, &how.own_prefixes);
    // What happened shortly before may not be shown yet.
    let begun = progress.begun.min(progress.listed_after.wall());
    let all_shown = begun.checked_sub(how.confirm.assumptions().visible_after(Duration::ZERO)).unwrap_or_default();
    let next_since = earliest(&known, &orders, progress.since).map_or(all_shown, |earliest| earliest.min(all_shown));
    if how.foreign == ForeignOrders::Adopt {
        let is_foreign = |order: &&mut ReconciledOrder| {
            order.is_open && matches!(order.difference, Difference::Foreign | Difference::PerhapsLost)
        };
        for order in orders.iter_mut().filter(is_foreign) {
            adopt(client, journal, order).await?;
        }
    }
    let has_gap = progress.gap.is_some();
    let gap = close_gap(client, journal, progress.gap.clone(), covers_all, &orders).await?;
    Ok(Reconciled {
        orders,
        recovered: progress.recovered.clone().unwrap_or_default(),
        begun: progress.begun,
        gap,
        clipped: progress.clipped.clone(),
        next_since,
        has_gap,
    })
}

/// Returns the orders of the journal that the account is compared with, read in parts: those that are open, that were
/// made since the time that is compared, or that the account shows.
async fn journaled(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    listings: &[Listing],
    recoveries: &[Recovery],
    how: &Reconciliation,
    progress: &Progress,
) -> Result<JournalOrders, ReconcileError> {
    let (mut known, mut after) = (JournalOrders::of_families(&how.families), ChangeNumber(0));
    let shown = progress.shown.client_ids();
    let concerns = |StoredChange { change, ending, .. }: &StoredChange| {
        let is_shown = |id: &String| shown.binary_search(&id.as_str()).is_ok();
        ending.is_none()
            || change.signed().latest() >= progress.since
            || change.client_ids.is_empty()
            || change.client_ids.iter().any(is_shown)
    };
    loop {
        let chunk = journal.read_after(after, CHUNK).await?;
        let is_last = chunk.len() < CHUNK;
        after = chunk.last().map_or(after, |last| last.number);
        for stored in chunk {
            known.lost.extend(LostSpan::noted_by(&stored));
            if stored.change.account.as_deref().unwrap_or_default() == client.account().name() {
                known.add(&stored, (recoveries, listings), concerns(&stored))?;
            } else {
                known.add_other(&stored, recoveries, listings);
            }
        }
        if is_last {
            return Ok(known);
        }
    }
}

/// Closes the gap of the journal if the comparison showed all that is missing. Returns it otherwise. The journal keeps
/// when the missing changes were signed: their orders are listed for a long time after their end.
async fn close_gap(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    lost: Option<JournalGap>,
    covers_all: bool,
    orders: &[ReconciledOrder],
) -> Result<Option<Gap>, JournalError> {
    let Some(lost) = lost else { return Ok(None) };
    let is_lost = |order: &ReconciledOrder| order.difference == Difference::PerhapsLost;
    if !lost.is_over || !covers_all || orders.iter().any(|order| is_lost(order) && order.needs_attention()) {
        return Ok(Some(lost.gap));
    }
    let now = client.moment();
    let times = SigningTimes { signed_at: client.now(), made_at: Some(now.wall()) };
    let mut change = lost.span.until(times.latest()).change(times.signed_at);
    (change.made_at, change.account) = (times.made_at, client.account_in_journal());
    let number = journal.begin(change).await?;
    journal.end(number, Ending::new(Outcome::Done)).await?;
    journal.close_gap(client.account().name()).await?;
    Ok(None)
}

/// Reads the listings that are left, page by page.
async fn read_listings(
    client: &ClientCore,
    how: &Reconciliation,
    progress: &mut Progress,
) -> Result<(), ReconcileError> {
    while let Some((listing, turn)) = progress.left.last().copied() {
        let operation = listing.operation;
        let (mut walk, mut seen) = match progress.walk.take() {
            Some(walking) => walking,
            None => {
                let walk = listing.walk(client, turn, progress.since, &how.retry);
                (walk.map_err(|why| ListingFailure::Request(why).of(operation))?, PageContent::default())
            }
        };
        match walk.next().await {
            None => {
                progress.left.pop();
                progress.take(listing, turn, seen).map_err(|why| ListingFailure::Item(why).of(operation))?;
            }
            Some(Ok(page)) => {
                seen.add(page);
                progress.walk = Some((walk, seen));
            }
            Some(Err(failure)) => {
                // The same page is requested again; after any other error, the listing begins again.
                progress.walk = matches!(failure, ListingFailure::Page(PageError::Call(_))).then_some((walk, seen));
                return Err(failure.of(operation).into());
            }
        }
    }
    Ok(())
}

/// Queries the orders of the journal that no listing shows, as far as the exchange keeps them, until each is shown or
/// was denied as often in a row as the policy says. An attempt without an answer may have shown the order.
async fn query_missing(
    client: &ClientCore,
    how: &Reconciliation,
    known: &mut JournalOrders,
    progress: &mut Progress,
) -> Result<(), ReconcileError> {
    let (denials, pause) = how.confirm.denials_and_pause();
    let mut left = Vec::new();
    for missing in missing(known, &progress.shown, progress.since, client.earliest_now()) {
        left.push((client.awaited().watch(&missing.client_id), Denials::default(), missing));
    }
    for round in 0..denials.saturating_mul(2) {
        if round > 0 && !left.is_empty() {
            clock::pause(client.environment(), pause).await;
        }
        let mut denied = Vec::new();
        for (watch, mut counted, missing) in left {
            let order = (missing.request.as_str(), missing.client_id.as_str());
            let found = (missing.look.query)(client, order, (&how.retry, &how.confirm)).await;
            match found {
                Ok(Seen::Record(sighting)) => progress.shown.add_order(missing.family, sighting, None),
                // An earlier denial proves nothing, so another one does not help.
                Ok(Seen::Absent) if missing.is_due => {
                    counted.count(true, watch.others());
                    match counted.suffice(how.confirm.assumptions()) {
                        true => known.deny(&missing),
                        false => denied.push((watch, counted, missing)),
                    }
                }
                Ok(Seen::Absent | Seen::Nothing(_)) => {}
                Err(source) => return Err(ReconcileError::Query { client_id: missing.client_id, source }),
            }
        }
        left = denied;
    }
    Ok(())
}

/// Lists the open orders again, until they were listed as often as the policy says. What no listing shows, and can no
/// longer be queried, is not open.
async fn list_again(
    client: &ClientCore,
    listings: &[Listing],
    how: &Reconciliation,
    known: &mut JournalOrders,
    progress: &mut Progress,
) -> Result<(), ReconcileError> {
    let (denials, pause) = how.confirm.denials_and_pause();
    let mut of_open_orders = covered(listings, how);
    of_open_orders.retain(|listing| listing.part == Part::OpenOrders);
    for _ in 1..denials {
        clock::pause(client.environment(), pause).await;
        for listing in &of_open_orders {
            for turn in listing.turns() {
                let seen = list_open(client, listing, turn, how).await?;
                progress.take(*listing, turn, seen).map_err(|why| ListingFailure::Item(why).of(listing.operation))?;
            }
        }
    }
    for listing in of_open_orders {
        if !progress.partly_listed.contains(&listing.family) {
            known.listed_again(listing.family);
        }
    }
    Ok(())
}

/// Returns the open orders of a listing.
async fn list_open(
    client: &ClientCore,
    listing: &Listing,
    turn: Option<&'static str>,
    how: &Reconciliation,
) -> Result<PageContent, ReconcileError> {
    let operation = listing.operation;
    let walk = listing.walk(client, turn, Timestamp::default(), &how.retry);
    let mut walk = walk.map_err(|why| ListingFailure::Request(why).of(operation))?;
    let mut seen = PageContent::default();
    while let Some(page) = walk.next().await {
        seen.add(page.map_err(|failure| failure.of(operation))?);
    }
    Ok(seen)
}

/// Stores an open order of others in the journal.
async fn adopt(
    client: &ClientCore,
    journal: &Arc<dyn Journal>,
    order: &mut ReconciledOrder,
) -> Result<(), JournalError> {
    let (Some((listing, _)), Some(seen)) = (&order.open_in, &order.seen) else { return Ok(()) };
    let mut change = Change::new(listing.operation, &seen.record, client.now());
    change.made_at = Some(client.moment().wall());
    change.client_ids.extend(seen.client_id.clone());
    change.account = client.account_in_journal();
    let number = journal.begin(change).await?;
    journal.end(number, Ending::new(Outcome::Done)).await?;
    (order.change, order.action) = (Some(number), Action::Adopted);
    Ok(())
}

/// Returns the listings of the families that are compared, by what they show.
fn covered(listings: &[Listing], how: &Reconciliation) -> Vec<Listing> {
    let covers = |family: &str| how.families.is_empty() || how.families.iter().any(|name| name == family);
    let mut covered = Vec::new();
    for listing in listings.iter().filter(|listing| covers(listing.family)) {
        // After the others of its part.
        let place = covered.partition_point(|known: &Listing| known.part <= listing.part);
        covered.insert(place, *listing);
    }
    covered
}

/// The reason why the open orders could not be read. What was read is in the view; no order was marked as ended.
#[non_exhaustive]
pub enum RefreshError {
    /// The client does not track orders.
    NotTracking,
    /// No operation of the family lists open orders.
    NoListing {
        /// The family.
        family: String,
    },
    /// A listing could not be read as a whole.
    Listing(ListingError),
}

impl From<ListingError> for RefreshError {
    fn from(error: ListingError) -> Self {
        Self::Listing(error)
    }
}

impl fmt::Display for RefreshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTracking => {
                f.write_str("the client does not track orders; build it with `ClientBuilder::track_orders`")
            }
            Self::NoListing { family } => write!(f, "no operation of the family `{family}` lists open orders"),
            Self::Listing(error) => error.fmt(f),
        }
    }
}

debug_as_sentence!(RefreshError);

impl Error for RefreshError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is part of this one.
            Self::Listing(error) => error.source(),
            Self::NotTracking | Self::NoListing { .. } => None,
        }
    }
}

/// Reads the open orders of a family into the view of a client that tracks orders, and returns those of the family
/// that are open or may be.
///
/// An order that the listing does not show is listed again, and has ended if as many listings in a row lack it as
/// [`assume`](crate::ClientBuilder::assume) says, and each was certain to show it when the first one began: 70 seconds after
/// the response that accepted it, or after a request without a known outcome could no longer arrive.
/// If pages have numbers or offsets, an order that ends meanwhile moves others to earlier pages, so only a listing
/// of one page is certain to show all.
///
/// # Errors
///
/// Fails if the client does not track orders or if the listing cannot be read as a whole.
pub async fn refresh_orders(
    client: &ClientCore,
    listings: &[Listing],
    family: &str,
) -> Result<Vec<Arc<TrackedOrder>>, RefreshError> {
    let orders = client.tracked_orders().ok_or(RefreshError::NotTracking)?;
    let (turn, begun) = (orders.turn(), client.moment().steady);
    let (denials, pause) = ConfirmPolicy::new().assume(*client.assumptions()).denials_and_pause();
    let is_meant = |listing: &&Listing| listing.part == Part::OpenOrders && listing.family == family;
    let name = listings.iter().find(is_meant).map(|listing| listing.family);
    let name = name.ok_or_else(|| RefreshError::NoListing { family: family.to_owned() })?;
    let mut is_whole = true;
    for round in 0..denials {
        if round > 0 {
            clock::pause(client.environment(), pause).await;
        }
        for listing in listings.iter().filter(is_meant) {
            for turn in listing.turns() {
                is_whole &= show_open_orders(client, listing, turn).await?;
            }
        }
        if !is_whole || !orders.lacks_any(name, turn, begun) {
            break;
        }
    }
    if is_whole {
        orders.listed(name, turn, begun);
    }
    let mut open = orders.open();
    open.retain(|order| order.family == name);
    Ok(open)
}

/// Reads a listing, whose pages are tracked like any response. Returns whether an order that it does not show is
/// not open.
async fn show_open_orders(
    client: &ClientCore,
    listing: &Listing,
    turn: Option<&'static str>,
) -> Result<bool, RefreshError> {
    let (operation, retry) = (listing.operation, RetryPolicy::new());
    let walk = listing.walk(client, turn, Timestamp::default(), &retry);
    let mut walk = walk.map_err(|why| ListingFailure::Request(why).of(operation))?;
    let mut seen = PageContent::default();
    while let Some(page) = walk.next().await {
        seen.add(page.map_err(|failure| failure.of(operation))?);
    }
    Ok(seen.shows_all(listing))
}
