//! Scheduled tasks, and the deletion of old records.

use tradeapi::runtime::tables::Length;
use tradeapi::{Operation, Timestamp, classic, unified};

use crate::operations::routes::{Caller, Route};
use crate::state::core::{Core, Late, Task};
use crate::state::events::Event;
use crate::state::orders::PlanState;
use crate::state::words::Family;

/// The interval at which old fills are deleted, in milliseconds.
const FORGETTING: u64 = 60 * 60 * 1000;

/// The events that recur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Other participants act.
    Step,
    /// Positions pay and receive funding.
    Funding,
}

impl Core {
    /// Advances to `now`, and runs the tasks that are due in their order. Time does not go back.
    pub(crate) fn advance(&mut self, now: u64) {
        let now = now.max(self.now);
        self.note_changes();
        self.skip_idle_steps(now);
        loop {
            let task = self.tasks.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at <= now);
            let step = Some((self.next_step, Due::Step)).filter(|(at, _)| self.settings.lively && *at <= now);
            let funding = Some((self.next_funding, Due::Funding)).filter(|(at, _)| *at <= now);
            let other = step.into_iter().chain(funding).min_by_key(|(at, _)| *at);
            match (task, other) {
                (Some(key), other) if other.is_none_or(|(at, _)| key.0 <= at) => {
                    self.now = self.now.max(key.0);
                    if let Some(task) = self.tasks.remove(&key) {
                        self.run(task);
                    }
                }
                (_, Some((at, due))) => {
                    self.now = self.now.max(at);
                    match due {
                        Due::Step => self.step(),
                        Due::Funding => self.pay_funding(),
                    }
                    self.note_changes();
                }
                _ => break,
            }
        }
        self.now = now;
        self.forget_old();
    }

    fn run(&mut self, task: Task) {
        let refused = match task {
            Task::Market(index, step) => {
                self.play(index, step);
                None
            }
            Task::Place(ticket) => {
                let family = self.accounts[ticket.account].family;
                self.place(*ticket).err().map(|reason| reason.code(family))
            }
            Task::Amend(order, amendment) => {
                self.finish_amendment(order, &amendment).err().map(|reason| reason.code(Family::Unified))
            }
            Task::CancelAll(account) => {
                self.end_countdown(account);
                None
            }
            Task::Late(late) => {
                self.carry_out_late(&late);
                None
            }
        };
        self.liquidate_changed();
        self.note_versions();
        if let Some(code) = refused {
            self.publish(Event::Refused { code: code.to_owned() });
        }
    }

    /// Carries out a delayed request.
    fn carry_out_late(&mut self, late: &Late) {
        let Late { meta, user, address, parameters, call, settled } = late;
        if let Some(trace) = &mut self.trace {
            trace.resume(*call);
        }
        if let Some(hostile) = &mut self.hostile {
            hostile.settled = *settled;
        }
        if let Some(route) = Route::of_operation(meta) {
            // A refusal has no effect: the order that it names may have ended.
            let _ = self.beyond_limits(|core| route.call(core, &Caller { user: *user, address: *address, parameters }));
        }
        if let Some(trace) = &mut self.trace {
            trace.resume(None);
        }
        self.note_versions();
    }

    /// Schedules the deletion of an order that has ended. The unified family keeps cancelled orders for the documented
    /// time; all others are kept as long as they can be listed.
    pub(crate) fn forget_later(&mut self, order: u64, family: Family, is_cancelled: bool) {
        let kept = unified::PlaceOrder::META.confirm.and_then(|confirm| confirm.kept_ms);
        let (queue, at) = match kept.filter(|_| is_cancelled && family == Family::Unified) {
            Some(kept) => (0, self.now.saturating_add(kept)),
            None => {
                let window = unified::GetOrderHistory::META.window.and_then(|window| window.access);
                let at = window.and_then(|access| access.after(Timestamp::from_millis(self.now)));
                (1, at.map_or(u64::MAX, Timestamp::as_millis))
            }
        };
        self.forget[queue].push_back((at, order));
    }

    /// Deletes old fills, and other records that are kept as long.
    fn forget_fills(&mut self) {
        self.fills_forgotten = self.now;
        let now = Timestamp::from_millis(self.now);
        // A listing whose range was the longest possible one until now still finds its items.
        let windows = [unified::GetFillHistory::META, classic::GetOrderFillDetails::META].map(|meta| meta.window);
        let reaches = windows.into_iter().flatten().flat_map(|window| [window.access, window.span]).flatten();
        let twice = |length: Length| length.before(now).and_then(|start| length.before(start));
        let oldest = reaches.filter_map(twice).min().map_or(0, Timestamp::as_millis);
        let is_old = |id: &u64| self.plans.get(id).is_none_or(|plan| plan.updated < oldest);
        let old = self.ended_plans.iter().take_while(|id| is_old(id)).count();
        self.forget_plans(old);
        for account in &mut self.accounts {
            while account.fills.front().is_some_and(|fill| fill.at < oldest) {
                account.fills.pop_front();
            }
            while account.payments.front().is_some_and(|payment| payment.at < oldest) {
                account.payments.pop_front();
            }
            while account.past_positions.front().is_some_and(|past| past.tally.updated_at < oldest) {
                account.past_positions.pop_front();
            }
        }
    }

    /// Deletes the conditional orders that ended first. One that was restored waits again.
    fn forget_plans(&mut self, count: usize) {
        for id in self.ended_plans.drain(..count) {
            if self.plans.get(&id).is_some_and(|plan| plan.state != PlanState::Waiting) {
                self.plans.remove(&id);
            }
        }
    }

    /// Deletes what has reached its time, and what is beyond the history.
    fn forget_old(&mut self) {
        let most = self.settings.history;
        self.forget_plans(self.ended_plans.len().saturating_sub(most));
        if self.now >= self.fills_forgotten + FORGETTING {
            self.forget_fills();
        }
        for queue in 0..self.forget.len() {
            while let Some((at, id)) = self.forget[queue].front().copied() {
                if at > self.now && self.forget[queue].len() <= most {
                    break;
                }
                self.forget[queue].pop_front();
                let Some(order) = self.orders.remove(&id) else { continue };
                if let Some(views) = &mut self.views {
                    views.forget(&order);
                }
                let account = &mut self.accounts[order.ticket.account];
                account.closed.remove(&id);
                if let Some(client) = order.client()
                    && account.clients.get(client) == Some(&id)
                {
                    account.clients.remove(client);
                }
            }
        }
    }
}

