//! All orders that a client knows, the amendments that are under way, and one call of a client that tracks orders.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::book::{Book, Number, OrderContradiction, TrackedOrder};
use super::gate::{AmendGate, Pass};
use crate::data::error::{AmendmentObstacle, NotAmendable};
use crate::data::lifecycle::{OrderResult, OrderShown, Possible};
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{Amends, Ceiling, Confirm, Effect, Meta, Outcome};
use crate::network::limits::OpenOrders;
use crate::state::evidence::Target;

/// The maximum number of contradictions that are kept until they are taken.
const MAX_CONTRADICTIONS: usize = 1 << 8;

/// The orders of an account, as known from the calls of a client.
///
/// Everything that passes through the client counts: requests that place orders, from before they are sent; responses,
/// also to retries, pages, batches and confirmations; and records from outside, given to
/// [`evidence`](crate::outcomes::confirm::evidence). Nothing is queried for it: an order that is filled or cancelled stays in
/// the view until a response shows that, and a cancellation that the exchange accepted is not a proof of the end.
/// [`refresh_orders`](crate::outcomes::reconcile::refresh_orders) reads the open orders.
///
/// Amendments of a client that tracks orders are refused, and not sent, with
/// [`Error::NotAmendable`](crate::Error::NotAmendable) if the order is in a state in which the documents rule them out,
/// or if as many amendments of it are under way as the documents allow. Cancellations are never refused.
#[derive(Default)]
pub struct TrackedOrders {
    known: Mutex<TrackedState>,
    gate: AmendGate,
}

#[derive(Default)]
struct TrackedState {
    /// Sorted by their families.
    books: Vec<Book>,
    contradictions: Vec<OrderContradiction>,
    held: Vec<UnsettledAmendment>,
    /// Counts records, so that what a listing showed can be distinguished from what was shown before.
    turn: u64,
}

/// An amendment whose outcome is unknown.
struct UnsettledAmendment {
    pass: Pass,
    family: &'static str,
    orders: Vec<String>,
    /// When it can no longer arrive, by the steady clock; `None` if it always may.
    until: Option<Duration>,
}

impl TrackedState {
    fn book(&mut self, family: &'static str) -> &mut Book {
        let index = self.books.binary_search_by(|book| book.family.cmp(family)).unwrap_or_else(|index| {
            self.books.insert(index, Book::new(family));
            index
        });
        &mut self.books[index]
    }

    fn known(&self, family: &str) -> Option<&Book> {
        self.books.iter().find(|book| book.family == family)
    }

    /// Takes the places of the amendments for which `is_over` holds.
    fn take_held(&mut self, is_over: &dyn Fn(&UnsettledAmendment) -> bool) -> Vec<Pass> {
        let mut passes = Vec::new();
        for held in self.held.extract_if(.., |held| is_over(held)) {
            passes.push(held.pass);
        }
        passes
    }
}

impl TrackedOrders {
    /// Returns the orders that are open or may be, in the order of their families and names. What happens to an order
    /// later does not change what was listed.
    pub fn open(&self) -> Vec<Arc<TrackedOrder>> {
        let known = self.lock();
        let mut open = Vec::new();
        for book in &known.books {
            book.open().for_each(|order| open.push(Arc::clone(order)));
        }
        open
    }

    /// Returns the order of a family with this id, the exchange's or the caller's.
    pub fn get(&self, family: &str, id: &str) -> Option<Arc<TrackedOrder>> {
        self.lock().known(family)?.get(id).cloned()
    }

    /// Counts the orders of a family that are open or may be against its ceilings, the `CEILINGS` of an emitted module.
    /// An order whose kind is not known counts for every ceiling.
    ///
    /// ```
    /// # use tradeapi_runtime::tables::Ceiling;
    /// # tradeapi_runtime::open_enum! { enum Category { Spot = "spot" } }
    /// # const CEILINGS: &[Ceiling] = &[];
    /// fn may_place(client: &tradeapi_runtime::ClientCore, n: u64) -> bool {
    ///     client.tracked_orders().is_none_or(|orders| orders.counted("family", CEILINGS).may_place(&Category::Spot, n))
    /// }
    /// ```
    pub fn counted(&self, family: &str, ceilings: &'static [Ceiling]) -> OpenOrders {
        let mut counter = OpenOrders::new(ceilings);
        let known = self.lock();
        if let Some(book) = known.known(family) {
            book.open_by_kind().for_each(|(kind, n)| counter.count(kind, n));
        }
        counter
    }

