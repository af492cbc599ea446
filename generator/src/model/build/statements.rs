//! Rules, contradictions, observations.

use super::{Builder, placed, text_of};
use crate::diagnostics::Code;
use crate::load::raw::RuleKind;
use crate::load::{Named, Spanned, raw};
use crate::model::{Condition, Contradiction, Observation, Rule, Test};

pub(super) fn rules(builder: &mut Builder<'_>, raw: &[Spanned<raw::Rule>]) -> Vec<Rule> {
    raw.iter().map(|raw| rule(builder, raw)).collect()
}

fn rule(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Rule {
    let kind = match &raw.kind {
        Some(kind) => kind.value,
        None => {
            builder.missing("kind", raw.place);
            // Whichever fits, so that nothing more is said about it.
            let has_test = raw.require.is_some() || raw.forbid.is_some() || raw.same.is_some() || raw.unique.is_some();
            if has_test { RuleKind::Checked } else { RuleKind::Type }
        }
    };
    Rule {
        id: builder.need(&raw.id, "id", raw.place),
        place: raw.id.as_ref().map_or(raw.place, |id| id.place),
        at: text_of(&raw.at),
        kind,
        says: builder.need(&raw.says, "says", raw.place),
        why: raw.why.as_ref().map(|why| why.value.trim().to_owned()),
        within: raw.r#in.as_ref().map(placed),
        test: test(builder, raw),
    }
}

/// What the rule tests; several tests in one rule are refused.
fn test(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Option<Test> {
    let has_condition = raw.require.is_some() || raw.forbid.is_some();
    let tests = usize::from(has_condition) + usize::from(raw.same.is_some()) + usize::from(raw.unique.is_some());
    if tests > 1 {
        builder
            .to
            .at(raw.place, Code::BadRule, "a rule tests one thing")
            .help("make a rule each of `same`, `unique`, and `require` with `forbid`");
    }
    if let Some(when) = raw.when.as_ref().filter(|_| !has_condition) {
        builder
            .to
            .at(when.place, Code::BadRule, "`when` goes with `require` or `forbid` only")
            .help("say what must hold then, or take it away");
    }
    if let Some(same) = &raw.same {
        return Some(Test::Same(same.value.clone(), same.place));
    }
    if let Some(unique) = &raw.unique {
        return Some(Test::Unique(unique.iter().map(placed).collect()));
    }
    has_condition.then(|| Test::Condition {
        when: conditions(raw.when.as_ref()),
        require: conditions(raw.require.as_ref()),
        forbid: conditions(raw.forbid.as_ref()),
    })
}

fn conditions(raw: Option<&Spanned<Named<crate::load::Texts>>>) -> Vec<Condition> {
    let entries = raw.into_iter().flat_map(|raw| raw.iter());
    entries
        .map(|(name, values)| {
            let values = values.iter().map(placed).collect();
            match name.value.as_str() {
                "given" => Condition::Given(values),
                "any_given" => Condition::AnyGiven(values),
                key => match key.strip_suffix(".form") {
                    Some(parameter) => {
                        Condition::HasForm { parameter: (parameter.to_owned(), name.place), forms: values }
                    }
                    None => Condition::Is { parameter: placed(name), values },
                },
            }
        })
        .collect()
}

pub(super) fn contradictions(builder: &mut Builder<'_>, raw: &[Spanned<raw::Contradiction>]) -> Vec<Contradiction> {
    raw.iter()
        .map(|raw| {
            if raw.readings.len() < 2 {
                builder
                    .to
                    .at(raw.place, Code::BadRule, "a contradiction has two readings at least")
                    .help("list them under `readings`");
            }
            Contradiction {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                readings: raw.readings.iter().map(|text| text.value.trim().to_owned()).collect(),
                chosen: builder.need(&raw.chosen, "chosen", raw.place),
                why: builder.need(&raw.why, "why", raw.place),
            }
        })
        .collect()
}

pub(super) fn observations(builder: &mut Builder<'_>, raw: &[Spanned<raw::Observation>]) -> Vec<Observation> {
    raw.iter()
        .map(|raw| {
            if raw.sources.is_empty() {
                builder.missing("sources", raw.place);
            }
            Observation {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                says: builder.need(&raw.says, "says", raw.place),
                sources: raw.sources.iter().map(|text| text.value.trim().to_owned()).collect(),
            }
        })
        .collect()
}
