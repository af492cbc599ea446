//! The command `judge`: options of a trial, and its verdict.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use tradeapi_exchange::judge::{FindingKind, Level, Trial, Verdict};
use tradeapi_exchange::{Accounts, Mode, Profile, Seed, Setup, Time};

/// The exit status of a judge that found nothing, that found something, and that could not judge.
const GOOD: u8 = 0;
const WRONG: u8 = 1;
const NOT_JUDGED: u8 = 2;

/// Starts a program against a hostile exchange, and judges it by the books.
///
/// The program gets an address and keys, is ended in time, and is compared with what the exchange did: orders that were
/// done twice or repeated although the first one could still be done, what is left open at the end, requests beyond a
/// limit or against a rule of the documents, signatures out of time, and answers that were not read. Lines of its output
/// such as {"id": "a-1", "change": "place", "outcome": "done"} are beliefs, which are compared, too; changes are place,
/// amend and cancel, outcomes done, not_done and unknown.
///
/// The exit status is 0 if nothing was wrong, 1 if something was, and 2 if the program could not be judged.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("of").args(["unified", "classic", "both", "setup"]))]
pub(crate) struct JudgeArguments {
    /// The degree to which things go wrong: `none`; `lost`, where requests or answers are lost; `slow`, where answers are late by up to
    /// thirty seconds; or `whole`, where everything goes wrong that may.
    #[arg(long, default_value_t = Level::Whole)]
    level: Level,
    /// The seed of all that is random. A program that sends the same requests in the same order meets the same faults.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// The time after which the program is ended, in seconds of the system's clock.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// The speed of the exchange's clock, as a multiple of the system's. The program's clock has to run as fast, or follow
    /// the times in answers.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(Time::MAX_SPEED)))]
    speed: u32,
    /// A variable of the program's environment, instead of `TRADEAPI_URL`, `TRADEAPI_KEY`, `TRADEAPI_SECRET` and
    /// `TRADEAPI_PASSPHRASE`. The form of its value can have {url}, {host}, {port}, {key}, {secret}, {passphrase},
    /// {seed}, {speed} and {started}, which is the Unix time in milliseconds at which both clocks agreed.
    #[arg(long, value_name = "NAME=FORM", value_parser = variable)]
    env: Vec<(String, String)>,
    /// A file that is written for the program and removed at the end, with the content of another file, which may have
    /// the same words in braces.
    #[arg(long, value_name = "FILE=FORM", value_parser = file)]
    file: Vec<(PathBuf, PathBuf)>,
    /// A kind of finding that is left out: `twice`, `unsafe-retry`, `left-open`, `beyond-limit`, `forbidden`,
    /// `out-of-time`, `unread` or `false-belief`.
    #[arg(long, value_name = "KIND")]
    allow: Vec<FindingKind>,
    /// Prints the verdict as JSON.
    #[arg(long)]
    json: bool,
    /// Runs a program that fails again and again, and shows the shortest run that still fails in the same way.
    #[arg(long)]
    minimize: bool,
    /// A fault to keep, as `--json` lists them, or `none`. All others are left out.
    #[arg(long, value_name = "FAULT", value_parser = NonEmptyStringValueParser::new())]
    only: Vec<String>,
    /// The number of requests after which the program is ended.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    requests: Option<usize>,
    /// Gives the program a unified account, as every new key has. This is the default.
    #[arg(long)]
    unified: bool,
    /// Gives the program a classic account.
    #[arg(long)]
    classic: bool,
    /// Gives the program an account of each family behind one key, as no real exchange does.
    #[arg(long)]
    both: bool,
    /// A YAML file with settings, users, instruments, prices and conditions. The key is that of the first user.
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Keeps a long and a short position per pair, side by side.
    #[arg(long, conflicts_with = "setup")]
    hedge: bool,
    /// Other participants only quote; prices do not move.
    #[arg(long)]
    quiet: bool,
    /// Refuses what the documents do not list.
    #[arg(long)]
    strict: bool,
    /// The program and its arguments, which may have the words of `--env`.
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM", value_parser = NonEmptyStringValueParser::new())]
    program: Vec<String>,
}

/// Reads `NAME=FORM`, whose form has no unknown words in braces.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, form) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("expected NAME=FORM")?;
    let words = form.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(word, _)| word);
    let is_word = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    match words.filter(is_word).find(|word| !Trial::FORMS.contains(word)) {
        Some(word) => Err(format!("unknown word {{{word}}}: expected one of {}", Trial::FORMS.join(", "))),
        None => Ok((name.to_owned(), form.to_owned())),
    }
}

