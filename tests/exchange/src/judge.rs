//! A judge of programs in any language: starts a program against an exchange, and compares what it did and what it
//! believes with the books.
//!
//! [`Trial::run`] starts an exchange on a free port of this machine, hands its address and keys to the program, and ends
//! the program in time. Then everything that is under way takes effect, and the books show what was wrong: see
//! [`FindingKind`]. [`Trial::minimize`] leaves out faults and requests as long as the program still fails.
//!
//! The faults follow from the seed and from the number of each request among those of its operation, so that a
//! program that sends the same requests in the same order meets the same faults, also if it invents its ids.
//!
//! # Beliefs
//!
//! Lines of the program's standard output that are JSON objects with these members are beliefs, which are compared with
//! the books: `{"id": "a-1", "change": "place", "outcome": "done"}`. `id` is the client's or the exchange's id of an
//! order, or the id of an amendment; `change` is `place`, `amend` or `cancel`; `outcome` is `done`, `not_done` or
//! `unknown`, which is never wrong. A fourth member, `"filled": "0.004"`, is the quantity of the order that was filled until
//! its end. Of several lines about one change, the last one counts. Other lines are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use tradeapi::Timestamp;
use tradeapi::runtime::tables::Effect;

use crate::access::exchange::Exchange;
use crate::access::server;
use crate::access::time::Time;
use crate::state::dice::Seed;
use crate::state::faults::Conditions;
use crate::state::hostile::{FaultKinds, Hostility, Node};
use crate::state::setup::Setup;
use crate::state::trace::Trace;

mod books;
mod process;

use self::books::{Books, window};
use self::process::{Process, ProgramEnd};

/// The nodes of the highest level, and the longest time by which one shows orders late, in milliseconds.
const NODES: [Node; 3] = [Node::new(2), Node::new(1).lagging(LAG), Node::new(1).with_answer_time(45_000)];
const LAG: u64 = 2_500;

/// The degrees to which things go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    None,
    /// Requests and answers are lost or cut off.
    Lost,
    /// Answers are late by up to thirty seconds.
    Slow,
    /// All faults and quirks of a hostile exchange, a node that shows orders late, and one whose answers state a wrong time.
    Whole,
}

impl Level {
    /// All levels, each with its name.
    pub const ALL: [(&str, Self); 4] =
        [("none", Self::None), ("lost", Self::Lost), ("slow", Self::Slow), ("whole", Self::Whole)];

    /// Returns the hostility of an exchange on this level.
    fn hostility(self, seed: Seed, only: Option<&BTreeSet<String>>) -> Option<Hostility> {
        let (kinds, quirks) = match self {
            Self::None => return None,
            Self::Lost => (FaultKinds::Lost, 0),
            Self::Slow => (FaultKinds::Slow, 0),
            Self::Whole => (FaultKinds::All, 8),
        };
        let mut hostility = Hostility::new(seed, 40, quirks);
        (hostility.kinds, hostility.by_number, hostility.only) = (kinds, true, only.cloned());
        if self == Self::Whole {
            (hostility.nodes, hostility.lag) = (NODES.to_vec(), LAG);
        }
        Some(hostility)
    }
}

/// Named values of an enum as options of a command line.
macro_rules! named {
    ($name:ty, $all:expr) => {
        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = $all.into_iter().find(|(name, _)| *name == text);
                found.map(|(_, value)| value).ok_or_else(|| {
                    let names: Vec<&str> = $all.into_iter().map(|(name, _)| name).collect();
                    format!("expected one of {}", names.join(", "))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let found = $all.into_iter().find(|(_, value)| value == self);
                f.write_str(found.map_or("", |(name, _)| name))
            }
        }
    };
}

named!(Level, Level::ALL);
named!(FindingKind, FindingKind::ALL);

/// The ways in which a program is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// Two orders that are alike were placed, and the program sent the second one when nothing that it had read showed
    /// what became of the first.
    Twice,
    /// Two orders that are alike were sent, the second one too early as for [`Twice`](Self::Twice), and at most one of
    /// them was placed.
    UnsafeRetry,
    /// An order or a position was left at the end.
    LeftOpen,
    /// A request exceeded a rate limit.
    BeyondLimit,
    /// A request broke a rule of the documents.
    Forbidden,
    /// A signature was outside its window, by the true time and by those that the nodes of the exchange state.
    OutOfTime,
    /// The program closed a connection before the answer to an order came, and read nothing else of the order.
    Unread,
    /// The program believes what the books contradict.
    FalseBelief,
}

impl FindingKind {
    /// All kinds, each with its name.
    pub const ALL: [(&str, Self); 8] = [
        ("twice", Self::Twice),
        ("unsafe-retry", Self::UnsafeRetry),
        ("left-open", Self::LeftOpen),
        ("beyond-limit", Self::BeyondLimit),
        ("forbidden", Self::Forbidden),
        ("out-of-time", Self::OutOfTime),
        ("unread", Self::Unread),
        ("false-belief", Self::FalseBelief),
    ];
}