#[expect(clippy::unwrap_used, reason = "a test that fails panics")]
#[cfg(test)]
mod tests {
    use tradeapi::dec;
    use tradeapi::unified::{CancelAllOrders, Category, Execution, PlaceOrder, Side};

    use crate::{Exchange, Profile, Settings, Time};

    #[tokio::test]
    async fn ended_orders_take_no_more_memory_than_the_history() {
        const MOST: usize = 5;
        let settings = Settings { history: MOST, rate_limits: false, ..Settings::default() };
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both());
        let (client, category) = (exchange.client(), Category::UsdtFutures);
        let order = |side, execution| PlaceOrder::new(category.clone(), "BTCUSDT", dec!(0.01), side, execution);
        for number in 0..4 * MOST {
            for side in [Side::Buy, Side::Sell] {
                client.unified().place_order(&order(side, Execution::Market)).await.unwrap();
            }
            let rests = order(Side::Buy, Execution::limit(dec!(63000)).into());
            let id = format!("rests-{number}").parse().unwrap();
            client.unified().place_order(&rests.client_oid(id)).await.unwrap();
            client.unified().cancel_all_orders(&CancelAllOrders::new(category.clone())).await.unwrap().done().unwrap();
        }
        exchange.advance_to(exchange.time().now());
        let core = exchange.core();
        assert_eq!(core.forget.each_ref().map(|queue| queue.len()), [MOST; 2]);
        let account = &core.accounts[core.users[0].unified];
        assert_eq!(
            (core.orders.iter().count(), account.closed.len(), account.clients.len()),
            (2 * MOST, 2 * MOST, MOST)
        );
        assert_eq!((account.fills.len(), account.past_positions.len()), (MOST, MOST));
    }
}
