//! Listings that show a part of an account, independent of the types of their items, and the families of operations
//! that serve a key.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;

use super::report::ListingFailure;
use crate::calls::client::ClientCore;
use crate::calls::pages::{Clipped, PageError, PageFuture, PageStep, Paged, Pages, TimeRange};
use crate::calls::retry::RetryPolicy;
use crate::data::checks::{CheckContext, CheckPolicy, Violations};
use crate::data::error::{Error, Refusal};
use crate::data::json::{Decode, JsonWriter, read_json, write_json};
use crate::data::lifecycle::{HasState, Sighting};
use crate::data::operation::Operation;
use crate::data::parameters::Named;
use crate::data::tables::{CredentialCause, KnownError};
use crate::data::value::{Decimal, Timestamp};
use crate::state::ledger::{Trade, TradeFields};

/// A listing that shows a part of an account. Emitted for each operation with `shows` in the schema.
#[derive(Clone, Copy)]
pub struct Listing {
    pub(crate) operation: &'static str,
    pub(crate) family: &'static str,
    pub(crate) part: Part,
    over: Option<EachValue>,
    fields: Option<FillFields>,
    walk: StartListing,
    read: fn(&str) -> Option<Sighting>,
    cancel: Option<CancelBy>,
    /// True if its pages are requested by number or by offset.
    has_counted_pages: bool,
}

/// The part of an account that a listing shows, in the order in which they are read: what leaves one appears in the
/// next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    OpenOrders,
    PastOrders,
    Fills,
}

/// The fields of a fill that the comparison reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillFields {
    /// The exchange's id of the order.
    pub order: &'static str,
    /// The client id of the order.
    pub client_id: Option<&'static str>,
    /// The filled quantity.
    pub quantity: &'static str,
    /// The fields by which the fill changes a position.
    pub trade: Option<TradeFields>,
}

/// A parameter, and the values for which a listing is read.
#[derive(Clone, Copy)]
struct EachValue {
    parameter: &'static str,
    values: &'static [&'static str],
}

/// The operation that cancels an order of a listing.
#[derive(Clone, Copy)]
struct CancelBy {
    fields: &'static [&'static str],
    send: for<'a> fn(&'a ClientCore, &'a str) -> Cancelling<'a>,
}

type Cancelling<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// Begins to read a listing.
pub(crate) type StartListing = fn(&ClientCore, ListingRequest<'_>) -> Result<Box<dyn ListingPages>, Violations>;

/// Takes what the items of a page show.
type ReadPage<I> = fn(&[I], &FillContext) -> Result<PageContent, String>;

/// The request by which the fills of a listing are read.
struct FillContext {
    fields: Option<FillFields>,
    turn: Option<&'static str>,
    client: ClientCore,
}

/// The request of a listing.
pub(crate) struct ListingRequest<'a> {
    request: &'a str,
    since: Option<Timestamp>,
    fields: Option<FillFields>,
    turn: Option<&'static str>,
    retry: &'a RetryPolicy,
}

/// The pages of a listing.
pub(crate) trait ListingPages: Send + Sync {
    /// Advances to the next page; `None` at the end.
    fn advance(&mut self) -> PageFuture<'_>;

    /// Takes what the page shows.
    fn take(&mut self) -> Result<PageContent, String>;
}

impl dyn ListingPages {
    /// Returns what the next page shows; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Result<PageContent, ListingFailure>> {
        let page = match self.advance().await? {
            Ok(page) => page,
            Err(error) => return Some(Err(ListingFailure::Page(error))),
        };
        let seen = self.take().map(|seen| PageContent { clipped: page.clipped, pages: 1, ..seen });
        Some(seen.map_err(ListingFailure::Item))
    }
}

/// The content of pages.
#[derive(Default)]
pub(crate) struct PageContent {
    pub(crate) orders: Vec<Sighting>,
    pub(crate) fills: Vec<Fill>,
    pub(crate) clipped: Option<Clipped>,
    /// The number of pages.
    pub(crate) pages: u32,
}

impl PageContent {
    /// Adds what another page shows.
    pub(crate) fn add(&mut self, page: Self) {
        self.orders.extend(page.orders);
        self.fills.extend(page.fills);
        self.clipped = page.clipped.or(self.clipped);
        self.pages += page.pages;
    }

    /// Returns whether all pages of a listing show everything. Where pages have numbers, an order that ends meanwhile moves
    /// others to earlier pages.
    pub(crate) fn shows_all(&self, listing: &Listing) -> bool {
        self.clipped.is_none() && (self.pages <= 1 || !listing.has_counted_pages)
    }
}

