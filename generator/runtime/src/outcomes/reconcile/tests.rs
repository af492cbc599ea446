//! Listings that fail, are cut off, or are overtaken by other responses, while they are read for a purpose.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that fails panics")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::ready;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::listing::{Fill, FillFields, Listing, ListingPages, PageContent, Part};
use super::{LedgerUpdateError, ListingFailure, ReconcileError, Reconciliation, refresh_orders, update_ledger};
use crate::calls::client::{Assumptions, ClientCore};
use crate::calls::pages::{self, Clipped, PageError, PageFuture, TimeRange};
use crate::data::clock::ManualEnvironment;
use crate::data::error::{Error, Unsigned};
use crate::data::lifecycle::{Lifecycle, OrderShown};
use crate::data::tables::{Api, Length};
use crate::data::value::Timestamp;
use crate::network::transport;
use crate::state::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use crate::state::ledger::{Ledger, Trade, TradeEffect, TradeFields};

static API: Api = Api::named("listings");

type Page = Result<PageContent, ListingFailure>;

thread_local! {
    /// The pages of each reading of a listing, and how many readings began.
    static PAGES: RefCell<VecDeque<Vec<Page>>> = const { RefCell::new(VecDeque::new()) };
    static BEGUN: RefCell<usize> = const { RefCell::new(0) };
    /// Time that moves on by a second whenever a listing is read.
    static TIME: ManualEnvironment = ManualEnvironment::new(Timestamp::from_millis(0));
}

/// Gives the next readings of listings these pages.
fn script(readings: impl IntoIterator<Item = Vec<Page>>) {
    PAGES.set(readings.into_iter().collect());
    BEGUN.set(0);
}

/// The pages that are left, and what the current one shows.
struct Script(VecDeque<Page>, Result<PageContent, String>);

impl ListingPages for Script {
    fn advance(&mut self) -> PageFuture<'_> {
        let page = self.0.pop_front().map(|page| {
            self.1 = match page {
                Ok(content) => Ok(content),
                Err(ListingFailure::Item(why)) => Err(why),
                Err(ListingFailure::Page(error)) => return Err(error),
                Err(ListingFailure::Request(_)) => unreachable!("a page is no request"),
            };
            let clipped = self.1.as_ref().ok().and_then(|content| content.clipped);
            Ok(pages::Page { clipped, ..pages::Page::empty(TimeRange::default()) })
        });
        Box::pin(ready(page))
    }

    fn take(&mut self) -> Result<PageContent, String> {
        std::mem::replace(&mut self.1, Ok(PageContent::default()))
    }
}

fn listing(part: Part, fields: Option<FillFields>, has_counted_pages: bool) -> Listing {
    Listing::scripted(part, fields, has_counted_pages, |client, _| {
        BEGUN.with_borrow_mut(|begun| *begun += 1);
        TIME.with(|time| time.timer().advance(Duration::from_secs(1)));
        // Meanwhile, another response shows the order 8.
        if let Some(orders) = client.tracked_orders() {
            orders.observe("family", open("8"), Some(Duration::ZERO));
        }
        let pages = PAGES.with_borrow_mut(|pages| pages.pop_front().unwrap_or_default());
        Ok(Box::new(Script(pages.into(), Ok(PageContent::default()))))
    })
}

#[derive(Default)]
struct Memory(Mutex<Vec<StoredChange>>);

impl Journal for Memory {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        let mut all = self.0.lock().unwrap();
        let number = ChangeNumber(all.len() as u64 + 1);
        all.push(StoredChange::new(number, change, None));
        Box::pin(ready(Ok(number)))
    }

    fn end(&self, _: ChangeNumber, _: Ending) -> JournalFuture<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    fn read(&self, _: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(ready(Ok(self.0.lock().unwrap().clone())))
    }
}

/// One listing is enough to end a tracked order.
const ONE_LISTING: Assumptions = Assumptions { denials: 1, ..Assumptions::DEFAULT };

fn client() -> ClientCore {
    let builder =
        ClientCore::builder(&API, "https://listings.example").transport(transport::from_fn(|_| std::future::pending()));
    builder.track_orders().assume(ONE_LISTING).journal(Arc::new(Memory::default())).build().unwrap()
}

/// Returns the output of a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

fn open(id: &str) -> OrderShown<'_> {
    static STATES: Lifecycle = Lifecycle { states: &[], transitions: &[] };
    OrderShown { id: Some(id), client_id: None, kind: None, lifecycle: &STATES, state: None, at: None }
}

fn clipped() -> Option<Clipped> {
    let at = Timestamp::from_millis;
    Some(Clipped { requested: at(1), begins: at(2), access: Length::Days(90) })
}

fn call_failed() -> Page {
    let unsigned =
        Unsigned { operation: "family.listing", why: "", skew: None, is_late: false, waited: Duration::ZERO };
    Err(ListingFailure::Page(PageError::Call(Error::Unsigned(Box::new(unsigned)))))
}

fn reconcile(client: &ClientCore, reconciliation: &mut Reconciliation) -> Result<super::Reconciled, ReconcileError> {
    now(super::reconcile(client, &[listing(Part::OpenOrders, None, false)], &[], reconciliation))
}

