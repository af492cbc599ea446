//! One task of an account: places orders one after the other, and amends and cancels some of them.

use tradeapi::Decimal;
use tradeapi::runtime::tables::Outcome;
use tradeapi_tests::dice::Dice;

use crate::batches::ItemResult;
use crate::claim::{Known, Naming};
use crate::context::AccountContext;
use crate::counts::Situation;
use crate::ground_truth::leverage_set;
use crate::ledger::ClaimHandle;
use crate::operation::Family;
use crate::orders::{self, Amendment, Name, Order};

/// The percentage of placements that are batches.
const BATCHES: u64 = 15;

/// The percentages of orders that are amended and cancelled.
const AMENDED: u64 = 35;
const CANCELLED: u64 = 30;

/// The percentages of orders without an id, and with an id that another order gets as well.
const WITHOUT_ID: u64 = 4;
const DUPLICATED: u64 = 8;

/// The percentage of placements before which the leverage is set.
const LEVERAGES: u64 = 3;

/// The percentage of orders with an unknown outcome that are cancelled.
const CANCELLED_UNKNOWN: u64 = 40;

/// The change that an amendment makes to the price and the size.
#[derive(Clone, Copy)]
enum Amends {
    Price,
    PriceAndSize,
    /// Neither: the request has the current values.
    Nothing,
    /// Both are set to their original values.
    Back,
}

const AMENDMENTS: [(Amends, u64); 4] =
    [(Amends::Price, 5), (Amends::PriceAndSize, 3), (Amends::Nothing, 3), (Amends::Back, 2)];

/// One task of an account.
pub(crate) struct Trader {
    pub(crate) context: AccountContext,
    /// The client that places the second order with an id: another one if the account has several.
    pub(crate) other: AccountContext,
    /// The prefix of its orders' ids.
    pub(crate) name: String,
    /// The ending of the ids of the classic family.
    pub(crate) suffix: &'static str,
}

impl Trader {
    /// Sends the requests from 0 to `requests` that `is_selected` selects, each followed by amendments and
    /// cancellations.
    pub(crate) async fn trade(self, requests: u64, is_selected: impl Fn(u64) -> bool) {
        for request in (0..requests).filter(|request| is_selected(*request)) {
            let id = format!("{}-{request:04}", self.name);
            let mut dice = Dice::new(self.context.settings.seed, &id);
            let family = dice.weighted(&[(Family::Unified, 2), (Family::Classic, 1)]);
            self.set_leverage(&id).await;
            let id = if family == Family::Classic { id + self.suffix } else { id };
            if dice.percent(BATCHES) {
                self.place_batch(family, &id, &mut dice).await;
            } else if dice.percent(WITHOUT_ID) {
                self.place_without_id(family, &mut dice).await;
            } else {
                self.place_one(family, &id, &mut dice).await;
            }
        }
    }

    /// Sets the leverage, at times. No query shows what became of that.
    async fn set_leverage(&self, id: &str) {
        let mut dice = self.context.dice_for("leverage", id);
        if !dice.percent(LEVERAGES) {
            return;
        }
        let leverage = 1 + dice.below(100);
        let effect = leverage_set(orders::SYMBOL, &leverage.to_string());
        let handle = self.context.ledger.open(effect, "observed.set-contract-leverage", Naming::UniqueId);
        let called = self.context.client.call(&orders::leverage(leverage)).await;
        let outcome = called.map_or_else(|error| self.context.conclusion(&error), |_| Outcome::Done);
        self.context.ledger.record(&handle, outcome, Known::ByAnswer, "call");
    }

    async fn place_one(&self, family: Family, id: &str, dice: &mut Dice) {
        let is_reversal = family == Family::Classic && dice.percent(20);
        let has_duplicate = !is_reversal && dice.percent(DUPLICATED) && self.context.shares_ids;
        let mut order = if is_reversal { Order::reversal(id) } else { Order::new(family, id) };
        if has_duplicate {
            order.naming = Naming::SharedId;
        }
        let outcome = self.place(&self.context, &mut order, dice).await;
        if has_duplicate {
            let differs = dice.percent(60);
            let mut duplicate = order.duplicate(differs);
            let outcome = self.place(&self.other, &mut duplicate, dice).await;
            self.follow_up(duplicate, outcome, dice).await;
        }
        self.follow_up(order, outcome, dice).await;
    }

