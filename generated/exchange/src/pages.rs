//! Listings: which items of an account a query means, newest first.

use tradeapi::Timestamp;
use tradeapi::runtime::tables::Meta;

use crate::accounts::Account;
use crate::orders::{Fill, Order};
use crate::state::Core;

/// The page of a listing that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Only items with smaller ids.
    before: u64,
    limit: usize,
    from: u64,
    to: u64,
}

impl Page {
    /// The page behind the item `before`, within a time range. What the query leaves out follows from the operation.
    pub(crate) fn new(
        meta: &Meta,
        now: u64,
        before: Option<&str>,
        limit: Option<u64>,
        [start, end]: [Option<Timestamp>; 2],
    ) -> Self {
        /// The documented default of all listings but two, which pass their own.
        const LIMIT: u64 = 100;
        let [from, to] = range(meta, Timestamp::from_millis(now), start, end).map(Timestamp::as_millis);
        // An id that is not one of ours leads nowhere.
        let before = before.map_or(u64::MAX, |text| text.parse().unwrap_or(0));
        Self { before, limit: usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX), from, to }
    }

    fn holds(&self, time: u64) -> bool {
        (self.from..=self.to).contains(&time)
    }

    /// The id that leads to the next page: that of the last item of a full page.
    pub(crate) fn next(&self, items: usize, last: Option<u64>) -> Option<String> {
        last.filter(|_| items >= self.limit).map(|id| id.to_string())
    }
}

/// The time range of a query: what it leaves out is the default of the operation, or unbounded.
fn range(meta: &Meta, now: Timestamp, start: Option<Timestamp>, end: Option<Timestamp>) -> [Timestamp; 2] {
    let (first, last) = (Timestamp::from_millis(0), Timestamp::from_millis(u64::MAX));
    let window = meta.window;
    let default = window.and_then(|window| window.default);
    let [from, to] = match (start, end, default) {
        (Some(start), None, Some(default)) => [start, default.after(start).unwrap_or(last)],
        (None, end, Some(default)) => {
            let end = end.unwrap_or(now);
            [default.before(end).unwrap_or(first), end]
        }
        (start, end, _) => [start.unwrap_or(first), end.unwrap_or(last)],
    };
    let oldest = window.and_then(|window| window.access).and_then(|access| access.before(now));
    [oldest.map_or(from, |oldest| from.max(oldest)), to]
}

/// Which orders of an account are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Those that wait.
    Open,
    /// Those that are filled or cancelled.
    Closed,
}

impl Core {
    /// Orders of an account on a page, newest first.
    pub(crate) fn list_orders(
        &self,
        account: usize,
        kind: Kind,
        page: Page,
        is_meant: impl Fn(&Order) -> bool,
    ) -> Vec<&Order> {
        let account = &self.accounts[account];
        let ids = if kind == Kind::Open { &account.open } else { &account.closed };
        let orders = ids.range(..page.before).rev().filter_map(|id| self.orders.get(id));
        orders.filter(|order| page.holds(order.created) && is_meant(order)).take(page.limit).collect()
    }
}

/// Fills of an account on a page, newest first.
pub(crate) fn list_fills(account: &Account, page: Page, is_meant: impl Fn(&Fill) -> bool) -> Vec<&Fill> {
    let end = account.fills.partition_point(|fill| fill.id < page.before);
    let fills = account.fills.iter().take(end).rev();
    fills.filter(|fill| page.holds(fill.at) && is_meant(fill)).take(page.limit).collect()
}
