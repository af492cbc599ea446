//! A process: the client with its journal, and the steps that it takes.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tradeapi::classic;
use tradeapi::observed::CountdownCancelAll;
use tradeapi::runtime::batches::ItemsReply;
use tradeapi::runtime::budget::Budget;
use tradeapi::runtime::client::Departed;
use tradeapi::runtime::clock::{Clock, ManualEnvironment, pause};
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmation, Recovered};
use tradeapi::runtime::countdown::{Countdown, NotKept};
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::json::read_json;
use tradeapi::runtime::ledger::{Ledger, PositionKey, PositionSide};
use tradeapi::runtime::limits::{Admission, Call, Limiter, RateLimitFeedback, Reservation};
use tradeapi::runtime::reconcile::{ForeignOrders, Reconciled, Reconciliation};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, CancelAllOrders, CancelOrder, Category, ClientOid, Execution, ModifyOrder, OrderRef,
    PlaceOrder, Side,
};
use tradeapi::{Client, Credentials, Error, Timestamp};

use crate::assumption::Assumption;
use crate::exchange::{Exchange, FUTURES};
use crate::journal::OpenJournal;
use crate::lock;
use crate::network::{Line, NEW};
use crate::record::{ActionOf, Guard, Quiet, Report, Shown, Subject};
use crate::scenario::{Order, Program, Step};
use crate::time::BEGINNING;
use crate::world::{Occasion, World};

/// The price of all orders.
pub(crate) const PRICE: u64 = 64_000;

/// The length of countdowns.
const COUNTDOWN: Duration = Duration::from_secs(30);

/// Keys with which a process claims the journal: one that replaced that of the account, and another account's.
const NEW_CLAIMED: &str = "a new one, which it claims";
const ANOTHERS_CLAIMED: &str = "another account's, which it claims";

/// More orders than a request takes.
const BATCH: usize = 21;

/// No task has more steps.
const MOST_STEPS: usize = 100;

/// The number of attempts at a comparison that fails.
const ATTEMPTS: usize = 3;

/// The context in which a process is started.
#[derive(Clone)]
struct Context {
    world: Arc<World>,
    client: Client,
    program: usize,
    process: usize,
    ledger: Arc<Mutex<Ledger>>,
}

/// The rate limits of a process, for which an order or the cancellation of all may have to wait.
struct Turnstile {
    world: Arc<World>,
    clocks: ManualEnvironment,
}

impl Limiter for Turnstile {
    fn admit<'a>(&'a self, call: Call<'a>, _: bool) -> Admission<'a> {
        let operation = call.meta().id;
        let options = match operation.ends_with("place-order")
            || operation.ends_with("batch")
            || operation.ends_with("symbol-order")
        {
            true => vec!["has room", "has room after 10 s", "has room after five minutes"],
            false => Vec::new(),
        };
        let wait = match self.world.choose(|| format!("limit of {operation}"), options) {
            "has room after 10 s" => Duration::from_secs(10),
            "has room after five minutes" => Duration::from_secs(300),
            _ => return Admission::Now(Ok(Reservation::new(0, Duration::ZERO))),
        };
        Admission::Later(Box::pin(async move {
            pause(&self.clocks, wait).await;
            Ok(Reservation::new(0, wait))
        }))
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}
}

/// The treatment of foreign orders by a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foreign {
    Left,
    Cancelled,
    Adopted,
}

/// The work of a task.
pub(crate) type TaskFuture = Pin<Box<dyn Future<Output = ()>>>;

/// Starts a process of a program. Returns its number and its tasks.
pub(crate) fn start(world: &Arc<World>, program: usize, occasion: Occasion) -> (usize, Vec<TaskFuture>) {
    let process = world.begin(program);
    world.tell(|| format!("process {process} of program {program} is started: {occasion:?}"));
    (process, tasks(world, program, process, occasion).unwrap_or_default())
}

