//! The model as a tree of elements. Each element has keys: every statement of the schema once, in words, with its place
//! and with the effect of a change on those who depend on the emitted crate. It also has facts: the statements that a
//! document makes about it, by names on the wire.
//!
//! `diff` compares the trees of two versions; `explain`, the documentation of the emitted crate and the OpenAPI
//! document show the keys that have no form of their own there. `facts` prints the facts, and the audit compares them.
//! Each element is made from all members of its part of the model, so that a new member does not compile until it is a
//! key or a fact, or is left out on purpose.
//!
//! One walk makes keys and facts, because two would have to be changed together. A fact says what a document says, so
//! that a choice becomes its parameters, and a transition one from each state. The facts of a choice belong to the
//! operation that sends it.

pub(super) mod means;

use std::collections::BTreeMap;
use std::fmt::Display;

use super::facts::Fact;
use super::phrases::PLAIN;
use super::{
    Api, Dates, Day, Deprecated, Family, Name, NamesWithin, Placed, Reference, Shape, Source, Sources, Truth, Type,
    Unit, declared, phrases,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::json::Value;

pub use means::Class;
pub(crate) use means::{Means, Verdict, additive, behaviour, breaking, documentation};

/// An element of the schema: an operation, a parameter, a rule.
pub(crate) struct Element {
    /// The kind of element, in words.
    pub(crate) kind: &'static str,
    /// The full name: `unified.place-order.price`.
    pub(crate) path: String,
    /// The names that identify it in another version; the first one takes precedence.
    pub(crate) names: [String; 2],
    pub(crate) place: Place,
    /// True if no document describes it and what it holds.
    pub(super) is_observed: bool,
    /// Where it is written out; differs from its place if another element only refers to it.
    pub(crate) written: Place,
    pub(crate) keys: Vec<Key>,
    /// The facts, each with its place in the schema.
    pub(super) facts: Vec<(Place, Fact)>,
    /// The facts that no document states, although one describes the element.
    pub(super) seen: Vec<(Place, Fact)>,
    pub(crate) elements: Vec<Element>,
    /// The effect on dependents when the element is added.
    pub(crate) added: Verdict,
    /// The effect on dependents when the element is removed.
    pub(crate) removed: Verdict,
    /// Elements of different forms hold different elements, which are not compared with each other.
    pub(crate) form: &'static str,
    /// The effect of removing elements of a kind from this newer version of the element, if it is special.
    pub(crate) removed_within: Option<(&'static str, Verdict)>,
    /// The effect of another order of the elements of a kind, if there is one.
    pub(crate) order: Option<Order>,
    /// The type that `From` converts into it, unless another element of the kind has the same type.
    pub(crate) converts_from: Option<String>,
}

/// Elements whose order matters.
#[derive(Clone)]
pub(crate) struct Order {
    /// The kind of the elements.
    pub(crate) kind: &'static str,
    pub(crate) verdict: Verdict,
}

impl Element {
    pub(super) fn new(kind: &'static str, path: impl Into<String>, names: [&str; 2], place: Place) -> Self {
        Self {
            kind,
            path: path.into(),
            names: names.map(str::to_owned),
            place,
            is_observed: false,
            written: place,
            keys: Vec::new(),
            facts: Vec::new(),
            seen: Vec::new(),
            elements: Vec::new(),
            added: documentation(""),
            removed: documentation(""),
            form: "",
            removed_within: None,
            order: None,
            converts_from: None,
        }
    }

    /// Sets the effects of adding and removing it.
    pub(super) fn when(self, added: Verdict, removed: Verdict) -> Self {
        Self { added, removed, ..self }
    }

    /// Sets whether no document describes it.
    pub(super) fn observed(self, is_observed: bool) -> Self {
        Self { is_observed, ..self }
    }

    pub(super) fn keys(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        self.keys.extend(keys);
        self
    }

    pub(super) fn states(mut self, facts: impl IntoIterator<Item = (Place, Fact)>) -> Self {
        self.facts.extend(facts);
        self
    }

    pub(super) fn sees(mut self, facts: impl IntoIterator<Item = (Place, Fact)>) -> Self {
        self.seen.extend(facts);
        self
    }

    pub(super) fn holds(mut self, elements: impl IntoIterator<Item = Element>) -> Self {
        self.elements.extend(elements);
        self
    }

    /// Adds its facts and those of the elements within, keyed by their lines: those of a document, or those that no
    /// document states.
    fn facts_by_line(self, is_within_observed: bool, wants_observed: bool, all: &mut BTreeMap<String, (Fact, Place)>) {
        let is_observed = is_within_observed || self.is_observed;
        let facts = self.facts.into_iter().filter(|_| is_observed == wants_observed);
        for (place, fact) in facts.chain(self.seen.into_iter().filter(|_| wants_observed)) {
            all.entry(fact.line()).or_insert((fact, place));
        }
        self.elements.into_iter().for_each(|element| element.facts_by_line(is_observed, wants_observed, all));
    }
}

impl Api {
    /// Returns all facts of the documents in the order of their lines, each once, with the first place that states it.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (Fact, Place)> {
        self.facts_of(false)
    }

    /// Returns the facts of the documents, or those that no document states.
    pub(crate) fn facts_of(&self, observed: bool) -> impl Iterator<Item = (Fact, Place)> {
        let mut all = BTreeMap::new();
        self.element().facts_by_line(false, observed, &mut all);
        all.into_values()
    }
}

/// One named statement of the schema about an element.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// The statement in a few words; empty if the schema makes none.
    pub(crate) value: String,
    /// True if it is prose.
    pub(crate) is_prose: bool,
    /// The place, if it differs from that of the element.
    pub(crate) place: Option<Place>,
    pub(crate) means: Means,
    /// Different values count as equal if they agree in this.
    pub(super) same_as: Option<String>,
    /// The key that also covers a change of this one, if both change.
    pub(super) unless: Option<&'static str>,
    /// True if it is one of several keys of the name, which are compared by presence alone.
    pub(super) is_one_of_several: bool,
    /// The statement in the words of a page.
    pub(crate) says: String,
    /// The member of the OpenAPI document with its value.
    pub(crate) data: Option<(String, Value)>,
    /// True if emitted documentation and pages show `says`, because they have no other form for the key.
    pub(crate) is_documented: bool,
}

