//! An account whose process is killed at random instants. What is left of each is its journal, from which the next one
//! recovers, compares the account, and keeps a ledger.
//!
//! A killed process is a dropped one: its tasks and its client are dropped at a random instant, and the next one begins
//! with the journal.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::confirm::{ConfirmPolicy, EvidenceVerdict};
use tradeapi::runtime::journal::{Ending, StoredChange};
use tradeapi::runtime::ledger::Ledger as Positions;
use tradeapi::runtime::limits::Limiter;
use tradeapi::runtime::reconcile::{self, ForeignOrders, LedgerUpdateError, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Account, Client, PositionMode, Timestamp, unified};
use tradeapi_exchange::Node;
use tradeapi_tests::dice::Dice;

use super::comparison::Comparisons;
use super::disk::Disk;
use super::ending::AccountEnd;
use super::incorrect_recovery;
use super::journal_claims::{self, RecoveredOutcomes};
use super::positions;
use super::surroundings;
use super::world::World;
use crate::account;
use crate::assumptions::Assumption;
use crate::claim::{Known, Naming};
use crate::context::AccountContext;
use crate::counts::Situation;
use crate::figures::Figures;
use crate::operation::Family;
use crate::orders::{self, Order};
use crate::pending::FAST_NODE;
use crate::variant::ClientVariant;
use crate::violation::Violation;

/// The life of a process, and the pause until the next one begins, in milliseconds.
const LIFE: u64 = 8_000;
const SHORT_PAUSE: u64 = 3_000;
const LONG_PAUSE: u64 = 90_000;

/// The number of attempts at a comparison or an update of a ledger, since the exchange fails.
const TRIES: usize = 30;

/// The number of times that the last process recovers what is open.
const ROUNDS: usize = 3;

/// The common lead of two clocks beyond what a client assumes, in milliseconds.
const FAR_AHEAD: i64 = 600_000;

/// The time before the opening of the account at which its records begin.
const BEFORE: Duration = Duration::from_secs(60 * 60);

/// The acts of the processes of an account.
struct Story<'a> {
    world: &'a World<'a>,
    disk: Disk,
    recovered: RecoveredOutcomes,
    comparisons: Comparisons,
    /// The ledger, which outlives a process as the journal does, and the time from which on it reads fills.
    positions: Positions,
    fills_since: Timestamp,
    violations: Vec<Violation>,
    dice: Dice,
}

/// Trades an account by several processes, and compares what they and the journal claim with what the exchange did.
pub(super) async fn run(world: &World<'_>) -> Figures {
    let begun = Timestamp::from_millis(world.clock.right_at()) - BEFORE;
    let mut story = Story {
        world,
        disk: Disk::default(),
        recovered: RecoveredOutcomes::default(),
        comparisons: Comparisons::since(begun),
        positions: Positions::new(),
        fills_since: begun,
        violations: Vec::new(),
        dice: Dice::new(world.seed, "processes"),
    };
    surroundings::surround(world, story.run()).await;
    let Story { disk, recovered, violations, .. } = story;
    account::conclude(world.exchange, &world.ledger, violations, |truth| {
        journal_claims::violations(&disk.changes(), &recovered, &world.ledger, truth)
    })
}

