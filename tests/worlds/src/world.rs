//! One world: a run of a scenario by a sequence of choices, on one thread and in virtual time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tradeapi::Timestamp;
use tradeapi::runtime::tables::Outcome;

use crate::assumption::Assumption;
use crate::choices::{Choice, Choices, Script};
use crate::exchange::{Conduct, Exchange, RequestNumber};
use crate::lock;
use crate::memory::MemoryJournal;
use crate::record::{ActionOf, ChangeOf, Claim, Record, Report, Sent, Shown, Subject, ids_in};
use crate::scenario::{Fills, Scenario};
use crate::time::{Ahead, Time};

/// The error of a wrong clock, in milliseconds: one alone; the one that checks signatures; two together.
const FAR: i64 = 600_000;
const NEAR: i64 = 20_000;
const TOGETHER: i64 = 50_000;

/// A world under way.
pub(crate) struct World {
    pub(crate) scenario: &'static Scenario,
    pub(crate) time: Arc<Time>,
    pub(crate) exchange: Mutex<Exchange>,
    pub(crate) journals: Vec<MemoryJournal>,
    /// The folder with what was spent of a budget that programs share.
    pub(crate) spent: Option<TempDir>,
    pub(crate) record: Mutex<Record>,
    laws: Laws,
    choices: Choices,
    /// True if everything goes as in a kind world from now on.
    is_calm: AtomicBool,
    processes: Mutex<Vec<Process>>,
    /// The programs that are to be started.
    starts: Mutex<Vec<(usize, Occasion)>>,
    /// The call whose process is running.
    acting: Mutex<ActionOf>,
    /// True if the last answer about an order denied it.
    denied: Mutex<HashMap<String, bool>>,
    /// From when each program compares its account next.
    since: Mutex<HashMap<usize, Timestamp>>,
    story: Option<Mutex<Vec<String>>>,
}

#[derive(Default)]
struct Process {
    program: usize,
    is_killed: bool,
    /// The change that it stored and has not sent.
    stored: Option<ChangeOf>,
}

/// The events that are possible in worlds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Laws {
    /// The assumption of the client that does not hold, if any.
    pub broken: Option<Assumption>,
}

/// The reason why a process is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    First,
    /// The one before was killed.
    Again,
    /// At the end, to look at what there is.
    Last,
}

impl World {
    pub(crate) fn new(scenario: &'static Scenario, script: Script, laws: Laws, is_told: bool) -> Arc<Self> {
        let journals = scenario.programs.iter().map(|program| program.journal + 1).max().unwrap_or_default();
        let forgets_ended = laws.broken == Some(Assumption::Duplicates);
        Arc::new(Self {
            scenario,
            time: Arc::default(),
            exchange: Mutex::new(Exchange::new(Conduct { forgets_ended, ..scenario.conduct })),
            journals: (0..journals).map(|_| MemoryJournal::new(scenario.is_on_disk)).collect(),
            spent: scenario.budget.and_then(|_| TempDir::new().ok()),
            record: Mutex::default(),
            laws,
            choices: Choices::new(script),
            is_calm: AtomicBool::new(false),
            processes: Mutex::default(),
            starts: Mutex::default(),
            acting: Mutex::default(),
            denied: Mutex::default(),
            since: Mutex::default(),
            story: is_told.then(Mutex::default),
        })
    }

    /// Lets everything go as in a kind world from now on, by clocks that are right.
    pub(crate) fn calm(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
        self.time.set_ahead(Ahead::default());
    }

    pub(crate) fn take_choices(&self) -> Vec<Choice> {
        self.choices.take()
    }

    pub(crate) fn take_story(&self) -> Vec<String> {
        self.story.as_ref().map(|story| std::mem::take(&mut *lock(story))).unwrap_or_default()
    }

    /// Returns the programs that are to be started.
    pub(crate) fn take_starts(&self) -> Vec<(usize, Occasion)> {
        std::mem::take(&mut *lock(&self.starts))
    }

    /// Lets a program be started.
    fn start(&self, program: usize, occasion: Occasion) {
        lock(&self.starts).push((program, occasion));
    }

    pub(crate) fn start_all(&self, occasion: Occasion) {
        (0..self.scenario.programs.len()).for_each(|program| self.start(program, occasion));
    }

    /// Begins a process of a program, and returns its number.
    pub(crate) fn begin(&self, program: usize) -> usize {
        let mut processes = lock(&self.processes);
        processes.push(Process { program, ..Process::default() });
        processes.len() - 1
    }

