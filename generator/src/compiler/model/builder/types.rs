//! `types.yaml` -> enums, identifiers, choices, records; and the forms in which values travel.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::fields::mark_inner_lists;
use super::{FamilyBuilder, dates, placed, text_of};
use crate::compiler::diagnostics::{Code, Help, Kind, Place, unknown};
use crate::compiler::load::{Named, Spanned, Text, Texts, raw};
use crate::compiler::model::types::Truth;
use crate::compiler::model::{
    Case, Choice, ChoiceKind, Dates, Decided, Enum, EnumValue, Field, Form, Identifier, OneOf, Pattern, Record,
    RecordCase, RecordForm, Type, built_in, variant_name,
};
use crate::compiler::words::Travels;

/// The meaning of each type name of a family.
pub(super) struct TypeNames {
    types: HashMap<String, (Type, Place, String)>,
    /// Names that are defined twice, each with both places.
    twice: Vec<(String, Place, Place)>,
    uses: RefCell<Uses>,
}

/// The types that were named, by the type whose definition names them.
#[derive(Default)]
struct Uses {
    /// The type that is being defined; `None` outside of types.
    within: Option<String>,
    named: HashMap<Option<String>, BTreeSet<String>>,
}

impl Uses {
    /// Returns the types that operations and the family name, and those that these name in turn.
    fn reached(&self) -> BTreeSet<&str> {
        let named = |by: &Option<String>| self.named.get(by).into_iter().flatten().map(String::as_str);
        let (mut reached, mut open) = (BTreeSet::new(), named(&None).collect::<Vec<_>>());
        while let Some(name) = open.pop() {
            if reached.insert(name) {
                open.extend(named(&Some(name.to_owned())));
            }
        }
        reached
    }
}

impl TypeNames {
    pub(super) fn of(raw: &raw::Types) -> Self {
        let mut names = Self { types: HashMap::new(), twice: Vec::new(), uses: RefCell::default() };
        names.add_all(&raw.enums, Type::Enum, |raw| text_of(&raw.doc));
        names.add_all(&raw.identifiers, Type::Identifier, |raw| text_of(&raw.doc));
        names.add_all(&raw.choices, Type::Choice, |raw| text_of(&raw.doc));
        names.add_all(&raw.records, Type::Record, |raw| text_of(&raw.doc));
        names
    }

    fn add_all<T>(&mut self, raw: &Named<Spanned<T>>, make: fn(usize) -> Type, doc: fn(&T) -> String) {
        for (index, (name, value)) in raw.iter().enumerate() {
            let entry = (make(index), name.place, doc(value));
            if let Some((_, first, _)) = self.types.get(&name.value) {
                self.twice.push((name.value.clone(), *first, name.place));
            } else {
                self.types.insert(name.value.clone(), entry);
            }
        }
    }

