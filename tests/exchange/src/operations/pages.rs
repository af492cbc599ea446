//! Pages of listings, newest first.

use std::borrow::Cow;

use tradeapi::Timestamp;
use tradeapi::runtime::tables::Meta;

use crate::operations::reading::Wanted;
use crate::operations::routes::Desk;
use crate::state::core::Core;
use crate::state::hostile::HostileFault;
use crate::state::orders::{Fill, Order};
use crate::state::refusal::{Reason, Refusal};

/// The number of items that an overlapping page repeats.
const REPEATED: usize = 3;

/// The item after which a page begins, and the parameter that names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) parameter: &'static str,
    pub(crate) text: &'a str,
}

/// The cursor of a request: `$parameter` is its parameter.
macro_rules! cursor {
    ($request:ident, cursor) => {
        $crate::operations::pages::cursor!($request, cursor as "cursor")
    };
    ($request:ident, id_less_than) => {
        $crate::operations::pages::cursor!($request, id_less_than as "idLessThan")
    };
    ($request:ident, $parameter:ident as $wire:literal) => {
        $request.$parameter.as_ref().map(|id| $crate::operations::pages::Cursor { parameter: $wire, text: id.as_str() })
    };
}
pub(crate) use cursor;

/// A query for a page, in the form of both families.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageQuery<'a> {
    /// The item after which the page begins.
    pub(crate) before: Option<Cursor<'a>>,
    pub(crate) limit: Option<u64>,
    pub(crate) range: [Option<Timestamp>; 2],
    pub(crate) wanted: Wanted<'a>,
}

/// The query of a request: `$before` is its parameter with the cursor.
macro_rules! query {
    ($request:ident, $before:ident, line: $line:expr, symbol: $symbol:expr $(,)?) => {
        PageQuery {
            before: $crate::operations::pages::cursor!($request, $before),
            limit: $request.limit,
            range: [$request.start_time, $request.end_time],
            wanted: Wanted { line: $line, symbol: $symbol, coin: None },
        }
    };
}
pub(crate) use query;

/// A page of a listing.
#[derive(Clone, Debug)]
pub(crate) struct ListedPage<T> {
    pub(crate) items: Vec<T>,
    /// The id of the last item.
    pub(crate) last: Option<String>,
    is_full: bool,
}

impl<T> ListedPage<T> {
    /// Returns the cursor of the next page: the id of the last item of a full page.
    pub(crate) fn next(&self) -> Option<String> {
        self.last.clone().filter(|_| self.is_full)
    }
}

/// The bounds of a page. The operation has the defaults.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// Only items with smaller ids.
    before: u64,
    limit: usize,
    from: u64,
    to: u64,
    /// Newer items are not listed yet, because listings lag.
    latest: u64,
}

impl Page {
    fn holds(&self, time: u64) -> bool {
        time <= self.latest && (self.from..=self.to).contains(&time)
    }

    /// Returns the page with the first of these items, given with their ids.
    fn filled<T>(&self, items: impl Iterator<Item = (u64, T)>) -> ListedPage<T> {
        let (ids, items): (Vec<u64>, Vec<T>) = items.take(self.limit).unzip();
        ListedPage { last: ids.last().map(u64::to_string), is_full: items.len() >= self.limit, items }
    }
}

/// The latest time that a request may name, by the `int64` of the exported OpenAPI.
const LAST: Timestamp = Timestamp::from_millis(i64::MAX.cast_unsigned());

/// Returns the time range of a query. A missing end is the default of the operation, or unbounded.
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
    /// Open orders.
    Open,
    /// Filled and cancelled orders.
    Closed,
}