/// Returns other words that people search for it by.
pub(super) fn called(words: &[Placed]) -> Key {
    Key::prose("called", &names(words)).at(first(words))
}

impl Key {
    /// Creates a statement in a few words, and the effect of a change.
    pub(super) fn new(name: &'static str, value: impl Display, means: impl Into<Means>) -> Self {
        Self {
            name,
            value: value.to_string(),
            is_prose: false,
            place: None,
            means: means.into(),
            same_as: None,
            unless: None,
            is_one_of_several: false,
            says: String::new(),
            data: None,
            is_documented: false,
        }
    }

    /// Creates a key of prose.
    pub(super) fn prose(name: &'static str, text: &str) -> Self {
        let mut words = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            words.extend([if words.is_empty() { "" } else { " " }, word]);
        }
        Self { is_prose: true, ..Self::new(name, words, documentation("")) }
    }

    /// Creates a statement with a place of its own.
    pub(super) fn placed<T: Display>(name: &'static str, value: Option<&(T, Place)>, means: impl Into<Means>) -> Self {
        Self::new(name, maybe(value.map(|(value, _)| value)), means).at(value.map(|(_, place)| *place))
    }

    /// Creates a name of another part.
    pub(super) fn reference(name: &'static str, value: Option<&Reference>, means: impl Into<Means>) -> Self {
        Self::new(name, maybe(value), means).at(value.map(|value| value.place))
    }

    /// Creates a text for pages about elements that are compared separately.
    pub(super) fn shown(name: &'static str, says: impl Into<String>) -> Self {
        Self::new(name, "", Means::Nothing).says(says)
    }

    pub(super) fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }

    pub(super) fn same_as(self, what: impl Into<String>) -> Self {
        Self { same_as: Some(what.into()), ..self }
    }

    pub(super) fn unless(self, other: &'static str) -> Self {
        Self { unless: Some(other), ..self }
    }

    pub(super) fn says(self, says: impl Into<String>) -> Self {
        Self { says: says.into(), ..self }
    }

    /// Makes pages show the value as it is.
    pub(super) fn said(self) -> Self {
        Self { says: self.value.clone(), ..self }
    }

    /// Sets the member of the OpenAPI document, if there is a value.
    pub(super) fn data(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        Self { data: value.map(|value| (name.to_owned(), value.into())), ..self }
    }

    /// Makes every output show the value, unless it is empty.
    pub(super) fn documented(mut self) -> Self {
        self.is_documented = true;
        if self.value.is_empty() {
            self.data = None;
        } else {
            let name = || format!("x-{}", self.name.replace(['_', ' '], "-"));
            self.data.get_or_insert_with(|| (name(), Value::from(self.value.as_str())));
        }
        self
    }

    /// Returns whether the key of another version states the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.values(other) == other.values(self) || (self.same_as.is_some() && self.same_as == other.same_as)
    }

    /// Returns the value, as far as it can be compared with another version.
    pub(super) fn values(&self, other: &Self) -> String {
        self.means.arguments_beside(&other.means).unwrap_or_else(|| self.value.clone())
    }
}