/// A mistake of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The time of the last request that it is about, by the exchange's clock, in Unix milliseconds.
    pub at: Option<u64>,
    /// The numbers of the requests that it is about, from 1.
    pub requests: Vec<usize>,
    /// The last of them: the method, the path and the beginning of the parameters.
    pub request: Option<String>,
    /// The reason.
    pub why: String,
    /// The right thing to do instead.
    pub right: String,
}

/// A change, in a belief of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Change {
    Place,
    Amend,
    Cancel,
}

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::Place => "the placement of",
            Self::Amend => "the amendment of",
            Self::Cancel => "the cancellation of",
        }
    }

    /// Returns whether operations with this effect make it.
    fn is_by(self, effect: Effect) -> bool {
        effect
            == match self {
                Self::Place => Effect::Create,
                Self::Amend => Effect::Amend,
                Self::Cancel => Effect::Cancel,
            }
    }
}

/// The belief of a program about a change. The outcome is `None` if the program does not know it.
#[derive(Clone, Debug)]
struct Belief {
    id: String,
    change: Change,
    outcome: Option<bool>,
    /// The quantity of the order that was filled until its end, if the program says so.
    filled: Option<Decimal>,
}

impl Belief {
    /// Reads a line of the program's output; `None` if it is anything else.
    fn of(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            id: String,
            change: Change,
            outcome: String,
            filled: Option<String>,
        }
        let Written { id, change, outcome, filled } = serde_json::from_str(line).ok()?;
        let outcome = match outcome.as_str() {
            "done" => Some(true),
            "not_done" => Some(false),
            "unknown" => None,
            _ => return None,
        };
        let filled = filled.map(|text| text.parse::<Decimal>()).transpose().ok()?;
        Some(Self { id, change, outcome, filled })
    }
}

/// A program, and the exchange that it is tried against.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The program and its arguments, which are [forms](Self::FORMS), too.
    pub program: Vec<String>,
    /// The setup of the exchange. Its seed and its hostility are those of the trial.
    pub setup: Setup,
    /// The seed of everything that is random.
    pub seed: Seed,
    /// The degree to which things go wrong.
    pub level: Level,
    /// The only faults, as a [`Verdict`] names them; `None` allows all of the level.
    pub only: Option<BTreeSet<String>>,
    /// The number of requests after which the program is ended.
    pub requests: Option<usize>,
    /// The speed of the exchange's clock, as a multiple of the system's.
    pub speed: u32,
    /// The time that the program may run, by the system's clock.
    pub time: Duration,
    /// Variables of the program's environment, each with the [form](Self::FORMS) of its value.
    pub variables: Vec<(String, String)>,
    /// Files that are written before the program starts and removed after its end, each with the form of its content.
    pub files: Vec<(PathBuf, String)>,
    /// Kinds of findings that are left out.
    pub allowed: Vec<FindingKind>,
    /// True if the program's output is not shown.
    pub quiet: bool,
}

impl Trial {
    /// The words that a form may have in braces: `{host}:{port}`.
    pub const FORMS: [&str; 9] = ["url", "host", "port", "key", "secret", "passphrase", "seed", "speed", "started"];

    /// Creates a trial of a program on the highest level for a minute, with the variables `TRADEAPI_URL`,
    /// `TRADEAPI_KEY`, `TRADEAPI_SECRET` and `TRADEAPI_PASSPHRASE`.
    pub fn of(program: Vec<String>, setup: Setup) -> Self {
        let variables = ["url", "key", "secret", "passphrase"];
        let variables =
            variables.map(|word| (format!("TRADEAPI_{}", word.to_ascii_uppercase()), format!("{{{word}}}")));
        Self {
            program,
            setup,
            seed: Seed(7),
            level: Level::Whole,
            only: None,
            requests: None,
            speed: 1,
            time: Duration::from_secs(60),
            variables: variables.to_vec(),
            files: Vec::new(),
            allowed: Vec::new(),
            quiet: false,
        }
    }