fn tasks(
    world: &Arc<World>,
    program: usize,
    process: usize,
    occasion: Occasion,
) -> Result<Vec<TaskFuture>, BuildError> {
    let &Program { key, tasks, has_clients, again, journal, .. } = &world.scenario.programs[program];
    let clocks = world.time.in_another_process();
    let open = |key: &str| Context::new(world, program, (process, &clocks), key);
    if occasion == Occasion::First {
        let shared = open(key)?;
        let contexts = tasks.iter().map(|_| if has_clients { open(key) } else { Ok(shared.clone()) });
        let of_task = |(task, (context, steps)): (usize, (Result<Context, BuildError>, &&'static [Step]))| {
            let (context, steps) = (context?, *steps);
            Ok(Box::pin(async move { context.perform(task * MOST_STEPS, steps).await }) as TaskFuture)
        };
        return contexts.zip(tasks).enumerate().map(of_task).collect();
    }
    let claimed = world.breaks(Assumption::Journal).then_some(ANOTHERS_CLAIMED);
    let keys = ["its own", "another account's", "a new one", NEW_CLAIMED];
    let keys: Vec<_> = keys.into_iter().chain(claimed).collect();
    let is_last = occasion == Occasion::Last;
    let choice = if is_last { "" } else { world.choose(|| format!("key of process {process}"), keys) };
    let key = match choice {
        "another account's" | ANOTHERS_CLAIMED => "another-key".to_owned(),
        "a new one" | NEW_CLAIMED => format!("{NEW}{key}"),
        _ => (*key).to_owned(),
    };
    world.let_it_lose(process, journal);
    world.step_clocks(|| format!("process {process}"));
    let context = open(&key)?;
    let again = if occasion == Occasion::Again { again } else { &[][..] };
    // It recovers, goes on, and compares the account with the journal.
    Ok(vec![Box::pin(async move {
        let action = ActionOf { process, number: MOST_STEPS };
        if matches!(choice, ANOTHERS_CLAIMED | NEW_CLAIMED) || is_last {
            // The last process is of the right account, whatever happened before.
            let _ = context.client.core().claim_journal().await;
        }
        if !matches!(again, [Step::Flatten, ..]) {
            context.world.acting(action, context.recover()).await;
        }
        context.perform(0, again).await;
        context.world.acting(action, context.reconcile(Foreign::Left)).await;
    })])
}

/// Assumes what a client assumes by default, and queries less often, so that there are fewer worlds: the last three
/// times when an absence counts.
fn policy() -> ConfirmPolicy {
    let (first, longest) = (Duration::from_secs(10), Duration::from_secs(50));
    ConfirmPolicy::new().deadline(Duration::from_secs(320)).pauses(first, longest)
}

fn side(sells: bool) -> Side {
    if sells { Side::Sell } else { Side::Buy }
}

fn place(Order { id, qty, sells }: Order) -> PlaceOrder {
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty, side(sells), Execution::limit(PRICE));
    match id.parse::<ClientOid>() {
        Ok(id) => order.client_oid(id),
        Err(_) => order,
    }
}

fn item(Order { id, qty, sells }: Order) -> BatchOrderItem {
    let item = BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", qty, side(sells), Execution::limit(PRICE));
    match id.parse::<ClientOid>() {
        Ok(id) => item.client_oid(id),
        Err(_) => item,
    }
}

fn order_ref(id: &str) -> Option<OrderRef> {
    id.parse::<ClientOid>().ok().map(OrderRef::ClientOid)
}

impl Context {
    fn new(
        world: &Arc<World>,
        program: usize,
        (process, clocks): (usize, &ManualEnvironment),
        key: &str,
    ) -> Result<Self, BuildError> {
        let Program { account, journal, .. } = world.scenario.programs[program];
        let client = Client::builder("https://exchange.test")
            .credentials(Credentials::new(key, "secret", "passphrase"))
            .environment(clocks.clone())
            .transport(Line { world: Arc::clone(world), process })
            .journal(Arc::new(OpenJournal::open(world, journal, process)))
            .account(account);
        let client = match world.scenario.waits {
            true => client.limiter(Arc::new(Turnstile { world: Arc::clone(world), clocks: clocks.clone() })),
            false => client,
        };
        let client = match (world.scenario.budget, &world.spent) {
            (Some(most), Some(folder)) => {
                let budget = Budget::new(["USDT"]).open(most.into()).kept_in(folder.path().join("spent"));
                client.budget(budget.map_err(|_| BuildError::NoTransport)?)
            }
            _ => client,
        };
        let client = client.build();
        if let Err(error) = &client {
            world.tell(|| format!("process {process} has no client: {error}"));
        }
        Ok(Self { world: Arc::clone(world), client: client?, program, process, ledger: Arc::default() })
    }

