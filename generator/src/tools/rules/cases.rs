//! For each checked rule, requests that break only this rule, and requests at its edge that keep it.
//! Their goals test each part of the rule: every condition and every value separately.

use serde_json::{Map, Value, json};

use super::derived::{Ends, ends_at, values_at};
use super::drafts::{Draft, Drafts, seen_in};
use super::evaluate::{Evaluator, broken};
use super::{Bound, Check, Entry, Leaf, NOW, WindowRule, of_operation};
use crate::compiler::check::is_readable;
use crate::compiler::model::{Api, Comparison, Condition, Family, ListName, Operation, Rule, Test, Window};

/// A request that tests a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Case {
    /// The id of the operation.
    pub operation: String,
    /// The id of the rule.
    pub rule: String,
    /// True if the request breaks this rule and no other; otherwise it keeps all rules, this one at its edge.
    pub breaks: bool,
    /// The parameters as JSON.
    pub request: String,
    /// The account as JSON: properties by name, and `instruments`.
    pub account: String,
    /// The moment of the check, in Unix milliseconds.
    pub now: u64,
}

/// The maximum number of drafts that are tried for one case.
const MAX_DRAFTS: usize = 500;
/// The maximum number of drafts from which the search for one case starts.
const MAX_STARTS: usize = 30;

/// Returns the cases of every checked rule, as far as they are found.
pub(crate) fn cases(api: &Api) -> Vec<Case> {
    api.operations().flat_map(|(family, operation)| CaseBuilder::new(api, family, operation).cases()).collect()
}

struct CaseBuilder<'a> {
    drafts: Drafts<'a>,
    entries: Vec<Entry<'a>>,
    leaves: Vec<Leaf<'a>>,
    lists: Vec<Option<&'a ListName>>,
}

impl<'a> CaseBuilder<'a> {
    fn new(api: &'a Api, family: &'a Family, operation: &'a Operation) -> Self {
        let examples = operation.examples.iter().filter_map(|example| serde_json::from_str(&example.request.0).ok());
        let mut bases: Vec<Draft> = examples.map(|request| Draft { request, account: Map::new() }).collect();
        let lists: Vec<_> = operation.items().map(|(_, item)| &item.list).collect();
        // Rules about single items are tested separately from rules across items.
        bases.extend(
            lists.iter().flat_map(|list| bases.iter().filter_map(|base| base.with_one_item(list))).collect::<Vec<_>>(),
        );
        Self {
            drafts: Drafts { api, family, operation, bases, seen: seen_in(family), now: NOW },
            entries: of_operation(family, operation),
            leaves: super::leaves(family, operation),
            lists: std::iter::once(None).chain(lists.into_iter().map(Some)).collect(),
        }
    }

    fn cases(&self) -> Vec<Case> {
        self.entries.iter().flat_map(|entry| self.of_entry(entry)).collect()
    }

    fn of_entry(&self, entry: &Entry<'_>) -> Vec<Case> {
        let Some(check) = &entry.check else { return Vec::new() };
        let case = |breaks: bool, draft: Draft| Case {
            operation: self.drafts.operation.id.clone(),
            rule: entry.id.clone(),
            breaks,
            request: draft.request.to_string(),
            account: Value::Object(draft.account).to_string(),
            now: NOW,
        };
        [true, false]
            .into_iter()
            .flat_map(|breaks| {
                let found: Vec<Draft> = match check {
                    Check::Parameter(leaf, bound) => self.at_bound(entry, leaf, bound, breaks),
                    Check::Window(window, rule) => self.at_window(entry, window, *rule, breaks),
                    Check::Written(rule) => self.at_rule(entry, rule, breaks),
                };
                found.into_iter().map(move |draft| (breaks, draft)).collect::<Vec<_>>()
            })
            .map(|(breaks, draft)| case(breaks, draft))
            .collect()
    }