/// A fill of an order.
pub(crate) struct Fill {
    pub(crate) order: String,
    pub(crate) client_id: Option<String>,
    pub(crate) quantity: rust_decimal::Decimal,
    /// The trade for a ledger; a comparison does not need it.
    pub(crate) trade: Option<Result<Trade, String>>,
}

impl Listing {
    /// Creates a listing of the open orders.
    pub const fn open_orders<O>() -> Self
    where
        O: Paged<Item: HasState + Decode> + 'static,
    {
        let has_counted_pages = matches!(O::STEP, PageStep::Number { .. } | PageStep::Offset { .. });
        Self { has_counted_pages, ..Self::of::<O>(Part::OpenOrders, None, orders::<O>, sighting::<O>) }
    }

    /// Creates a listing of orders that ended.
    pub const fn past_orders<O>() -> Self
    where
        O: Paged<Item: HasState + Decode> + 'static,
    {
        Self::of::<O>(Part::PastOrders, None, orders::<O>, sighting::<O>)
    }

    /// Creates a listing of fills.
    pub const fn fills<O>(fields: FillFields) -> Self
    where
        O: Paged<Item: Decode> + 'static,
    {
        Self::of::<O>(Part::Fills, Some(fields), fills::<O>, |_| None)
    }

    const fn of<O: Operation>(
        part: Part,
        fields: Option<FillFields>,
        walk: StartListing,
        read: fn(&str) -> Option<Sighting>,
    ) -> Self {
        Self {
            operation: O::META.id,
            family: O::META.family,
            part,
            over: None,
            fields,
            walk,
            read,
            cancel: None,
            has_counted_pages: false,
        }
    }

    /// Creates a listing that is never read.
    #[cfg(test)]
    pub(crate) const fn unread(part: Part) -> Self {
        Self {
            operation: "family.listing",
            family: "family",
            part,
            over: None,
            fields: None,
            walk: |_, _| Err(Violations::default()),
            read: |_| None,
            cancel: None,
            has_counted_pages: false,
        }
    }

    /// Creates a listing whose pages do not come from calls.
    #[cfg(test)]
    pub(crate) const fn scripted(
        part: Part,
        fields: Option<FillFields>,
        has_counted_pages: bool,
        walk: StartListing,
    ) -> Self {
        Self { walk, fields, has_counted_pages, ..Self::unread(part) }
    }

    /// Reads the listing once for each value of a parameter.
    #[must_use]
    pub const fn over(self, parameter: &'static str, values: &'static [&'static str]) -> Self {
        Self { over: Some(EachValue { parameter, values }), ..self }
    }

    /// Declares that an order is cancelled by a request with these fields of its record; one of them may be the
    /// parameter that the listing is read over.
    #[must_use]
    pub const fn cancelled_by<C>(self, fields: &'static [&'static str]) -> Self
    where
        C: Operation + 'static,
    {
        let send: for<'a> fn(&'a ClientCore, &'a str) -> Cancelling<'a> =
            |client, request| Box::pin(cancel::<C>(client, request));
        Self { cancel: Some(CancelBy { fields, send }), ..self }
    }

    /// Returns the id of its operation.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the family.
    pub fn family(&self) -> &'static str {
        self.family
    }

    /// Returns whether it lists open orders.
    pub fn shows_open_orders(&self) -> bool {
        self.part == Part::OpenOrders
    }

    /// Returns whether it lists fills that state how they change positions.
    pub fn shows_trades(&self) -> bool {
        self.part == Part::Fills && self.has_trades()
    }

    /// Returns the parameters of each request that it takes to read it, as JSON.
    pub fn requests(&self) -> Vec<String> {
        let mut requests = Vec::new();
        for turn in self.turns() {
            requests.push(self.turned(turn));
        }
        requests
    }

    /// Returns the values for which it is read; `None` is a request without one.
    pub(crate) fn turns(&self) -> Vec<Option<&'static str>> {
        match &self.over {
            Some(over) => over.values.iter().copied().map(Some).collect(),
            None => vec![None],
        }
    }

    /// Returns the pages for one of the values. Open orders are listed whenever they were placed.
    pub(crate) fn walk(
        &self,
        client: &ClientCore,
        turn: Option<&'static str>,
        since: Timestamp,
        retry: &RetryPolicy,
    ) -> Result<Box<dyn ListingPages>, Violations> {
        let since = (self.part != Part::OpenOrders).then_some(since);
        let request = self.turned(turn);
        (self.walk)(client, ListingRequest { request: &request, since, fields: self.fields, turn, retry })
    }

    /// Returns the order in a record of this listing.
    pub(crate) fn read(&self, record: &str) -> Option<Sighting> {
        (self.read)(record)
    }

    /// Returns whether its fills state how they change positions.
    pub(crate) fn has_trades(&self) -> bool {
        self.fields.is_some_and(|fields| fields.trade.is_some())
    }

    /// Returns whether it is known how its orders are cancelled.
    pub(crate) fn can_cancel(&self) -> bool {
        self.cancel.is_some()
    }

    /// Cancels an order of this listing, if it is known how.
    pub(crate) async fn cancel(
        &self,
        client: &ClientCore,
        turn: Option<&'static str>,
        order: &Sighting,
    ) -> Result<(), Error> {
        let Some(CancelBy { fields, send }) = &self.cancel else { return Ok(()) };
        let parameters = Named::read(&self.turned(turn)).and(&Named::read(&order.record));
        let mut same = Vec::with_capacity(fields.len());
        for name in *fields {
            same.push((*name, *name));
        }
        let request = parameters.renamed(&same, &[]);
        send(client, &request).await
    }

    /// Returns the parameters for one of the values.
    fn turned(&self, turn: Option<&str>) -> String {
        let mut out = JsonWriter::new();
        out.begin_object();
        if let Some((over, value)) = self.over.as_ref().zip(turn) {
            out.member(over.parameter).string(value);
        }
        out.end_object();
        out.finish()
    }
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").field("operation", &self.operation).field("part", &self.part).finish_non_exhaustive()
    }
}

