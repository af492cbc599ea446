//! Names -> the numbers of what they stand for, for the whole model at once. A name that stands for nothing is reported
//! here, so that checks say only what is special about a key.

use super::{Api, Effect, Exclusion, Family, Lifecycle, Listing, Operation, Response, Role, Shape, Type};
use crate::compiler::diagnostics::{Code, Diagnostics, name_list, nearest, one_of, unknown};
use crate::compiler::load::declared::KeyValue;
use crate::compiler::references::{
    FieldsOf, Reference, See, Sought, SoughtFamily, SoughtField, SoughtForm, SoughtOperation, SoughtParameter,
};

/// The part of the schema whose names a name can be: nothing for those that the whole API shares.
#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    family: Option<usize>,
    operation: Option<usize>,
}

impl Scope {
    /// Returns the scope of an operation of the same family.
    fn of(self, operation: Option<usize>) -> Self {
        Self { operation, ..self }
    }
}

/// Finds what each name stands for, and reports the names that stand for nothing.
pub(crate) fn resolve(api: &mut Api, to: &mut Diagnostics) {
    // Other names depend on the operations that the first round finds.
    for is_of_round in [Sought::is_operation, |sought: Sought| !sought.is_operation()] {
        let mut names = Vec::new();
        api.show_names(&mut |scope, sought, name| names.push((scope, sought, name.clone())));
        let found =
            names.into_iter().map(
                |(scope, sought, name)| {
                    if is_of_round(sought) { find(api, scope, sought, &name, to) } else { name.number }
                },
            );
        let mut found = found.collect::<Vec<_>>().into_iter();
        api.show_names(&mut |_, _, name| name.number = found.next().flatten());
    }
}

/// Finds the number of what a name stands for.
fn find(api: &Api, scope: Scope, sought: Sought, name: &Reference, to: &mut Diagnostics) -> Option<usize> {
    let own = scope.family.map(|number| &api.families[number]);
    match sought {
        _ if name.is_left_out() => None,
        Sought::Header { ignores_case } => header(api, ignores_case, name, to),
        Sought::Family(sought) => family(api, own, sought, name, to),
        Sought::Operation(sought) => operation(own?, sought, name, api.is_whole, to),
        Sought::Parameter(sought) => parameter(own?, own?.operations.numbered(scope.operation?)?, sought, name, to),
        Sought::Field(sought) => field(own?, own?.operations.numbered(scope.operation?)?, sought, name, to),
    }
}

fn header(api: &Api, ignores_case: bool, name: &Reference, to: &mut Diagnostics) -> Option<usize> {
    let is_same = |known: &str| known == name.text || ignores_case && known.eq_ignore_ascii_case(&name.text);
    let found = api.headers.iter().position(|header| is_same(&header.name));
    if found.is_none() && api.is_sound {
        let file = to.api_file();
        let known = || api.headers.iter().map(|header| (header.name.as_str(), Some(header.place)));
        let help = unknown(&name.text, known(), || match name_list(known().map(|(known, _)| known)) {
            known if known.is_empty() => format!("define it under `headers` in {file}"),
            known => format!("define it under `headers` in {file}, which has: {known}"),
        });
        to.at(name.place, Code::UndefinedName, format!("unknown header `{name}`")).help(help.of_api());
    }
    found
}

