//! Choices: their alternatives and cases.

use crate::compiler::diagnostics::{Code, Diagnostics, one_of};
use crate::compiler::model::{Api, Case, Choice, ChoiceKind, Family, Name, Need, Parameter, Placed, Shape, Type};

/// Checks the choices of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for choice in &family.choices {
        members_are_no_choices(choice, to);
        match &choice.kind {
            ChoiceKind::Presence { alternatives, wins } => {
                are_several(choice, alternatives, to);
                are_alternatives(alternatives, to);
                winner_is_one(alternatives, wins.as_ref(), to);
            }
            ChoiceKind::Value { decider, cases, .. } => decider_stands_alone(decider, cases, to),
        }
    }
}

/// Neither the members of a choice nor those of their objects are choices, so that no type holds itself.
fn members_are_no_choices(choice: &Choice, to: &mut Diagnostics) {
    let within = choice.objects().into_iter().flat_map(|object| &object.parameters);
    for member in choice.members().into_iter().chain(within) {
        if matches!(member.shape, Shape::One(Type::Choice(_))) {
            let what = format!("a choice cannot be a member of the choice `{}`", choice.name.wire);
            to.at(member.name.place, Code::BadChoice, what).help("make it a parameter of the request");
        }
    }
    for member in choice.members() {
        if let Some(place) = member.may_be_null {
            to.at(place, Code::BadChoice, format!("`{}` cannot be null: it is a member of a choice", member.name.wire))
                .help("make it a parameter of the request, or remove `may_be`");
        }
    }
}

fn are_several(choice: &Choice, alternatives: &[Parameter], to: &mut Diagnostics) {
    if alternatives.len() == 1 {
        to.at(
            choice.name.place,
            Code::BadChoice,
            format!("the choice `{}` has only one alternative", choice.name.wire),
        )
        .help("add another alternative to `one_of`, or make it a plain parameter");
    }
}

/// An alternative is not required and has neither a default nor an `edit`, because the choice decides whether it is
/// sent.
fn are_alternatives(alternatives: &[Parameter], to: &mut Diagnostics) {
    for alternative in alternatives {
        let name = &alternative.name;
        let edit = alternative.edit.as_ref().map(|edit| edit.place);
        let default = alternative.default.as_ref().map(|(_, place)| *place);
        let fixed = alternative.fixed.as_ref().map(|(_, place)| *place);
        let required = (alternative.need != Need::No && fixed.is_none()).then_some(name.place);
        for (key, place) in [("required", required), ("fixed", fixed), ("default", default), ("edit", edit)] {
            if let Some(place) = place {
                to.at(place, Code::BadChoice, format!("the alternative `{}` cannot have `{key}`", name.wire))
                    .help(format!("move `{key}` to the parameter whose type is the choice, or remove it"));
            }
        }
        if alternative.shape.is_list() {
            to.at(name.place, Code::BadChoice, format!("the alternative `{}` cannot be a list", name.wire))
                .help("make it a parameter of the request, and add a rule for what it excludes");
        }
    }
}

fn winner_is_one(alternatives: &[Parameter], wins: Option<&Placed>, to: &mut Diagnostics) {
    let Some((wins, place)) = wins else { return };
    let known = || alternatives.iter().map(|one| (one.name.wire.as_str(), Some(one.name.place)));
    if !alternatives.is_empty() && !known().any(|(name, _)| name == wins) {
        to.at(*place, Code::BadChoice, format!("unknown alternative `{wins}`")).help(one_of(wins, known()));
    }
}

fn decider_stands_alone(decider: &Name, cases: &[Case], to: &mut Diagnostics) {
    let members = cases.iter().flat_map(|case| &case.parameters);
    for member in members.filter(|member| member.name.wire == decider.wire) {
        to.at(
            member.name.place,
            Code::BadChoice,
            format!("`{}` decides the choice and cannot be a member of a case", decider.wire),
        )
        .related(decider.place, "the choice is decided here")
        .help("remove it");
    }
}