    /// Takes the records that contradict earlier ones. The state that was known before stays known.
    pub fn take_contradictions(&self) -> Vec<OrderContradiction> {
        std::mem::take(&mut self.lock().contradictions)
    }

    /// Forgets an order, such as one whose placement has an outcome that stays unknown and that is known not to be
    /// open.
    pub fn forget(&self, order: &TrackedOrder) {
        let mut known = self.lock();
        let book = known.book(order.family);
        if let Some(number) = book.number(order) {
            book.remove(number);
        }
    }

    /// Adds the orders that a request is about to place, by their client ids and kinds. Returns those that were not
    /// known.
    pub(super) fn place(&self, meta: &'static Meta, orders: Vec<(String, Option<String>)>) -> Vec<Number> {
        let mut known = self.lock();
        let book = known.book(meta.family);
        let mut placed = Vec::with_capacity(orders.len());
        for (client_id, kind) in orders {
            placed.extend(book.place(client_id, kind));
        }
        placed
    }

    /// Enters with an amendment of orders, unless their state or another amendment forbids it.
    pub(super) fn amend(
        &self,
        meta: &'static Meta,
        orders: &[Vec<String>],
        now: Duration,
    ) -> Result<Option<Pass>, NotAmendable> {
        let refuse = |order: &str, why| NotAmendable { operation: meta.id, order: order.to_owned(), why };
        let over = self.take_over(now);
        drop(over);
        let mut names = Vec::new();
        {
            let known = self.lock();
            let book = known.known(meta.family);
            for ids in orders {
                let mut all = Vec::new();
                for id in ids {
                    add_in_order(&mut all, id);
                    let Some((book, order)) = book.and_then(|book| Some((book, book.get(id)?))) else { continue };
                    let row = book.lifecycle_of(id).zip(order.state.as_deref());
                    let row = row.and_then(|(lifecycle, state)| lifecycle.row(state));
                    if let Some(row) = row.filter(|row| row.can_modify == Possible::No) {
                        return Err(refuse(id, AmendmentObstacle::State { state: row.value }));
                    }
                    for id in order.id.iter().chain(&order.client_id) {
                        add_in_order(&mut all, id);
                    }
                }
                all.iter_mut().for_each(|id| *id = format!("{} {id}", meta.family));
                names.push(all);
            }
        }
        let Some(at_most) = meta.amends.and_then(|amends| amends.in_flight) else { return Ok(None) };
        match self.gate.enter_all(names, at_most) {
            Ok(pass) => Ok(Some(pass)),
            Err(busy) => {
                let order = busy.order.rsplit(' ').next().unwrap_or_default().to_owned();
                Err(refuse(&order, AmendmentObstacle::InFlight { in_flight: busy.in_flight, at_most }))
            }
        }
    }

    /// Keeps the place of an amendment whose outcome is unknown.
    pub(super) fn hold(&self, meta: &'static Meta, pass: Pass, orders: Vec<String>, until: Option<Duration>) {
        self.lock().held.push(UnsettledAmendment { pass, family: meta.family, orders, until });
    }

    fn take_over(&self, now: Duration) -> Vec<Pass> {
        self.lock().take_held(&|held| held.until.is_some_and(|until| until <= now))
    }

    /// Returns the places of amendments of an order, because they have a result.
    fn release(known: &mut TrackedState, family: &str, ids: &[&str]) -> Vec<Pass> {
        known.take_held(&|held| held.family == family && held.orders.iter().any(|id| ids.contains(&id.as_str())))
    }

    /// Notes that a request had no effect: the orders that it was to place do not exist.
    pub(super) fn not_placed(&self, meta: &'static Meta, placed: &[Number]) {
        let mut known = self.lock();
        let book = known.book(meta.family);
        placed.iter().for_each(|number| book.remove_unplaced(*number));
    }

    /// Notes that the outcome of a request stays open: a listing that begins at `listed_from` shows whether its orders
    /// are open.
    pub(super) fn may_be_placed(&self, meta: &'static Meta, placed: &[Number], listed_from: Option<Duration>) {
        let mut known = self.lock();
        let book = known.book(meta.family);
        placed.iter().for_each(|number| book.set_listed_from(*number, listed_from));
    }