    /// Takes steps, whose calls are numbered from `first` on.
    async fn perform(&self, first: usize, steps: &'static [Step]) {
        let journal = self.world.scenario.programs[self.program].journal;
        for (number, step) in steps.iter().enumerate() {
            let action = ActionOf { process: self.process, number: first + number };
            lock(&self.world.record).begun.push((action, self.world.time.right(), journal));
            self.world.acting(action, self.step(action, *step)).await;
        }
    }

    async fn step(&self, action: ActionOf, step: Step) {
        let subject = Subject::Action(action);
        match step {
            Step::Place(order) => {
                let order = Order { id: self.id_of(order), ..order };
                self.confirmed(subject, self.client.place_and_confirm(&place(order), &policy()).await);
            }
            Step::PlaceWithoutId => {
                let order = place(Order { id: "", qty: 3, sells: false });
                self.called(subject, &self.client.call(&order).await);
            }
            Step::PlaceBatch(orders) => self.place_batch(subject, orders).await,
            Step::Amend(Order { id, qty, .. }) => {
                let Some(order) = order_ref(id) else { return };
                let change = ModifyOrder::new(order).qty(self.amended(id, qty));
                self.confirmed(subject, self.client.place_and_confirm(&change, &policy()).await);
            }
            Step::Cancel(id) => {
                let Some(order) = order_ref(id) else { return };
                self.called(subject, &self.client.call(&CancelOrder::new(order)).await);
            }
            Step::CancelConfirmed(id) => {
                let Some(order) = order_ref(id) else { return };
                self.confirmed(subject, self.client.place_and_confirm(&CancelOrder::new(order), &policy()).await);
            }
            Step::CancelAll => {
                let all = CancelAllOrders::new(Category::UsdtFutures);
                self.called_with_results(subject, self.client.call(&all).await.map(ItemsReply::done));
            }
            Step::CancelAllRepeated => self.cancel_repeatedly(action).await,
            Step::CancelAllGivenUp => {
                let (client, departed) = self.client.core().noting();
                let all = CancelAllOrders::new(Category::UsdtFutures);
                let called = self.unless_given_up(client.call(&all)).await;
                match called {
                    Some(result) => self.called_with_results(subject, result.map(ItemsReply::done)),
                    None => self.gave_up(subject, &departed),
                }
            }
            Step::PlaceGivenUp(order) => {
                let ((client, departed), order) = (self.client.core().noting(), place(order));
                match self.unless_given_up(client.call(&order)).await {
                    Some(result) => self.called(subject, &result),
                    None => self.gave_up(subject, &departed),
                }
            }
            Step::PlaceDropped(order) => {
                let order = place(order);
                match self.unless_given_up(self.client.call(&order)).await {
                    Some(result) => self.called(subject, &result),
                    None => self.confirmed(subject, self.client.settle(&order, None, &policy()).await),
                }
            }
            Step::PlaceBatchStopped => self.place_batch_until(subject).await,
            Step::Flatten => self.flatten(action).await,
            Step::PlaceClassic(Order { id, qty, .. }) => {
                let (side, execution) = (classic::Side::Buy, classic::Execution::limit(PRICE, classic::Force::Gtc));
                let of = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
                let order = classic::PlaceOrder::new("BTCUSDT", of.0, of.1, "USDT", qty, side, execution);
                self.confirmed(subject, self.client.place_and_confirm(&order.client_oid(id), &policy()).await);
            }
            Step::Reverse(id) => {
                let (product, side) = (classic::ProductType::UsdtFutures, classic::Side::Buy);
                let reversal = classic::Reversal::new("BTCUSDT", "USDT", product, side).client_oid(id);
                self.confirmed(subject, self.client.place_and_confirm(&reversal, &policy()).await);
            }
            Step::FlashClose => {
                let all = classic::FlashClosePosition::new(classic::ProductType::UsdtFutures);
                self.called_with_results(subject, self.client.call(&all).await.map(ItemsReply::done));
            }
            Step::Evidence(id) => self.give_evidence(id).await,
            Step::Reconcile => self.reconcile(Foreign::Left).await,
            Step::CancelForeign => self.reconcile(Foreign::Cancelled).await,
            Step::Adopt => self.reconcile(Foreign::Adopted).await,
            Step::Ledger => self.update_ledger().await,
            Step::Prune => {
                let journal = self.world.scenario.programs[self.program].journal;
                self.world.journals[journal].prune(Clock::now(self.client.core().environment()));
                self.world.tell(|| format!("process {} prunes journal {journal}", self.process));
            }
            Step::Restart => {
                self.world.restart(self.process, Duration::from_secs(1));
                pending().await
            }
            Step::Pause(seconds) => pause(self.client.core().environment(), Duration::from_secs(seconds)).await,
            Step::Guard(seconds) => self.guard(seconds).await,
        }
    }

