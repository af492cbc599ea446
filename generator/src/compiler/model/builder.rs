//! The steps from raw documents to the model that all concepts share. Missing, undefined and unusable names are reported
//! here and left out; values that are there but wrong are reported by [`crate::compiler::check`].

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::names::NoIdentifier;
use super::{
    AnswerPath, Dates, Day, Duration, ListName, Name, Placed, Source, Sources, Type, built_in, field_name, type_name,
};
use crate::compiler::diagnostics::{Code, DiagnosticBuilder, Diagnostics, Help, Kind, Place, is_invisible, unknown};
use crate::compiler::load::{Documents, FamilyDocuments, Named, Spanned, Text, raw};

/// The state that all steps of building share.
pub(super) struct Builder<'a> {
    pub(super) documents: &'a Documents,
    pub(super) to: &'a mut Diagnostics,
    pub(super) known_document: &'a dyn Fn(&str) -> bool,
}

/// Returns the text; empty if there is none.
pub(super) fn text_of(text: &Option<Text>) -> String {
    text.as_ref().map(|text| text.value.trim().to_owned()).unwrap_or_default()
}

/// Returns a text and its place, in the form of the model.
pub(super) fn placed(text: &Text) -> Placed {
    (text.value.clone(), text.place)
}

/// Returns a list of the request and its place.
pub(super) fn placed_list(text: &Text) -> (ListName, Place) {
    (ListName::new(&text.value), text.place)
}