    /// Runs `change` with the orders of a family.
    pub(super) fn in_book<T>(&self, family: &'static str, change: impl FnOnce(&mut Book) -> T) -> T {
        change(self.lock().book(family))
    }

    /// Takes what a record shows.
    pub(crate) fn observe(&self, family: &'static str, shown: OrderShown<'_>, listed_from: Option<Duration>) {
        let mut known = self.lock();
        known.turn += 1;
        let turn = known.turn;
        let ids = [shown.id.as_slice(), shown.client_id.as_slice()].concat();
        if let Err(change) = known.book(family).observe(shown, turn, listed_from) {
            if known.contradictions.len() >= MAX_CONTRADICTIONS {
                known.contradictions.remove(0);
            }
            known.contradictions.push(OrderContradiction { family, change });
        }
        let has_ended = ids.iter().any(|id| known.book(family).get(id).is_some_and(|order| !order.may_be_open()));
        if has_ended {
            drop(Self::release(&mut known, family, &ids));
        }
    }

    /// Notes what queries concluded about the effect of a request on the order with an id.
    pub(crate) fn concluded(&self, meta: &'static Meta, id: &str, outcome: Outcome) {
        let mut known = self.lock();
        let book = known.book(meta.family);
        // What became of a cancellation or an amendment tells nothing of the placing.
        let places = meta.confirm.as_ref().is_none_or(|confirm| confirm.ends.is_none());
        match (book.unplaced(id).filter(|_| places), outcome) {
            (_, Outcome::Unknown) => return,
            (Some(number), Outcome::NotDone) => book.remove(number),
            (Some(number), Outcome::Done) => book.accept(number, None),
            (None, _) => {}
        }
        if meta.amends.is_some() {
            drop(Self::release(&mut known, meta.family, &[id]));
        }
    }

    /// Returns the turn of the latest record.
    pub(crate) fn turn(&self) -> u64 {
        self.lock().turn
    }

    /// Returns whether a whole listing of the open orders of a family, which began in a turn and at a time, lacks an order
    /// that may be open.
    pub(crate) fn lacks_any(&self, family: &'static str, turn: u64, begun: Duration) -> bool {
        !self.lock().book(family).unlisted(turn, begun).is_empty()
    }

    /// Notes that the open orders of a family were listed as a whole, as often as assumed, from a turn and a time on.
    pub(crate) fn listed(&self, family: &'static str, turn: u64, begun: Duration) {
        self.lock().book(family).end_unlisted(turn, begun);
    }

    fn lock(&self) -> MutexGuard<'_, TrackedState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds an id to ids in their order, if it is new.
fn add_in_order(ids: &mut Vec<String>, id: &str) {
    if let Err(place) = ids.binary_search_by(|known| known.as_str().cmp(id)) {
        ids.insert(place, id.to_owned());
    }
}

impl fmt::Debug for TrackedOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackedOrders").field("open", &self.open().len()).finish_non_exhaustive()
    }
}

/// The orders that a call places and amends. If this is dropped before the call has ended, the outcome of a sent
/// request is unknown.
pub(crate) struct Tracking<'a> {
    orders: &'a TrackedOrders,
    meta: &'static Meta,
    placed: Vec<Number>,
    /// The value by which ceilings count an order that has no client id.
    kind: Option<String>,
    amended: Vec<String>,
    pass: Option<Pass>,
    /// Set when the request is sent: when its effect is certain to be visible, by the steady clock, if that is known.
    sent: OnceLock<Option<Duration>>,
    is_over: bool,
}

impl<'a> Tracking<'a> {
    /// Begins a call at a time by the steady clock, unless the known state of an order forbids it.
    pub(crate) fn begin(
        orders: &'a TrackedOrders,
        operation: &dyn DynOperation,
        now: Duration,
    ) -> Result<Self, NotAmendable> {
        let meta = operation.meta();
        let amended = meta.amends.map_or_else(Vec::new, |amends| ids_of(&Named::of(operation), &amends));
        let pass = if meta.amends.is_some() { orders.amend(meta, &amended, now)? } else { None };
        let given = || Named::of(operation);
        let creates = |confirm: &Confirm| confirm.creates(|parameter| given().text(parameter).is_some());
        let creates = meta.confirm.as_ref().is_some_and(creates);
        let targets = if creates { Target::all(operation) } else { Vec::new() };
        let kind_of =
            |target: &Target| meta.order_kind.and_then(|parameter| Some(target.named().text(parameter)?.into_owned()));
        let mut new = Vec::new();
        for target in targets.iter().flatten() {
            new.push((target.key().to_owned(), kind_of(target)));
        }
        let placed = orders.place(meta, new);
        let kind = if placed.is_empty() { meta.order_kind } else { None };
        let kind = kind.and_then(|parameter| Some(Named::of(operation).text(parameter)?.into_owned()));
        let amended = amended.concat();
        Ok(Self { orders, meta, placed, kind, amended, pass, sent: OnceLock::new(), is_over: false })
    }

