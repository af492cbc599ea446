//! Intents: constructors for documented purposes, and the values that they send.

use super::{Family, ListName, Parameter};
use crate::compiler::diagnostics::Place;

/// A constructor named after its purpose.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) id: String,
    /// The Rust function.
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    pub(crate) at: String,
    /// The list whose items it makes.
    pub(crate) within: Option<(ListName, Place)>,
    pub(crate) set: Vec<Setting>,
    /// Optional parameters that become arguments.
    pub(crate) take: Vec<(String, Place)>,
    /// Parameters whose arguments have other names here.
    pub(crate) call: Vec<Setting>,
}

/// A parameter, and the text that the schema gives it.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) text_place: Place,
}

impl Intent {
    /// The text that a parameter is set to.
    pub(crate) fn value_of(&self, wire: &str) -> Option<&str> {
        self.set.iter().find(|setting| setting.name == wire).map(|setting| setting.text.as_str())
    }

    /// The parameters that become arguments: required ones that are not set, and those of `take`.
    pub(crate) fn arguments<'a>(&self, family: &Family, parameters: &'a [Parameter]) -> Vec<&'a Parameter> {
        let is_left = |parameter: &&Parameter| parameter.is_argument() && self.sets(family, parameter).is_none();
        let is_taken = |parameter: &&Parameter| {
            self.take.iter().any(|(wire, _)| *wire == parameter.name.wire) && !is_left(parameter)
        };
        parameters.iter().filter(is_left).chain(parameters.iter().filter(is_taken)).collect()
    }

    /// The text that a parameter is set to; for a choice, that of its deciding parameter.
    pub(crate) fn sets(&self, family: &Family, parameter: &Parameter) -> Option<&str> {
        let decider = family.choice_of(parameter).and_then(|choice| choice.decider());
        self.value_of(&decider.map_or(&parameter.name, |(decider, _)| decider).wire)
    }

    /// The name of the argument for a parameter.
    pub(crate) fn argument_of(&self, wire: &str) -> Option<&str> {
        self.call.iter().find(|setting| setting.name == wire).map(|setting| setting.text.as_str())
    }
}
