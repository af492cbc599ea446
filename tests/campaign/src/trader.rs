//! What one task does: places orders one after the other, and amends and cancels some of them.

use crate::counts::Reached;
use crate::operation::Family;
use tradeapi::Decimal;
use tradeapi::runtime::tables::Outcome;
use tradeapi_tests::dice::Dice;

use crate::batches::ItemEnd;
use crate::desk::Desk;
use crate::ledger::{Naming, Ticket};
use crate::orders::{self, Amendment, Name, Order};

/// Of a hundred requests that place orders, how many place several.
const SEVERAL: u64 = 15;

/// Of a hundred orders, how many are amended, and how many cancelled.
const AMENDED: u64 = 35;
const CANCELLED: u64 = 30;

/// Of a hundred orders, how many have no id, and how many get another order with their id.
const WITHOUT_ID: u64 = 4;
const WITH_TWIN: u64 = 8;

/// Of a hundred orders of which it is not known whether they are there, how many are cancelled.
const CANCELLED_UNKNOWN: u64 = 40;

/// What an amendment does to the price and the size.
#[derive(Clone, Copy)]
enum Amends {
    Price,
    PriceAndSize,
    /// Neither: both have these values already.
    Nothing,
    /// Back to what it was before.
    Back,
}

const AMENDMENTS: [(Amends, u64); 4] =
    [(Amends::Price, 5), (Amends::PriceAndSize, 3), (Amends::Nothing, 3), (Amends::Back, 2)];

/// One task of an account.
pub(crate) struct Trader {
    pub(crate) desk: Desk,
    /// What its orders' ids begin with.
    pub(crate) name: String,
}

impl Trader {
    /// Sends the requests from 0 to `requests` that `is_made` selects, and what follows from each.
    pub(crate) async fn trade(self, requests: u64, is_made: impl Fn(u64) -> bool) {
        for request in (0..requests).filter(|request| is_made(*request)) {
            let id = format!("{}-{request:04}", self.name);
            let mut dice = Dice::new(self.desk.settings.seed, &id);
            let family = dice.weighted(&[(Family::Unified, 2), (Family::Classic, 1)]);
            if dice.percent(SEVERAL) {
                self.several(family, &id, &mut dice).await;
            } else if dice.percent(WITHOUT_ID) {
                self.without_id(family, &mut dice).await;
            } else {
                self.one(family, &id, &mut dice).await;
            }
        }
    }

    async fn one(&self, family: Family, id: &str, dice: &mut Dice) {
        let is_reversal = family == Family::Classic && dice.percent(20);
        let has_twin = !is_reversal && dice.percent(WITH_TWIN);
        let mut order = if is_reversal { Order::reversal(id) } else { Order::new(family, id) };
        if has_twin {
            order.naming = Naming::Shared;
        }
        let outcome = self.place(&mut order, dice).await;
        if has_twin {
            let differs = dice.percent(60);
            let mut twin = order.twin(differs);
            let outcome = self.place(&mut twin, dice).await;
            self.follow(twin, outcome, dice).await;
        }
        self.follow(order, outcome, dice).await;
    }

    /// Places an order, and returns the outcome.
    async fn place(&self, order: &mut Order, dice: &mut Dice) -> Outcome {
        let desk = &self.desk;
        let ticket = |deed| desk.ledger.open(order.placed(), deed, order.naming);
        let ended = match (order.family, &order.price) {
            (Family::Unified, _) => desk.send(orders::unified_order(order), ticket("unified.place-order"), dice).await,
            (Family::Classic, None) => desk.send(orders::reversal(order), ticket("classic.click-backhand"), dice).await,
            (Family::Classic, _) => desk.send(orders::classic_order(order), ticket("classic.place-order"), dice).await,
        };
        order.order_id = ended.order_id;
        ended.outcome
    }

    fn note_name(&self, name: &Name) {
        if let Name::OrderId(_) = name {
            self.desk.ledger.reach(Reached::NamedByOrderId);
        }
    }

    /// Amends and cancels an order, or does not.
    async fn follow(&self, order: Order, outcome: Outcome, dice: &mut Dice) {
        let followed = match outcome {
            Outcome::NotDone => None,
            // What is traded at the price of the market is filled at once.
            Outcome::Done if order.price.is_none() => None,
            Outcome::Done if dice.percent(AMENDED) => self.amend(order, dice).await,
            Outcome::Done => Some(order).filter(|_| dice.percent(CANCELLED)),
            Outcome::Unknown => {
                let is_cancelled = order.naming == Naming::Own && dice.percent(CANCELLED_UNKNOWN);
                if is_cancelled {
                    self.desk.ledger.reach(Reached::CancelledUnknown);
                }
                Some(order).filter(|_| is_cancelled)
            }
        };
        if let Some((order, name)) = followed.and_then(|order| order.name(dice).map(|name| (order, name))) {
            self.note_name(&name);
            self.desk.cancel(&order, name, dice).await;
        }
    }

