//! Names: unique on the wire and in Rust.

use std::collections::HashMap;

use super::reserved::{self, ReservedNames};
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{
    Api, Choice, ChoiceKind, EnumValue, Family, Item, ListName, Name, Operation, Parameter, Response, Role,
    WireParameter, field_name,
};

/// An element with a Rust name.
pub(super) struct RustName {
    rust: String,
    /// The element in messages: ``the enum `Side` ``.
    what: String,
    /// The name in the schema. Another rule reports elements with the same one.
    wire: String,
    place: Place,
    /// The key that changes the Rust name.
    key: &'static str,
}

impl RustName {
    pub(super) fn of(kind: &str, name: &Name) -> Self {
        Self::new(format!("the {kind} `{}`", name.wire), &name.rust, name)
    }

    /// Sets the key that changes the name, if it is not `rust`.
    pub(super) fn named_by(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    pub(super) fn new(what: String, rust: &str, name: &Name) -> Self {
        Self { rust: rust.to_owned(), what, wire: name.wire.clone(), place: name.place, key: "rust" }
    }
}

/// Checks that no two elements have the same Rust name.
pub(super) fn are_distinct(to: &mut Diagnostics, named: &[RustName]) {
    let mut first: HashMap<&str, &RustName> = HashMap::new();
    for this in named.iter().filter(|this| !this.rust.is_empty()) {
        let Some(other) = first.get(this.rust.as_str()) else {
            first.insert(&this.rust, this);
            continue;
        };
        if !this.wire.is_empty() && other.wire == this.wire {
            continue;
        }
        // Two elements may collide in several Rust names, of which only the first collision is reported.
        let is_reported = to.iter().any(|item| {
            (item.code, item.place) == (Code::NameCollision, Some(this.place))
                && item.related.iter().any(|(place, _)| *place == other.place)
        });
        if is_reported {
            continue;
        }
        let rust = shown(&this.rust);
        if this.what == other.what {
            to.at(this.place, Code::DefinedTwice, format!("{} is there twice", this.what))
                .related(other.place, "first defined here")
                .help("rename one of them");
            continue;
        }
        to.at(
            this.place,
            Code::NameCollision,
            format!("{} and {} have the same Rust name `{rust}`", other.what, this.what),
        )
        .related(other.place, format!("{} is here", other.what))
        .help(format!("rename one of them with `{}: ...`", this.key));
    }
}

/// Checks that no element has a name that emitted code needs.
pub(super) fn are_free(to: &mut Diagnostics, named: &[RustName], taken: &ReservedNames) {
    for this in named.iter().filter(|this| taken.has(&this.rust)) {
        to.at(
            this.place,
            Code::ReservedName,
            format!("{} cannot have the Rust name `{}`: {}", this.what, shown(&this.rust), taken.why),
        )
        .help(format!("rename it with `{}: ...`", this.key));
    }
}

fn shown(rust: &str) -> &str {
    rust.trim_start_matches("r#")
}

/// Checks that the name of a market or program is one of a Rust item in lower case.
pub(super) fn is_snake_case(what: &str, name: &str, place: Place, to: &mut Diagnostics) {
    let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if !is_word {
        to.at(place, Code::NotAnIdentifier, format!("invalid name of a {what} `{name}`"))
            .help("write lower-case letters, digits and underscores");
    }
}

/// Checks that the name of a family can be a module, a feature and a function of the client.
pub(super) fn family(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let name = &family.name;
    let place = Place { line: 0, ..family.place };
    if field_name(name).as_ref() != Ok(name) || name.starts_with("r#") {
        to.at(
            place,
            Code::NotAnIdentifier,
            format!("invalid family name `{name}`: it is not the name of a Rust module"),
        )
        .help("name the folder in lower case with underscores, such as `spot_margin`");
    } else if reserved::FAMILIES.has(name) || reserved::TYPES.has(&family.rust) {
        to.at(place, Code::ReservedName, format!("a family cannot be named `{name}`: {}", reserved::FAMILIES.why))
            .help("rename the folder");
    }
}

/// Checks that the types of a family, which are all in one module, have distinct names.
pub(super) fn types(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let named = types_of(family);
    are_distinct(to, &named);
    are_free(to, named.get(1..).unwrap_or_default(), &reserved::TYPES);
}

/// Returns the Rust names of the types in the module of a family.
pub(crate) fn rust_names_of_types(family: &Family) -> Vec<String> {
    types_of(family).into_iter().map(|this| this.rust).collect()
}

fn types_of(family: &Family) -> Vec<RustName> {
    let own = |what: &str, rust: &str| {
        let name = Name { wire: String::new(), rust: rust.to_owned(), place: Place { line: 0, ..family.place } };
        RustName::new(what.to_owned(), rust, &name)
    };
    let mut named = vec![
        own("the type that holds the family's operations", &family.rust),
        own("the type of the family's error codes", "ErrorCode"),
    ];
    named.extend(family.enums.iter().map(|all| RustName::of("enum", &all.name)));
    named.extend(family.identifiers.iter().map(|all| RustName::of("identifier", &all.name)));
    named.extend(family.choices.iter().flat_map(|choice| choice_types(family, choice)));
    named.extend(
        family.records.iter().filter(|record| !record.is_abstract).map(|all| RustName::of("record", &all.name)),
    );
    named.extend(family.operations.iter().flat_map(operation_types));
    named
}

/// Returns a choice and its cases.
fn choice_types(family: &Family, choice: &Choice) -> Vec<RustName> {
    let mut named = vec![RustName::of("choice", &choice.name)];
    for (EnumValue { name: value, .. }, _) in choice.cases(family).filter(|(_, case)| !case.parameters.is_empty()) {
        if !value.rust.is_empty() && !choice.name.rust.is_empty() {
            let what = format!("the case `{}` of the choice `{}`", value.wire, choice.name.wire);
            named.push(RustName::new(what, &format!("{}{}", value.rust, choice.name.rust), &choice.name));
        }
    }
    named.extend(choice.objects().into_iter().map(|object| object_type(object, &choice.name.wire)));
    named
}

fn operation_types(operation: &Operation) -> Vec<RustName> {
    let request = &operation.rust;
    let named = |what: String, rust: &str, place| RustName {
        rust: rust.to_owned(),
        what,
        wire: String::new(),
        place,
        key: "rust",
    };
    let mut all = vec![named(format!("the request of `{}`", operation.name), &request.rust, request.place)];
    if matches!(operation.response, Response::Page { .. }) && !request.rust.is_empty() {
        all.push(named(format!("the page of `{}`", operation.name), &format!("{}Page", request.rust), request.place));
    }
    for (parameter, item) in operation.items() {
        // The item of an `as` has its place at the origin; the parameter that refers to it is the one to change.
        let is_own = item.place.file == parameter.name.place.file;
        let place = if is_own { item.place } else { parameter.name.place };
        let what = format!("the item of `{}` in `{}`", parameter.name.wire, operation.name);
        all.push(RustName { key: "item", ..named(what, &item.rust, place) });
    }
    all.extend(operation.objects().into_iter().map(|object| object_type(object, &operation.name)));
    all
}

/// Returns an object, or an item of a list, within an operation or a choice.
fn object_type(object: &Item, of: &str) -> RustName {
    let (word, key) = match object.list {
        ListName::Object(_) => ("the object", "object"),
        _ => ("the item of", "item"),
    };
    let what = format!("{word} `{}` in `{of}`", object.list);
    RustName { rust: object.rust.clone(), what, wire: String::new(), place: object.place, key }
}

/// Checks that the values of an enum can be variants, and functions of the choices that it decides.
pub(super) fn values(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        let named: Vec<_> = all.values.iter().map(|value| RustName::of("value", &value.name)).collect();
        are_distinct(to, &named);
        are_free(to, &named, &reserved::VARIANTS);
    }
    for choice in &family.choices {
        let maker = |EnumValue { name, .. }: &EnumValue| {
            Some(RustName::new(format!("the value `{}`", name.wire), &name.function()?, name))
        };
        let with_more = choice.cases(family).filter(|(_, case)| !case.parameters.is_empty());
        let named: Vec<_> = with_more.filter_map(|(value, _)| maker(value)).collect();
        are_distinct(to, &named);
        are_free(to, &named, &reserved::MAKERS);
        // A value with parameters that can all be left out has a second variant.
        let alone = choice.cases(family).map(|(value, _)| RustName::of("value", &value.name));
        let with = choice.cases(family).filter(|(_, case)| case.is_optional()).filter_map(|(value, case)| {
            let what = format!("the value `{}` with parameters", value.name.wire);
            Some(RustName::new(what, &case.variant_with(value)?, &value.name))
        });
        let with: Vec<_> = with.collect();
        if !with.is_empty() {
            are_distinct(to, &alone.chain(with).collect::<Vec<_>>());
        }
    }
}