#[test]
fn a_comparison_goes_on_with_the_page_that_failed_and_begins_again_after_what_cannot_be_read() {
    let unread = || Err(ListingFailure::Item("it has no id".to_owned()));
    for (failure, begun) in [(call_failed as fn() -> Page, 1), (unread, 2)] {
        let (client, mut reconciliation) = (client(), Reconciliation::since(Timestamp::default()));
        let cut = || Ok(PageContent { clipped: clipped(), ..PageContent::default() });
        script([vec![cut(), failure(), cut()], vec![cut()]]);
        assert!(matches!(reconcile(&client, &mut reconciliation), Err(ReconcileError::Listing(_))));
        let reconciled = reconcile(&client, &mut reconciliation).unwrap();
        assert_eq!((BEGUN.with_borrow(|begun| *begun), reconciled.clipped.len()), (begun, 1));
    }
}

/// Returns the orders that are open after a listing without orders.
fn refreshed(pages: Vec<Page>, has_counted_pages: bool) -> Vec<String> {
    let client = client();
    let shown_before = Some(Duration::ZERO);
    client.tracked_orders().unwrap().observe("family", open("7"), shown_before);
    script([pages]);
    let listing = listing(Part::OpenOrders, None, has_counted_pages);
    let open = now(refresh_orders(&client, &[listing], "family")).unwrap();
    open.iter().map(|order| order.name().to_owned()).collect()
}

#[test]
fn only_a_whole_listing_ends_orders_and_none_that_was_shown_meanwhile() {
    let page = || Ok(PageContent::default());
    let cut = || Ok(PageContent { clipped: clipped(), ..PageContent::default() });
    assert_eq!(refreshed(vec![page()], false), ["8"]);
    assert_eq!(refreshed(vec![page(), page()], false), ["8"]);
    assert_eq!(refreshed(vec![page()], true), ["8"]);
    // An order that ends meanwhile moves others to the page before.
    assert_eq!(refreshed(vec![page(), page()], true), ["7", "8"]);
    assert_eq!(refreshed(vec![cut(), page()], false), ["7", "8"]);
}

/// The exchange may begin to show an order while it answers, perhaps on a page that was read before.
#[test]
fn a_listing_ends_only_orders_that_it_had_to_show_when_it_began() {
    let builder = ClientCore::builder(&API, "https://listings.example")
        .transport(transport::from_fn(|_| std::future::pending()))
        .environment(TIME.with(Clone::clone));
    let client = builder.track_orders().assume(ONE_LISTING).build().unwrap();
    let begun = client.moment().steady;
    for (id, later) in [("5", 0), ("6", 1), ("7", 1_000)] {
        let from = begun + Duration::from_millis(later);
        client.tracked_orders().unwrap().observe("family", open(id), Some(from));
    }
    script([vec![Ok(PageContent::default())]]);
    let open = now(refresh_orders(&client, &[listing(Part::OpenOrders, None, false)], "family")).unwrap();
    assert_eq!(open.iter().map(|order| order.name()).collect::<Vec<_>>(), ["6", "7", "8"]);
    assert!(client.moment().steady > begun);
}

fn trade(id: &str, is_buy: bool, effect: TradeEffect) -> Fill {
    let trade = Trade { effect, ..Trade::new(id, "BTCUSDT", is_buy, 1.into(), 1.into()) };
    Fill { order: "7".to_owned(), client_id: None, quantity: rust_decimal::Decimal::ONE, trade: Some(Ok(trade)) }
}

const TRADE: TradeFields = TradeFields {
    id: "id",
    instrument: "symbol",
    side: "side",
    buy: "buy",
    price: "price",
    linear: None,
    inverse: &[],
    profit: None,
    fees: None,
    position: None,
    sides: None,
};

fn update(ledger: &mut Ledger, pages: Vec<Page>) -> Result<usize, LedgerUpdateError> {
    script([pages]);
    let fields = FillFields { order: "orderId", client_id: None, quantity: "size", trade: Some(TRADE) };
    let listing = listing(Part::Fills, Some(fields), false);
    now(update_ledger(&client(), &[listing], ledger, "family", Timestamp::default()))
}

#[test]
fn fills_are_added_by_their_numbers_and_as_a_whole_or_not_at_all() {
    let page = |fills| Ok(PageContent { fills, ..PageContent::default() });
    let mut ledger = Ledger::new();
    // The tenth closes what the ninth opened.
    let both = || vec![trade("10", false, TradeEffect::ClosedLong), trade("9", true, TradeEffect::Opened)];
    assert_eq!(update(&mut ledger, vec![page(both())]).unwrap(), 2);
    assert_eq!(update(&mut ledger, vec![page(both())]).unwrap(), 0);

    let mut ledger = Ledger::new();
    let too_many = vec![trade("1", true, TradeEffect::Opened), trade("2", true, TradeEffect::ClosedShort)];
    assert!(matches!(update(&mut ledger, vec![page(too_many)]), Err(LedgerUpdateError::Ledger(_))));
    let cut = Ok(PageContent { clipped: clipped(), fills: both(), ..PageContent::default() });
    assert!(matches!(update(&mut ledger, vec![cut]), Err(LedgerUpdateError::Clipped { .. })));
    let failed = update(&mut ledger, vec![page(both()), call_failed()]);
    assert!(matches!(failed, Err(LedgerUpdateError::Listing(_))));
    assert!(ledger.is_empty() && ledger.positions().is_empty());
}
