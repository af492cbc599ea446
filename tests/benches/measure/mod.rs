//! A comparison of several variants of the same work.
//!
//! The variants run in turns, round by round, so that a temporary slowdown of the machine affects all of them. The
//! tables have medians, and the time and allocations of the first variant relative to each other one. The first variant
//! is ours, the others are lower bounds and peers. Ratios are printed with their median and their middle half. There
//! are no thresholds.
//!
//! The argument `--quick` runs a third of the rounds.
//!
//! Allocations are those of the measuring thread unless stated otherwise, and a reallocation counts as one. Counting
//! costs about ten nanoseconds per allocation in every variant. Processor time is that of the same threads, system time
//! included.

use std::alloc::System;
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use alloc_tracker::{Allocator, Session};
use cpu_time::{ProcessTime, ThreadTime};

#[allow(dead_code, reason = "not every bench has limits")]
pub(crate) mod leaping;

#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::system();

const ROUNDS: usize = 41;
const ROUND: Duration = Duration::from_millis(4);

/// Variants of the same work.
pub(crate) struct Race<'a> {
    title: String,
    rounds: usize,
    all_threads: bool,
    shows_cpu: bool,
    ways: Vec<Variant<'a>>,
}

struct Variant<'a> {
    name: &'static str,
    /// Does the work the given number of times.
    repeat: Box<dyn FnMut(u32) + 'a>,
    /// The repetitions in a round.
    times: u32,
    /// Seconds per repetition, for each round.
    seconds: Vec<f64>,
    /// Processor time per repetition, of this thread or of all.
    cpu_seconds: Vec<f64>,
    allocations: u64,
    bytes: u64,
}

impl<'a> Race<'a> {
    /// Creates an empty comparison.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rounds: quick(ROUNDS), all_threads: false, shows_cpu: false, ways: Vec::new() }
    }

    /// Sets the number of rounds.
    #[allow(dead_code, reason = "not every bench needs it")]
    pub(crate) fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = quick(rounds);
        self
    }

    /// Counts the allocations and the processor time of every thread.
    #[allow(dead_code, reason = "not every bench needs it")]
    pub(crate) fn all_threads(mut self) -> Self {
        self.all_threads = true;
        self
    }

    /// Prints processor time as well.
    #[allow(dead_code, reason = "not every bench needs it")]
    pub(crate) fn cpu(mut self) -> Self {
        self.shows_cpu = true;
        self
    }

    /// Adds a variant; the first one is ours.
    pub(crate) fn way<T>(mut self, name: &'static str, mut work: impl FnMut() -> T + 'a) -> Self {
        let repeat = Box::new(move |times| {
            for _ in 0..times {
                black_box(work());
            }
        });
        self.ways.push(Variant {
            name,
            repeat,
            times: 1,
            seconds: Vec::new(),
            cpu_seconds: Vec::new(),
            allocations: 0,
            bytes: 0,
        });
        self
    }

    /// Runs all rounds and prints a table.
    pub(crate) fn run(mut self) {
        for way in &mut self.ways {
            way.warm_up();
            way.count_allocations(self.all_threads);
        }
        for round in 0..self.rounds {
            // The first variant of a round finds the caches of another one, so the order rotates.
            let count = self.ways.len();
            for turn in 0..count {
                self.ways[(round + turn) % count].take_time(self.all_threads);
            }
        }
        self.print();
    }

    fn print(&self) {
        println!("\n{}", self.title);
        println!(
            "  {:<42} {:>10} {:>19} {:>12} {:>7} {:>10}",
            "", "median", "ours/it", "allocations", "ours/it", "bytes"
        );
        let Some(ours) = self.ways.first() else { return };
        let ratio_of = |ours: &[f64], way: &[f64]| Spread::of(ours.iter().zip(way).map(|(ours, way)| ours / way));
        for way in &self.ways {
            let time = median(way.seconds.iter().copied());
            let ratio = ratio_of(&ours.seconds, &way.seconds);
            let fewer = ours.allocations as f64 / way.allocations as f64;
            let fewer = if fewer.is_finite() { format!("{fewer:.2}") } else { String::from("-") };
            println!(
                "  {:<42} {:>10} {ratio:>19} {:>12} {fewer:>7} {:>10}",
                way.name,
                readable(time),
                way.allocations,
                way.bytes
            );
            if self.shows_cpu {
                let time = median(way.cpu_seconds.iter().copied());
                let ratio = ratio_of(&ours.cpu_seconds, &way.cpu_seconds);
                println!("  {:<42} {:>10} {ratio:>19}", "  of that on the processor", readable(time));
            }
        }
    }
}

impl Variant<'_> {
    /// Determines how often the work fits into a round.
    fn warm_up(&mut self) {
        loop {
            let took = self.time(self.times);
            if took >= ROUND.as_secs_f64() / 2.0 || self.times >= 1 << 24 {
                let fitting = f64::from(self.times) * ROUND.as_secs_f64() / took;
                self.times = (fitting as u32).max(1);
                return;
            }
            self.times *= 2;
        }
    }

    fn count_allocations(&mut self, all_threads: bool) {
        let times = self.times.min(10);
        let session = Session::new();
        let operation = session.operation(self.name);
        if all_threads {
            let _counting = operation.measure_process().iterations(times.into());
            (self.repeat)(times);
        } else {
            let _counting = operation.measure_thread().iterations(times.into());
            (self.repeat)(times);
        }
        for (_, counted) in session.to_report().operations() {
            self.allocations = counted.mean_allocations();
            self.bytes = counted.mean_bytes();
        }
    }

    fn take_time(&mut self, all_threads: bool) {
        let (thread, process) = (ThreadTime::now(), ProcessTime::now());
        let seconds = self.time(self.times) / f64::from(self.times);
        let cpu = if all_threads { process.elapsed() } else { thread.elapsed() };
        self.cpu_seconds.push(cpu.as_secs_f64() / f64::from(self.times));
        self.seconds.push(seconds);
    }

    fn time(&mut self, times: u32) -> f64 {
        let start = Instant::now();
        (self.repeat)(times);
        start.elapsed().as_secs_f64()
    }
}

/// Returns the number of rounds, or a third of it with `--quick`.
fn quick(rounds: usize) -> usize {
    if std::env::args().any(|argument| argument == "--quick") { rounds.div_ceil(3) } else { rounds }
}

/// Returns the median; 0 without values.
fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    Spread::of(values).middle
}

/// The median and the quartiles.
struct Spread {
    low: f64,
    middle: f64,
    high: f64,
}

impl Spread {
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values.get(values.len() * quarter / 4).copied().unwrap_or_default();
        Self { low: at(1), middle: at(2), high: at(3) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.2} ({:.2}-{:.2})", self.middle, self.low, self.high))
    }
}

/// Returns seconds in a suitable unit.
fn readable(seconds: f64) -> String {
    match seconds {
        1e-6.. if seconds < 1e-3 => format!("{:.2} us", seconds * 1e6),
        1e-3.. if seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
        1.0.. => format!("{seconds:.2} s"),
        _ => format!("{:.1} ns", seconds * 1e9),
    }
}