/// Checks that the codes of a family can be the variants of one enum.
pub(super) fn errors(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let named: Vec<_> = family
        .errors
        .iter()
        .map(|error| RustName {
            rust: error.rust.clone(),
            what: format!("the code `{}`", error.code),
            wire: error.code.clone(),
            place: error.place,
            key: "rust",
        })
        .collect();
    are_distinct(to, &named);
    are_free(to, &named, &reserved::VARIANTS);
}

/// Checks that operations have names by which `as` and lifecycles can refer to them, and functions that can be modules,
/// too.
pub(super) fn operations(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    for operation in family.operations.iter().filter(|operation| !operation.name.chars().all(is_word)) {
        // A name that cannot become one of Rust is reported.
        if to.iter().any(|item| (item.code, item.place) == (Code::NotAnIdentifier, Some(operation.place))) {
            continue;
        }
        to.at(operation.place, Code::WrongName, format!("invalid operation name `{}`", operation.name))
            .help("name it and its file after the last segment of its path: lower-case letters, digits and hyphens");
    }
    let named: Vec<_> = family
        .operations
        .iter()
        .map(|operation| RustName {
            rust: operation.function.clone(),
            what: format!("the operation `{}`", operation.name),
            wire: operation.name.clone(),
            place: operation.rust.place,
            key: "rust",
        })
        .collect();
    are_distinct(to, &named);
    are_free(to, &named, &reserved::OPERATIONS);
}