impl Story<'_> {
    async fn run(&mut self) {
        let world = self.world;
        // The request of each task that comes next. One in which a process was killed is not sent again.
        let next = RefCell::new(BTreeMap::<u64, u64>::new());
        let is_selected = |task, request| {
            let mut next = next.borrow_mut();
            let next = next.entry(task).or_default();
            let is_new = request >= *next && world.is_selected(task, request);
            *next = (*next).max(request + 1);
            is_new
        };
        let limits = world.limits();
        let kills = 1 + self.dice.below(3);
        for life in 0..=kills {
            let writes = Dice::new(world.seed, &format!("journal of {life}"));
            let journal = self.disk.open(&world.time, writes, world.settings.variant);
            let builder =
                world.builder(&world.time.in_new_process(), world.exchange.keys()).limiter(Arc::clone(&limits));
            let client = world.build(builder.journal(Arc::new(journal)));
            let context = [world.context(&client)];
            let elsewhere = world
                .build(world.builder(&world.time.in_new_process(), world.exchange.keys()).limiter(Arc::clone(&limits)));
            let records = Dice::new(world.seed, &format!("records of {life}"));
            let lives = Duration::from_millis(500 + self.dice.below(LIFE));
            let is_short = self.dice.percent(60);
            let rests = Duration::from_millis(self.dice.below(if is_short { SHORT_PAUSE } else { LONG_PAUSE }));
            let trades = async {
                if life > 0 {
                    self.begin(&client).await;
                    self.use_an_id_again(&context[0]).await;
                }
                let trades = account::trade_only(&context, world.scenario.account, is_selected);
                if let Either::Right(((), trades)) =
                    select(pin!(trades), pin!(stream(world, &client, &elsewhere, records))).await
                {
                    trades.await;
                }
            };
            if life < kills {
                if let Either::Right(_) = select(pin!(trades), pin!(pause(&world.time, lives))).await {
                    world.ledger.cover(Situation::Killed);
                }
                drop((context, client));
                self.set_clocks();
                self.visit(&limits).await;
                self.trade_by_another_name(&limits, life).await;
                pause(&world.time, rests).await;
            } else {
                trades.await;
                pause(&world.time, world.settings.absence_proof_delay()).await;
                self.set_clocks_right();
                self.recover_the_rest(&client).await;
                let [context] = context;
                self.violations.extend(account::settle(&context, world.exchange, &world.clock).await);
                drop(client);
                let context = self.end(context, &limits).await;
                account::check_health(&context, world.exchange, world.scenario.account).await;
                self.finish(&context.account).await;
            }
        }
    }

    /// Does what a process does before it trades.
    async fn begin(&mut self, client: &Client) {
        if self.dice.percent(50) || self.world.settings.variant.recovers_by_itself() {
            self.recover(client).await;
        } else {
            self.reconcile(client).await;
        }
        if self.dice.percent(50) && !self.world.settings.variant.recovers_by_itself() {
            // It may fail now, as any call does.
            let _ = self.keep_positions(client).await;
        }
    }

    /// Places an order with the id of one that an earlier process placed, at times.
    async fn use_an_id_again(&mut self, context: &AccountContext) {
        if self.world.settings.variant != ClientVariant::Correct || !self.dice.percent(40) {
            return;
        }
        // Two programs with the journal have ids of their own.
        let is_placed = |stored: &&StoredChange| {
            let StoredChange { change, .. } = stored;
            change.operation == "unified.place-order" && change.account.is_none() && !change.client_ids.is_empty()
        };
        let last = self.disk.changes().iter().rfind(is_placed).and_then(|last| last.change.client_ids.first().cloned());
        let Some(id) = last else { return };
        self.world.ledger.share(&id);
        let order = Order::new(Family::Unified, &id).duplicate(self.dice.percent(60));
        let handle = self.world.ledger.open(order.placed(), "unified.place-order", order.naming);
        context.send(orders::unified_order(&order), handle, &mut self.dice).await;
        self.world.ledger.cover(Situation::IdOfEarlierRun);
    }

    /// Sets the clock of the machine while no process runs, and so is that of the node that answers, by as much. Beyond
    /// what a client assumes, that node shows what another one has taken as late as any.
    fn set_clocks(&mut self) {
        let beyond = self.world.settings.goes_beyond(Assumption::ClockError);
        if !beyond && !self.dice.percent(20) {
            return;
        }
        let ahead = if beyond { FAR_AHEAD } else { 5_000 + self.dice.below(50_000).cast_signed() };
        self.world.time.set_wall(ahead);
        match beyond {
            true => self.world.exchange.set_nodes(&[Node::new(1), Node::new(5).ahead_by(FAR_AHEAD).lagging(59_000)]),
            false => self.world.exchange.set_nodes(&[Node::new(1).with_answer_time(ahead)]),
        }
        self.world.ledger.cover(Situation::BothClocksSet);
    }

    /// Sets clocks right: a machine whose clock is wrong by more than a signature allows, with nodes that agree with
    /// it, could do nothing.
    fn set_clocks_right(&self) {
        self.world.time.set_wall(0);
        self.world.exchange.set_nodes(self.world.deployment.nodes);
    }

    /// Opens the journal, at times, as a client of another account, which must change nothing in it.
    async fn visit(&mut self, limits: &Arc<dyn Limiter>) {
        let world = self.world;
        if !self.dice.percent(30) && world.settings.variant != ClientVariant::RecoversForAnotherAccount {
            return;
        }
        let journal = self.disk.open(&world.time, Dice::new(world.seed, "visit"), world.settings.variant);
        let builder =
            world.builder(&world.time.in_new_process(), &world.exchange.open_account()).limiter(Arc::clone(limits));
        let visitor = world.build(builder.journal(Arc::new(journal)));
        // It may refuse.
        let _ = visitor.recover(&ConfirmPolicy::new()).await;
        world.ledger.cover(Situation::OpenedByOthers);
    }

    /// Places an order, at times, as another program of the account, which has the journal under a name of its own.
    /// Comparisons of the first program must leave it alone.
    async fn trade_by_another_name(&mut self, limits: &Arc<dyn Limiter>, life: u64) {
        let world = self.world;
        if world.settings.variant != ClientVariant::Correct || !self.dice.percent(30) {
            return;
        }
        let journal = self.disk.open(&world.time, Dice::new(world.seed, "desk"), world.settings.variant);
        let builder = world.builder(&world.time.in_new_process(), world.exchange.keys()).limiter(Arc::clone(limits));
        let desk = world.build(builder.journal(Arc::new(journal)).account("desk"));
        let id = format!("{}-desk{life}", world.settings.id_prefix(world.scenario.account));
        let order = Order::new(Family::Unified, &id);
        let handle = world.ledger.open(order.placed(), "unified.place-order", Naming::UniqueId);
        let placed = desk.core().call(&orders::unified_order(&order)).await;
        let outcome = placed.map_or_else(|error| error.outcome(), |_| Outcome::Done);
        // No query follows.
        let known = if outcome == Outcome::Unknown { Known::TooLate } else { Known::ByAnswer };
        world.ledger.record(&handle, outcome, known, "call");
        world.ledger.cover(Situation::AnotherName);
    }

    async fn recover(&mut self, client: &Client) {
        let variant = self.world.settings.variant;
        if variant.recovers_by_itself() {
            let open: Vec<_> = self.disk.changes().iter().filter(|stored| stored.ending.is_none()).cloned().collect();
            for stored in open {
                if let Some(outcome) = incorrect_recovery::conclude(client, variant, &stored).await {
                    self.disk.close(stored.number, Ending::new(outcome));
                }
            }
            return;
        }
        let policy = if self.dice.percent(50) { self.world.settings.brief_policy() } else { patient_policy() };
        self.recover_by(client, &policy).await;
    }

    /// Recovers until no change is open, or until that is unlikely to help: each query may fail.
    async fn recover_the_rest(&mut self, client: &Client) {
        if self.world.settings.variant.recovers_by_itself() {
            return self.recover(client).await;
        }
        self.recover_in_rounds(client).await;
        if self.world.deployment.has_fast_node() {
            pause(&self.world.time, FAST_NODE).await;
            self.recover_in_rounds(client).await;
        }
    }

    async fn recover_in_rounds(&mut self, client: &Client) {
        for _ in 0..ROUNDS {
            if self.disk.changes().iter().all(|stored| stored.ending.is_some()) {
                return;
            }
            self.recover_by(client, &patient_policy()).await;
        }
    }

    async fn recover_by(&mut self, client: &Client, policy: &ConfirmPolicy) {
        match client.recover(policy).await {
            Ok(recovered) => {
                recovered.iter().for_each(|_| self.world.ledger.cover(Situation::Recovered));
                self.recovered.add(&recovered);
            }
            Err(error) => self.violations.push(Violation::LockedOut(format!("recover: {error}"))),
        }
    }

    /// Compares the account with the journal, in several attempts if the exchange fails. Returns whether nothing needs
    /// attention.
    async fn reconcile(&mut self, client: &Client) -> bool {
        let foreign = self.dice.weighted(&[(ForeignOrders::Leave, 3), (ForeignOrders::Adopt, 2)]);
        // In a hurry, it lists orders before every node has to show them.
        let (deadline, first) = self.dice.weighted(&[((90_000, 2_000), 1), ((2_000, 200), 1)]);
        let policy = ConfirmPolicy::new().deadline(Duration::from_millis(deadline));
        let policy = policy.pauses(Duration::from_millis(first), Duration::from_secs(30));
        let mut how = Reconciliation::since(self.comparisons.since).foreign_orders(foreign).confirming(policy);
        for _ in 0..TRIES {
            if let Ok(reconciled) = client.reconcile(&mut how).await {
                self.world.ledger.cover(Situation::Reconciled);
                self.recovered.add(&reconciled.recovered);
                let takes_denials = self.world.settings.variant == ClientVariant::TakesDenialsForEnds;
                let found = {
                    let (exchange, changes) = (self.world.exchange, self.disk.changes());
                    self.comparisons.check(&reconciled, takes_denials, exchange, &changes)
                };
                self.violations.extend(found);
                if self.dice.percent(20) {
                    let listed: Vec<_> = reconciled.foreign().filter_map(|order| order.id.as_deref()).collect();
                    // Refused after a gap; orders of this program are found missing at the end.
                    let _ = reconcile::cancel_foreign(client.core(), &reconciled, &listed).await;
                }
                return reconciled.is_settled();
            }
        }
        false
    }

    /// Ends the account, if it is to be ended: the process is killed amid that, and another one finishes.
    async fn end(&mut self, context: AccountContext, limits: &Arc<dyn Limiter>) -> AccountContext {
        let world = self.world;
        let Some(mut ending) = AccountEnd::of(world) else { return context };
        ending.interrupt(&context).await;
        drop(context);
        let journal = self.disk.open(&world.time, Dice::new(world.seed, "last journal"), world.settings.variant);
        let builder = world.builder(&world.time.in_new_process(), world.exchange.keys()).limiter(Arc::clone(limits));
        let client = world.build(builder.journal(Arc::new(journal)));
        let context = world.context(&client);
        self.violations.extend(ending.finish(&context).await);
        context
    }

    /// Makes the last comparison, once nothing can arrive any more, and the ledger.
    async fn finish(&mut self, client: &Client) {
        self.recover(client).await;
        if self.world.settings.variant.recovers_by_itself() {
            return;
        }
        if self.reconcile(client).await {
            let silent = self.comparisons.check_ends(self.world.exchange, &self.disk.changes());
            self.violations.extend(silent);
        }
        match self.keep_positions(client).await {
            Ok(()) => self.violations.extend(positions::violations(&self.positions, self.world.exchange)),
            Err(failure) => self.violations.push(Violation::LockedOut(format!("ledger: {failure}"))),
        }
    }

    /// Brings the ledger up to date.
    async fn keep_positions(&mut self, client: &Client) -> Result<(), LedgerUpdateError> {
        // Without the mode, a ledger nets nothing.
        let client = client.with_account(Account::new().position_mode(PositionMode::OneWayMode));
        let (since, now) = (self.fills_since, client.core().now());
        for family in ["classic", "unified"] {
            let mut failure = None;
            for _ in 0..TRIES {
                failure = client.update_ledger(&mut self.positions, family, since).await.err();
                if failure.is_none() {
                    break;
                }
            }
            failure.map_or(Ok(()), Err)?;
        }
        if self.world.settings.variant == ClientVariant::MissesLateFills {
            self.fills_since = now;
        }
        Ok(())
    }
}

/// Returns a policy of a process that is in no hurry.
fn patient_policy() -> ConfirmPolicy {
    ConfirmPolicy::new().pauses(Duration::from_secs(2), Duration::from_secs(20))
}

/// Gives the process records of its orders, which another client of the account reads.
async fn stream(world: &World<'_>, client: &Client, elsewhere: &Client, mut dice: Dice) {
    loop {
        pause(&world.time, Duration::from_millis(300 + dice.below(3_000))).await;
        let Some(id) = world.exchange.one_order(Family::Unified, &mut dice) else { continue };
        let details = unified::GetOrderDetails::new(unified::OrderRef::OrderId(id.into()));
        let Ok(record) = elsewhere.core().call(&details).await else { continue };
        world.ledger.cover(Situation::Evidence);
        // A journal that cannot be read is noticed elsewhere.
        let Ok(evidence) = client.evidence(&record.data).await else { continue };
        for request in evidence.requests.iter().filter(|one| matches!(one.verdict, EvidenceVerdict::Contradicts(_))) {
            world.ledger.report(Violation::WrongComparison(format!("evidence: {request}")));
        }
    }
}
