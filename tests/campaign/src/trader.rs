//! What one task does: places orders one after the other, and amends and cancels some of them.

use tradeapi::runtime::Outcome;
use tradeapi::unified;
use tradeapi_exchange::{Dice, Effect, Family};

use crate::desk::Desk;
use crate::orders;

/// How many of a hundred requests that make orders make several.
const SEVERAL: u64 = 15;

/// Of a hundred orders, how many are amended, and how many cancelled.
const AMENDED: u64 = 35;
const CANCELLED: u64 = 30;

/// One task of an account.
pub(crate) struct Trader {
    pub(crate) desk: Desk,
    /// What its orders' ids begin with.
    pub(crate) name: String,
}

impl Trader {
    /// Sends so many requests that make orders, and what follows from them.
    pub(crate) async fn trade(self, requests: u64) {
        for request in 0..requests {
            let id = format!("{}-{request:04}", self.name);
            let mut dice = Dice::new(self.desk.settings.seed, &id);
            let family = dice.weighted(&[(Family::Unified, 2), (Family::Classic, 1)]);
            if dice.percent(SEVERAL) {
                self.several(family, &id, &mut dice).await;
            } else {
                self.one(family, id, &mut dice).await;
            }
        }
    }

    async fn one(&self, family: Family, id: String, dice: &mut Dice) {
        let (desk, placed) = (&self.desk, Effect::Placed(id.clone()));
        let outcome = match family {
            Family::Unified => desk.ask(orders::unified_order(&id), placed, dice).await,
            Family::Classic if dice.percent(20) => desk.ask(orders::reversal(&id), placed, dice).await,
            Family::Classic => desk.ask(orders::classic_order(&id), placed, dice).await,
        };
        if outcome != Outcome::Done {
            return;
        }
        let amended = if dice.percent(AMENDED) { self.amend(family, &id, dice).await } else { Some(id) };
        // What replaced an order has its own id, and may not be there.
        if let Some(id) = amended.filter(|_| dice.percent(CANCELLED)) {
            desk.cancel(family, id).await;
        }
    }

    /// Amends an order; by which id it is known then, if that is known.
    async fn amend(&self, family: Family, id: &str, dice: &mut Dice) -> Option<String> {
        match family {
            Family::Unified => {
                for number in 1..=1 + dice.below(2) {
                    let effect = amended(id, number);
                    self.desk.ask(orders::unified_amendment(id, number), effect, dice).await;
                }
                Some(id.to_owned())
            }
            Family::Classic => {
                let new_id = format!("{id}m");
                let placed = Effect::Placed(new_id.clone());
                let outcome = self.desk.ask(orders::classic_amendment(id, &new_id, 1), placed, dice).await;
                (outcome == Outcome::Done).then_some(new_id)
            }
        }
    }

    async fn several(&self, family: Family, id: &str, dice: &mut Dice) {
        // Some do not go into one call.
        let count = if dice.percent(10) { 30 + dice.below(50) } else { 2 + dice.below(6) };
        let ids: Vec<_> = (0..count).map(|item| format!("{id}.{item:02}")).collect();
        let effects = ids.iter().cloned().map(Effect::Placed).collect();
        let outcomes = match family {
            Family::Unified => {
                let items = ids.iter().map(|id| orders::unified_item(id)).collect();
                self.desk.ask_for_each(unified::BatchOrder::new(items), effects).await
            }
            Family::Classic => self.desk.ask_for_each(orders::classic_batch(&ids), effects).await,
        };
        let ids = ids.into_iter().zip(outcomes);
        let placed: Vec<_> = ids.filter(|(_, outcome)| *outcome == Outcome::Done).map(|(id, _)| id).collect();
        if placed.is_empty() {
            return;
        }
        if family == Family::Unified && dice.percent(AMENDED) {
            self.amend_each(&placed).await;
        }
        if dice.percent(CANCELLED) {
            self.desk.cancel_each(family, placed).await;
        }
    }

    async fn amend_each(&self, ids: &[String]) {
        let items = ids.iter().map(|id| orders::unified_amendment_item(id, 1)).collect();
        let effects = ids.iter().map(|id| amended(id, 1)).collect();
        self.desk.ask_for_each(unified::BatchModifyOrders::new(items), effects).await;
    }
}

fn amended(id: &str, number: u64) -> Effect {
    Effect::Amended(id.to_owned(), orders::price(number).to_string())
}