    /// Returns types with the name of a built-in type, each with its place.
    fn built_in(&self) -> Vec<(&str, &Place)> {
        let taken = built_in().filter_map(|(name, _)| Some((name, &self.types.get(name)?.1)));
        taken.collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<Type> {
        let built_in = built_in().find(|(known, _)| *known == name).map(|(_, ty)| ty);
        built_in.or_else(|| self.types.get(name).map(|(ty, ..)| *ty))
    }

    /// Returns the documentation of a field of this type that has none of its own.
    pub(super) fn doc(&self, name: &str) -> &str {
        self.types.get(name).map_or("", |(_, _, doc)| doc)
    }

    fn all(&self) -> Vec<(&str, Option<Place>)> {
        let own = self.types.iter().map(|(name, (_, place, _))| (name.as_str(), Some(*place)));
        let mut all: Vec<_> = built_in().map(|(name, _)| (name, None)).chain(own).collect();
        all.sort_unstable();
        all
    }
}

/// The names of the built-in types in other languages.
const CALLED_OTHERWISE: [(&str, &[&str]); 6] = [
    ("string", &["str", "text", "char", "varchar"]),
    ("decimal", &["number", "float", "double", "numeric"]),
    ("integer", &["int", "int32", "int64", "long", "uint", "uint32", "uint64"]),
    ("boolean", &["bool"]),
    ("time", &["timestamp", "datetime"]),
    ("json", &["object", "any"]),
];

/// Returns the built-in type that another language calls so.
fn called_otherwise(name: &str) -> Option<Help> {
    let lower = name.to_ascii_lowercase();
    let within = ["list<", "array<", "vec<"].into_iter().find_map(|list| lower.strip_prefix(list)?.strip_suffix('>'));
    if let Some(item) = within.or(lower.strip_suffix("[]")) {
        return Some(Help::from(format!("write `list: {item}` in place of `type`")));
    }
    let (own, _) = CALLED_OTHERWISE.iter().find(|(_, others)| others.contains(&lower.as_str()))?;
    Some(Help::renamed(name, own))
}

impl FamilyBuilder<'_, '_> {
    /// Returns the type that a name stands for; an unknown name is reported.
    pub(super) fn resolve(&mut self, name: &Text) -> Type {
        if let Some(ty) = self.names.get(&name.value) {
            let uses = &mut *self.names.uses.borrow_mut();
            uses.named.entry(uses.within.clone()).or_default().insert(name.value.clone());
            return ty;
        }
        let help = called_otherwise(&name.value).unwrap_or_else(|| {
            unknown(&name.value, self.names.all(), || {
                let file = self.family.types_path.display();
                format!("define it in {file}, or use string, decimal, integer, signed, boolean, time or json")
            })
        });
        self.at(name.place, Code::UndefinedType, format!("unknown type `{}`", name.value)).help(help);
        Type::Undefined
    }

    /// Builds each definition; the types that it names are used only if it is.
    fn define<T, D>(&mut self, all: &[(Text, T)], build: impl Fn(&mut Self, &Text, &T) -> D) -> Vec<D> {
        let define = |(name, raw): &(Text, T)| {
            self.names.uses.borrow_mut().within = Some(name.value.clone());
            build(self, name, raw)
        };
        let defined = all.iter().map(define).collect();
        self.names.uses.borrow_mut().within = None;
        defined
    }

    /// Reports types that nothing uses, or only each other.
    pub(super) fn refuse_unused(&mut self) {
        if self.builder.documents.incomplete {
            return;
        }
        let uses = self.names.uses.borrow();
        let used = uses.reached();
        for (name, (_, place, _)) in self.names.types.iter().filter(|(name, _)| !used.contains(name.as_str())) {
            self.at(*place, Code::Unused, format!("unused type `{name}`"))
                .kind(Kind::Type)
                .help("remove it, or use it as the type of a parameter or a field");
        }
    }

    /// Returns the index of the record with this name.
    pub(super) fn resolve_record(&mut self, name: &Text) -> Option<usize> {
        match self.resolve(name) {
            Type::Record(index) => Some(index),
            Type::Undefined => None,
            _ => {
                let file = self.family.types_path.display();
                let help = format!("name one of the `records` of {file}");
                self.at(name.place, Code::WrongType, format!("expected a record, found `{}`", name.value)).help(help);
                None
            }
        }
    }

    pub(super) fn enums(&mut self) -> Vec<Enum> {
        for (name, place) in self.names.built_in() {
            self.at(*place, Code::ReservedName, format!("the type name `{name}` is built in")).help("rename it");
        }
        for (name, first, second) in &self.names.twice {
            self.at(*second, Code::DefinedTwice, format!("duplicate type `{name}`"))
                .related(*first, "first defined here")
                .help("rename one of them");
        }
        let family = self.family;
        family.types.enums.iter().map(|(name, raw)| self.enumeration(name, raw)).collect()
    }