    /// Returns whether a draft is a case: it breaks only this rule, or keeps all rules.
    fn is_case(&self, entry: &Entry<'_>, breaks: bool, draft: &Draft) -> bool {
        let account = Value::Object(draft.account.clone());
        let evaluate = self.evaluate(draft, &account);
        let mut found = broken(&self.entries, &evaluate);
        match (found.next(), breaks) {
            (first, false) => first.is_none(),
            (first, true) => first.is_some_and(|first| first.id == entry.id) && found.next().is_none(),
        }
    }

    /// Returns the first case among the drafts and those that differ from them in at most two parameters.
    fn first(
        &self,
        entry: &Entry<'_>,
        breaks: bool,
        drafts: Vec<Draft>,
        keep: &dyn Fn(&Draft) -> bool,
    ) -> Option<Draft> {
        let (family, operation) = (self.drafts.family, self.drafts.operation);
        let is_good = |draft: &Draft| {
            keep(draft)
                && self.is_case(entry, breaks, draft)
                && (matches!(entry.check, Some(Check::Parameter(..)))
                    || is_readable(family, operation, &draft.request.to_string()))
        };
        let mut round = drafts;
        for _ in 0..3 {
            if let Some(found) = round.iter().find(|draft| is_good(draft)) {
                return Some(found.clone());
            }
            if round.len() > MAX_DRAFTS {
                return None;
            }
            round = round.iter().flat_map(|draft| self.neighbours(draft)).collect();
        }
        None
    }

    /// Drafts that differ in one parameter, or in one parameter of the first item.
    fn neighbours(&self, draft: &Draft) -> Vec<Draft> {
        let mut near = Vec::new();
        for list in self.lists.iter().copied() {
            for name in self.names(list) {
                near.push(self.drafts.left_out(draft, list, &name));
                let samples = self.drafts.samples(list, &name).into_iter().take(6);
                near.extend(samples.map(|value| self.drafts.with(draft, list, &name, value)));
            }
        }
        near.retain(|other| other != draft);
        near
    }

    fn names(&self, list: Option<&ListName>) -> Vec<String> {
        let of_list = self.leaves.iter().filter(|leaf| leaf.list == list);
        let plain = of_list.filter(|leaf| leaf.parameter.shape.element().is_some());
        let mut names: Vec<_> = plain.map(|leaf| leaf.parameter.name.wire.clone()).collect();
        names.dedup();
        names
    }

    fn at_rule(&self, entry: &Entry<'_>, rule: &Rule, breaks: bool) -> Vec<Draft> {
        let list = rule.within.as_ref().map(|(list, _)| list);
        let bases = self.drafts.bases.clone();
        match &rule.test {
            Some(Test::Condition { when, require, forbid }) => {
                let plans = if breaks { breaking_goals } else { keeping_goals }(when, require, forbid);
                let bases = self.with_items(bases, list);
                let cases = plans.iter().filter_map(|goals| {
                    let drafts =
                        goals.iter().fold(bases.clone(), |drafts, goal| self.changed_to_meet(&drafts, list, goal));
                    self.first(entry, breaks, drafts, &|draft| self.meets(draft, list, goals))
                });
                cases.collect()
            }
            Some(Test::Same(name, _)) => {
                let drafts = self.drafts.samples(list, name).into_iter().flat_map(|value| {
                    self.twice(&bases, list, |first, second| {
                        let same = first.get(name).cloned().filter(|_| !breaks);
                        second.insert(name.clone(), same.unwrap_or_else(|| value.clone()));
                    })
                });
                self.first(entry, breaks, drafts.collect(), &|_| true).into_iter().collect()
            }
            Some(Test::Unique(names)) => names
                .iter()
                .filter_map(|(name, _)| {
                    let given = bases.iter().flat_map(|base| self.drafts.given(base, list, name)).collect::<Vec<_>>();
                    let given: Vec<_> = given
                        .iter()
                        .flat_map(|draft| {
                            self.drafts
                                .samples(list, name)
                                .into_iter()
                                .map(|value| self.drafts.with(draft, list, name, value))
                        })
                        .collect();
                    let drafts = self.twice(&given, list, |first, second| {
                        let value = first.get(name).cloned();
                        let value = if breaks {
                            value
                        } else {
                            value.and_then(|value| Some(json!(format!("{}0", value.as_str()?))))
                        };
                        value.map(|value| second.insert(name.clone(), value));
                    });
                    self.first(entry, breaks, drafts, &|_| true)
                })
                .collect(),
            None => Vec::new(),
        }
    }

