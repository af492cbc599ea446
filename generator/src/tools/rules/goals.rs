//! The goals of requests that test each part of a rule: every condition and every value separately.

use crate::compiler::model::{Comparison, Condition};

/// A condition that must hold, or must not hold.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) condition: Condition,
    pub(super) so: bool,
    /// True if the compared value is far from the edge instead of at it.
    pub(super) far: bool,
}

/// Goals that the same request meets.
pub(super) type Goals = Vec<Goal>;

fn goal(condition: Condition, so: bool) -> Goal {
    Goal { condition, so, far: false }
}

/// The goals of requests that break a rule: for each value of its conditions, in each possible way.
pub(super) fn breaking(when: &[Condition], require: &[Condition], forbid: &[Condition]) -> Vec<Goals> {
    let targets: Vec<Goals> = require
        .iter()
        .map(|condition| (condition, false))
        .flat_map(|(condition, so)| apart(condition, so))
        .chain(all_of(forbid, true))
        .collect();
    across(&all_of(when, true), &targets)
}

/// The goals of requests at the edge of a rule: they keep it for each value of its conditions, in each possible way, or
/// because one of its conditions does not hold.
pub(super) fn keeping(when: &[Condition], require: &[Condition], forbid: &[Condition]) -> Vec<Goals> {
    let mut targets: Vec<Goals> = require.iter().flat_map(|condition| apart(condition, true)).collect();
    for (index, condition) in forbid.iter().enumerate() {
        let others = forbid.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Goals = others.map(|(_, condition)| goal(condition.clone(), true)).collect();
        targets.extend(apart(condition, false).into_iter().map(|goals| [others.clone(), goals].concat()));
    }
    let mut plans = across(&all_of(when, true), &targets);
    let broken = require.first().map(|condition| vec![goal(condition.clone(), false)]);
    let broken = broken.unwrap_or_else(|| forbid.iter().map(|condition| goal(condition.clone(), true)).collect());
    for (index, condition) in when.iter().enumerate() {
        let others = when.iter().enumerate().filter(|(other, _)| *other != index);
        let others: Goals = others.map(|(_, condition)| goal(condition.clone(), true)).collect();
        plans.push([others, vec![goal(condition.clone(), false)], broken.clone()].concat());
    }
    plans
}

/// Combines every target with the last of `starts`, and every other start with the last target. The last ones require
/// least.
fn across(starts: &[Goals], targets: &[Goals]) -> Vec<Goals> {
    let none = Goals::new();
    let start = starts.last().unwrap_or(&none);
    let Some(target) = targets.last() else { return Vec::new() };
    let varied = starts.iter().rev().skip(1).map(|start| [start.clone(), target.clone()].concat());
    targets.iter().map(|target| [start.clone(), target.clone()].concat()).chain(varied).collect()
}

/// All conditions hold: each in turn in every possible way, the others in any way. Empty if there are no conditions.
fn all_of(conditions: &[Condition], so: bool) -> Vec<Goals> {
    let mut plans = Vec::new();
    for (index, condition) in conditions.iter().enumerate() {
        for way in apart(condition, so) {
            let goals = conditions.iter().enumerate().flat_map(|(other, condition)| {
                if other == index { way.clone() } else { vec![goal(condition.clone(), so)] }
            });
            plans.push(goals.collect());
        }
    }
    plans
}

/// The ways in which a condition can hold or fail: each of its values or names separately.
fn apart(condition: &Condition, so: bool) -> Vec<Goals> {
    match condition {
        Condition::Is { parameter, values } if so => {
            each(values, |value| Condition::Is { parameter: parameter.clone(), values: vec![value] })
        }
        Condition::HasForm { parameter, forms } if so => {
            each(forms, |form| Condition::HasForm { parameter: parameter.clone(), forms: vec![form] })
        }
        Condition::AccountIs { property, values } if so => {
            each(values, |value| Condition::AccountIs { property: property.clone(), values: vec![value] })
        }
        // One name is given and the others are not, or the reverse.
        Condition::AnyGiven(names) if so => one_against_the_others(names, true),
        Condition::Given(names) if !so => one_against_the_others(names, false),
        Condition::Compares { comparison: Comparison::AtLeast | Comparison::AtMost, .. } => {
            [false, true].map(|far| vec![Goal { condition: condition.clone(), so, far }]).to_vec()
        }
        Condition::Not(inner) => apart(inner, !so),
        other @ (Condition::Given(_)
        | Condition::AnyGiven(_)
        | Condition::HasForm { .. }
        | Condition::Is { .. }
        | Condition::AccountIs { .. }
        | Condition::Compares { .. }
        | Condition::Relates { .. }) => vec![vec![goal(other.clone(), so)]],
    }
}

fn each<T: Clone>(values: &[T], condition: impl Fn(T) -> Condition) -> Vec<Goals> {
    values.iter().map(|value| vec![goal(condition(value.clone()), true)]).collect()
}

fn one_against_the_others(names: &[(String, crate::compiler::diagnostics::Place)], given: bool) -> Vec<Goals> {
    let alone = |name: &(String, _), so| goal(Condition::Given(vec![name.clone()]), so);
    let ways = names.iter().enumerate().map(|(index, name)| {
        let others = names.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.map(|(_, name)| alone(name, !given));
        others.chain([alone(name, given)]).collect()
    });
    // If other rules require the names together, only all of them can be given or left out.
    let together = if given { Condition::AnyGiven(names.to_vec()) } else { Condition::Given(names.to_vec()) };
    ways.chain([vec![goal(together, given)]]).collect()
}