    /// Returns the future of a call, whose requests are attributed to it.
    pub(crate) async fn acting<T>(self: &Arc<Self>, action: ActionOf, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        std::future::poll_fn(|context| {
            *lock(&self.acting) = action;
            future.as_mut().poll(context)
        })
        .await
    }

    pub(crate) fn choose(&self, point: impl FnOnce() -> String, mut options: Vec<&'static str>) -> &'static str {
        self.scenario.keep(&mut options);
        if self.is_calm.load(Ordering::Relaxed) {
            return options.first().copied().unwrap_or_default();
        }
        let mut named = String::new();
        let has_choice = options.len() > 1;
        let option = self.choices.choose(
            || {
                named = point();
                named.clone()
            },
            options,
        );
        if has_choice {
            self.tell(|| format!("  [{named}] {option}"));
        }
        option
    }

    /// Returns whether the assumption does not hold in this world.
    pub(crate) fn breaks(&self, assumption: Assumption) -> bool {
        self.laws.broken == Some(assumption) && !self.is_calm.load(Ordering::Relaxed)
    }

    /// Returns whether a process is killed at a point. It is started again later.
    pub(crate) fn is_killed_at(self: &Arc<Self>, process: usize, point: impl FnOnce() -> String) -> bool {
        let choice = self.choose(|| format!("process {process}, {}", point()), vec!["goes on", "is killed"]);
        if choice != "is killed" {
            return false;
        }
        let options = vec!["after a second", "after five minutes", "after three hours"];
        let pause = match self.choose(|| format!("restart of process {process}"), options) {
            "after five minutes" => 5 * 60,
            "after three hours" => 3 * 60 * 60,
            _ => 1,
        };
        self.restart(process, Duration::from_secs(pause));
        true
    }

    /// Ends a process, and starts its program again after a while.
    pub(crate) fn restart(self: &Arc<Self>, process: usize, pause: Duration) {
        let program = {
            let mut processes = lock(&self.processes);
            processes[process].is_killed = true;
            processes[process].program
        };
        let world = Arc::clone(self);
        self.time.after(pause, move || world.start(program, Occasion::Again));
    }

    /// Lets the journal that a process is about to open lose changes, if that can happen in this scenario.
    pub(crate) fn let_it_lose(&self, process: usize, journal: usize) {
        let journal = &self.journals[journal];
        let count = journal.changes().len();
        if !self.scenario.loses || count == 0 {
            return;
        }
        let unnoticed = self.breaks(Assumption::Gaps).then_some("lost all, and does not notice");
        let options = ["has all", "lost the first change", "lost the last change", "lost all"];
        match self.choose(|| format!("journal of process {process}"), options.into_iter().chain(unnoticed).collect()) {
            "lost the first change" => journal.lose(0..1, true),
            "lost the last change" => journal.lose(count - 1..count, true),
            "lost all" => journal.lose(0..count, true),
            "lost all, and does not notice" => journal.lose(0..count, false),
            _ => {}
        }
    }

    pub(crate) fn is_killed(&self, process: usize) -> bool {
        lock(&self.processes)[process].is_killed
    }

    /// Notes a change that a process has stored, and is about to send.
    pub(crate) fn stored(&self, process: usize, change: ChangeOf) {
        lock(&self.processes)[process].stored = Some(change);
    }

    /// Notes a request that leaves. Returns its number, and what it is called.
    pub(crate) fn sent(
        &self,
        process: usize,
        operation: String,
        parameters: &Value,
        is_change: bool,
    ) -> (RequestNumber, String) {
        let change = is_change.then(|| lock(&self.processes)[process].stored.take()).flatten();
        let action = *lock(&self.acting);
        let mut record = lock(&self.record);
        let nth = record.sent.iter().filter(|sent| sent.operation == operation).count() + 1;
        let name = format!("{operation} {nth}");
        record.sent.push(Sent { action, operation, ids: ids_in(parameters), change });
        (record.sent.len() - 1, name)
    }

    /// Lets a clock be set. One at a time is wrong, those of a machine of the exchange, or two by less than the client
    /// assumes by default.
    pub(crate) fn step_clocks(&self, about: impl FnOnce() -> String) {
        let mut options = vec!["stay"];
        let ahead = self.time.ahead();
        let (is_machine, is_gate, is_answers) = (ahead.machine != 0, ahead.gate != 0, ahead.answers != 0);
        if !is_gate && !is_answers {
            options.extend(["the machine's is ahead", "the machine's is behind"]);
        }
        if !is_machine && !is_answers {
            options.extend(["the gate's is ahead", "the gate's is behind"]);
        }
        if !is_machine && !is_gate {
            options.extend(["that of answers is ahead", "that of answers is behind"]);
        }
        if !is_gate && is_machine == is_answers {
            options.extend(["machine and answers are ahead", "machine and answers are behind"]);
        }
        if !is_machine && is_gate == is_answers {
            options.extend(["the exchange's are ahead", "the exchange's are behind"]);
        }
        if self.breaks(Assumption::ClockError) {
            options.extend(["machine and answers are far ahead", "machine and answers are far behind"]);
        }
        let to = |machine, gate, answers| Ahead { machine, gate, answers };
        self.time.set_ahead(match self.choose(|| format!("{}: clocks", about()), options) {
            "the machine's is ahead" => to(FAR, 0, 0),
            "the machine's is behind" => to(-FAR, 0, 0),
            "the gate's is ahead" => to(0, NEAR, 0),
            "the gate's is behind" => to(0, -NEAR, 0),
            "that of answers is ahead" => to(0, 0, FAR),
            "that of answers is behind" => to(0, 0, -FAR),
            "the exchange's are ahead" => to(0, FAR, FAR),
            "the exchange's are behind" => to(0, -FAR, -FAR),
            "machine and answers are ahead" => to(TOGETHER, 0, TOGETHER),
            "machine and answers are behind" => to(-TOGETHER, 0, -TOGETHER),
            "machine and answers are far ahead" => to(FAR, 0, FAR),
            "machine and answers are far behind" => to(-FAR, 0, -FAR),
            _ => ahead,
        });
    }

    /// Lets an order end, if orders do so in this scenario.
    pub(crate) fn let_it_end(self: &Arc<Self>, name: &str, order: usize) {
        let mut options = match self.scenario.fills {
            Fills::Never => vec!["rests"],
            Fills::Perhaps => vec!["rests", "is filled at once", "is filled after 30 s"],
            Fills::Usually => vec!["is filled at once", "is filled after 30 s", "rests"],
        };
        options.extend(self.breaks(Assumption::Kept).then_some("is cancelled and forgotten"));
        let choice = self.choose(|| format!("{name}: order"), options);
        let pause = match choice {
            "rests" => return,
            "is filled after 30 s" => 30,
            _ => 0,
        };
        let world = Arc::clone(self);
        self.time.after(Duration::from_secs(pause), move || {
            let now = world.time.right();
            match choice {
                "is cancelled and forgotten" => lock(&world.exchange).forget(order, now),
                _ => lock(&world.exchange).fill(order, now),
            }
            world.tell(|| format!("order {order} {choice}"));
        });
    }

    /// Lets the countdown of an account come to its end, unless it is started again.
    pub(crate) fn let_it_fire(self: &Arc<Self>, account: &str, until: i64) {
        let (world, account) = (Arc::clone(self), account.to_owned());
        let pause = Duration::from_millis((until - self.time.right()).unsigned_abs());
        self.time.after(pause, move || {
            if lock(&world.exchange).fire(&account, world.time.right()) {
                world.tell(|| format!("the countdown of {account} is over, and its orders are cancelled"));
            }
        });
    }

    /// Returns whether a query with these parameters may be denied although the order exists.
    pub(crate) fn may_be_denied(&self, key: &str) -> bool {
        self.breaks(Assumption::Denials) || !lock(&self.denied).get(key).is_some_and(|denied| *denied)
    }

    pub(crate) fn note_denial(&self, key: &str, is_denied: bool) {
        lock(&self.denied).insert(key.to_owned(), is_denied);
    }

    /// Returns from when a program compares its account.
    pub(crate) fn since(&self, program: usize) -> Timestamp {
        let begin = u64::try_from(crate::time::BEGINNING - 3_600_000).unwrap_or_default();
        lock(&self.since).get(&program).copied().unwrap_or(Timestamp::from_millis(begin))
    }

    pub(crate) fn set_since(&self, program: usize, since: Timestamp) {
        lock(&self.since).insert(program, since);
    }

    pub(crate) fn claim(&self, subject: Subject, item: Option<usize>, outcome: Outcome, why: impl FnOnce() -> String) {
        self.tell(|| format!("the client says of {subject:?} {item:?}: {outcome}; {}", why()));
        lock(&self.record).claims.push(Claim { subject, item, outcome });
    }

    pub(crate) fn report(&self, report: Report) {
        lock(&self.record).reports.push(report);
    }

    pub(crate) fn show(&self, shown: Shown) {
        lock(&self.record).shown.push(shown);
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    /// Adds a line to the story, if it is told.
    pub(crate) fn tell(&self, line: impl FnOnce() -> String) {
        if let Some(story) = &self.story {
            lock(story).push(format!("{:>9.2} {}", self.time.steady().as_secs_f64(), line()));
        }
    }
}
