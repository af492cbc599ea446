//! The end of an account: some calls are given up, and then the account is made flat, or all its orders are cancelled by
//! repeated attempts. Once that has succeeded, nothing may be left or arrive, and what is placed afterwards has to stay.

use std::pin::Pin;
use std::time::Duration;

use futures_util::future::join_all;
use tradeapi::runtime::client::Callable;
use tradeapi::runtime::clock::{Clock, pause};
use tradeapi::runtime::confirm::{self, ConfirmPolicy};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{classic, unified};
use tradeapi_tests::dice::Dice;

use super::world::World;
use crate::claim::{Known, Naming};
use crate::clock::within;
use crate::context::AccountContext;
use crate::counts::Situation;
use crate::operation::Family;
use crate::orders::{self, Order};
use crate::pending::FAST_NODE;
use crate::variant::ClientVariant;
use crate::violation::Violation;

/// The percentage of ended accounts that are made flat.
const FLATTENED: u64 = 70;

/// The longest time until a call is given up, and until a first attempt to make the account flat is, in milliseconds.
const PATIENCE: u64 = 2_500;
const LONG_PATIENCE: u64 = 200_000;

/// The number of orders in the batch that is stopped, more than a call takes.
const BATCH: usize = 25;

/// The number of times that a client which trusts its reading tries.
const READINGS: usize = 20;

/// The longest time for which the network holds a request back.
const HELD_BACK: Duration = Duration::from_secs(30);

type GivenUp<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The end of an account.
pub(super) struct AccountEnd<'a> {
    world: &'a World<'a>,
    dice: Dice,
    /// True if the account is made flat.
    flattens: bool,
}

impl<'a> AccountEnd<'a> {
    /// Returns the end of an account, if it is to be ended.
    pub(super) fn of(world: &'a World<'a>) -> Option<Self> {
        let mut dice = Dice::new(world.seed, "ending");
        let flattens = match world.settings.variant {
            ClientVariant::PlacesAtOnce => false,
            ClientVariant::Correct => dice.percent(FLATTENED),
            _ => true,
        };
        world.deployment.is_ended.then_some(Self { world, dice, flattens })
    }

    /// Makes some calls at once, and gives them up.
    pub(super) async fn interrupt(&mut self, context: &AccountContext) {
        self.world.exchange.sweep(true);
        let mut calls: Vec<GivenUp<'_>> = Vec::new();
        for number in 0..2 + self.dice.below(3) {
            let family = self.dice.weighted(&[(Family::Unified, 2), (Family::Classic, 1)]);
            let order = Order::new(family, &self.id(&format!("given-up{number}")));
            calls.push(Box::pin(place(context, order, self.patience())));
        }
        if self.dice.percent(50) {
            let ids = (0..BATCH).map(|number| self.id(&format!("stopped{number}")));
            let all = ids.map(|id| Order::new(Family::Unified, &id)).collect();
            calls.push(Box::pin(place_each(context, all, self.patience())));
        }
        if self.flattens {
            let (line, lines) = (classic::ProductType::UsdtFutures, unified::Category::UsdtFutures);
            calls.push(Box::pin(give_up(context, unified::CancelAllOrders::new(lines), self.patience())));
            calls.push(Box::pin(give_up(context, classic::CancelAllOrders::new(line.clone()), self.patience())));
            calls.push(Box::pin(give_up(context, classic::FlashClosePosition::new(line), self.patience())));
        }
        join_all(calls).await;
        if self.flattens && self.dice.percent(40) {
            let patience = Duration::from_millis(self.dice.below(LONG_PATIENCE));
            let _ = within(&context.client, patience, context.account.flatten(&ConfirmPolicy::new())).await;
        }
    }

    /// Ends the account, and compares that with the books.
    pub(super) async fn finish(&mut self, context: &AccountContext) -> Vec<Violation> {
        let is_over = if self.flattens { self.flatten(context).await } else { self.cancel_all(context).await };
        let exchange = self.world.exchange;
        let left = if is_over && self.flattens { exchange.left_beside(None) } else { Vec::new() };
        let mut violations: Vec<_> = left.into_iter().map(Violation::NotFlat).collect();
        let after = if is_over { self.place_after(context).await } else { None };
        // Until nothing can arrive any more, also at a node whose clock is an hour ahead.
        pause(&self.world.time, HELD_BACK).await;
        self.world.clock.leap(FAST_NODE);
        if let Some(id) = after {
            let is_open = exchange.open_orders().iter().any(|(_, client_id)| client_id.as_ref() == Some(&id));
            let gone = (!is_open).then(|| format!("{id} was placed after the end, and is gone"));
            let come = if self.flattens { exchange.left_beside(Some(&id)) } else { Vec::new() };
            violations.extend(gone.into_iter().chain(come).map(Violation::ArrivedLate));
        }
        exchange.sweep(false);
        violations
    }

