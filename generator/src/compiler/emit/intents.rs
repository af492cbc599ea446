//! Constructors for documented purposes.

use syn::{Expr, ImplItem};

use super::code::ident;
use super::docs::{Docs, code, escape};
use super::parameters::argument_type;
use super::scope::Scope;
use super::{declarations, parameters, trees};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Choice, Condition, Intent, Operation, Parameter, Rule, Test, Unit};

/// Returns the constructors of a request, or of the items of one of its lists.
pub(super) fn constructors(
    scope: &Scope<'_>,
    operation: &Operation,
    list: Option<&str>,
    parameters: &[Parameter],
) -> Vec<ImplItem> {
    let within = |intent: &&Intent| intent.within.as_ref().map(|(list, _)| list.as_str()) == list;
    let is_within = |rule: &&Rule| rule.within.as_ref().map(|(list, _)| list.as_str()) == list;
    let rules: Vec<_> = operation.statements.rules.iter().filter(is_within).collect();
    operation.intents.iter().filter(within).map(|intent| constructor(scope, intent, &rules, parameters)).collect()
}

fn constructor(scope: &Scope<'_>, intent: &Intent, rules: &[&Rule], parameters: &[Parameter]) -> ImplItem {
    let arguments = intent.arguments(scope.family, parameters);
    let docs = docs(scope, intent, rules, &arguments).outer();
    let declared = arguments
        .iter()
        .map(|parameter| declarations::argument(argument(intent, parameter), argument_type(scope, parameter)));
    let given = |parameter: &Parameter| {
        value(scope, intent, parameter).unwrap_or_else(|| trees::variable(argument(intent, parameter)))
    };
    let required = parameters.iter().filter(|parameter| parameter.is_argument()).map(given);
    let is_given = |parameter: &&Parameter| {
        !parameter.is_required()
            && (intent.sets(scope.family, parameter).is_some()
                || arguments.iter().any(|argument| argument.name == parameter.name))
    };
    let new = trees::call(trees::path(&["Self", "new"]), required);
    let made = parameters
        .iter()
        .filter(is_given)
        .fold(new, |made, parameter| trees::on(made, &parameter.name.rust, [given(parameter)]));
    let attributes = docs.into_iter().chain(declarations::many_arguments(arguments.len())).collect();
    declarations::maker(attributes, ident(&intent.rust), declared, vec![trees::result(made)])
}

fn argument(intent: &Intent, parameter: &Parameter) -> proc_macro2::Ident {
    ident(intent.argument_of(&parameter.name.wire).unwrap_or(&parameter.name.rust))
}

/// Returns the value to which the intent sets a parameter: a value of its enum, or a case without parameters.
fn value(scope: &Scope<'_>, intent: &Intent, parameter: &Parameter) -> Option<Expr> {
    let text = intent.sets(scope.family, parameter)?;
    let decider = || scope.family.choice_of(parameter).and_then(Choice::decider).map(|(_, index)| index);
    let all = &scope.family.enums[parameter.shape.single_enum().or_else(decider)?];
    let variant = &all.values[all.index_of(text)?].name.rust;
    Some(trees::path(&[&scope.named(scope.family.type_rust(parameter.shape.single()?)).to_string(), variant]))
}

fn docs(scope: &Scope<'_>, intent: &Intent, rules: &[&Rule], arguments: &[&Parameter]) -> Docs {
    let mut docs = Docs::new(&intent.says, &intent.id);
    let sent: Vec<_> =
        intent.set.iter().map(|setting| format!("{} = {}", code(&setting.name), code(&setting.text))).collect();
    let at = if intent.at.is_empty() { String::new() } else { format!(" ({})", escape(&intent.at)) };
    docs.markdown(&format!("Sends {}{at}.", sent.join(", ")));
    let mut as_in_new = false;
    for parameter in arguments {
        let units = narrowed(intent, &required(intent, rules), &parameter.units);
        let called = intent.argument_of(&parameter.name.wire);
        if parameter.is_required() && called.is_none() && units == parameter.units {
            as_in_new = true;
        } else {
            let known = Parameter { units, ..(*parameter).clone() };
            let called = called.map(|_| argument(intent, parameter).to_string());
            docs.entry(&parameters::argument(scope, &known, called.as_deref()));
        }
    }
    if as_in_new {
        docs.markdown("Other arguments are those of [`new`](Self::new).");
    }
    docs
}

/// Returns the values to which the rules restrict other parameters, given those that the intent sets.
fn required<'a>(intent: &Intent, rules: &[&'a Rule]) -> Vec<(&'a str, Vec<&'a str>)> {
    let is_met = |condition: &Condition| match condition {
        Condition::Given(names) => names.iter().all(|(name, _)| intent.value_of(name).is_some()),
        Condition::Is { parameter: (name, _), values } => {
            intent.value_of(name).is_some_and(|set| values.iter().any(|(value, _)| value == set))
        }
        _ => false,
    };
    let restriction = |condition: &'a Condition| match condition {
        Condition::Is { parameter: (name, _), values } => {
            Some((name.as_str(), values.iter().map(|(value, _)| value.as_str()).collect()))
        }
        _ => None,
    };
    let tests = rules.iter().filter_map(|rule| match &rule.test {
        Some(Test::Condition { when, require, .. }) => Some((when, require)),
        Some(Test::Same(..) | Test::Unique(..)) | None => None,
    });
    tests.filter(|(when, _)| when.iter().all(is_met)).flat_map(|(_, require)| require).filter_map(restriction).collect()
}

/// Returns the units that remain possible given the parameters that the intent sets, and the values that others are
/// restricted to.
fn narrowed(intent: &Intent, required: &[(&str, Vec<&str>)], units: &[Unit]) -> Vec<Unit> {
    let mut left = Vec::new();
    for unit in units {
        let is_excluded = unit.when.iter().any(|((name, _), values)| {
            let allows = |(value, _): &(String, Place)| {
                intent.value_of(name).is_none_or(|set| value == set)
                    && required
                        .iter()
                        .all(|(other, allowed)| *other != name.as_str() || allowed.contains(&value.as_str()))
            };
            !values.iter().any(allows)
        });
        if is_excluded {
            continue;
        }
        let mut unit = unit.clone();
        unit.when.retain(|((name, _), _)| intent.value_of(name).is_none());
        let is_certain = unit.when.is_empty();
        left.push(unit);
        if is_certain {
            break;
        }
    }
    left
}
