//! Listings: which items of an account a query means, newest first.

use tradeapi::Timestamp;
use tradeapi::runtime::tables::Meta;

use crate::accounts::Account;
use crate::orders::{Fill, Order};
use crate::state::Core;
use crate::words::Line;

/// The page of a listing that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Only items with smaller ids.
    before: u64,
    limit: usize,
    from: u64,
    to: u64,
    /// What is newer is not listed yet, because listings lag.
    latest: u64,
}

impl Page {
    /// The page behind the item `before`, within a time range. What the query leaves out follows from the operation.
    pub(crate) fn new(
        meta: &Meta,
        core: &Core,
        before: Option<&str>,
        limit: Option<u64>,
        [start, end]: [Option<Timestamp>; 2],
    ) -> Self {
        let [from, to] = range(meta, Timestamp::from_millis(core.now), start, end).map(Timestamp::as_millis);
        // An id that is not one of ours leads nowhere.
        let before = before.map_or(u64::MAX, |text| text.parse().unwrap_or(0));
        let latest = core.now.saturating_sub(core.faults.conditions.lag);
        Self { before, limit: page_size(meta, limit), from, to, latest }
    }

    fn holds(&self, time: u64) -> bool {
        time <= self.latest && (self.from..=self.to).contains(&time)
    }

    /// The id that leads to the next page: that of the last item of a full page.
    pub(crate) fn next(&self, items: usize, last: Option<u64>) -> Option<String> {
        last.filter(|_| items >= self.limit).map(|id| id.to_string())
    }
}

/// How many items a page has: as many as the query asks for, or else the documented default.
pub(crate) fn page_size(meta: &Meta, limit: Option<u64>) -> usize {
    let default =
        || meta.defaults.iter().find(|(name, _)| *name == "limit").and_then(|(_, default)| default.parse().ok());
    limit.or_else(default).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// Which orders and fills a request means: those of a line of business, of a pair, or all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) line: Option<&'a str>,
    pub(crate) symbol: Option<&'a str>,
}

impl Wanted<'_> {
    pub(crate) fn holds(self, core: &Core, line: Line, pair: usize) -> bool {
        self.line.is_none_or(|wanted| line.as_str() == wanted)
            && self.symbol.is_none_or(|wanted| core.pairs[pair].symbol == wanted)
    }

    pub(crate) fn is(self, core: &Core, order: &Order) -> bool {
        self.holds(core, order.ticket.line, order.ticket.pair)
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