impl Desk<'_> {
    /// Orders of the account on a page, newest first.
    pub(crate) fn orders<T>(
        &self,
        kind: Kind,
        query: &PageQuery<'_>,
        is_meant: impl Fn(&Order) -> bool,
        record: impl Fn(&Core, &Order) -> T,
    ) -> Result<ListedPage<T>, Refusal> {
        let (core, page) = (&*self.core, self.page(query)?);
        let ids = match kind {
            Kind::Open => core.may_be_open(self.account),
            Kind::Closed => Cow::Borrowed(&core.accounts[self.account].closed),
        };
        let is_meant = |order: &&Order| page.holds(order.created) && query.wanted.is(core, order) && is_meant(order);
        // As faults, a page repeats items of the page before, or its cursor repeats that of the request.
        let repeated = if core.listing_fault() == HostileFault::Overlap { REPEATED } else { 0 };
        let mut repeated: Vec<u64> = ids.range(page.before..).copied().take(repeated).collect();
        repeated.reverse();
        let count = repeated.len();
        let all = repeated.iter().chain(ids.range(..page.before).rev());
        let orders = all.filter_map(|id| core.listed(*id, kind == Kind::Open)).filter(is_meant);
        let page = Page { limit: page.limit.saturating_add(count), ..page };
        let mut found = page.filled(orders.map(|order| (order.id, record(core, order))));
        if let (HostileFault::StuckCursor, Some(before)) = (core.listing_fault(), query.before) {
            (found.last, found.is_full) = (Some(before.text.to_owned()), true);
        }
        Ok(found)
    }

    /// Returns the page of a listing of records, given with their ids and times, the newest first.
    pub(crate) fn listed<T>(
        &self,
        query: &PageQuery<'_>,
        records: impl Iterator<Item = (u64, u64, T)>,
    ) -> Result<ListedPage<T>, Refusal> {
        let page = self.page(query)?;
        let records = records.filter(|(id, at, _)| *id < page.before && page.holds(*at));
        Ok(page.filled(records.map(|(id, _, record)| (id, record))))
    }

    fn page(&self, query: &PageQuery<'_>) -> Result<Page, Refusal> {
        let [start, end] = query.range;
        let names = self.meta.window.map_or(["startTime", "endTime"], |window| [window.from, window.to]);
        for (name, time) in names.into_iter().zip(query.range) {
            if time.is_some_and(|time| time > LAST) {
                return Err(self.refusal_of(Reason::Parameter, [name, "max"], "a time has at most 63 bits"));
            }
        }
        let now = Timestamp::from_millis(self.core.now);
        let [from, to] = range(self.meta, now, start, end).map(Timestamp::as_millis);
        let before = self.place_of(query.before)?.unwrap_or(u64::MAX);
        Ok(Page { before, limit: self.page_size(query.limit)?, from, to, latest: self.core.latest_listed() })
    }

    /// Returns the place in a listing that a cursor stands for. Every number is one: ids grow over all listings, so
    /// that what is older than an id of another listing is listed, too.
    pub(crate) fn place_of(&self, cursor: Option<Cursor<'_>>) -> Result<Option<u64>, Refusal> {
        let Some(Cursor { parameter, text }) = cursor else { return Ok(None) };
        let why = || format!("{text} given; expected the id that an earlier page ends with");
        let place = text.parse().map_err(|_| self.refusal_of(Reason::WrongValue, [parameter, "values"], &why()))?;
        Ok(Some(place))
    }

    /// Returns the size of a page: what the query requests, or else the documented default. An empty page would look
    /// like the end of the listing.
    pub(crate) fn page_size(&self, limit: Option<u64>) -> Result<usize, Refusal> {
        if limit == Some(0) {
            return Err(self.refusal_of(Reason::Parameter, ["limit", "min"], "0 given; at least 1 is needed"));
        }
        let mut defaults = self.meta.defaults.iter();
        let default = || defaults.find(|(name, _)| *name == "limit").and_then(|(_, default)| default.parse().ok());
        Ok(limit.or_else(default).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX))
    }

    /// Fills of the account on a page, newest first: of one order, if it is named.
    pub(crate) fn fills<T>(
        &self,
        query: &PageQuery<'_>,
        order: Option<&str>,
        record: impl Fn(&Core, &Fill) -> T,
    ) -> Result<ListedPage<T>, Refusal> {
        let (core, account, page) = (&*self.core, &self.core.accounts[self.account], self.page(query)?);
        // A foreign id has no fills.
        let order: Option<u64> = order.map(|id| id.parse().unwrap_or_default());
        let end = account.fills.partition_point(|fill| fill.id < page.before);
        let fills = account.fills.iter().take(end).rev().filter(|fill| {
            page.holds(fill.at)
                && query.wanted.holds(core, fill.line, fill.pair)
                && order.is_none_or(|order| fill.order == order)
        });
        Ok(page.filled(fills.map(|fill| (fill.id, record(core, fill)))))
    }
}