/// Returns the keys of a declared element. `in_context` states the effects that other parts of the model decide.
pub(super) fn declared_keys<E: declared::Element>(element: &E, in_context: impl Fn(E::Context) -> Means) -> Vec<Key> {
    let key = |((name, value), change): ((_, &dyn declared::KeyValue), &declared::Change<E::Context>)| {
        let key = match change {
            declared::Change::Behaviour(effect) => Key::new(name, value.words(), behaviour(*effect)),
            declared::Change::Prose => Key::prose(name, &value.words()),
            declared::Change::InContext(context) => Key::new(name, value.words(), in_context(*context)),
        };
        let key = key.at(value.place());
        value.same_as().into_iter().fold(key, Key::same_as)
    };
    element.rows().into_iter().zip(E::CHANGES).map(key).collect()
}

/// Returns the element of a mapping that stands alone in an operation, a family or a type, and is named by its kind.
pub(super) fn stated<E>(kind: &'static str, of: &str, mapping: &E) -> Element
where
    E: declared::Element<Context = std::convert::Infallible>,
{
    let place = declared::Mapping::place(mapping);
    Element::new(kind, of, [kind, kind], place).keys(declared_keys(mapping, |never| match never {}))
}

/// The difference between the keys of two versions of an element.
pub(crate) struct KeyChange<'a> {
    pub(crate) key: &'a Key,
    pub(crate) older: String,
    pub(crate) newer: String,
    /// The places in the older and in the newer version.
    pub(crate) places: [Option<Place>; 2],
    pub(crate) verdict: Verdict,
}

/// Compares the keys of two versions of an element. A key that only one of them can have is not compared.
pub(crate) fn differences<'a>(older: &'a [Key], newer: &'a [Key]) -> Vec<KeyChange<'a>> {
    let named = |key: &Key, all: &'a [Key]| all.iter().find(|other| other.name == key.name);
    let differ = |name: &str| {
        let of = |all: &'a [Key]| all.iter().find(|key| key.name == name);
        of(older).zip(of(newer)).is_some_and(|(older, newer)| !older.agrees(newer))
    };
    let changed = newer.iter().filter(|key| !key.is_one_of_several).filter_map(|new| {
        let old = named(new, older)?;
        let is_same = old.agrees(new) || new.unless.is_some_and(differ);
        (!is_same).then(|| KeyChange {
            key: new,
            older: old.values(new),
            newer: new.values(old),
            places: [old.place, new.place],
            verdict: Means::verdict((&old.means, &old.value), (&new.means, &new.value)),
        })
    });
    let alone = |key: &Key, all: &[Key]| {
        key.is_one_of_several && !all.iter().any(|other| other.name == key.name && other.value == key.value)
    };
    let one = |key: &'a Key, texts: [String; 2], places| {
        let [older, newer] = texts;
        KeyChange { key, older, newer, places, verdict: documentation("") }
    };
    let removed = older.iter().filter(|key| alone(key, newer));
    let removed = removed.map(|key| one(key, [key.value.clone(), String::new()], [key.place, None]));
    let more = newer.iter().filter(|key| alone(key, older));
    let more = more.map(|key| one(key, [String::new(), key.value.clone()], [None, key.place]));
    changed.chain(removed).chain(more).collect()
}

/// Returns the document and the section.
pub(super) fn source(source: Option<&Source>) -> Key {
    let words = source.map(|source| match source.section() {
        Some(section) => format!("{}, {section}", source.document()),
        None => source.document().to_owned(),
    });
    Key::new("source", words.unwrap_or_default(), documentation("")).at(source.map(|source| source.place))
}