/// A listing, and the fields to read from its items.
struct Walking<O: Paged> {
    pages: Pages<O>,
    take: ReadPage<O::Item>,
    context: FillContext,
}

impl<O> ListingPages for Walking<O>
where
    O: Paged,
{
    fn advance(&mut self) -> PageFuture<'_> {
        self.pages.advance()
    }

    fn take(&mut self) -> Result<PageContent, String> {
        let list = self.pages.take_list();
        match list.bad.first() {
            Some(bad) => Err(bad.error.to_string()),
            None => (self.take)(&list.items, &self.context),
        }
    }
}

fn walking<O>(
    client: &ClientCore,
    listing: ListingRequest<'_>,
    take: ReadPage<O::Item>,
) -> Result<Box<dyn ListingPages>, Violations>
where
    O: Paged + 'static,
{
    // A range that lacks something is refused when the page is requested.
    let nothing = CheckPolicy::nothing();
    let mut request = O::from_json_in(listing.request, CheckContext { policy: &nothing, ..CheckContext::default() })?;
    if listing.since.is_some() {
        request.set_range(TimeRange { from: listing.since, to: None });
    }
    let pages = Pages::new(client.clone(), request).clip().retrying(listing.retry.clone());
    let context = FillContext { fields: listing.fields, turn: listing.turn, client: client.clone() };
    Ok(Box::new(Walking { pages, take, context }))
}

fn orders<O>(client: &ClientCore, listing: ListingRequest<'_>) -> Result<Box<dyn ListingPages>, Violations>
where
    O: Paged<Item: HasState> + 'static,
{
    walking::<O>(client, listing, |items, _| {
        let mut orders = Vec::with_capacity(items.len());
        for item in items {
            orders.push(Sighting::of(item));
        }
        match orders.iter().find(|order| order.id.is_none()) {
            Some(order) => Err(format!("an order has no id: {}", order.record)),
            None => Ok(PageContent { orders, ..PageContent::default() }),
        }
    })
}

fn fills<O>(client: &ClientCore, listing: ListingRequest<'_>) -> Result<Box<dyn ListingPages>, Violations>
where
    O: Paged<Item: Decode> + 'static,
{
    walking::<O>(client, listing, |items, context| {
        let mut content = PageContent::default();
        for item in items {
            let named = Named::of_record(write_json(item), O::Item::FORM);
            if let Some(fields) = context.fields {
                content.fills.push(fill(&named, fields, context)?);
            }
        }
        Ok(content)
    })
}

fn fill(named: &Named, fields: FillFields, context: &FillContext) -> Result<Fill, String> {
    let order =
        named.text(fields.order).map(Cow::into_owned).ok_or_else(|| format!("a fill has no {}", fields.order))?;
    let quantity = named.text(fields.quantity).and_then(|text| text.parse::<Decimal>().ok());
    let exact = quantity.as_ref().and_then(|quantity| quantity.to_rust_decimal().ok());
    let (quantity, exact) =
        quantity.zip(exact).ok_or_else(|| format!("a fill of the order {order} has no {}", fields.quantity))?;
    let read = |trade: &TradeFields| {
        let trade = trade.read(named, quantity.clone(), context.turn, context.client.account());
        trade.map_err(|field| format!("a fill of the order {order} has no {field}"))
    };
    let trade = fields.trade.as_ref().map(read);
    Ok(Fill {
        order,
        client_id: fields.client_id.and_then(|field| named.text(field).map(Cow::into_owned)),
        quantity: exact,
        trade,
    })
}

fn sighting<O: Paged<Item: HasState + Decode>>(record: &str) -> Option<Sighting> {
    read_json::<O::Item>(record).ok().map(|record| Sighting::of(&record))
}

async fn cancel<C: Operation>(client: &ClientCore, request: &str) -> Result<(), Error> {
    // The call checks it.
    let nothing = CheckPolicy::nothing();
    let context = CheckContext { policy: &nothing, ..CheckContext::default() };
    let request = C::from_json_in(request, context)
        .map_err(|violations| Error::Refused(Box::new(Refusal::new(C::META.id, violations))))?;
    client.call_once(&request).await.map(drop)
}

/// The families of operations that serve the key of a client, and those that refuse it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedFamilies {
    /// The families that serve it, such as `unified`.
    pub served: Vec<&'static str>,
    /// The families that refuse it, because its account is of another kind.
    pub refused: Vec<RefusedFamily>,
}

/// A family that refuses a key, because its account is of another kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedFamily {
    /// The family.
    pub family: &'static str,
    /// The code of the refusal.
    pub code: &'static str,
    /// The meaning of the code.
    pub says: &'static str,
}