fn family(
    api: &Api,
    own: Option<&Family>,
    sought: SoughtFamily,
    name: &Reference,
    to: &mut Diagnostics,
) -> Option<usize> {
    let is_own = |one: &Family| own.is_some_and(|own| own.number == one.number);
    let (fits, expected): (&dyn Fn(&Family) -> bool, _) = match sought {
        SoughtFamily::Any => (&|_| true, ""),
        SoughtFamily::Other => (&|one| !is_own(one), ""),
        SoughtFamily::WithInstruments => (&|one| one.instrument.is_some(), ": expected one with `instrument`"),
    };
    let fitting = || api.families.iter().filter(|one| fits(one));
    let found = fitting().find(|one| one.name == name.text);
    let mistaken = to.mistaken_files();
    let mut named = api.families.iter().filter(|one| one.name == name.text);
    let is_unread = named.any(|one| one.shared_files.iter().any(|file| mistaken.contains(file)));
    if found.is_none() && api.is_whole && !is_unread {
        let help = one_of(&name.text, fitting().map(|one| (one.name.as_str(), None))).of_api();
        to.at(name.place, Code::UndefinedName, format!("unknown family `{name}`{expected}")).help(help);
    }
    found.map(|one| one.number)
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
    let found = family.names(operation.members()).find(&name.text);
    let found = found.or_report(&operation.name, &name.text, name.place, to)?;
    match found.role {
        Role::Plain(parameter) if parameter.shape.is_undefined() => None,
        Role::Plain(parameter) if sought.form.fits(&parameter.shape) => {
            operation.members().iter().position(|known| std::ptr::eq(known, parameter))
        }
        Role::Plain(_) | Role::Decider(_) | Role::Alternative(_) | Role::Member(_) => {
            let (expected, that_is) = match sought.form.in_words() {
                None => ("a parameter outside of choices", String::new()),
                Some(words) => (words, format!(" that is {words}")),
            };
            to.at(name.place, sought.code, format!("expected {expected}, found `{name}`"))
                .related(found.name.place, "the parameter is here")
                .help(format!("name a parameter outside of choices{that_is}"));
            None
        }
    }
}

fn field(
    family: &Family,
    operation: &Operation,
    sought: SoughtField,
    name: &Reference,
    to: &mut Diagnostics,
) -> Option<usize> {
    let index = match (sought.of, &operation.response) {
        (FieldsOf::Answer | FieldsOf::Named, Response::Object { record }) => Some(*record),
        (FieldsOf::Named, Response::Array { .. } | Response::Page { .. }) => {
            to.at(name.place, Code::BadResponse, format!("the answer of `{}` is not an object", operation.name))
                .help("name an operation whose `response` is an object");
            None
        }
        (FieldsOf::Answer | FieldsOf::Named, _) => None,
        (FieldsOf::Items, _) => operation.listed_record(family),
        (FieldsOf::Query, _) => {
            family.operations.get(&operation.confirm.as_ref()?.by).and_then(|query| query.shown_record(family))
        }
    };
    let record = family.records.get(index?)?;
    let Some(number) = record.fields.iter().position(|field| field.name.wire == name.text) else {
        record.lacks_field(&name.text, name.place, to);
        return None;
    };
    let field = &record.fields[number];
    if !sought.form.fits(&field.shape) {
        let expected = sought.form.in_words().unwrap_or("a field");
        to.at(name.place, sought.code, format!("expected {expected}, found `{name}`"))
            .related(field.name.place, "the field is here")
            .help(format!("name a field that is {expected}"));
        return None;
    }
    Some(number)
}

impl SoughtForm {
    fn fits(self, shape: &Shape) -> bool {
        match self {
            Self::Any => true,
            Self::Enum => shape.is_one(Type::is_enum),
            Self::Time => shape.is_one(Type::is_time),
            Self::Integer => shape.is_one(|ty| ty == Type::Integer),
            Self::Cursor => shape.is_one(Type::is_cursor),
            Self::Text => shape.is_one(Type::is_text),
            Self::Decimal => shape.is_one(|ty| ty == Type::Decimal),
            Self::Quantity => shape.is_one(Type::is_quantity),
            Self::Boolean => shape.is_one(Type::is_boolean),
            Self::ListOfRecords => shape.listed().is_some_and(|ty| ty == Type::Undefined || ty.record().is_some()),
        }
    }