/// Returns the days on which the exchange knows something; `means` is the effect of other ones.
pub(super) fn dates(dates: &Dates, means: &'static str) -> [Key; 3] {
    let key = |name, day: Option<(Day, Place)>, word: &str| {
        let says = day.map(|(day, _)| format!("{word} {day}.")).unwrap_or_default();
        Key::placed(name, day.as_ref(), behaviour(means)).says(says).documented()
    };
    let by =
        Key::new("dated_by", names(&dates.by), documentation("")).at(first(&dates.by)).says(phrases::dated_by(dates));
    [key("from", dates.from, "From"), key("until", dates.until, "Until"), by.documented()]
}

/// Returns who has seen what no document describes.
pub(super) fn sources(sources: &Sources) -> Key {
    Key::new("sources", names(sources), documentation(""))
        .at(first(sources))
        .says(phrases::observed(sources))
        .documented()
}

/// Returns the path of an element within another: `house.Book`.
pub(super) fn path(of: &str, name: &str) -> String {
    format!("{of}.{name}")
}

/// Returns the value as text; empty if there is none.
pub(super) fn maybe(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns `yes`, or an empty text.
pub(super) fn flag(value: bool) -> &'static str {
    if value { "yes" } else { "" }
}

/// Returns the values, separated by commas.
pub(super) fn list<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.as_ref().to_owned()).collect::<Vec<_>>().join(", ")
}

/// Returns the values in alphabetical order, where their own order means nothing.
pub(super) fn in_any_order<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    let mut values: Vec<String> = values.into_iter().map(|value| value.as_ref().to_owned()).collect();
    values.sort_unstable();
    list(values)
}

/// Returns the names, separated by commas.
pub(super) fn names(names: &[Placed]) -> String {
    list(names.iter().map(|(name, _)| name))
}

/// Returns the place of the first name.
pub(super) fn first(names: &[Placed]) -> Option<Place> {
    names.first().map(|(_, place)| *place)
}

/// Returns an element with a name on the wire and one in Rust.
pub(super) fn named(kind: &'static str, path: String, name: &Name) -> Element {
    Element::new(kind, path, [&name.wire, &name.rust], name.place)
}

/// Returns the names of a type on the wire and in Rust.
pub(super) fn type_names(name: &Name) -> [Key; 2] {
    [
        Key::new("name", &name.wire, documentation("")),
        Key::new("rust", &name.rust, breaking("the type has another name")),
    ]
}

/// Returns the type of a value. A type that is only renamed in the schema stays the same in Rust.
pub(super) fn ty(family: &Family, shape: &Shape, means: &'static str) -> Key {
    let words = phrases::shape(shape, |ty| family.type_name(ty));
    Key::new("type", words, breaking(means)).same_as(phrases::shape(shape, |ty| family.type_rust(ty)))
}

/// Returns the key of a unit: in another unit, the same number means something else; stating a unit, or no longer
/// stating it, changes nothing.
pub(super) fn unit(units: &[Unit]) -> Key {
    let means = Means::Each {
        added: documentation(""),
        removed: documentation(""),
        changed: breaking("the same number means something else"),
    };
    let condition = |((name, _), values): &NamesWithin| {
        (name.clone(), Value::list(values.iter().map(|(value, _)| value.as_str().into())))
    };
    let data = units.iter().map(|unit| {
        let is = ("is", unit.is.as_str().into());
        let when = (!unit.when.is_empty()).then(|| ("when", Value::object(unit.when.iter().map(condition))));
        Value::object([is].into_iter().chain(when))
    });
    let data = (!units.is_empty()).then(|| Value::list(data));
    Key::new("unit", phrases::units(units, &PLAIN), means).data("x-units", data)
}

/// Returns the scale of a decimal that travels as an integer.
pub(super) fn scale(shape: &Shape) -> Option<Key> {
    let scale = shape.element()?.scale()?;
    let key = Key::new("scale", scale.to_string(), breaking("its type in Rust has another scale"));
    let says = format!("It travels as an integer: its value times 10^{scale}.");
    Some(key.says(says).data("x-scale", Some(u32::from(scale))).documented())
}

/// Returns how a number is written. A form that the family states for all its numbers is not repeated for each.
pub(super) fn travels(family: &Family, shape: &Shape, as_text: bool, means: impl Fn() -> Verdict) -> Option<Key> {
    let (words, is_usual) = match shape.element()? {
        Type::Boolean(Truth::Bare) => return None,
        Type::Boolean(Truth::Text) => ("text", false),
        Type::Boolean(Truth::Number) => ("number", false),
        Type::Enum(_) | Type::String | Type::Identifier(_) if as_text => return None,
        ty if ty.can_be_bare() => {
            (if as_text { "text" } else { "number" }, ty.is_number() && as_text == family.numbers_as_text)
        }
        _ => return None,
    };
    let key = Key::new("json", words, means());
    Some(if is_usual { key.same_as("family") } else { key })
}

