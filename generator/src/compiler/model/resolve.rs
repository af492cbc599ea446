//! Names -> the numbers of what they stand for, for the whole model at once. A name that stands for nothing is reported
//! here, so that checks say only what is special about a key.

use super::{Api, Effect, Exclusion, Family, Flat, FlatClose, Lifecycle, Operation};
use crate::compiler::diagnostics::{Code, Diagnostics, nearest, unknown};
use crate::compiler::load::declared::KeyValue;
use crate::compiler::references::{Reference, See, Sought, SoughtOperation};

/// Finds what each name stands for, and reports the names that stand for nothing.
pub(crate) fn resolve(api: &mut Api, to: &mut Diagnostics) {
    let is_whole = api.is_whole;
    for family in &mut api.families {
        let mut names = Vec::new();
        family.show_names(&mut |sought, name| names.push((sought, name.clone())));
        let found: Vec<_> = names.iter().map(|(sought, name)| find(family, *sought, name, is_whole, to)).collect();
        let mut found = found.into_iter();
        family.show_names(&mut |_, name| name.number = found.next().flatten());
    }
}

/// Finds the number of what a name stands for.
fn find(family: &Family, sought: Sought, name: &Reference, is_whole: bool, to: &mut Diagnostics) -> Option<usize> {
    match sought {
        Sought::Operation(sought) => operation(family, sought, name, is_whole, to),
    }
}

fn operation(
    family: &Family,
    sought: SoughtOperation,
    name: &Reference,
    is_whole: bool,
    to: &mut Diagnostics,
) -> Option<usize> {
    let fits = |one: &&Operation| sought.effects.iter().any(|effect| one.may_have(*effect));
    let expected = || format!("expected one with `effect: {}`", words(sought.effects));
    match family.operations.iter().find(|known| known.name == name.text) {
        Some(known) if fits(&known) => return Some(known.number),
        Some(other) => {
            let what = format!("`{name}` has `effect: {}`: {}", other.effect.as_str(), expected());
            to.at(name.place, Code::UndefinedName, what)
                .related(other.key_places.effect, "its effect is here")
                .help(format!("correct its effect, or {}", sought.otherwise));
        }
        None => {
            let fitting = family.operations.iter().filter(fits).map(|one| (one.name.as_str(), Some(one.place)));
            if is_whole && !(sought.or_words && are_words(&name.text, fitting.clone().map(|(known, _)| known))) {
                let help = unknown(&name.text, fitting, || sought.otherwise.to_owned());
                to.at(name.place, Code::UndefinedName, format!("unknown operation `{name}`: {}", expected()))
                    .help(help);
            }
        }
    }
    None
}

/// Returns whether a text is a cause in words: a word that resembles no name, or several with spaces. The name of an
/// operation has hyphens.
fn are_words<'a>(text: &str, operations: impl Iterator<Item = &'a str>) -> bool {
    text.contains(' ') || !text.contains('-') && nearest(text, operations).is_none()
}

/// The effects with `or` before the last.
fn words(effects: &[Effect]) -> String {
    let words: Vec<_> = effects.iter().map(|effect| effect.as_str()).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{}` or `{last}", others.join("`, `")),
        _ => words.concat(),
    }
}

impl Family {
    /// Shows every name in the family, in the same order each time.
    fn show_names(&mut self, see: &mut See<'_>) {
        for operation in self.operations.iter_mut() {
            operation.confirm.show_names(see);
            operation.listing.shows.show_names(see);
        }
        if let Some(probe) = &mut self.probe {
            probe.operation.show(see);
        }
        self.flat.iter_mut().for_each(|flat| flat.show_names(see));
        self.lifecycle.iter_mut().for_each(|lifecycle| lifecycle.show_names(see));
    }
}

impl Flat {
    fn show_names(&mut self, see: &mut See<'_>) {
        let Self { place: _, cancel, close, value, reduce } = self;
        cancel.iter_mut().for_each(|call| call.operation.show(see));
        close.iter_mut().for_each(|FlatClose { call, .. }| call.operation.show(see));
        value.iter_mut().for_each(|value| value.operation.show(see));
        reduce.iter_mut().for_each(|reduce| reduce.operation.show(see));
    }
}

impl Lifecycle {
    fn show_names(&mut self, see: &mut See<'_>) {
        self.transitions.iter_mut().flat_map(|one| &mut one.trigger).for_each(|cause| cause.show(see));
        for never in &mut self.never {
            if let Exclusion::Operations(operations) = &mut never.what {
                operations.iter_mut().for_each(|operation| operation.show(see));
            }
        }
    }
}