impl ServedFamilies {
    /// Returns whether no refusal of the family is known.
    fn serve(&self, family: &str) -> bool {
        self.refused.iter().all(|refused| refused.family != family)
    }

    /// Returns whether calls of a family are of use: it serves the key, or no family does, so that a call tells why.
    pub fn includes(&self, family: &str) -> bool {
        self.served.is_empty() || self.serve(family)
    }

    /// Returns the listings of the families that are read.
    pub(crate) fn of(&self, listings: &[Listing]) -> Vec<Listing> {
        listings.iter().filter(|listing| self.includes(listing.family)).copied().collect()
    }
}

impl fmt::Display for RefusedFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, code, says } = self;
        write!(f, "the family {family} does not serve this key (code {code}: {})", says.trim_end_matches('.'))
    }
}

/// Asks which families of operations serve the key of the client, where a code says that a key belongs to an account of
/// another kind: each family that lists open orders is asked for them once, and the client and its clones remember the
/// answer. A key of an exchange without such a code is served by all.
///
/// # Errors
///
/// Fails if a family cannot be asked. What other families answered is remembered.
pub async fn served_families(client: &ClientCore, listings: &[Listing]) -> Result<ServedFamilies, Error> {
    ask(client, listings, &RetryPolicy::new()).await.map_err(|(_, error)| error)
}

/// Returns the same, with these retries; the error has the id of the operation that failed.
pub(crate) async fn ask(
    client: &ClientCore,
    listings: &[Listing],
    retry: &RetryPolicy,
) -> Result<ServedFamilies, (&'static str, Error)> {
    let mut found = ServedFamilies::default();
    for listing in listings.iter().filter(|listing| listing.part == Part::OpenOrders) {
        let family = listing.family;
        if found.served.contains(&family) || !found.serve(family) {
            continue;
        }
        match refusal(client, listing, retry).await.map_err(|error| (listing.operation, error))? {
            Some(KnownError { code, text, .. }) => found.refused.push(RefusedFamily { family, code, says: text }),
            None => found.served.push(family),
        }
    }
    Ok(found)
}

/// Returns the code with which the family of a listing refuses the key; `None` if it serves it.
async fn refusal(
    client: &ClientCore,
    listing: &Listing,
    retry: &RetryPolicy,
) -> Result<Option<&'static KnownError>, Error> {
    if !client.refuses_accounts(listing.family) {
        return Ok(None);
    }
    if let Some(asked) = client.asked_family(listing.family) {
        return Ok(asked);
    }
    let turn = listing.turns().into_iter().next().flatten();
    let pages = listing.walk(client, turn, Timestamp::default(), retry);
    let mut pages = pages.map_err(|why| Error::Refused(Box::new(Refusal::new(listing.operation, why))))?;
    let refused = match pages.advance().await {
        Some(Err(PageError::Call(error))) => Some(account_code(&error).ok_or(error)?),
        _ => None,
    };
    client.note_family(listing.family, refused);
    Ok(refused)
}

/// Returns the trusted code by which an error says that the account is of another kind.
fn account_code(error: &Error) -> Option<&'static KnownError> {
    let error = error.exchange()?;
    error.known.filter(|_| error.credential_cause() == Some(CredentialCause::Account))
}