    fn enumeration(&mut self, name: &Text, raw: &Spanned<raw::Enum>) -> Enum {
        if raw.values.has_none() && !self.builder.to.is_unread(name.place.file, "values") {
            self.at(name.place, Code::MissingKey, format!("the enum `{}` has no values", name.value))
                .help("list them under `values`, each with its meaning");
        }
        let values: Vec<_> = raw
            .values
            .iter()
            .map(|(wire, value)| EnumValue {
                name: self.name(wire, &value.rust, "value", variant_name),
                doc: text_of(&value.doc),
                also: value.also.iter().map(placed).collect(),
                sources: self.builder.sources(value.sources.as_ref(), None),
                deprecated: value.deprecated.clone(),
                dates: Dates {
                    by: self.builder.dated_by(value.dated_by.as_ref()),
                    ..dates(value.from.as_ref(), value.until.as_ref())
                },
            })
            .collect();
        let truth_of = |wanted: bool| {
            let name = raw.truth.iter().find(|(_, truth)| truth.value == wanted).map(|(name, _)| name)?;
            values.iter().position(|value: &EnumValue| value.name.wire == name.value)
        };
        let truth = truth_of(true).zip(truth_of(false));
        let truth_places = raw.truth.iter().map(|(name, _)| placed(name)).collect();
        Enum {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            values,
            truth,
            truth_places,
            counterpart: raw.counterpart.clone(),
        }
    }

    pub(super) fn identifiers(&mut self) -> Vec<Identifier> {
        let family = self.family;
        family.types.identifiers.iter().map(|(name, raw)| self.identifier(name, raw)).collect()
    }

    fn identifier(&mut self, name: &Text, raw: &Spanned<raw::Identifier>) -> Identifier {
        let length = raw.length.as_ref().and_then(|length| self.builder.length(length, 1));
        Identifier {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            length,
            alphabet: raw.alphabet.as_ref().map(placed),
            forms: raw.forms.iter().filter_map(|(name, pattern)| self.form(name, pattern)).collect(),
            mint: raw.mint.as_ref().filter(|mint| mint.value).map(|mint| mint.place),
        }
    }

    /// Reads a form: its pattern, and the one that an instrument decides.
    fn form(&mut self, name: &Text, raw: &raw::Form) -> Option<Form> {
        let Some(pattern) = &raw.pattern else {
            self.builder.missing("pattern", name.place);
            self.builder.to.note_unread(name.place.file, "forms");
            return None;
        };
        let decided = match (&raw.also, &raw.decided_by) {
            (Some(also), Some(by)) => Some(Decided { also: self.pattern(also)?, by: placed(by) }),
            (None, None) => None,
            (Some(lone), None) | (None, Some(lone)) => {
                let help = match raw.also {
                    Some(_) => {
                        "add `decided_by: flag`, the flag of an instrument that tells such texts apart, or remove `also`"
                    }
                    None => "add `also`, the other spelling in which the flag decides, or remove `decided_by`",
                };
                let message = "`also` and `decided_by` of a form go together";
                self.at(lone.place, Code::Misplaced, message).help(help);
                None
            }
        };
        Some(Form { name: self.field_name(name, &None), pattern: self.pattern(pattern)?, decided })
    }

    /// Reads a pattern such as `a*z`: its beginning and its end.
    fn pattern(&mut self, pattern: &Text) -> Option<Pattern> {
        let Some((prefix, alphabet, suffix)) = form_parts(&pattern.value) else {
            self.builder.to.note_unread(pattern.place.file, "forms");
            self.at(pattern.place, Code::BadAlphabet, format!("invalid form `{}`", pattern.value)).help(
                "write what it begins and ends with, and one `*` for what is between, such as `a*z`, or \
                     `[A-Z]*` for what has only such characters there",
            );
            return None;
        };
        Some(Pattern {
            text: pattern.value.clone(),
            place: pattern.place,
            prefix: prefix.to_owned(),
            alphabet: alphabet.map(str::to_owned),
            suffix: suffix.to_owned(),
        })
    }

