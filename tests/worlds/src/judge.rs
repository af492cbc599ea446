//! Compares what the client said with what happened.

use std::fmt;

use tradeapi::runtime::journal::{ItemEnding, LOST, StoredChange};
use tradeapi::runtime::reconcile::{Difference, Gone};
use tradeapi::runtime::rust_decimal::Decimal;
use tradeapi::runtime::tables::Outcome;

use crate::exchange::{Effect, Exchange, Order, Status, What};
use crate::lock;
use crate::process::PRICE;
use crate::record::{ActionOf, Claim, Guard, Quiet, Record, Report, ReportedOrder, Shown, Subject, ids_in};
use crate::world::World;

/// The time that the client assumes by default for the lag of a machine, in milliseconds.
const LAG: i64 = 60_000;

/// Something false that the client said, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongClaim {
    /// The kind, of which there are few.
    pub kind: &'static str,
    /// The statement, and what happened.
    pub says: String,
}

impl fmt::Display for WrongClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.says)
    }
}

/// Returns whether a change is one that no request made: an order that was taken into the journal as the listing showed
/// it, or a note of what the journal lost.
fn is_note(operation: &str) -> bool {
    operation == LOST || ["unfilled-orders", "orders-pending"].iter().any(|listing| operation.ends_with(listing))
}

/// Returns the wrong claims of a world in which nothing is under way any more.
pub(crate) fn judge(world: &World) -> Vec<WrongClaim> {
    let (exchange, record) = (lock(&world.exchange), lock(&world.record));
    let journals: Vec<_> = world.journals.iter().map(|journal| journal.changes()).collect();
    let truth = Truth { exchange: &exchange, record: &record, journals: &journals };
    let mut found: Vec<_> = record.claims.iter().filter_map(|claim| truth.of_claim(claim)).collect();
    for (journal, changes) in journals.iter().enumerate() {
        found.extend(changes.iter().filter_map(|change| truth.of_change(journal, change)));
        found.extend(truth.unreported(journal));
    }
    let differences = world.journals.iter().filter_map(|journal| journal.difference());
    found.extend(differences.map(|says| WrongClaim { kind: "a journal has not what was stored", says }));
    found.extend(record.reports.iter().flat_map(|report| truth.of_report(report)));
    found.extend(record.shown.iter().filter_map(|shown| truth.of_shown(shown)));
    found.extend(truth.doubled());
    found.extend(record.items.iter().filter_map(|(id, outcome)| truth.of_item(id, *outcome)));
    found.extend(record.quiet.iter().flat_map(|quiet| truth.of_quiet(quiet)));
    found.extend(record.guards.iter().flat_map(|guard| truth.of_guard(guard)));
    found.extend(world.scenario.budget.and_then(|most| truth.beyond(most)));
    found
}

struct Truth<'a> {
    exchange: &'a Exchange,
    record: &'a Record,
    /// The changes of each journal.
    journals: &'a [Vec<StoredChange>],
}