/// Returns whether the compiler warns about uses, and with what text.
pub(super) fn deprecated(deprecated: Option<&Deprecated>) -> Key {
    let means = Means::Each {
        added: behaviour("the compiler warns where it is used"),
        removed: behaviour("the compiler no longer warns where it is used"),
        changed: documentation("the warning has another text"),
    };
    let words = deprecated.map(|all| Some(all.to_string()).filter(|says| !says.is_empty()).unwrap_or("yes".to_owned()));
    let says = deprecated.map(|all| format!("{}.", phrases::deprecated(all)));
    Key::new("deprecated", maybe(words), means)
        .at(deprecated.map(|all| all.place))
        .says(says.unwrap_or_default())
        .data("x-deprecated", deprecated.map(declared::data))
        .documented()
}

impl Deprecated {
    /// Returns the fact that it is deprecated, identified by its owner and its path there.
    pub(super) fn fact(&self, about: &str, path: &str) -> (Place, Fact) {
        let fact = Fact::Deprecated { about: about.to_owned(), path: path.to_owned(), says: self.to_string() };
        (self.place, fact)
    }
}

/// Returns the text of the parameter or field itself; empty if it is that of its type.
pub(super) fn own_doc<'a>(family: &Family, shape: &Shape, doc: &'a str) -> &'a str {
    let of_type = shape.element().map_or("", |ty| family.type_doc(ty));
    if doc == of_type { "" } else { doc }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::{Generator, Layout, Schema};

    /// Finds the names that two keys of an element have, although they are compared by name.
    fn doubled(element: &Element, found: &mut BTreeSet<String>) {
        let mut names = BTreeSet::new();
        let compared = element.keys.iter().filter(|key| !key.is_one_of_several);
        let twice = compared.filter(|key| !names.insert(key.name));
        found.extend(twice.map(|key| format!("`{}` of {} {}", key.name, element.kind, element.path)));
        element.elements.iter().for_each(|inner| doubled(inner, found));
    }

    /// Returns all schemas whose crates are tested.
    fn schemas() -> impl Iterator<Item = Schema> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let apis = std::fs::read_dir(root.join("tests/apis/schema")).unwrap();
        let own = [root.join("schema"), root.join("tests/downstream/schema")];
        let folders = apis.map(|entry| entry.unwrap().path()).chain(own);
        folders.map(|folder| Generator::new().schema_dir(folder).read().unwrap())
    }

    #[test]
    fn no_two_keys_of_an_element_have_one_name() {
        let mut found = BTreeSet::new();
        schemas().for_each(|schema| doubled(&schema.api.element(), &mut found));
        assert_eq!(found, BTreeSet::new());
    }

    /// Returns a text without what a page of documentation adds: marks, escapes, and the breaks of lines.
    pub(super) fn letters(text: &str) -> String {
        text.lines()
            .map(|line| line.trim_start().trim_start_matches("///").trim_start_matches("//!"))
            .flat_map(str::chars)
            .filter(|letter| letter.is_alphanumeric())
            .collect()
    }

    /// Statements that have to be documented and that `text` lacks.
    fn undocumented(element: &Element, text: &str, found: &mut BTreeSet<String>) {
        let says = element.keys.iter().filter(|key| key.is_documented && !text.contains(&letters(&key.says)));
        found.extend(says.map(|key| format!("`{}` of {} {}: {}", key.name, element.kind, element.path, key.says)));
        element.elements.iter().for_each(|inner| undocumented(inner, text, found));
    }

    #[test]
    fn documented_keys_stand_in_the_documentation_of_the_emitted_crate() {
        let mut found = BTreeSet::new();
        for schema in schemas() {
            let emitted = schema.emit(Layout::Crate);
            let lines = emitted.values().flat_map(|text| text.lines());
            let docs: Vec<_> = lines.filter(|line| line.trim_start().starts_with("//")).collect();
            undocumented(&schema.api.element(), &letters(&docs.join("\n")), &mut found);
        }
        assert_eq!(found, BTreeSet::new());
    }
}