impl Builder<'_> {
    /// Returns the value of a required key; reports it if it is missing.
    pub(super) fn need(&mut self, value: &Option<Text>, key: &str, place: Place) -> String {
        match value {
            Some(text) if !text.value.trim().is_empty() => text.value.trim().to_owned(),
            Some(text) => {
                self.at(text.place, Code::MissingKey, format!("`{key}` is empty")).help("write a value");
                String::new()
            }
            None => {
                self.missing(key, place);
                String::new()
            }
        }
    }

    /// Returns the shortest length, at least `least`, and the longest one.
    pub(super) fn length(&mut self, raw: &Spanned<Vec<Spanned<u32>>>, least: u32) -> Option<(u32, u32)> {
        match raw.value.as_slice() {
            [min, max] if (least..=max.value).contains(&min.value) && max.value > 0 => Some((min.value, max.value)),
            // A number that could not be read is reported.
            lengths if lengths.len() < 2 && self.to.is_mistaken_within(raw.place) => None,
            _ => {
                self.at(raw.place, Code::BadAlphabet, "expected two numbers, the shortest length first")
                    .help("write `length: [1, 32]`");
                None
            }
        }
    }

    pub(super) fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        self.to.at(place, code, message)
    }

    pub(super) fn missing(&mut self, key: &str, place: Place) {
        self.to.lacking(place, key);
    }

    /// Reports each of these keys that is there.
    pub(super) fn refuse_keys(&mut self, keys: &[(&str, Option<Place>)], why: &str) {
        for (key, place) in keys.iter().filter_map(|(key, place)| Some((key, (*place)?))) {
            self.at(place, Code::Misplaced, format!("`{key}` {why}")).help("remove it");
        }
    }

    /// Reports each of these keys that is not there.
    pub(super) fn need_keys(&mut self, keys: &[(&str, bool)], place: Place) {
        keys.iter().filter(|(_, is_there)| !is_there).for_each(|(key, _)| self.missing(key, place));
    }

    /// Returns who has seen what no document describes: at least two, because one can be wrong.
    pub(super) fn sources(&mut self, sources: Option<&Spanned<Vec<Text>>>, documented: Option<&Source>) -> Sources {
        let Some(sources) = sources else { return Sources::new() };
        let distinct: BTreeSet<&str> = sources.value.iter().map(|source| source.value.trim()).collect();
        if distinct.len() < 2 {
            self.at(sources.place, Code::BadSources, "what no document describes needs at least two sources")
                .help("name another source that has seen it independently, or remove what only one has seen");
        }
        if let Some(documented) = documented {
            self.at(sources.place, Code::BadSources, "`source` and `sources` exclude each other")
                .related(documented.place, "its `source` is here")
                .help("keep `source` for what a document describes, and `sources` for what none does");
        }
        sources.value.iter().map(placed).collect()
    }

    /// Returns who states the days of a fact: a document, or several who have seen them.
    pub(super) fn dated_by(&mut self, by: Option<&Spanned<Vec<Text>>>) -> Sources {
        match by.map(|by| by.value.as_slice()) {
            Some([document]) => {
                self.known_document(document.value.split(',').next().unwrap_or_default(), document.place);
                vec![placed(document)]
            }
            _ => self.sources(by, None),
        }
    }

    /// Returns where a document describes a part of the API: in one of its sections.
    pub(super) fn source(&mut self, source: &Option<Source>) -> Option<Source> {
        if let Some(source) = source.as_ref().filter(|source| source.section.is_none()) {
            self.at(source.place, Code::BadSources, "a `source` without a section")
                .help("add `section: ..`, the heading of the section that describes it");
        }
        self.source_of_all(source)
    }

    /// Returns the document that describes a family.
    pub(super) fn source_of_all(&mut self, source: &Option<Source>) -> Option<Source> {
        let (document, place) = &source.as_ref()?.document;
        self.known_document(document, *place);
        source.clone()
    }

    /// Reports a document that `api.yaml` does not name.
    pub(super) fn known_document(&mut self, document: &str, place: Place) {
        if !(self.known_document)(document) {
            let known = self.documents.api.documents.iter().map(|(id, _)| (id.value.as_str(), Some(id.place)));
            let file = self.to.api_file();
            let help = unknown(document, known, || format!("expected one of the `documents` in {file}")).of_api();
            if !self.documents.incomplete && !self.to.is_unread(self.documents.api_place.file, document) {
                self.at(place, Code::UndefinedName, format!("unknown document `{document}`")).help(help);
            }
        }
    }

    pub(super) fn duration(&mut self, text: Option<&Text>) -> Option<Duration> {
        let text = text?;
        let duration = Duration::parse(&text.value);
        if duration.is_none() {
            self.at(text.place, Code::BadDuration, format!("invalid duration `{}`", text.value))
                .help("write a number and a unit, such as `30 seconds`, `1 week` or `3 months`");
        }
        duration
    }

    /// Reports the second of two texts that differ in case at most.
    pub(super) fn refuse_twice(&mut self, texts: &[&Option<Text>], code: Code, what: &str) {
        let texts: Vec<&Text> = texts.iter().filter_map(|text| text.as_ref()).collect();
        for (index, text) in texts.iter().enumerate() {
            if let Some(first) = texts.iter().take(index).find(|first| first.value.eq_ignore_ascii_case(&text.value)) {
                self.at(text.place, code, format!("{what} have the same name `{}`", text.value))
                    .related(first.place, "the first one")
                    .help("correct one of them");
            }
        }
    }

    /// Returns the path that is the value of a key.
    pub(super) fn path(&mut self, text: &str, place: Place, key: &str) -> Option<AnswerPath> {
        let name = text.trim();
        let path = AnswerPath::parse(name);
        if name.is_empty() {
            self.at(place, Code::MissingKey, format!("`{key}` is empty")).help("write a value");
        } else if path.is_none() {
            self.at(place, Code::BadValue, format!("invalid path `{name}`"))
                .help("write the name of a member, or a path such as `error.code` or `errors[0].code`");
        }
        path
    }

    pub(super) fn check_header(&mut self, name: &str, place: Place) {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if !name.is_empty() && !name.bytes().all(is_token) {
            self.at(place, Code::BadHeader, format!("invalid header name `{name}`"))
                .help("a header name consists of letters, digits and hyphens");
        }
    }

    pub(super) fn refuse_empty(&mut self, wire: &Text, what: &str) {
        if wire.value.trim().is_empty() {
            self.at(wire.place, Code::NotAnIdentifier, format!("the {what} name is empty")).help("write the name");
        }
    }

    /// Returns the name given with `rust`, or the one made from the wire name.
    pub(super) fn rust_name(
        &mut self,
        given: &Option<Text>,
        wire: &str,
        place: Place,
        what: &str,
        make: fn(&str) -> Result<String, NoIdentifier>,
    ) -> String {
        let (from, place) = match given {
            Some(given) => (given.value.as_str(), given.place),
            None => (wire, place),
        };
        let made = make(from);
        match (given, &made) {
            (Some(given), Err(_)) => {
                self.at(given.place, Code::NotAnIdentifier, format!("invalid Rust name `{from}`"))
                    .help("use ASCII letters, digits and underscores, and do not start with a digit");
            }
            (Some(given), Ok(made)) if made.trim_start_matches("r#") != from => {
                let made = made.trim_start_matches("r#");
                self.at(given.place, Code::NotAnIdentifier, format!("invalid Rust name `{from}`: expected `{made}`"))
                    .help("types and variants are spelled `LikeThis`, fields and functions `like_this`");
            }
            // An invisible character has already been reported.
            (None, Err(_)) if !from.is_empty() && !from.contains(is_invisible) => {
                let unexpected = from.chars().find(|c| !c.is_ascii());
                let why = unexpected.map(|c| format!(": U+{:04X} is not ASCII", u32::from(c))).unwrap_or_default();
                let message = format!("the {what} name `{from}` cannot become a Rust name{why}");
                self.at(place, Code::NotAnIdentifier, message.replace("the  ", "the "))
                    .help("add its Rust name with `rust: ...`");
            }
            _ => {}
        }
        made.unwrap_or_default()
    }
}