    /// Returns the id of an order; another program may have it, too, if that is not assumed otherwise.
    fn id_of(&self, order: Order) -> &'static str {
        let others = (order.id != "a" && self.world.breaks(Assumption::Ids)).then_some("a");
        self.world.choose(|| format!("id of process {}", self.process), [order.id].into_iter().chain(others).collect())
    }

    /// Returns the quantity that an order is to have; it may have it already, if that is not assumed otherwise.
    fn amended(&self, id: &str, qty: u64) -> u64 {
        let same = self.world.breaks(Assumption::Amendments).then_some("the same");
        match self.world.choose(|| format!("quantity of {id}"), ["another"].into_iter().chain(same).collect()) {
            "the same" => lock(&self.world.exchange).quantity(id).unwrap_or(qty),
            _ => qty,
        }
    }

    /// Hands the client a record of an order that another program has seen, or another account's with the same id.
    async fn give_evidence(&self, id: &'static str) {
        let others = self.world.breaks(Assumption::Records).then_some("of another account");
        let is_others =
            self.world.choose(|| format!("record of {id}"), ["of this one"].into_iter().chain(others).collect());
        let record = match is_others {
            "of another account" => Some(Exchange::record_of_another(id, self.world.time.right())),
            _ => lock(&self.world.exchange).record(id),
        };
        let record = record.and_then(|record| read_json::<tradeapi::unified::Order>(&record.to_string()).ok());
        if let Some(record) = record {
            let _ = self.client.evidence(&record).await;
        }
    }

    async fn place_batch(&self, subject: Subject, orders: &[Order]) {
        let batch = BatchOrder::new(orders.iter().copied().map(item).collect());
        match self.client.batch(batch).send_and_confirm(&policy()).await {
            Ok(report) => {
                for (number, item) in report.items.iter().enumerate() {
                    let outcome = item.confirmation.outcome();
                    self.world.claim(subject, Some(number), outcome, || item.confirmation.to_string());
                }
            }
            Err(error) => self.world.claim(subject, None, error.outcome(), || error.to_string()),
        }
    }

    /// Places more orders than a request takes, until the caller stops that.
    async fn place_batch_until(&self, subject: Subject) {
        let orders = (0..BATCH).map(|number| {
            let item = item(Order { id: "", qty: 1, sells: false });
            match format!("m{number}").parse::<ClientOid>() {
                Ok(id) => item.client_oid(id),
                Err(_) => item,
            }
        });
        let call = self.client.batch(BatchOrder::new(orders.collect()));
        match call.send_until(self.given_up()).await {
            Ok(report) => {
                for (number, item) in report.items.iter().enumerate() {
                    let (id, outcome) = (format!("m{number}"), item.outcome.outcome());
                    self.world.tell(|| format!("item {id}: {outcome}"));
                    lock(&self.world.record).items.push((id, outcome));
                }
            }
            Err(error) => self.world.claim(subject, None, error.outcome(), || error.to_string()),
        }
    }

    /// Ends when the caller gives its call up.
    async fn given_up(&self) {
        let options = vec!["never", "at once", "after 100 ms", "after 10 s"];
        let after = match self.world.choose(|| format!("process {}: call is given up", self.process), options) {
            "at once" => Duration::from_millis(10),
            "after 100 ms" => Duration::from_millis(100),
            "after 10 s" => Duration::from_secs(10),
            _ => return pending().await,
        };
        pause(self.client.core().environment(), after).await;
    }

    /// Returns the output of a call, unless its caller gives it up before.
    async fn unless_given_up<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let (mut call, mut given_up) = (pin!(call), pin!(self.given_up()));
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => given_up.as_mut().poll(context).map(|()| None),
        })
        .await
    }

    /// Notes the outcome of a change whose call was given up.
    fn gave_up(&self, subject: Subject, departed: &Departed) {
        let outcome = if departed.at().is_some() { Outcome::Unknown } else { Outcome::NotDone };
        self.world.claim(subject, None, outcome, || "it was given up".to_owned());
    }

    /// Keeps a countdown running for so many seconds, and ends it.
    async fn guard(&self, seconds: u64) {
        let (core, begun) = (self.client.core(), self.world.time.right());
        let account = self.world.scenario.programs[self.program].key;
        let number = {
            let guards = &mut lock(&self.world.record).guards;
            guards.push(Guard { account, begun, told: Vec::new(), kept: None, ended: None });
            guards.len() - 1
        };
        let note = |change: &dyn Fn(&mut Guard, i64)| {
            let now = self.world.time.right();
            change(&mut lock(&self.world.record).guards[number], now);
        };
        let mut countdown = Countdown::new(core, COUNTDOWN, CountdownCancelAll::new);
        let mut stop = pin!(pause(core.environment(), Duration::from_secs(seconds)));
        loop {
            let mut keep = Box::pin(countdown.keep());
            let not_kept = poll_fn(|context| match keep.as_mut().poll(context) {
                Poll::Ready(not_kept) => Poll::Ready(Some(not_kept)),
                Poll::Pending => stop.as_mut().poll(context).map(|()| None),
            });
            let not_kept = not_kept.await;
            let Some(not_kept) = not_kept else { break };
            self.world.tell(|| format!("process {}: {not_kept}", self.process));
            let is_open = !matches!(&not_kept, NotKept::MayHaveFired { times, .. } if times.until.is_some());
            note(&|guard, now| guard.told.push((now, is_open)));
            if matches!(not_kept, NotKept::NotStarted(_)) {
                break;
            }
        }
        let note_fired = |countdown: &Countdown<CountdownCancelAll>| {
            if let Some(times) = countdown.may_have_fired() {
                note(&|guard, now| guard.told.push((now, times.until.is_none())));
            }
        };
        note_fired(&countdown);
        let ended = countdown.end().await;
        note_fired(&countdown);
        if let Some(times) = ended.as_ref().err().and_then(|not_ended| not_ended.times) {
            note(&|guard, now| guard.told.push((now, times.until.is_none())));
        }
        note(&|guard, now| (guard.kept, guard.ended) = (Some(now), ended.is_ok().then_some(now)));
        self.world.tell(|| format!("process {} ends its countdown: {}", self.process, ended.is_ok()));
    }

    async fn flatten(&self, action: ActionOf) {
        match self.client.flatten(&policy()).await {
            Ok(flat) => {
                self.world.tell(|| format!("process {}: {flat}", self.process));
                self.is_quiet(action, true);
            }
            Err(not_flat) => {
                self.world.tell(|| format!("process {}: {not_flat}", self.process));
                lock(&self.world.record).not_flat += 1;
            }
        }
    }

    async fn cancel_repeatedly(&self, action: ActionOf) {
        let (all, retries) = (CancelAllOrders::new(Category::UsdtFutures), RetryPolicy::new());
        let result = self.client.retrying(&retries).cancel(&all).await;
        if let Ok(reply) = &result {
            let until = reply.earlier.and_then(|earlier| earlier.until);
            let now = Clock::now(self.client.core().environment());
            self.world.tell(|| format!("process {} may place after {until:?}", self.process));
            if let Some(until) = until.filter(|until| *until > now) {
                pause(self.client.core().environment(), (until - now) + Duration::from_millis(1)).await;
            }
            self.is_quiet(action, false);
        }
        self.called_with_results(Subject::Action(action), result.map(ItemsReply::done));
    }

    /// Notes that nothing is said to be under way.
    fn is_quiet(&self, action: ActionOf, is_flat: bool) {
        let (at, journal) = (self.world.time.right(), self.world.scenario.programs[self.program].journal);
        lock(&self.world.record).quiet.push(Quiet { action, journal, at, is_flat });
    }

    fn confirmed<A, R>(&self, subject: Subject, confirmation: Confirmation<A, R>) {
        self.world.claim(subject, None, confirmation.outcome(), || confirmation.to_string());
    }

    fn called<T>(&self, subject: Subject, result: &Result<T, Error>) {
        match result {
            Ok(_) => self.world.claim(subject, None, Outcome::Done, || "it was answered".to_owned()),
            Err(error) => self.world.claim(subject, None, error.outcome(), || error.to_string()),
        }
    }

    /// Notes an answer that was given with results: one that lists failures says nothing of the request as a whole.
    fn called_with_results<T, E: std::fmt::Display>(&self, subject: Subject, result: Result<Result<T, E>, Error>) {
        match result {
            Ok(Ok(_)) => self.world.claim(subject, None, Outcome::Done, || "all is done".to_owned()),
            Ok(Err(failed)) => self.world.claim(subject, None, Outcome::Unknown, || failed.to_string()),
            Err(error) => self.world.claim(subject, None, error.outcome(), || error.to_string()),
        }
    }

    async fn recover(&self) {
        match self.client.recover(&policy()).await {
            Ok(recovered) => recovered.changes.iter().for_each(|change| self.recovered(change)),
            Err(error) => self.world.tell(|| format!("process {} cannot recover: {error}", self.process)),
        }
    }

    fn recovered(&self, Recovered { stored, items, .. }: &Recovered) {
        let journal = self.world.scenario.programs[self.program].journal;
        for (number, item) in items.iter().enumerate() {
            let only = (items.len() > 1).then_some(number);
            self.world.claim(Subject::Change((journal, stored.number)), only, item.outcome, || item.because.clone());
        }
    }

    /// Cancels all orders that a comparison lists as foreign, and notes in it what was done with each.
    async fn cancel_foreign(&self, reconciled: &mut Reconciled) {
        let ids: Vec<_> = reconciled.foreign().filter_map(|order| order.id.as_deref()).collect();
        match self.client.cancel_foreign(reconciled, &ids).await {
            Ok(cancelled) => {
                for order in cancelled {
                    let listed = reconciled.orders.iter_mut().filter(|listed| listed.id == order.id);
                    listed.for_each(|listed| listed.action = order.action.clone());
                }
            }
            Err(error) => self.world.tell(|| format!("process {}: {error}", self.process)),
        }
    }

    /// Reads the fills into the ledger, and notes the position that it shows.
    async fn update_ledger(&self) {
        let (asked, key) =
            (self.world.time.right(), PositionKey::new("unified", FUTURES, "BTCUSDT", PositionSide::Net));
        let begin = Timestamp::from_millis(BEGINNING.unsigned_abs());
        let mut ledger = lock(&self.ledger).clone();
        match self.client.update_ledger(&mut ledger, "unified", begin).await {
            Ok(_) => {
                let position = ledger.positions().get(&key);
                let size = position.map_or(Some(0.into()), |position| position.size()?.to_rust_decimal().ok());
                self.world.tell(|| format!("the ledger of process {} shows {size:?}", self.process));
                self.world.show(Shown { asked, until: self.world.time.right(), size });
                *lock(&self.ledger) = ledger;
            }
            Err(error) => self.world.tell(|| format!("process {} has no fills: {error}", self.process)),
        }
    }

    /// Compares the account, and does with the orders that are listed as foreign what is asked for.
    async fn reconcile(&self, foreign: Foreign) {
        let since = self.world.since(self.program);
        let orders = if foreign == Foreign::Adopted { ForeignOrders::Adopt } else { ForeignOrders::Leave };
        let account = Reconciliation::since(since).family(self.family()).foreign_orders(orders);
        let mut account = account.confirming(policy());
        for _ in 0..ATTEMPTS {
            match self.client.reconcile(&mut account).await {
                Ok(mut reconciled) => {
                    if foreign == Foreign::Cancelled {
                        self.cancel_foreign(&mut reconciled).await;
                    }
                    let journal = self.world.scenario.programs[self.program].journal;
                    let (at, is_final) = (self.world.time.right(), self.world.is_calm());
                    self.world.tell(|| format!("process {} reports {reconciled}", self.process));
                    reconciled.recovered.iter().for_each(|change| self.recovered(change));
                    self.world.report(Report::of(journal, at, is_final, &reconciled));
                    return self.world.set_since(self.program, reconciled.next_since);
                }
                Err(error) => self.world.tell(|| format!("process {} cannot compare: {error}", self.process)),
            }
        }
    }

    /// Returns the family of the orders in this world.
    fn family(&self) -> &'static str {
        let is_classic = |step: &Step| matches!(step, Step::PlaceClassic(_) | Step::Reverse(_) | Step::FlashClose);
        let tasks = self.world.scenario.programs[self.program].tasks;
        if tasks.iter().copied().flatten().any(is_classic) { "classic" } else { "unified" }
    }
}