impl Truth<'_> {
    /// Returns whether the orders that the exchange took are worth more than a budget.
    fn beyond(&self, most: u64) -> Option<WrongClaim> {
        let quantity = |order: &Order| -> Option<u64> { order.states.first()?.qty.parse().ok() };
        let worth: u64 = self.exchange.orders.iter().filter_map(quantity).map(|quantity| quantity * PRICE).sum();
        let says = format!("they are worth {worth}, and the budget is {most}");
        (worth > most).then_some(WrongClaim { kind: "orders are beyond the budget", says })
    }

    /// Returns what a call or a change did.
    fn effects(&self, subject: Subject, item: Option<usize>) -> impl Iterator<Item = &Effect> {
        let requests: Vec<_> = self.record.requests(subject).collect();
        let is_meant =
            move |effect: &&Effect| requests.contains(&effect.request) && item.is_none_or(|item| effect.item == item);
        self.exchange.effects.iter().filter(is_meant)
    }

    /// Returns whether an outcome contradicts what happened.
    fn is_false(&self, subject: Subject, item: Option<usize>, outcome: Outcome) -> Option<&'static str> {
        let mut effects = self.effects(subject, item).peekable();
        match outcome {
            Outcome::NotDone if effects.peek().is_some() => Some("said not done, and it had an effect"),
            Outcome::Done if self.is_cancelled(subject) => None,
            // A reversal does two things, of which the second one counts.
            Outcome::Done if effects.all(|effect| effect.what == What::Closed && !self.closes(subject)) => {
                Some("said done, and it had no effect")
            }
            _ => None,
        }
    }

    /// Returns whether a call or a change cancels one order, and that is cancelled, by whichever request.
    fn is_cancelled(&self, subject: Subject) -> bool {
        let sent = self.record.requests(subject).map(|request| &self.record.sent[request]);
        let sent = sent.map(|sent| (sent.operation.as_str(), sent.ids.clone()));
        let stored = match subject {
            Subject::Change((journal, number)) => self.journals[journal].iter().find(|stored| stored.number == number),
            Subject::Action(_) => None,
        };
        let stored = stored.map(|stored| {
            (
                stored.change.operation.as_str(),
                ids_in(&serde_json::from_str(&stored.change.request).unwrap_or_default()),
            )
        });
        let is_named = |order: &Order, [id, client_id]: &[Option<String>; 2]| {
            id.as_ref() == Some(&order.id) || client_id.is_some() && *client_id == order.client_id
        };
        sent.chain(stored).filter(|(operation, _)| operation.ends_with("cancel-order")).any(|(_, ids)| {
            self.exchange.orders.iter().any(|order| is_named(order, &ids) && order.status() == Status::Cancelled)
        })
    }

    /// Returns whether a request is to close positions and nothing else.
    fn closes(&self, subject: Subject) -> bool {
        let operation = |request: usize| self.record.sent[request].operation.as_str();
        self.record.requests(subject).any(|request| operation(request) == "close-positions")
    }

    fn of_claim(&self, Claim { subject, item, outcome }: &Claim) -> Option<WrongClaim> {
        let kind = self.is_false(*subject, *item, *outcome)?;
        // With nothing to cancel, everything is cancelled.
        let is_empty = *outcome == Outcome::Done
            && self
                .record
                .requests(*subject)
                .any(|one| matches!(&*self.record.sent[one].operation, "cancel-symbol-order" | "cancel-all-orders"));
        (!is_empty).then(|| WrongClaim { kind, says: format!("{subject:?}, item {item:?}") })
    }

    /// Returns a statement about an item of one of several requests, which has an id of its own.
    fn of_item(&self, id: &str, outcome: Outcome) -> Option<WrongClaim> {
        let is_done = self.exchange.orders.iter().any(|order| order.client_id.as_deref() == Some(id));
        let kind = match outcome {
            Outcome::Done if !is_done => "said done, and it had no effect",
            Outcome::NotDone if is_done => "said not done, and it had an effect",
            _ => return None,
        };
        Some(WrongClaim { kind, says: format!("item {id}") })
    }

    fn of_change(&self, journal: usize, stored: &StoredChange) -> Option<WrongClaim> {
        let StoredChange { number, change, ending, items, .. } = stored;
        let subject = Subject::Change((journal, *number));
        let is_false = |item: &&ItemEnding| self.is_false(subject, Some(item.place), item.outcome).is_some();
        if let Some(ItemEnding { place, outcome, .. }) = items.iter().find(is_false) {
            let says = format!("item {place} of change {number} of journal {journal} ends as {outcome}");
            return Some(WrongClaim { kind: "a change closed with the wrong outcome", says });
        }
        let outcome = ending.as_ref()?.outcome;
        if is_note(&change.operation) {
            return None;
        }
        // A batch is done as a whole if one of its items is.
        let is_request = self.record.requests(subject).next().is_some();
        let is_batch = change.operation.ends_with("batch") || change.operation.ends_with("all-orders");
        let is_done_as_whole = outcome == Outcome::Done && (is_batch || change.operation.ends_with("symbol-order"));
        if is_done_as_whole || !is_request && outcome != Outcome::Done {
            return None;
        }
        self.is_false(subject, None, outcome).map(|_| WrongClaim {
            kind: "a change closed with the wrong outcome",
            says: format!("change {number} of journal {journal} ends as {outcome}"),
        })
    }

    /// Returns the orders that changes of a journal placed.
    fn own(&self, journal: usize) -> impl Iterator<Item = (&Order, u64)> {
        self.exchange.orders.iter().filter_map(move |order| {
            let (of, number) = self.record.sent[order.request].change?;
            (of == journal).then_some((order, number.0))
        })
    }

    fn of_report(&self, report: &Report) -> Vec<WrongClaim> {
        report.orders.iter().filter_map(|reported| self.of_reported(report, reported)).collect()
    }

    fn of_reported(&self, report: &Report, reported: &ReportedOrder) -> Option<WrongClaim> {
        let own = |(order, change): &(&Order, u64)| match &reported.id {
            Some(id) => order.id == *id,
            None => reported.change.is_some_and(|of| of.0 == *change) && order.client_id == reported.client_id,
        };
        let meant: Vec<_> = self.own(report.journal).filter(own).map(|(order, _)| order).collect();
        let is_open = |order: &&Order| {
            order.status() == Status::Live
                && order
                    .states
                    .iter()
                    .rev()
                    .find(|state| state.since <= report.at)
                    .is_none_or(|state| state.status == Status::Live)
        };
        let says = || reported.says.clone();
        let (is_own, is_live) = (!meant.is_empty(), meant.iter().any(is_open));
        match reported.difference {
            _ if is_own && reported.is_cancelled => {
                Some(WrongClaim { kind: "an own order is cancelled", says: says() })
            }
            Difference::Foreign if is_own => Some(WrongClaim { kind: "an own order is called foreign", says: says() }),
            Difference::Gone(Gone::NotOpen) | Difference::Ended if is_live => {
                Some(WrongClaim { kind: "a live order is said to be gone", says: says() })
            }
            _ => None,
        }
    }

    /// Returns an account that was made flat has nothing, and no call that began before does anything later.
    fn of_quiet(&self, quiet: &Quiet) -> Vec<WrongClaim> {
        let mut found = Vec::new();
        let left = self.exchange.left_at(quiet.at);
        if quiet.is_flat && left != [0, 0] {
            let says = format!("{left:?} orders and positions at {}", quiet.at);
            found.push(WrongClaim { kind: "said to be flat, and something is left", says });
        }
        let began_before = |action: ActionOf| {
            let is_it = |(known, begun, journal): &&(ActionOf, i64, usize)| {
                *known == action && *journal == quiet.journal && *begun < quiet.at
            };
            self.record.begun.iter().any(|begun| is_it(&begun))
        };
        let is_late = |effect: &&Effect| effect.at > quiet.at && began_before(self.record.sent[effect.request].action);
        if let Some(effect) = self.exchange.effects.iter().find(is_late) {
            let operation = &self.record.sent[effect.request].operation;
            let says =
                format!("{operation} did {:?} at {}, after {:?} at {}", effect.what, effect.at, quiet.action, quiet.at);
            found.push(WrongClaim { kind: "something arrives after the end", says });
        }
        found
    }

    /// Checks that a ledger has every fill that was shown by every machine when it asked, and perhaps later ones.
    fn of_shown(&self, Shown { asked, until, size }: &Shown) -> Option<WrongClaim> {
        let mut sizes = vec![Decimal::ZERO];
        for (order, filled) in self.exchange.fills().filter(|(_, filled)| filled.since <= *until) {
            let qty = filled.qty.parse::<Decimal>().unwrap_or_default();
            let qty = if order.side == "sell" { -qty } else { qty };
            let without = if filled.since + LAG > *asked { sizes.clone() } else { Vec::new() };
            sizes = without.into_iter().chain(sizes.into_iter().map(|size| size + qty)).collect();
        }
        let size = (*size)?;
        let says = || format!("{size}, and by the fills it is one of {sizes:?}");
        (!sizes.contains(&size)).then(|| WrongClaim { kind: "a ledger shows a wrong position", says: says() })
    }

    /// Returns the own orders whose state no report has, although nothing is under way any more and everything was
    /// read.
    fn unreported(&self, journal: usize) -> Vec<WrongClaim> {
        let of_journal = || self.record.reports.iter().filter(move |report| report.journal == journal);
        if !of_journal().any(|report| report.is_final) {
            return Vec::new();
        }
        let is_reported = |order: &Order| {
            of_journal().any(|report| {
                report.orders.iter().any(|reported| {
                    reported.id.as_ref() == Some(&order.id)
                        && (report.is_final
                            || matches!(reported.difference, Difference::Ended | Difference::PerhapsLost))
                        && (reported.is_open == (order.status() == Status::Live))
                })
            })
        };
        let missed = self.own(journal).filter(|(order, _)| !is_reported(order));
        missed
            .map(|(order, number)| WrongClaim {
                kind: "no comparison reports what became of an own order",
                says: format!("order {} of change {number}, {:?}", order.id, order.status()),
            })
            .collect()
    }

    /// Returns the countdowns that came to their end although their process was alive, and was not told, or had ended
    /// them.
    fn of_guard(&self, guard: &Guard) -> Vec<WrongClaim> {
        let of_account = self.exchange.fired.iter().filter(|(account, _)| account == guard.account);
        let wrong = of_account.filter_map(|(_, at)| {
            let is_told = guard.told.iter().any(|(told, is_open)| told >= at || *is_open);
            let is_kept = guard.kept.is_some_and(|kept| (guard.begun..=kept).contains(at));
            let kind = match guard.ended.is_some_and(|ended| ended < *at) {
                true => "a countdown cancels after its end",
                false if is_kept && !is_told => "a countdown has cancelled, and nothing says so",
                false => return None,
            };
            Some(WrongClaim { kind, says: format!("of {}, at {at}", guard.account) })
        });
        wrong.collect()
    }

    /// Returns the calls that made more than one order.
    fn doubled(&self) -> Vec<WrongClaim> {
        let mut seen: Vec<(ActionOf, usize, Option<&str>)> = Vec::new();
        let mut found = Vec::new();
        for effect in &self.exchange.effects {
            let What::Placed(order) = effect.what else { continue };
            let id = self.exchange.orders.get(order).and_then(|order| order.client_id.as_deref());
            let label = (self.record.sent[effect.request].action, effect.item, id);
            if seen.contains(&label) {
                found.push(WrongClaim { kind: "an order is doubled", says: format!("{:?}", label.0) });
            }
            seen.push(label);
        }
        found
    }
}