    /// Makes the account flat. Returns whether that has succeeded.
    async fn flatten(&self, context: &AccountContext) -> bool {
        let is_flat = match context.settings.variant {
            ClientVariant::FlattensOnce => flattens_once(context).await,
            ClientVariant::FlattensByReading => {
                let mut is_flat = false;
                for _ in 0..READINGS {
                    is_flat |= flattens_once(context).await && self.world.exchange.left_beside(None).is_empty();
                    if is_flat {
                        break;
                    }
                }
                is_flat
            }
            _ => context.account.flatten(&ConfirmPolicy::new()).await.is_ok(),
        };
        context.ledger.cover(if is_flat { Situation::Flattened } else { Situation::NotFlattened });
        is_flat
    }

    /// Cancels all orders of a line, and waits until an earlier attempt can no longer arrive. Returns whether it has
    /// succeeded.
    async fn cancel_all(&self, context: &AccountContext) -> bool {
        let all = unified::CancelAllOrders::new(unified::Category::UsdtFutures);
        let Ok(reply) = context.account.retrying(&RetryPolicy::new()).cancel(&all).await else { return false };
        context.ledger.cover(Situation::CancelledAll);
        let until = reply.earlier.and_then(|earlier| earlier.until);
        let now = Clock::now(context.client.environment());
        if let Some(until) = until.filter(|until| *until > now && context.settings.variant == ClientVariant::Correct) {
            pause(context.client.environment(), (until - now) + Duration::from_millis(1)).await;
        }
        true
    }

    /// Places an order, and returns its id if it is done.
    async fn place_after(&self, context: &AccountContext) -> Option<String> {
        let order = Order::new(Family::Unified, &self.id("after"));
        let handle = context.ledger.open(order.placed(), "unified.place-order", Naming::UniqueId);
        let (request, policy) = (orders::unified_order(&order), ConfirmPolicy::new());
        let outcome = confirm::place_and_confirm(&context.client, &request, &policy).await.outcome();
        let known = if outcome == Outcome::Unknown { Known::TooLate } else { Known::ByQuery };
        context.ledger.record(&handle, outcome, known, "after the end");
        (outcome == Outcome::Done).then_some(order.client_oid)
    }

    fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.world.settings.id_prefix(self.world.scenario.account))
    }

    fn patience(&mut self) -> Duration {
        Duration::from_millis(self.dice.below(PATIENCE))
    }
}

/// Places an order, which is not queried.
async fn place(context: &AccountContext, order: Order, patience: Duration) {
    let operation = match order.family {
        Family::Unified => "unified.place-order",
        Family::Classic => "classic.place-order",
    };
    let handle = context.ledger.open(order.placed(), operation, Naming::UniqueId);
    let (outcome, _) = match order.family {
        Family::Unified => {
            let request = orders::unified_order(&order);
            context.call_within(patience, async |client| client.call(&request).await).await
        }
        Family::Classic => {
            let request = orders::classic_order(&order);
            context.call_within(patience, async |client| client.call(&request).await).await
        }
    };
    let known = if outcome == Outcome::Unknown { Known::TooLate } else { Known::ByAnswer };
    context.ledger.record(&handle, outcome, known, "given up");
}

/// Places orders in several calls, and stops that. None is queried.
async fn place_each(context: &AccountContext, all: Vec<Order>, patience: Duration) {
    let open = |order: &Order| context.ledger.open(order.placed(), "unified.place-batch", Naming::UniqueId);
    let handles: Vec<_> = all.iter().map(open).collect();
    let results = context.send_each(orders::unified_batch(&all), handles.clone(), Some(patience)).await;
    for (handle, (outcome, _)) in handles.iter().zip(results).filter(|(_, (outcome, _))| *outcome == Outcome::Unknown) {
        context.ledger.record(handle, outcome, Known::TooLate, "given up");
    }
}

/// Makes a call about everything, whose outcome is of no interest.
async fn give_up<O: Callable>(context: &AccountContext, operation: O, patience: Duration) {
    context.call_within(patience, async |client| client.call(&operation).await).await;
}

/// Returns the mistake of a client that takes answers for the end.
async fn flattens_once(context: &AccountContext) -> bool {
    let line = classic::ProductType::UsdtFutures;
    let unified = unified::CancelAllOrders::new(unified::Category::UsdtFutures);
    let classic = classic::CancelAllOrders::new(line.clone());
    context.client.call(&unified).await.is_ok()
        && context.client.call(&classic).await.is_ok()
        && context.client.call(&classic::FlashClosePosition::new(line)).await.is_ok()
}
