//! Every world of a scenario up to a number of deviations.

use std::collections::VecDeque;

use crate::choices::{Deviations, Script, Words};
use crate::judge::WrongClaim;
use crate::run::run_by;
use crate::scenario::Scenario;
use crate::world::Laws;

/// The findings in the worlds of a scenario.
#[derive(Debug, Default)]
pub struct Explored {
    /// The number of worlds.
    pub worlds: usize,
    /// The most points at which a world could have gone otherwise.
    pub points: usize,
    /// The numbers of outcomes that were said to be done, not done and unknown.
    pub said: [usize; 3],
    /// The worlds in which the client said something false, those with the fewest deviations first. Worlds that only
    /// deviate further are left out.
    pub failures: Vec<Failure>,
}

/// A world in which the client said something false.
#[derive(Debug)]
pub struct Failure {
    /// The false statements.
    pub wrong_claims: Vec<WrongClaim>,
    /// The deviation of the world from the kind one.
    pub words: Words,
}

/// Runs every world of a scenario that deviates from the kind one by at most `bound` choices. Stops after `enough`
/// failures.
pub fn explore(scenario: &'static Scenario, bound: usize, laws: Laws, enough: usize) -> Explored {
    let mut explored = Explored::default();
    let mut left = VecDeque::from([Deviations::default()]);
    while let Some(deviations) = left.pop_front() {
        let run = run_by(scenario, Script::Deviations(deviations.clone()), laws, false);
        explored.worlds += 1;
        explored.points = explored.points.max(run.choices.len());
        explored.said.iter_mut().zip(run.said).for_each(|(sum, said)| *sum += said);
        if !run.wrong_claims.is_empty() {
            explored.failures.push(Failure { wrong_claims: run.wrong_claims, words: Words::of(&run.choices) });
            if explored.failures.len() == enough {
                break;
            }
        } else if deviations.count() < bound {
            left.extend(deviations.and_one(&run.choices));
        }
    }
    explored
}
