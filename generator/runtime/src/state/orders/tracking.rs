//! One call of a client that tracks orders.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Duration;

use super::book::Number;
use super::gate::Pass;
use super::tracked::TrackedOrders;
use crate::data::error::NotAmendable;
use crate::data::lifecycle::{OrderResult, OrderShown};
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{Amends, Confirm, Effect, Meta, Outcome};
use crate::state::evidence::Target;

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

/// The end of a call.
pub(crate) enum Answered<'a> {
    Done {
        /// The orders whose records the response has.
        shown: Vec<OrderShown<'a>>,
        /// The results of the orders that the request was to place, with their outcomes.
        results: Vec<(OrderResult, Outcome)>,
    },
    NotDone,
    Unknown,
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

    /// Ends the call. Its accepted effects are visible from `visible` on.
    pub(crate) fn ended(mut self, answered: Answered<'_>, visible: Duration) {
        self.is_over = true;
        match answered {
            Answered::Done { shown, results } => {
                self.orders.may_be_placed(self.meta, &self.placed, Some(visible));
                self.accept_without_items();
                shown.into_iter().for_each(|order| self.orders.observe(self.meta.family, order, Some(visible)));
                results.into_iter().for_each(|(result, outcome)| self.take_result(result, outcome, visible));
            }
            Answered::NotDone => self.orders.not_placed(self.meta, &self.placed),
            Answered::Unknown => self.leave_open(),
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

/// The ids in each amendment of a request.
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