    /// Places an order, and returns the outcome.
    async fn place(&self, context: &AccountContext, order: &mut Order, dice: &mut Dice) -> Outcome {
        let handle = |operation| context.ledger.open(order.placed(), operation, order.naming);
        let result = match (order.family, &order.price) {
            (Family::Unified, _) => {
                context.send(orders::unified_order(order), handle("unified.place-order"), dice).await
            }
            (Family::Classic, None) => {
                context.send(orders::reversal(order), handle("classic.click-backhand"), dice).await
            }
            (Family::Classic, _) => {
                context.send(orders::classic_order(order), handle("classic.place-order"), dice).await
            }
        };
        order.order_id = result.order_id;
        result.outcome
    }

    fn note_name(&self, name: &Name) {
        if let Name::OrderId(_) = name {
            self.context.ledger.cover(Situation::NamedByOrderId);
        }
    }

    /// Amends and cancels some of the orders.
    async fn follow_up(&self, order: Order, outcome: Outcome, dice: &mut Dice) {
        let followed = match outcome {
            Outcome::NotDone => None,
            // Market orders are filled at once.
            Outcome::Done if order.price.is_none() => None,
            Outcome::Done if dice.percent(AMENDED) => self.amend(order, dice).await,
            Outcome::Done => Some(order).filter(|_| dice.percent(CANCELLED)),
            Outcome::Unknown => {
                let is_cancelled = order.naming == Naming::UniqueId && dice.percent(CANCELLED_UNKNOWN);
                if is_cancelled {
                    self.context.ledger.cover(Situation::CancelledUnknown);
                }
                Some(order).filter(|_| is_cancelled)
            }
        };
        if let Some((order, name)) = followed.and_then(|order| order.name(dice).map(|name| (order, name))) {
            self.note_name(&name);
            self.context.cancel(&order, name, dice).await;
        }
    }

    /// Places an order without an id, which no query can find.
    async fn place_without_id(&self, family: Family, dice: &mut Dice) {
        let (context, mut order) = (&self.context, Order::without_id(family, dice));
        context.ledger.cover(Situation::WithoutId);
        let handle = |operation| context.ledger.open(order.placed(), operation, order.naming);
        let result = match family {
            Family::Unified => {
                context.send_without_query(orders::unified_order(&order), handle("unified.place-order")).await
            }
            Family::Classic => {
                context.send_without_query(orders::classic_order(&order), handle("classic.place-order")).await
            }
        };
        order.order_id = result.order_id;
        if result.outcome == Outcome::Done {
            self.follow_up(order, result.outcome, dice).await;
        }
    }