    pub(super) fn choices(&mut self) -> Vec<Choice> {
        let family = self.family;
        self.define(&family.types.choices, Self::choice)
    }

    fn choice(&mut self, name: &Text, raw: &Spanned<raw::Choice>) -> Choice {
        let mut kind = match (&raw.choose_by, raw.one_of.has_none()) {
            (None, false) => self.choice_by_presence(raw),
            (Some(decider), true) => self.choice_by_value(decider, raw),
            _ => {
                self.at(
                    name.place,
                    Code::BadChoice,
                    format!("the choice `{}` must have either `one_of` or `choose_by`", name.value),
                )
                .help("`one_of` lists parameters of which one is sent; `choose_by` names the one that decides");
                ChoiceKind::Presence { alternatives: Vec::new(), wins: None }
            }
        };
        match &mut kind {
            ChoiceKind::Presence { alternatives, .. } => mark_inner_lists(alternatives),
            ChoiceKind::Value { cases, .. } => cases.iter_mut().for_each(|case| mark_inner_lists(&mut case.parameters)),
        }
        Choice { name: self.type_name(name, &raw.rust), doc: text_of(&raw.doc), kind }
    }

    fn choice_by_presence(&mut self, raw: &Spanned<raw::Choice>) -> ChoiceKind {
        let cases = raw.cases.first().map(|(name, _)| name.place);
        let ty = raw.r#type.as_ref().map(|ty| ty.place);
        self.refuse_keys(&[("type", ty), ("cases", cases)], "requires `choose_by`");
        let alternatives = raw.one_of.iter().map(|(name, field)| self.parameter(name, field)).collect();
        ChoiceKind::Presence { alternatives, wins: raw.wins.as_ref().map(placed) }
    }

    fn choice_by_value(&mut self, decider: &Text, raw: &Spanned<raw::Choice>) -> ChoiceKind {
        let wins = raw.wins.as_ref().map(|wins| wins.place);
        self.refuse_keys(&[("wins", wins)], "requires `one_of`");
        let Some(ty) = &raw.r#type else {
            self.builder.missing("type", raw.place);
            return ChoiceKind::Presence { alternatives: Vec::new(), wins: None };
        };
        let enum_index = match self.resolve(ty) {
            Type::Enum(index) => index,
            Type::Undefined => return ChoiceKind::Presence { alternatives: Vec::new(), wins: None },
            _ => {
                self.at(ty.place, Code::BadChoice, format!("expected an enum, found `{}`", ty.value))
                    .help("the deciding parameter must be an enum");
                return ChoiceKind::Presence { alternatives: Vec::new(), wins: None };
            }
        };
        let cases = self.cases(raw, enum_index);
        ChoiceKind::Value { decider: self.field_name(decider, &None), enum_index, cases }
    }