/// Checks the parameters of each request, list and choice.
pub(super) fn parameters(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        parameter_set(family, operation.body.parameters(), to);
        for (_, item) in operation.items() {
            parameter_set(family, &item.parameters, to);
            are_below_the_top(&item.parameters, to);
        }
        for object in operation.objects() {
            parameter_set(family, &object.parameters, to);
        }
    }
    for choice in &family.choices {
        choice_members(choice, to);
        choice.objects().into_iter().for_each(|object| parameter_set(family, &object.parameters, to));
    }
}

fn parameter_set(family: &Family, parameters: &[Parameter], to: &mut Diagnostics) {
    occur_once(family, parameters, to);
    rust_fields(parameters, to);
    parameters.iter().for_each(|parameter| is_name_of_parameter(&parameter.name, to));
}

fn choice_members(choice: &Choice, to: &mut Diagnostics) {
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => {
            let variants: Vec<_> = alternatives
                .iter()
                .map(|member| {
                    let variant = member.name.variant().unwrap_or_default();
                    RustName::new(format!("the alternative `{}`", member.name.wire), &variant, &member.name)
                })
                .collect();
            are_distinct(to, &variants);
            are_below_the_top(alternatives, to);
        }
        ChoiceKind::Value { decider, cases, .. } => {
            is_name_of_parameter(decider, to);
            for case in cases {
                rust_fields(&case.parameters, to);
                are_below_the_top(&case.parameters, to);
            }
        }
    }
    choice.members().into_iter().for_each(|member| is_name_of_parameter(&member.name, to));
}

