//! Names -> the numbers of what they stand for, for the whole model at once. A name that stands for nothing is reported
//! here, so that checks say only what is special about a key.

use super::{
    Api, Effect, Exclusion, Family, Flat, FlatCall, FlatClose, Lifecycle, Listing, Lookup, Operation, Response, Role,
    Shape, Type,
};
use crate::compiler::diagnostics::{Code, Diagnostics, name_list, nearest, unknown};
use crate::compiler::load::declared::KeyValue;
use crate::compiler::references::{Kind, Reference, See, Sought, SoughtForm, SoughtOperation, SoughtParameter};

/// Finds what each name stands for, and reports the names that stand for nothing.
pub(crate) fn resolve(api: &mut Api, to: &mut Diagnostics) {
    let is_whole = api.is_whole;
    for family in &mut api.families {
        // Other names depend on the operations that the first round finds.
        for is_of_round in [Sought::is_operation, |sought: Sought| !sought.is_operation()] {
            let mut names = Vec::new();
            family.show_names(&mut |of, sought, name| names.push((of, sought, name.clone())));
            let found = names.into_iter().map(|(of, sought, name)| {
                let found = is_of_round(sought).then(|| find(family, of, sought, &name, is_whole, to));
                found.unwrap_or(name.number)
            });
            let mut found = found.collect::<Vec<_>>().into_iter();
            family.show_names(&mut |_, _, name| name.number = found.next().flatten());
        }
    }
}

/// Finds the number of what a name stands for.
fn find(
    family: &Family,
    of: Option<usize>,
    sought: Sought,
    name: &Reference,
    is_whole: bool,
    to: &mut Diagnostics,
) -> Option<usize> {
    match sought {
        Sought::Operation(sought) => operation(family, sought, name, is_whole, to),
        Sought::Parameter(sought) => parameter(family, family.operations.numbered(of?)?, sought, name, to),
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
                let help = unknown(&name.text, fitting.clone(), || match name_list(fitting.map(|(known, _)| known)) {
                    none if none.is_empty() => sought.otherwise.to_owned(),
                    names => format!("{}: {names}", sought.otherwise),
                });
                to.at(name.place, Code::UndefinedName, format!("unknown operation `{name}`: {}", expected()))
                    .help(help);
            }
        }
    }
    None
}

fn parameter(
    family: &Family,
    operation: &Operation,
    sought: SoughtParameter,
    name: &Reference,
    to: &mut Diagnostics,
) -> Option<usize> {
    let found = match family.names(operation.members()).find(&name.text) {
        Lookup::Found(found) => found,
        Lookup::Missing(help) => {
            let message = format!("`{}` has no parameter `{name}`", operation.name);
            to.at(name.place, Code::UndefinedName, message).help(help);
            return None;
        }
        Lookup::Unresolved => return None,
    };
    match found.role {
        Role::Plain(parameter) if parameter.shape.is_undefined() => None,
        Role::Plain(parameter) if sought.form.fits(&parameter.shape) => {
            operation.members().iter().position(|known| std::ptr::eq(known, parameter))
        }
        Role::Plain(_) | Role::Decider(_) | Role::Alternative(_) | Role::Member(_) => {
            let expected = sought.form.in_words();
            to.at(name.place, sought.code, format!("expected {expected}, found `{name}`"))
                .related(found.name.place, "the parameter is here")
                .help(format!("name a parameter outside of choices that is {expected}"));
            None
        }
    }
}

impl SoughtForm {
    fn fits(self, shape: &Shape) -> bool {
        match self {
            Self::Any => true,
            Self::Enum => shape.is_one(Type::is_enum),
            Self::Time => shape.is_one(Type::is_time),
            Self::Integer => shape.is_one(|ty| ty == Type::Integer),
            Self::Cursor => shape.is_one(Type::is_cursor),
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Any => "a parameter outside of choices",
            Self::Enum => "an enum",
            Self::Time => "a `time`",
            Self::Integer => "an `integer`",
            Self::Cursor => "a `string`, an `integer` or an identifier",
        }
    }
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

/// Looks at a reference, at what it can stand for, and at the operation whose parameters it can name.
type SeeWithin<'a> = dyn FnMut(Option<usize>, Sought, &mut Reference) + 'a;

impl Family {
    /// Shows every name in the family, in the same order each time.
    fn show_names(&mut self, see: &mut SeeWithin<'_>) {
        for operation in self.operations.iter_mut() {
            let number = Some(operation.number);
            operation.show_names(&mut |sought, name| see(number, sought, name));
        }
        if let Some(probe) = &mut self.probe {
            probe.operation.show(&mut |sought, name| see(None, sought, name));
        }
        self.flat.iter_mut().for_each(|flat| flat.show_names(see));
        self.lifecycle.iter_mut().for_each(|all| all.show_names(&mut |sought, name| see(None, sought, name)));
    }
}

impl Operation {
    fn show_names(&mut self, see: &mut See<'_>) {
        self.confirm.show_names(see);
        self.window.show_names(see);
        let Listing { each, pages, shows, instruments, prices, id: _, list: _ } = &mut self.listing;
        if pages.is_some() || matches!(self.response, Response::Page { .. }) {
            each.show_names(see);
        }
        if let Some(pages) = pages {
            pages.next.show(see);
            pages.size.show_names(see);
        }
        shows.show_names(see);
        instruments.show_names(see);
        prices.show_names(see);
        if let Response::Page { next, .. } = &mut self.response {
            next.show(see);
        }
    }
}

impl Flat {
    fn show_names(&mut self, see: &mut SeeWithin<'_>) {
        let Self { place: _, cancel, close, value, reduce } = self;
        cancel.iter_mut().for_each(|call| call.show_names(see));
        close.iter_mut().for_each(|FlatClose { call, .. }| call.show_names(see));
        if let Some(value) = value {
            value.operation.show(&mut |sought, name| see(None, sought, name));
        }
        if let Some(reduce) = reduce {
            reduce.operation.show(&mut |sought, name| see(None, sought, name));
        }
    }
}

impl<K: Kind> FlatCall<K> {
    fn show_names(&mut self, see: &mut SeeWithin<'_>) {
        let Self { operation, over } = self;
        let of = operation.number;
        operation.show(&mut |sought, name| see(of, sought, name));
        over.show(&mut |sought, name| see(of, sought, name));
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