fn file(text: &str) -> Result<(PathBuf, PathBuf), String> {
    let parts = text.split_once('=').filter(|(path, form)| !path.is_empty() && !form.is_empty());
    let (path, form) = parts.ok_or("expected FILE=FORM, two paths")?;
    Ok((path.into(), form.into()))
}

impl JudgeArguments {
    /// Judges the program, prints the verdict, and returns the exit status.
    pub(crate) async fn judge(&self) -> ExitCode {
        let status = match self.verdict().await {
            Ok(verdict) if verdict.is_good() => GOOD,
            Ok(_) => WRONG,
            Err(error) => {
                super::warn(&format!("error: {error}"));
                NOT_JUDGED
            }
        };
        ExitCode::from(status)
    }

    async fn verdict(&self) -> io::Result<Verdict> {
        let trial = self.trial()?;
        let mut verdict = trial.run().await?;
        if self.minimize && !verdict.is_good() {
            let mut runs = 0;
            let tried = |tried: &Trial, verdict: &Verdict| {
                runs += 1;
                let faults = tried.only.as_ref().map_or(0, BTreeSet::len);
                let fails = if verdict.is_good() { "passes" } else { "fails" };
                super::warn(&format!("run {runs}: {faults} faults, {} requests: it {fails}", verdict.requests));
            };
            (_, verdict) = trial.minimize(verdict, tried).await?;
        }
        verdict.prefix_command(&self.options());
        let text = match self.json {
            true => serde_json::to_string_pretty(&verdict).map_err(io::Error::other)? + "\n",
            false => verdict.to_string(),
        };
        // What the program has printed comes first.
        io::stderr().flush()?;
        super::print(&text)?;
        Ok(verdict)
    }

    fn trial(&self) -> io::Result<Trial> {
        let mut trial = Trial::of(self.program.clone(), self.setup()?);
        (trial.seed, trial.level, trial.speed) = (Seed(self.seed), self.level, self.speed);
        (trial.time, trial.requests) = (Duration::from_secs(self.seconds), self.requests);
        trial.allowed.clone_from(&self.allow);
        if !self.env.is_empty() {
            trial.variables.clone_from(&self.env);
        }
        for (path, form) in &self.file {
            let form = fs::read_to_string(form)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", form.display())))?;
            trial.files.push((path.clone(), form));
        }
        let kept = self.only.iter().filter(|fault| *fault != "none").cloned().collect();
        trial.only = (!self.only.is_empty()).then_some(kept);
        Ok(trial)
    }

    /// Returns the options about the account, the program and the verdict, as they were given.
    fn options(&self) -> Vec<String> {
        let flags = [
            ("--unified", self.unified),
            ("--classic", self.classic),
            ("--both", self.both),
            ("--hedge", self.hedge),
            ("--quiet", self.quiet),
            ("--strict", self.strict),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.to_owned());
        let env = self.env.iter().map(|(name, form)| ("--env", format!("{name}={form}")));
        let file = self.file.iter().map(|(path, form)| ("--file", format!("{}={}", path.display(), form.display())));
        let setup = self.setup.iter().map(|setup| ("--setup", setup.display().to_string()));
        let allow = self.allow.iter().map(|kind| ("--allow", kind.to_string()));
        let seconds = [("--seconds", self.seconds.to_string())];
        let values = env.chain(file).chain(setup).chain(allow).chain(seconds);
        flags.chain(values.flat_map(|(option, value)| [option.to_owned(), value])).collect()
    }

    fn setup(&self) -> io::Result<Setup> {
        let mut setup = match &self.setup {
            Some(file) => Setup::read(file)?,
            None => {
                let accounts = match (self.classic, self.both) {
                    (true, _) => Accounts::Classic,
                    (_, true) => Accounts::Both,
                    _ => Accounts::Unified,
                };
                let mode = if self.hedge { Mode::Hedge } else { Mode::OneWay };
                let mut setup = Setup::default();
                (setup.settings.lively, setup.settings.tolerant) = (true, true);
                setup.users.push(Profile::new().mode(mode).accounts(accounts).whitelisted());
                setup
            }
        };
        setup.settings.lively &= !self.quiet;
        setup.settings.tolerant &= !self.strict;
        Ok(setup)
    }
}