fn rust_fields(parameters: &[Parameter], to: &mut Diagnostics) {
    let named = |parameter: &Parameter| RustName::of("parameter", &parameter.name);
    are_distinct(to, &parameters.iter().map(named).collect::<Vec<_>>());
    let with_setter = parameters.iter().filter(|parameter| parameter.need != crate::compiler::model::Need::Always);
    are_free(to, &with_setter.map(named).collect::<Vec<_>>(), &reserved::SETTERS);
}

/// Checks that `[]` denotes a body that is an array, and nothing else.
fn are_below_the_top(parameters: &[Parameter], to: &mut Diagnostics) {
    for parameter in parameters.iter().filter(|parameter| parameter.is_body()) {
        to.at(
            parameter.name.place,
            Code::Misplaced,
            "`[]` denotes an array body and is only allowed at the top of `request`",
        )
        .help("use the parameter's name on the wire");
    }
}

/// Checks that a name on the wire is sent once, whether alone or as part of a choice.
fn occur_once(family: &Family, parameters: &[Parameter], to: &mut Diagnostics) {
    let names = family.names(parameters);
    for (index, second) in names.iter().enumerate() {
        let comes_again =
            |first: &&WireParameter<'_>| first.name.wire == second.name.wire && !std::ptr::eq(first.of, second.of);
        if let Some(first) = names.iter().take(index).find(comes_again) {
            to.at(second.of.name.place, Code::DefinedTwice, format!("duplicate parameter `{}`", second.name.wire))
                .related(first.of.name.place, format!("the first one {}", origin(first)))
                .help("remove one of them; a parameter is sent once");
        }
    }
}

fn origin(wire: &WireParameter<'_>) -> String {
    match wire.role {
        Role::Plain(_) => "is defined here".to_owned(),
        Role::Alternative(_) | Role::Decider(_) | Role::Member(_) => {
            format!("comes with the choice `{}`", wire.of.name.wire)
        }
    }
}

/// Clients write names of parameters without escaping them.
fn is_name_of_parameter(name: &Name, to: &mut Diagnostics) {
    if name.wire.contains(|c: char| c == '"' || c == '\\' || c.is_control()) {
        to.at(name.place, Code::ReservedName, format!("the name `{}` needs escapes in JSON", name.wire))
            .help("the schema language cannot express this name of a parameter");
    }
    is_nameable(name, to);
}

/// Checks that the name of a parameter or field can be used in conditions.
fn is_nameable(name: &Name, to: &mut Diagnostics) {
    if reserved::CONDITION_WORDS.has(&name.wire) {
        to.at(
            name.place,
            Code::ReservedName,
            format!("a parameter or field cannot be named `{}`: {}", name.wire, reserved::CONDITION_WORDS.why),
        )
        .help("the schema language cannot express this name");
    }
}

/// Checks the fields of records, including those of included records, and the members of pages.
pub(super) fn fields(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for record in &family.records {
        let mut first: HashMap<&str, Place> = HashMap::new();
        for field in &record.fields {
            is_nameable(&field.name, to);
            // What `includes` leads to is uncertain where it cannot be followed to its end.
            if let Some(place) = first.insert(&field.name.wire, field.name.place).filter(|_| record.is_whole) {
                to.at(
                    field.name.place,
                    Code::DefinedTwice,
                    format!("duplicate field `{}`: an included record already has it", field.name.wire),
                )
                .related(place, "it comes from here")
                .help("remove one of them");
            }
        }
        are_distinct(to, &record.fields.iter().map(|field| RustName::of("field", &field.name)).collect::<Vec<_>>());
    }
    for operation in &family.operations {
        if let Response::Page { list, cursor, .. } = &operation.response {
            is_nameable(list, to);
            is_nameable(cursor, to);
            if list.rust == cursor.rust && !list.rust.is_empty() {
                to.at(
                    cursor.place,
                    Code::NameCollision,
                    format!("the list and the cursor of the page have the same Rust name `{}`", shown(&list.rust)),
                )
                .related(list.place, "the list is here")
                .help("use the names of the two members on the wire");
            }
        }
    }
}