    /// Places an order without an id to query by.
    async fn without_id(&self, family: Family, dice: &mut Dice) {
        let (desk, mut order) = (&self.desk, Order::without_id(family, dice));
        desk.ledger.reach(Reached::WithoutId);
        let ticket = |deed| desk.ledger.open(order.placed(), deed, order.naming);
        let ended = match family {
            Family::Unified => desk.send_plainly(orders::unified_order(&order), ticket("unified.place-order")).await,
            Family::Classic => desk.send_plainly(orders::classic_order(&order), ticket("classic.place-order")).await,
        };
        order.order_id = ended.order_id;
        if ended.outcome == Outcome::Done {
            self.follow(order, ended.outcome, dice).await;
        }
    }

    /// Amends an order; returns what may be cancelled then, if that is known.
    async fn amend(&self, order: Order, dice: &mut Dice) -> Option<Order> {
        let name = order.name(dice)?;
        self.note_name(&name);
        match order.family {
            Family::Unified => {
                let mut can_be_cancelled = true;
                for (amendment, changes_nothing) in amendments(&order, dice) {
                    let noted = [
                        (amendment.size.is_some(), Reached::AmendedTwoFields),
                        (changes_nothing, Reached::AmendedWithoutChange),
                    ];
                    noted.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| self.desk.ledger.reach(what));
                    let ticket = self.desk.ledger.open(amendment.effect(&order), "unified.modify-order", order.naming);
                    self.desk.send(orders::unified_amendment(&name, &amendment), ticket, dice).await;
                    // An order that cannot be amended may be cancelled for that, not on a request to cancel it.
                    can_be_cancelled &= !amendment.auto_cancel;
                }
                Some(order).filter(|_| can_be_cancelled && dice.percent(CANCELLED))
            }
            Family::Classic => {
                if order.naming == Naming::Nothing {
                    return None;
                }
                let mut new = Order::new(Family::Classic, &format!("{}{}m", order.client_oid, order.size));
                (new.price, new.naming) = (Some(orders::price(1)), order.naming);
                let ticket = self.desk.ledger.open(new.placed(), "classic.modify-order", new.naming);
                let ended = self.desk.send(orders::classic_amendment(&name, &new), ticket, dice).await;
                Some(new).filter(|_| ended.outcome == Outcome::Done && dice.percent(CANCELLED))
            }
        }
    }

    async fn several(&self, family: Family, id: &str, dice: &mut Dice) {
        // One call does not take all of them.
        let count = if dice.percent(10) { 30 + dice.below(50) } else { 2 + dice.below(6) };
        let mut all: Vec<_> = (0..count).map(|item| Order::new(family, &format!("{id}.{item:02}"))).collect();
        let is_odd = dice.percent(15);
        if is_odd {
            let first = all[0].twin(dice.percent(50));
            all[0].naming = Naming::Shared;
            let without_id = Order::without_id(family, dice);
            all.extend(if dice.percent(50) { vec![first] } else { vec![without_id, first] });
        }
        let deed = match family {
            Family::Unified => "unified.place-batch",
            Family::Classic => "classic.batch-place-order",
        };
        let tickets = all.iter().map(|order| self.desk.ledger.open(order.placed(), deed, order.naming)).collect();
        let ended = self.place_each(family, &all, tickets, is_odd, dice).await;
        let placed = all.into_iter().zip(ended).filter(|(_, (outcome, _))| *outcome == Outcome::Done);
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
            self.desk.cancel_each(family, placed, dice).await;
        }
    }

    async fn place_each(
        &self,
        family: Family,
        all: &[Order],
        tickets: Vec<Ticket>,
        is_odd: bool,
        dice: &mut Dice,
    ) -> Vec<ItemEnd> {
        let desk = &self.desk;
        match (family, is_odd) {
            (Family::Unified, false) => desk.resolve_each(orders::unified_batch(all), tickets, dice).await,
            (Family::Unified, true) => desk.send_and_settle_each(orders::unified_batch(all), tickets, dice).await,
            (Family::Classic, false) => desk.resolve_each(orders::classic_batch(all), tickets, dice).await,
            (Family::Classic, true) => desk.send_and_settle_each(orders::classic_batch(all), tickets, dice).await,
        }
    }

    async fn amend_each(&self, placed: &[(Name, Order)], dice: &mut Dice) {
        let (mut all, mut tickets) = (Vec::new(), Vec::new());
        // An order goes into a request once; two names of one order would not show that.
        for (name, order) in placed.iter().filter(|(_, order)| order.naming == Naming::Own) {
            let (amendment, _) = amendments(order, dice).swap_remove(0);
            let effect = amendment.effect(order);
            tickets.push(self.desk.ledger.open(effect, "unified.batch-modify-order", order.naming));
            all.push((name.clone(), Amendment { auto_cancel: false, ..amendment }));
        }
        if !all.is_empty() {
            self.desk.resolve_each(orders::unified_amendments(&all), tickets, dice).await;
        }
    }
}

/// A few amendments of an order, one after the other, and whether each requests what is already so.
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