    /// Runs the program once.
    ///
    /// # Errors
    ///
    /// The program cannot be started, a file cannot be written or exists, or no port is free.
    pub async fn run(&self) -> io::Result<Verdict> {
        let mut setup = self.setup.clone();
        let hostility = self.level.hostility(self.seed, self.only.as_ref());
        (setup.settings.seed, setup.conditions.hostility) = (self.seed, hostility.clone());
        setup.check().map_err(io::Error::other)?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let exchange = Exchange::of(setup, Time::running(self.speed));
        exchange.core().trace = Some(Trace::up_to(self.requests));
        let listener = server::listen_at((Ipv4Addr::LOCALHOST, 0).into()).await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(server::serve(listener, exchange.clone()));
        let ended = self.with_files(&exchange, address, started).await;
        server.abort();
        let (ended, beliefs) = ended?;
        settle(&exchange);
        let core = exchange.core();
        let mut findings = Books::of(&core, &hostility.unwrap_or_default()).findings(&beliefs);
        findings.retain(|finding| !self.allowed.contains(&finding.kind));
        // A program that was ended within its work could not tidy up.
        let is_cut = core.trace.as_ref().is_some_and(Trace::is_full);
        findings.retain(|finding| !is_cut || finding.kind != FindingKind::LeftOpen);
        let all = core.trace.as_ref().map(|trace| trace.calls.as_slice()).unwrap_or_default();
        let mut calls = BTreeMap::new();
        for meta in all.iter().filter_map(|call| call.meta) {
            *calls.entry(meta.id.to_owned()).or_default() += 1;
        }
        let faults = core.hostile.as_ref().map(|hostile| hostile.faulted.clone()).unwrap_or_default();
        let unknown = beliefs.iter().filter(|belief| belief.outcome.is_none()).count();
        let beliefs = [beliefs.len() - unknown, unknown];
        let (requests, command, ProgramEnd { how: ended, is_out_of_time }) = (all.len(), self.command(), ended);
        Ok(Verdict { findings, requests, calls, faults, beliefs, ended, is_out_of_time, command })
    }

