//! A run of a world: its tasks, and what the client said at its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use tradeapi::runtime::tables::Outcome;

use crate::choices::{Choice, Script, Words};
use crate::judge::{WrongClaim, judge};
use crate::lock;
use crate::process::{self, TaskFuture};
use crate::scenario::Scenario;
use crate::world::{Laws, Occasion, World};

/// Longer than any message is under way.
const QUIET: Duration = Duration::from_secs(180);

/// The findings of a run.
#[derive(Debug)]
pub struct Run {
    /// The choices that were made.
    pub choices: Vec<Choice>,
    /// The false statements of the client.
    pub wrong_claims: Vec<WrongClaim>,
    /// The numbers of the calls and recoveries that were said to be done, not done and unknown.
    pub said: [usize; 3],
    /// The events, a line each, if the run was told.
    pub story: Vec<String>,
}

/// Runs a scenario in the world of some words, and tells what happens.
pub fn run(scenario: &'static Scenario, words: &Words, laws: Laws) -> Run {
    run_by(scenario, Script::Words(words.clone()), laws, true)
}

/// Runs a scenario by a script.
pub(crate) fn run_by(scenario: &'static Scenario, script: Script, laws: Laws, is_told: bool) -> Run {
    let world = World::new(scenario, script, laws, is_told);
    let mut tasks = Tasks { world: Arc::clone(&world), all: Vec::new() };
    world.step_clocks(|| "start".to_owned());
    world.start_all(Occasion::First);
    tasks.go_on();
    // Nothing is under way any more. At last, everybody looks at what there is.
    world.calm();
    world.time.after(QUIET, || ());
    tasks.go_on();
    world.tell(|| "at last, in calm".to_owned());
    world.start_all(Occasion::Last);
    tasks.go_on();
    drop(tasks);
    let wrong_claims = judge(&world);
    let mut said = [0; 3];
    lock(&world.record).claims.iter().for_each(|claim| {
        said[match claim.outcome {
            Outcome::Done => 0,
            Outcome::NotDone => 1,
            Outcome::Unknown => 2,
        }] += 1;
    });
    let record = lock(&world.record);
    said[0] += record.quiet.len();
    said[1] += record.items.iter().filter(|(_, outcome)| *outcome == Outcome::NotDone).count();
    said[2] += record.not_flat;
    drop(record);
    Run { choices: world.take_choices(), wrong_claims, said, story: world.take_story() }
}

/// The tasks of the processes of a world.
struct Tasks {
    world: Arc<World>,
    all: Vec<Task>,
}

struct Task {
    process: usize,
    future: Option<TaskFuture>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Tasks {
    /// Lets every process run, and time pass, until nothing more happens.
    fn go_on(&mut self) {
        loop {
            let starts = self.world.take_starts();
            if !starts.is_empty() {
                // What a killed process has open is closed, as the system would do it.
                self.all.retain(|task| task.future.is_some() && !self.world.is_killed(task.process));
            }
            for (program, occasion) in starts {
                let (process, futures) = process::start(&self.world, program, occasion);
                self.all.extend(futures.into_iter().map(|future| {
                    let woken = Arc::new(Woken(AtomicBool::new(true)));
                    Task { process, future: Some(future), woken }
                }));
            }
            let mut has_run = false;
            self.all.iter_mut().for_each(|task| has_run |= task.run(&self.world));
            if !has_run && !self.world.time.go_on() {
                return;
            }
        }
    }
}

impl Task {
    /// Runs if it was woken, and returns whether it was. It ends with its process.
    fn run(&mut self, world: &World) -> bool {
        if self.future.is_none() || !self.woken.0.swap(false, Ordering::Relaxed) {
            return false;
        }
        let waker = Waker::from(Arc::clone(&self.woken));
        let run = |future: &mut TaskFuture| future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        if world.is_killed(self.process) || self.future.as_mut().is_some_and(run) || world.is_killed(self.process) {
            self.future = None;
        }
        true
    }
}
