//! A client with a budget: what it counts of a call, and the prices that it learns from answers.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use super::core::ClientCore;
use crate::data::account::InstrumentLine;
use crate::data::error::{Error, OverBudget};
use crate::data::operation::{DynOperation, DynResponse};
use crate::data::parameters::Named;
use crate::data::tables::{Effect, Meta, Outcome};
use crate::data::value::Decimal;
use crate::network::wire::{Reply, reader_at};
use crate::state::budget::{Budget, BudgetLeft};

/// The orders of a request that the budget counts. They no longer do if this is dropped before the request is sent, or
/// after it was proven that it had no effect.
pub(super) struct Spending<'a> {
    budget: &'a Budget,
    /// The number of each order, with its place in the list of the request.
    numbers: Vec<(usize, u64)>,
    is_sent: AtomicBool,
}

impl Spending<'_> {
    /// Notes that the request may have left.
    pub(super) fn sent(&self) {
        self.is_sent.store(true, Ordering::Relaxed);
    }
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        if !*self.is_sent.get_mut() {
            self.budget.not_done(self.numbers.iter().map(|(_, number)| *number));
        }
    }
}

impl ClientCore {
    /// Returns what is left of the budget, if the client has one.
    ///
    /// # Errors
    ///
    /// Fails if the file with what was spent cannot be read.
    pub fn budget_left(&self) -> io::Result<Option<BudgetLeft>> {
        self.budget().map(|budget| budget.left(self.moment().wall())).transpose()
    }

    /// Returns the budget, if the client has one.
    pub fn budget(&self) -> Option<&Budget> {
        self.parts.budget.as_ref()
    }

    /// Returns the most that the orders of a request, the JSON of its parameters, are worth together. Nothing is sent,
    /// and nothing counts. `None` without a budget.
    ///
    /// # Errors
    ///
    /// Fails if the budget does not cover them.
    pub fn worth_of(&self, meta: &'static Meta, request: &str) -> Result<Option<Decimal>, Error> {
        let Some(budget) = self.budget() else { return Ok(None) };
        let request = Named::of_request(request.to_owned());
        budget.worth(meta, &request, self.account(), self.moment().wall()).map(Some).map_err(over)
    }

    /// States the last price of an instrument, from which the worth of market orders follows. Answers with prices state
    /// them, too. Without a budget, nothing happens.
    pub fn set_last_price(&self, line: impl InstrumentLine, symbol: &str, price: Decimal) {
        if let Some(budget) = self.budget() {
            budget.set_price((line.family(), line.line(), symbol), price, self.moment().wall());
        }
    }

    /// States that the account has no order and no position, so that nothing of the budget is open. A proof of
    /// [`flatten`](crate::outcomes::flatten::flatten()) states it, too. Without a budget, nothing happens.
    ///
    /// # Errors
    ///
    /// Fails if the file with what was spent cannot be written.
    pub fn set_flat(&self) -> io::Result<()> {
        self.budget().map_or(Ok(()), Budget::set_flat)
    }

    /// Notes that the order with this id was not placed, as queries have proven.
    pub(crate) fn was_not_placed(&self, meta: &Meta, id: &str) {
        if let Some(budget) = self.budget().filter(|_| meta.effect == Effect::Create) {
            budget.was_not_placed(meta.family, id);
        }
    }

    /// Counts the orders of a request that is about to be sent. Boxed, because every call has space for it.
    pub(super) fn spend(&self, operation: &dyn DynOperation) -> Result<Option<Box<Spending<'_>>>, Error> {
        let Some(budget) = self.budget() else { return Ok(None) };
        let numbers = budget
            .reserve(operation.meta(), &Named::of(operation), self.account(), self.moment().wall())
            .map_err(over)?;
        Ok(Some(Box::new(Spending { budget, numbers, is_sent: AtomicBool::new(false) })))
    }

    /// Takes the result of a call whose orders the budget counts: those that had no effect no longer count.
    pub(super) fn spent(
        &self,
        spending: &Spending<'_>,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        result: &Result<Reply<()>, Error>,
    ) {
        let Spending { budget, numbers, .. } = spending;
        match result {
            Ok(reply) => {
                let items = self.item_outcomes(operation, data, reply).filter(|outcomes| outcomes.are_of_request);
                let items = items.map(|outcomes| outcomes.items).unwrap_or_default();
                let is_refused = |place: usize| items.get(place).is_some_and(|item| item.outcome == Outcome::NotDone);
                budget.not_done(numbers.iter().filter(|(place, _)| is_refused(*place)).map(|(_, number)| *number));
                self.learn_ids(spending, operation, data);
                self.learn_prices(operation, reply);
            }
            // As if it had not been sent.
            Err(error) if error.outcome() == Outcome::NotDone => spending.is_sent.store(false, Ordering::Relaxed),
            Err(_) => {}
        }
    }

    /// Learns the exchange's ids of orders, by which amendments may name them.
    fn learn_ids(
        &self,
        Spending { budget, numbers, .. }: &Spending<'_>,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
    ) {
        let client_id = operation.meta().client_id.as_ref();
        let sent = Named::of(operation);
        let items = client_id.and_then(|id| id.list).map_or_else(|| vec![sent.clone()], |list| sent.items(list));
        data.show_results(&mut |result| {
            let (Some(id), Some(client_id)) = (&result.id, client_id) else { return };
            let is_it = |place: usize| match &result.client_id {
                Some(own) => items.get(place).and_then(|item| item.text(client_id.parameter)).as_deref() == Some(own),
                None => false,
            };
            let single = (numbers.len() == 1 && items.len() == 1).then(|| numbers[0].1);
            let number = numbers.iter().find(|(place, _)| is_it(*place)).map(|(_, number)| *number).or(single);
            if let Some(number) = number {
                budget.named(number, id);
            }
        });
    }

    /// Learns the last prices that an answer shows.
    fn learn_prices(&self, operation: &dyn DynOperation, reply: &Reply<()>) {
        let meta = operation.meta();
        let (Some(budget), Some(prices)) = (self.budget(), &meta.prices) else { return };
        let Some(line) = Named::of(operation).text(prices.line).map(Cow::into_owned) else { return };
        let text = std::str::from_utf8(&reply.raw).ok();
        let list = text.and_then(|text| reader_at(text, meta.data_path(self.api()).unwrap_or_default()));
        let list = list.and_then(|mut list| list.raw_value().ok());
        for record in list.and_then(|list| Named::read_items(list).ok()).unwrap_or_default() {
            if let (Some(symbol), Some(price)) = (record.text(prices.symbol), record.text(prices.price))
                && let Ok(price) = price.parse()
            {
                budget.set_price((prices.family, &line, &symbol), price, self.moment().wall());
            }
        }
    }
}

fn over(over: OverBudget) -> Error {
    Error::OverBudget(Box::new(over))
}