/// Returns the days of the keys `from` and `until`.
pub(super) fn dates_of(from: Option<&Spanned<Day>>, until: Option<&Spanned<Day>>) -> Dates {
    let placed = |day: &Spanned<Day>| (day.value, day.place);
    Dates { from: from.map(placed), until: until.map(placed), by: Sources::new() }
}

/// The family that is being built, with its types.
pub(super) struct FamilyBuilder<'a, 'b> {
    pub(super) family: &'a FamilyDocuments,
    pub(super) names: &'a TypeNames,
    pub(super) builder: &'a mut Builder<'b>,
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        self.builder.at(place, code, message)
    }

    pub(super) fn refuse_keys(&mut self, keys: &[(&str, Option<Place>)], why: &str) {
        self.builder.refuse_keys(keys, why);
    }

    pub(super) fn name(
        &mut self,
        wire: &Text,
        rust: &Option<Text>,
        what: &str,
        make: fn(&str) -> Result<String, NoIdentifier>,
    ) -> Name {
        self.builder.refuse_empty(wire, what);
        let rust = self.builder.rust_name(rust, wire.value.trim(), wire.place, what, make);
        Name { wire: wire.value.clone(), rust, place: wire.place }
    }

    pub(super) fn field_name(&mut self, wire: &Text, rust: &Option<Text>) -> Name {
        self.name(wire, rust, "field", field_name)
    }

    pub(super) fn type_name(&mut self, wire: &Text, rust: &Option<Text>) -> Name {
        self.name(wire, rust, "type", type_name)
    }
}

/// The meaning of each type name of a family.
pub(super) struct TypeNames {
    types: HashMap<String, (Type, Place, String)>,
    /// Names that are defined twice, each with both places.
    pub(super) twice: Vec<(String, Place, Place)>,
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
    pub(super) fn reached(&self) -> BTreeSet<&str> {
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
    pub(super) fn built_in(&self) -> Vec<(&str, &Place)> {
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

    pub(super) fn all(&self) -> Vec<(&str, Option<Place>)> {
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
    pub(super) fn define<T, D>(&mut self, all: &[(Text, T)], build: impl Fn(&mut Self, &Text, &T) -> D) -> Vec<D> {
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
}