    /// Returns whether the goals hold for the object that a rule applies to.
    fn meets(&self, draft: &Draft, list: Option<&ListName>, goals: &Goals) -> bool {
        let account = Value::Object(draft.account.clone());
        let evaluate = self.evaluate(draft, &account);
        let met = |set: &Value| goals.iter().all(|goal| evaluate.holds(&goal.condition, set) == Some(goal.so));
        match list {
            None => met(&draft.request),
            Some(_) => draft.clone().set(list).is_some_and(|set| met(&Value::Object(set.clone()))),
        }
    }

    fn evaluate<'j>(&'j self, draft: &'j Draft, account: &'j Value) -> Evaluator<'j> {
        let (family, leaves) = (self.drafts.family, &self.leaves);
        Evaluator { family, leaves, request: &draft.request, account, now: Some(NOW) }
    }

    fn changed_to_meet(&self, drafts: &[Draft], list: Option<&ListName>, goal: &Goal) -> Vec<Draft> {
        let mut next: Vec<Draft> =
            drafts.iter().flat_map(|draft| self.drafts.changed_to_meet(draft, list, goal)).collect();
        next.truncate(MAX_STARTS);
        next
    }

    /// Returns the drafts with an item in the list.
    fn with_items(&self, mut drafts: Vec<Draft>, list: Option<&ListName>) -> Vec<Draft> {
        drafts.retain_mut(|draft| list.is_none() || draft.set(list).is_some());
        drafts
    }

    /// Drafts with two items: the first item, and a changed copy with other ids.
    fn twice(
        &self,
        bases: &[Draft],
        list: Option<&ListName>,
        change: impl Fn(&Map<String, Value>, &mut Map<String, Value>),
    ) -> Vec<Draft> {
        let Some(list) = list else { return Vec::new() };
        bases
            .iter()
            .filter_map(|base| {
                let mut draft = base.clone();
                let first = draft.set(Some(list))?.clone();
                let mut second = self.renamed(&first, 1);
                change(&first, &mut second);
                *draft.items(list)? = vec![Value::Object(first), Value::Object(second)];
                Some(draft)
            })
            .collect()
    }

    /// Returns the item with other ids, so that no rule takes the two for duplicates.
    fn renamed(&self, item: &Map<String, Value>, n: usize) -> Map<String, Value> {
        let is_id = |name: &str| {
            let unique = self.drafts.operation.statements.rules.iter().filter_map(|rule| match &rule.test {
                Some(Test::Unique(names)) => Some(names),
                Some(Test::Condition { .. } | Test::Same(..)) | None => None,
            });
            unique.flatten().any(|(id, _)| id == name)
                && self.leaves.iter().any(|leaf| leaf.parameter.name.wire == name)
        };
        let mut item = item.clone();
        for (_, value) in item.iter_mut().filter(|(name, _)| is_id(name)) {
            *value = json!(n.to_string());
        }
        item
    }

    fn at_bound(&self, entry: &Entry<'_>, leaf: &Leaf<'_>, bound: &Bound<'_>, breaks: bool) -> Vec<Draft> {
        let name = leaf.parameter.name.wire.as_str();
        if let Bound::MinItems(_) | Bound::MaxItems(_) = bound {
            return self.with_count(entry, &ListName::new(name), bound, breaks).into_iter().collect();
        }
        let values = match bound {
            // Which texts match a pattern, only examples show.
            Bound::Pattern(_) if !breaks => self.drafts.samples(leaf.list, name),
            bound => values_at(self.drafts.family, leaf.parameter, bound, breaks),
        };
        let bases = self.with_items(self.drafts.bases.clone(), leaf.list);
        values
            .into_iter()
            .filter_map(|value| {
                let value = if leaf.parameter.shape.listed().is_some() { json!([value]) } else { value };
                let drafts = bases.iter().map(|base| self.drafts.with(base, leaf.list, name, value.clone())).collect();
                self.first(entry, breaks, drafts, &|draft| {
                    let mut draft = draft.clone();
                    draft.set(leaf.list).and_then(|set| set.get(name)) == Some(&value)
                })
            })
            .collect()
    }

    fn with_count(&self, entry: &Entry<'_>, list: &ListName, bound: &Bound<'_>, breaks: bool) -> Option<Draft> {
        let count = match bound {
            Bound::MinItems(least) => least - u64::from(breaks),
            Bound::MaxItems(most) => most + u64::from(breaks),
            Bound::Values(_)
            | Bound::Shape(_)
            | Bound::Min(_)
            | Bound::Max(_)
            | Bound::Scale(_)
            | Bound::Digits(_)
            | Bound::Length(..)
            | Bound::Pattern(_)
            | Bound::Places(_)
            | Bound::SignificantDigits(_)
            | Bound::Edit(_) => {
                return None;
            }
        };
        let drafts = self.drafts.bases.iter().filter_map(|base| {
            let mut draft = base.clone();
            let first = draft.set(Some(list))?.clone();
            let all = (0..count).map(|n| Value::Object(self.renamed(&first, n as usize))).collect();
            *draft.items(list)? = all;
            Some(draft)
        });
        let drafts: Vec<_> = drafts.collect();
        drafts.into_iter().find(|draft| self.is_case(entry, breaks, draft))
    }

    fn at_window(&self, entry: &Entry<'_>, window: &Window, rule: WindowRule, breaks: bool) -> Vec<Draft> {
        let ends = ends_at(window, rule, breaks).unwrap_or_default();
        ends.into_iter().filter_map(|ends| self.between(entry, window, ends, breaks)).collect()
    }

    fn between(&self, entry: &Entry<'_>, window: &Window, ends: Ends, breaks: bool) -> Option<Draft> {
        let drafts = self.drafts.bases.iter().map(|base| {
            let mut draft = base.clone();
            for (name, time) in [(&window.from.text, ends.0), (&window.to.text, ends.1)] {
                draft = match time {
                    Some(time) => self.drafts.with(&draft, None, name, self.time(name, time)),
                    None => self.drafts.left_out(&draft, None, name),
                };
            }
            draft
        });
        let drafts = drafts.collect::<Vec<_>>();
        drafts.into_iter().find(|draft| self.is_case(entry, breaks, draft))
    }

    /// Returns a time in the form of the parameter.
    fn time(&self, name: &str, time: i64) -> Value {
        let parameters = self.drafts.operation.body.parameters();
        let as_text = parameters.iter().any(|parameter| parameter.name.wire == name && parameter.as_text);
        if as_text { json!(time.to_string()) } else { json!(time) }
    }
}

/// A condition that must hold, or must not hold.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) condition: Condition,
    pub(super) so: bool,
    /// True if the compared value is far from the edge instead of at it.
    pub(super) far: bool,
}

/// Goals that the same request meets.
type Goals = Vec<Goal>;

fn goal(condition: Condition, so: bool) -> Goal {
    Goal { condition, so, far: false }
}

/// Returns the goals of requests that break a rule: for each value of its conditions, in each possible way.
fn breaking_goals(when: &[Condition], require: &[Condition], forbid: &[Condition]) -> Vec<Goals> {
    let targets: Vec<Goals> = require
        .iter()
        .map(|condition| (condition, false))
        .flat_map(|(condition, so)| apart(condition, so))
        .chain(all_of(forbid, true))
        .collect();
    across(&all_of(when, true), &targets)
}

/// Returns the goals of requests at the edge of a rule: they keep it for each value of its conditions, in each possible
/// way, or because one of its conditions does not hold.
fn keeping_goals(when: &[Condition], require: &[Condition], forbid: &[Condition]) -> Vec<Goals> {
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

/// Returns all conditions hold: each in turn in every possible way, the others in any way. Empty if there are no
/// conditions.
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

/// Returns the ways in which a condition can hold or fail: each of its values or names separately.
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