    /// Notes that the request is sent. If it takes effect, that is visible from `visible` on.
    pub(crate) fn sent(&self, visible: Option<Duration>) {
        // A request is sent once.
        let _ = self.sent.set(visible);
    }

    /// Ends the call with an outcome. Its accepted effects are visible from `visible` on. The response has the records of
    /// the orders that are `shown`, and the results of those that the request was to place, with their outcomes.
    pub(crate) fn ended(
        mut self,
        outcome: Outcome,
        (shown, results): (Vec<OrderShown<'_>>, Vec<(OrderResult, Outcome)>),
        visible: Duration,
    ) {
        self.is_over = true;
        match outcome {
            Outcome::Done => {
                self.orders.may_be_placed(self.meta, &self.placed, Some(visible));
                self.accept_without_items();
                shown.into_iter().for_each(|order| self.orders.observe(self.meta.family, order, Some(visible)));
                results.into_iter().for_each(|(result, outcome)| self.take_result(result, outcome, visible));
            }
            Outcome::NotDone => self.orders.not_placed(self.meta, &self.placed),
            Outcome::Unknown => self.leave_open(),
        }
    }

    /// Notes that a response without items accepts what was placed.
    fn accept_without_items(&self) {
        let has_items = self.meta.confirm.as_ref().is_some_and(|confirm| confirm.list.is_some());
        if !has_items {
            self.orders.in_book(self.meta.family, |book| {
                self.placed.iter().for_each(|number| book.accept(*number, None));
            });
        }
    }

    /// Takes the result of a request that places an order, or of one of its items. The ids in the response to an
    /// amendment may be those of either order.
    fn take_result(&self, result: OrderResult, outcome: Outcome, visible: Duration) {
        if self.meta.effect != Effect::Create {
            return;
        }
        let OrderResult { id, client_id, .. } = result;
        self.orders.in_book(self.meta.family, |book| {
            let only = if let [number] = *self.placed { Some(number) } else { None };
            let number = match &client_id {
                Some(client_id) => book.named(client_id).filter(|number| self.placed.contains(number)),
                None => only,
            };
            match (number, outcome) {
                (Some(number), Outcome::Done) => book.accept(number, id),
                (Some(number), Outcome::NotDone) => book.remove_unplaced(number),
                (None, Outcome::Done) => {
                    let is_known = client_id.as_ref().is_some_and(|client_id| book.named(client_id).is_some());
                    if let Some(id) = id.filter(|_| !is_known) {
                        let number = book.accept_new(id, client_id, self.kind.clone());
                        book.set_listed_from(number, Some(visible));
                    }
                }
                (_, Outcome::Unknown) | (None, _) => {}
            }
        });
    }

    fn leave_open(&mut self) {
        let visible = self.sent.get().copied().flatten();
        self.orders.may_be_placed(self.meta, &self.placed, visible);
        if let Some(pass) = self.pass.take() {
            self.orders.hold(self.meta, pass, std::mem::take(&mut self.amended), visible);
        }
    }
}

impl Drop for Tracking<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        match self.sent.get() {
            Some(_) => self.leave_open(),
            None => self.orders.not_placed(self.meta, &self.placed),
        }
    }
}

/// Returns the ids in each amendment of a request.
fn ids_of(request: &Named, amends: &Amends) -> Vec<Vec<String>> {
    let items = match amends.list {
        Some(list) => &request.items(list),
        None => std::slice::from_ref(request),
    };
    let mut ids_of_each = Vec::with_capacity(items.len());
    for item in items {
        let mut ids = Vec::new();
        for id in amends.ids {
            ids.extend(item.text(id).map(Cow::into_owned));
        }
        ids_of_each.push(ids);
    }
    ids_of_each
}