    /// Returns the form in words; `None` if any will do.
    fn in_words(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Enum => Some("an enum"),
            Self::Time => Some("a `time`"),
            Self::Integer => Some("an `integer`"),
            Self::Cursor => Some("a `string`, an `integer` or an identifier"),
            Self::Text => Some("a `string` or an identifier"),
            Self::Decimal => Some("a `decimal`"),
            Self::Quantity => Some("a number"),
            Self::Boolean => Some("a `boolean`"),
            Self::ListOfRecords => Some("a list of records"),
        }
    }
}

/// Returns whether a text is a cause in words: a word that resembles no name, or several with spaces. The name of an
/// operation has hyphens.
fn are_words<'a>(text: &str, operations: impl Iterator<Item = &'a str>) -> bool {
    text.contains(' ') || !text.contains('-') && nearest(text, operations).is_none()
}

/// Returns the effects with `or` before the last.
fn words(effects: &[Effect]) -> String {
    let words: Vec<_> = effects.iter().map(|effect| effect.as_str()).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{}` or `{last}", others.join("`, `")),
        _ => words.concat(),
    }
}

/// Looks at a name, at what it can stand for, and at where that is looked for.
type SeeWithin<'a> = dyn FnMut(Scope, Sought, &mut Reference) + 'a;

/// Looks at the names of a scope.
fn within<'a>(scope: Scope, see: &'a mut SeeWithin<'_>) -> impl FnMut(Sought, &mut Reference) + 'a {
    move |sought, name| see(scope, sought, name)
}

/// Looks at names, each within the operation that is named before it.
fn within_named<'a>(own: Scope, see: &'a mut SeeWithin<'_>) -> impl FnMut(Sought, &mut Reference) + 'a {
    let mut operation = None;
    move |sought, name| {
        see(own.of(operation), sought, name);
        if sought.is_operation() {
            operation = name.number;
        }
    }
}

impl Api {
    /// Shows every name of the schema, in the same order each time.
    fn show_names(&mut self, see: &mut SeeWithin<'_>) {
        let of_codes = self.codes.iter_mut().flat_map(|code| &mut code.families);
        let of_refusals = self.refusals.iter_mut().flat_map(|refusal| &mut refusal.codes).map(|(family, _)| family);
        of_codes.chain(of_refusals).for_each(|family| family.show(&mut within(Scope::default(), see)));
        let of_markets = self.markets.iter_mut().flat_map(|market| &mut market.headers);
        of_markets.for_each(|(header, _)| header.show(&mut within(Scope::default(), see)));
        for family in &mut self.families {
            family.show_names(Scope { family: Some(family.number), operation: None }, see);
        }
    }
}

impl Family {
    fn show_names(&mut self, own: Scope, see: &mut SeeWithin<'_>) {
        self.serves.iter_mut().for_each(|(_, family)| family.show(&mut within(own, see)));
        for operation in self.operations.iter_mut() {
            let of = own.of(Some(operation.number));
            operation.show_names(&mut within(of, see));
        }
        self.probe.iter_mut().for_each(|probe| probe.operation.show(&mut within(own, see)));
        self.flat.show_names(&mut within_named(own, see));
        self.lifecycle.iter_mut().for_each(|lifecycle| lifecycle.show_names(&mut within(own, see)));
    }
}

impl Operation {
    fn show_names(&mut self, see: &mut See<'_>) {
        self.headers.iter_mut().for_each(|header| header.show(see));
        self.confirm.show_names(see);
        self.window.show_names(see);
        self.repeat.show_names(see);
        let Listing { id, each, list, pages, shows, instruments, prices } = &mut self.listing;
        if pages.is_some() || matches!(self.response, Response::Page { .. }) {
            id.show_names(see);
            each.show_names(see);
        }
        list.show_names(see);
        pages.show_names(see);
        shows.show_names(see);
        instruments.show_names(see);
        prices.show_names(see);
        if let Response::Page { next, .. } = &mut self.response {
            next.show(see);
        }
        self.batch.show_names(see);
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
