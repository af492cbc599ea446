//! Explores small worlds, or replays one.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_worlds::{Assumption, Laws, SCENARIOS, Scenario, Words, explore, run};

/// Runs the client in every small world that deviates from the kind one by at most so many choices.
#[derive(Parser)]
struct Options {
    /// The most choices that differ from those of the kind world.
    #[arg(long, default_value_t = 2)]
    deviations: usize,
    /// Explores these scenarios only.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    scenario: Vec<String>,
    /// An assumption that does not hold: a name of the table in the guide.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    without: Option<String>,
    /// Stops a scenario after so many failures.
    #[arg(long, default_value_t = 5)]
    failures: usize,
    /// Tells the story of one world of the only scenario: `point = option; point = option`.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    replay: Option<String>,
}

fn main() -> ExitCode {
    match explore_or_replay(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // If it cannot be printed, there is nobody to tell.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the client said nothing false.
fn explore_or_replay(options: &Options) -> Result<bool, String> {
    let named = |name: &String| Scenario::named(name).ok_or(format!("there is no scenario `{name}`"));
    let scenarios: Vec<&'static Scenario> = match options.scenario.as_slice() {
        [] => SCENARIOS.iter().collect(),
        names => names.iter().map(named).collect::<Result<_, _>>()?,
    };
    let broken = match &options.without {
        Some(name) => Some(Assumption::named(name).ok_or(format!("there is no assumption `{name}`"))?),
        None => None,
    };
    let laws = Laws { broken };
    if let Some(text) = &options.replay {
        let [scenario] = scenarios[..] else { return Err("name one scenario to replay".to_owned()) };
        let words = Words::read(text).map_err(|part| format!("`{part}` is not of the form `point = option`"))?;
        return replay(scenario, &words, laws);
    }
    let begun = Instant::now();
    let (mut worlds, mut failed) = (0, 0);
    for scenario in scenarios {
        let begun = Instant::now();
        let explored = explore(scenario, scenario.deviations(options.deviations), laws, options.failures);
        let [done, not_done, unknown] = explored.said;
        print(format_args!(
            "{}: {} worlds, at most {} choices, said {done} done, {not_done} not done, {unknown} unknown, {:.1} s",
            scenario.name,
            explored.worlds,
            explored.points,
            begun.elapsed().as_secs_f64()
        ))?;
        for failure in &explored.failures {
            for claim in &failure.wrong_claims {
                print(format_args!("  {claim}"))?;
            }
            let without = broken.map(|one| format!(" --without \"{}\"", one.name())).unwrap_or_default();
            print(format_args!("    --scenario {}{without} --replay \"{}\"", scenario.name, failure.words))?;
        }
        worlds += explored.worlds;
        failed += explored.failures.len();
    }
    let bound = options.deviations;
    print(format_args!(
        "{worlds} worlds with at most {bound} deviations, {failed} with a wrong claim, {:.1} s",
        begun.elapsed().as_secs_f64()
    ))?;
    Ok(failed == 0)
}

/// Tells the story of a world. Returns whether the client said nothing false in it.
fn replay(scenario: &'static Scenario, words: &Words, laws: Laws) -> Result<bool, String> {
    let run = run(scenario, words, laws);
    run.story.iter().try_for_each(print)?;
    for point in words.missed_by(&run.choices) {
        print(format_args!("warning: there is no such choice at `{point}`"))?;
    }
    run.wrong_claims.iter().try_for_each(|claim| print(format_args!("WRONG: {claim}")))?;
    Ok(run.wrong_claims.is_empty())
}

/// Prints a line. That nobody reads it any more is no failure.
fn print(line: impl Display) -> Result<(), String> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("the output cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}