    fn cases(&mut self, raw: &Spanned<raw::Choice>, enum_index: usize) -> Vec<Case> {
        let values: Vec<&Text> = self
            .family
            .types
            .enums
            .get(enum_index)
            .map(|(_, raw)| raw.values.iter().map(|(value, _)| value).collect())
            .unwrap_or_default();
        let mut cases = Vec::new();
        for (value, parameters) in raw.cases.iter() {
            let Some(index) = values.iter().position(|known| known.value == value.value) else {
                if values.is_empty() {
                    continue;
                }
                let known = values.iter().map(|known| (known.value.as_str(), Some(known.place)));
                let help = unknown(&value.value, known, || "the cases are the values of the deciding enum".to_owned());
                self.at(
                    value.place,
                    Code::BadChoice,
                    format!("`{}` has no value `{}`", raw.r#type.as_ref().map_or("", |ty| &ty.value), value.value),
                )
                .help(help);
                continue;
            };
            let parameters = parameters.iter().map(|(name, field)| self.parameter(name, field)).collect();
            cases.push(Case { value: index, parameters });
        }
        // An unknown value is a misspelling of one of those that are missing.
        let are_known = raw.cases.iter().all(|(value, _)| values.iter().any(|known| known.value == value.value));
        for (index, value) in values.iter().enumerate().filter(|_| are_known) {
            if !cases.iter().any(|case| case.value == index) {
                let place = raw.choose_by.as_ref().map_or(raw.place, |decider| decider.place);
                self.at(place, Code::BadChoice, format!("missing case `{}`", value.value))
                    .related(value.place, "the value is defined here")
                    .help(format!("add `{}: {{}}` to `cases` if it has no parameters", value.value));
            }
        }
        cases.sort_by_key(|case| case.value);
        cases
    }

    pub(super) fn records(&mut self) -> Vec<Record> {
        let family = self.family;
        self.define(&family.types.records, Self::record)
    }

    fn record(&mut self, name: &Text, raw: &Spanned<raw::Record>) -> Record {
        let mut fields = Vec::new();
        let is_whole = self.collect_fields(raw, &mut vec![name.value.clone()], &mut fields);
        let is_empty = raw.fields.is_none() && raw.includes.is_none() && raw.one_of.is_none();
        let is_unread = |key| self.builder.to.is_unread(name.place.file, key);
        if is_empty && !["fields", "includes", "one_of"].into_iter().any(is_unread) {
            self.at(name.place, Code::MissingKey, format!("the record `{}` has no fields", name.value))
                .help("list them under `fields`; write `fields: {}` for a record without any, or `one_of`");
        }
        Record {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            source: self.builder.source(&raw.source),
            is_abstract: raw.r#abstract.unwrap_or(false),
            is_observed: raw.observed.unwrap_or(false),
            travels: self.record_form(raw),
            key: raw.key.as_ref().map(placed),
            fields,
            is_whole,
        }
    }

    fn record_form(&mut self, raw: &Spanned<raw::Record>) -> RecordForm {
        if let Some(one_of) = self.one_of(raw) {
            return RecordForm::OneOf(one_of);
        }
        let is_array = raw.by_position.unwrap_or(false);
        match raw.as_value.as_ref().filter(|as_value| as_value.value) {
            Some(as_value) if is_array => {
                self.at(as_value.place, Code::Misplaced, "both `as_value` and `by_position`")
                    .help("remove one of them: a record is the value of its only field, or an array of its fields");
                RecordForm::Array
            }
            Some(as_value) => RecordForm::Value(as_value.place),
            None if is_array => RecordForm::Array,
            None => RecordForm::Object,
        }
    }

    /// Returns what decides which of several records it is; it has nothing of its own then.
    fn one_of(&mut self, raw: &Spanned<raw::Record>) -> Option<OneOf> {
        let Some(cases) = &raw.one_of else {
            let decider = raw.choose_by.as_ref().map(|decider| decider.place);
            self.refuse_keys(&[("choose_by", decider)], "requires `one_of`");
            return None;
        };
        let first_field = raw.fields.as_ref().map(|fields| fields.first().map_or(raw.place, |(name, _)| name.place));
        let keys = [
            ("fields", first_field),
            ("includes", raw.includes.as_ref().map(|key| key.place)),
            ("by_position", raw.by_position.filter(|is_so| *is_so).map(|_| raw.place)),
            ("as_value", raw.as_value.as_ref().map(|key| key.place)),
            ("key", raw.key.as_ref().map(|key| key.place)),
            ("abstract", raw.r#abstract.filter(|is_so| *is_so).map(|_| raw.place)),
        ];
        self.refuse_keys(&keys, "contradicts `one_of`: the record is one of others");
        let case = |builder: &mut Self, (name, told_by): &(Text, Texts)| {
            let record = builder.resolve_record(name)?;
            Some(RecordCase { record, place: name.place, told_by: told_by.iter().map(placed).collect() })
        };
        let found = cases.iter().filter_map(|one| case(self, one)).collect();
        Some(OneOf { decider: raw.choose_by.as_ref().map(placed), cases: found, place: cases.place })
    }

    /// Returns whether all fields were found.
    fn collect_fields(&mut self, raw: &Spanned<raw::Record>, path: &mut Vec<String>, into: &mut Vec<Field>) -> bool {
        let mut is_whole = true;
        if let Some(included) = &raw.includes {
            is_whole = false;
            if path.contains(&included.value) {
                self.at(included.place, Code::Circular, format!("`{}` includes itself", included.value))
                    .kind(Kind::Includes)
                    .help("remove one of the `includes`");
            } else if let Some(index) = self.resolve_record(included) {
                let family = self.family;
                if let Some((_, base)) = family.types.records.get(index) {
                    path.push(included.value.clone());
                    is_whole = self.collect_fields(base, path, into);
                }
            }
        }
        if let Some(fields) = &raw.fields {
            // A schema has thousands of fields, so records keep no room for more.
            into.reserve_exact(fields.len());
            into.extend(fields.iter().map(|(name, field)| self.record_field(name, field)));
        }
        is_whole
    }
}

/// Returns the parts of `a*z` or `a[0-9]*z`: the beginning, the characters between, and the end.
fn form_parts(pattern: &str) -> Option<(&str, Option<&str>, &str)> {
    let (before, suffix) = pattern.split_once('*')?;
    let (prefix, alphabet) = match before.strip_suffix(']') {
        Some(before) => before.split_once('[').map(|(prefix, alphabet)| (prefix, Some(alphabet)))?,
        None => (before, None),
    };
    let is_plain = |text: &str| !text.contains(['*', '[', ']']);
    let says_something = alphabet.map_or(prefix.len() + suffix.len() > 0, |alphabet| !alphabet.is_empty());
    (is_plain(prefix) && is_plain(suffix) && says_something).then_some((prefix, alphabet, suffix))
}

/// The largest scale.
const MAX_PLACES: u8 = 30;

impl FamilyBuilder<'_, '_> {
    /// Returns a built-in type in the form that the field or the family states.
    pub(super) fn formed(&mut self, raw: &raw::Field, ty: Type) -> Type {
        if let Some(times) = raw.times.as_ref().filter(|_| !matches!(ty, Type::Time(_) | Type::Undefined)) {
            self.refuse_keys(&[("times", Some(times.place))], "is only allowed for a time");
        }
        if let Some(scale) = raw.scale.as_ref().filter(|_| !matches!(ty, Type::Decimal | Type::Undefined)) {
            self.refuse_keys(&[("scale", Some(scale.place))], "is only allowed for a decimal");
        }
        let own = raw.times.as_ref().map(|times| times.value);
        match (ty, raw.json.as_ref().map(|json| json.value)) {
            (Type::Time(as_usual), _) => Type::Time(own.or(self.family.family.times).unwrap_or(as_usual)),
            (Type::Decimal, _) => self.scaled(raw).map_or(ty, Type::Scaled),
            (Type::Boolean(_), Some(Travels::Text)) => Type::Boolean(Truth::Text),
            (Type::Boolean(_), Some(Travels::Number)) => Type::Boolean(Truth::Number),
            _ => ty,
        }
    }

    /// Returns the scale of a decimal, if the field states a valid one.
    fn scaled(&mut self, raw: &raw::Field) -> Option<u8> {
        let scale = raw.scale.as_ref()?;
        let fitting = u8::try_from(scale.value).ok().filter(|scale| (1..=MAX_PLACES).contains(scale));
        if fitting.is_none() {
            self.at(
                scale.place,
                Code::BadNumber,
                format!("expected a `scale` from 1 to {MAX_PLACES}, found {}", scale.value),
            )
            .help("write by how many places the point moves: 4, where 12.5 travels as 125000");
        }
        fitting
    }
}