    /// Amends an order, and returns the order to cancel, if it is known.
    async fn amend(&self, order: Order, dice: &mut Dice) -> Option<Order> {
        let name = order.name(dice)?;
        self.note_name(&name);
        match order.family {
            Family::Unified => {
                let mut can_be_cancelled = true;
                for (amendment, changes_nothing) in amendments(&order, dice) {
                    let noted = [
                        (amendment.size.is_some(), Situation::AmendedTwoFields),
                        (changes_nothing, Situation::AmendedWithoutChange),
                    ];
                    noted.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| self.context.ledger.cover(what));
                    let handle =
                        self.context.ledger.open(amendment.effect(&order), "unified.modify-order", order.naming);
                    self.context.send(orders::unified_amendment(&name, &amendment), handle, dice).await;
                    // With autoCancel, a failed amendment cancels the order, which is not the effect of a cancellation.
                    can_be_cancelled &= !amendment.auto_cancel;
                }
                Some(order).filter(|_| can_be_cancelled && dice.percent(CANCELLED))
            }
            Family::Classic => {
                if order.naming == Naming::NoId {
                    return None;
                }
                let mut new = Order::new(Family::Classic, &format!("{}{}m", order.client_oid, order.size));
                (new.price, new.naming) = (Some(orders::price(1)), order.naming);
                let handle = self.context.ledger.open(new.placed(), "classic.modify-order", new.naming);
                let result = self.context.send(orders::classic_amendment(&name, &new), handle, dice).await;
                Some(new).filter(|_| result.outcome == Outcome::Done && dice.percent(CANCELLED))
            }
        }
    }

    async fn place_batch(&self, family: Family, id: &str, dice: &mut Dice) {
        // More than a single call takes.
        let count = if dice.percent(10) { 30 + dice.below(50) } else { 2 + dice.below(6) };
        let mut all: Vec<_> = (0..count).map(|item| Order::new(family, &format!("{id}.{item:02}"))).collect();
        let has_odd_ids = dice.percent(15);
        if has_odd_ids {
            let first = all[0].duplicate(dice.percent(50));
            all[0].naming = Naming::SharedId;
            let without_id = Order::without_id(family, dice);
            all.extend(if dice.percent(50) { vec![first] } else { vec![without_id, first] });
        }
        let operation = match family {
            Family::Unified => "unified.place-batch",
            Family::Classic => "classic.batch-place-order",
        };
        let handles =
            all.iter().map(|order| self.context.ledger.open(order.placed(), operation, order.naming)).collect();
        let result = self.place_each(family, &all, handles, has_odd_ids, dice).await;
        let placed = all.into_iter().zip(result).filter(|(_, (outcome, _))| *outcome == Outcome::Done);
        let placed = placed.map(|(order, (_, order_id))| Order { order_id, ..order });
        let placed: Vec<_> = placed.filter_map(|order| Some((order.name(dice)?, order))).collect();
        if placed.is_empty() {
            return;
        }
        if family == Family::Unified && dice.percent(AMENDED) {
            self.amend_each(&placed, dice).await;
        }
        if dice.percent(CANCELLED) {
            let placed = placed.into_iter().map(|(name, order)| (order, name)).collect();
            self.context.cancel_each(family, placed, dice).await;
        }
    }

    async fn place_each(
        &self,
        family: Family,
        all: &[Order],
        handles: Vec<ClaimHandle>,
        has_odd_ids: bool,
        dice: &mut Dice,
    ) -> Vec<ItemResult> {
        let context = &self.context;
        match (family, has_odd_ids) {
            (Family::Unified, false) => context.resolve_each(orders::unified_batch(all), handles, dice).await,
            (Family::Unified, true) => context.send_and_settle_each(orders::unified_batch(all), handles, dice).await,
            (Family::Classic, false) => context.resolve_each(orders::classic_batch(all), handles, dice).await,
            (Family::Classic, true) => context.send_and_settle_each(orders::classic_batch(all), handles, dice).await,
        }
    }

    async fn amend_each(&self, placed: &[(Name, Order)], dice: &mut Dice) {
        let (mut all, mut handles) = (Vec::new(), Vec::new());
        // A batch must not have an order twice, and two names of one order would hide that.
        for (name, order) in placed.iter().filter(|(_, order)| order.naming == Naming::UniqueId) {
            let (amendment, _) = amendments(order, dice).swap_remove(0);
            let effect = amendment.effect(order);
            handles.push(self.context.ledger.open(effect, "unified.batch-modify-order", order.naming));
            all.push((name.clone(), Amendment { auto_cancel: false, ..amendment }));
        }
        if !all.is_empty() {
            self.context.resolve_each(orders::unified_amendments(&all), handles, dice).await;
        }
    }
}

/// Returns a few consecutive amendments of an order, and whether each has the current values.
fn amendments(order: &Order, dice: &mut Dice) -> Vec<(Amendment, bool)> {
    let original = (order.price.clone().unwrap_or_else(|| orders::price(0)), order.size.clone());
    let (mut now, count) = (original.clone(), 1 + dice.below(3));
    let one = |number: u64| {
        let amends = dice.weighted(&AMENDMENTS);
        now = match amends {
            Amends::Price => (orders::price(number), now.1.clone()),
            Amends::PriceAndSize => (orders::price(number), Decimal::from(2 + number)),
            Amends::Nothing => now.clone(),
            Amends::Back => original.clone(),
        };
        let names_size = match amends {
            Amends::Price => false,
            Amends::PriceAndSize | Amends::Back => true,
            Amends::Nothing => dice.percent(50),
        };
        let size = names_size.then(|| now.1.clone());
        let request_id = 1 + dice.below(999_999_999_999_999_999);
        let amendment = Amendment { request_id, price: now.0.clone(), size, auto_cancel: dice.percent(15) };
        (amendment, matches!(amends, Amends::Nothing))
    };
    (1..=count).map(one).collect()
}