    async fn with_files(
        &self,
        exchange: &Exchange,
        address: SocketAddr,
        started: Duration,
    ) -> io::Result<(ProgramEnd, Vec<Belief>)> {
        let fill = |form: &str| self.fill(form, exchange, address, started);
        let mut written = Vec::new();
        let mut write = || -> io::Result<()> {
            for (path, form) in &self.files {
                let mut file = fs::File::create_new(path)
                    .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
                written.push(path);
                std::io::Write::write_all(&mut file, fill(form).as_bytes())?;
            }
            Ok(())
        };
        let ended = match write() {
            Ok(()) => {
                let variables = self.variables.iter().map(|(name, form)| (name.clone(), fill(form)));
                let is_full = || exchange.core().trace.as_ref().is_some_and(Trace::is_full);
                let program: Vec<String> = self.program.iter().map(|form| fill(form)).collect();
                match Process::start(&program, variables, self.quiet) {
                    Ok(process) => process.end_within(self.time, is_full).await,
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        written.into_iter().for_each(|path| drop(fs::remove_file(path)));
        ended
    }

    /// Replaces the words of a form.
    fn fill(&self, form: &str, exchange: &Exchange, address: SocketAddr, started: Duration) -> String {
        let keys = exchange.keys();
        let values = [
            format!("http://{address}"),
            address.ip().to_string(),
            address.port().to_string(),
            keys.key.clone(),
            keys.secret.clone(),
            keys.passphrase.clone(),
            self.seed.0.to_string(),
            self.speed.to_string(),
            started.as_millis().to_string(),
        ];
        Self::FORMS
            .iter()
            .zip(values)
            .fold(form.to_owned(), |text, (word, value)| text.replace(&format!("{{{word}}}"), &value))
    }

    /// Returns the shortest trial that fails as the first finding of `verdict` does, and its verdict: with the fewest
    /// faults of which none can be left out, and with no request after those of the finding. `tried` is told of each run.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub async fn minimize(
        &self,
        verdict: Verdict,
        mut tried: impl FnMut(&Self, &Verdict),
    ) -> io::Result<(Self, Verdict)> {
        let Some(kind) = verdict.findings.first().map(|finding| finding.kind) else {
            return Ok((self.clone(), verdict));
        };
        let mut best = (Self { only: Some(verdict.faults.clone()), quiet: true, ..self.clone() }, verdict);
        let mut size = best.1.faults.len();
        while size > 0 {
            let faults: Vec<String> = best.0.only.iter().flatten().cloned().collect();
            for part in faults.chunks(size) {
                let only: BTreeSet<String> =
                    best.0.only.iter().flatten().filter(|fault| !part.contains(fault)).cloned().collect();
                best = Self { only: Some(only), ..best.0.clone() }.run_if(kind, best, &mut tried).await?;
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        let last = best.1.findings.iter().find(|finding| finding.kind == kind).and_then(|found| found.requests.last());
        match last.copied() {
            Some(last) => Self { requests: Some(last), ..best.0.clone() }.run_if(kind, best, &mut tried).await,
            None => Ok(best),
        }
    }

    /// Runs this trial, and returns it if it fails in the same way; otherwise `other`.
    async fn run_if(
        self,
        kind: FindingKind,
        other: (Self, Verdict),
        tried: &mut impl FnMut(&Self, &Verdict),
    ) -> io::Result<(Self, Verdict)> {
        let verdict = self.run().await?;
        tried(&self, &verdict);
        let fails = verdict.findings.iter().any(|finding| finding.kind == kind);
        Ok(if fails { (self, verdict) } else { other })
    }

    /// Returns the options that repeat this trial, after `tradeapi-exchange judge`, besides those of the account, the
    /// variables and the files.
    fn command(&self) -> String {
        let mut options = vec![format!("--seed {} --level {}", self.seed.0, self.level)];
        let speed = (self.speed != 1).then(|| format!("--speed {}", self.speed));
        let kept = self.only.iter().flatten().map(|fault| format!("--only '{fault}'"));
        let none = self.only.as_ref().filter(|only| only.is_empty()).map(|_| "--only none".to_owned());
        let requests = self.requests.map(|requests| format!("--requests {requests}"));
        options.extend(speed.into_iter().chain(kept).chain(none).chain(requests));
        let program: Vec<String> = self.program.iter().map(|argument| quoted(argument)).collect();
        format!("{} -- {}", options.join(" "), program.join(" "))
    }
}

/// Returns an argument as a shell reads it.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,@%+".contains(letter);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

/// Ends all faults, and lets everything that was accepted take effect.
fn settle(exchange: &Exchange) {
    let mut conditions: Conditions = exchange.conditions();
    let hostility = conditions.hostility.take().unwrap_or_default();
    let rest = window() + hostility.settling + hostility.lag;
    conditions.hostility = Some(hostility.calm());
    exchange.set_conditions(conditions);
    exchange.time().advance(Duration::from_millis(rest + 1_000));
    drop(exchange.core_now());
}

/// The result of a trial.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The mistakes, in the order of time. Those about what is left at the end come last.
    pub findings: Vec<Finding>,
    /// The number of requests.
    pub requests: usize,
    /// The number of requests of each operation.
    pub calls: BTreeMap<String, usize>,
    /// The names of the faults: the operation, and the number of the request among those of it.
    pub faults: BTreeSet<String>,
    /// The number of beliefs that were compared, and of those that say `unknown`.
    pub beliefs: [usize; 2],
    /// The way in which the program ended.
    pub ended: String,
    #[serde(skip)]
    is_out_of_time: bool,
    /// The options that repeat the trial.
    pub command: String,
}

impl Verdict {
    /// Returns whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }

    /// Puts `options` before those of the command: what a [`Trial`] got from a command line and does not know as options.
    pub fn prefix_command(&mut self, options: &[String]) {
        let options = options.iter().map(|option| quoted(option) + " ");
        self.command.insert_str(0, &options.collect::<String>());
    }
}

/// The number of findings of a kind that are shown to people.
const SHOWN: usize = 5;

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { findings, requests, faults, beliefs: [compared, unknown], ended, is_out_of_time, command, .. } =
            self;
        let faults = faults.len();
        for (name, kind) in FindingKind::ALL {
            let of_kind: Vec<_> = findings.iter().filter(|finding| finding.kind == kind).collect();
            for finding in of_kind.iter().take(SHOWN) {
                write!(f, "{name}")?;
                finding.at.map_or(Ok(()), |at| write!(f, ", {}", Timestamp::from_millis(at)))?;
                for (place, request) in finding.requests.iter().enumerate() {
                    write!(f, "{} {request}", if place == 0 { ", request" } else { " and" })?;
                }
                let Finding { request, why, right, .. } = finding;
                request.as_ref().map_or(Ok(()), |request| write!(f, "\n  {request}"))?;
                writeln!(f, "\n  wrong: {why}\n  right: {right}\n")?;
            }
            if let Some(more) = of_kind.len().checked_sub(SHOWN + 1) {
                writeln!(f, "{name}: {} more, which --json shows\n", more + 1)?;
            }
        }
        let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (found, sent) = (counted(findings.len(), "finding"), counted(*requests, "request"));
        writeln!(f, "{found} in {sent}, of which {faults} met a fault.")?;
        writeln!(f, "Beliefs: {compared} compared with the books, {unknown} unknown. The program {ended}.")?;
        if *is_out_of_time && findings.iter().any(|finding| finding.kind == FindingKind::LeftOpen) {
            writeln!(f, "It might have cancelled what is left open; `--seconds` gives it longer.")?;
        }
        let is_repeat = |finding: &Finding| matches!(finding.kind, FindingKind::Twice | FindingKind::UnsafeRetry);
        if compared + unknown == 0 && findings.iter().any(is_repeat) {
            let how = "prints what it believes of the first one before it sends the next; --help has the form";
            writeln!(f, "A program that means each of several orders that are alike {how}.")?;
        }
        writeln!(f, "Again: tradeapi-exchange judge {command}")
    }
}
