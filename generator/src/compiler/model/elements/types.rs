//! The elements of enums, identifiers, choices and lifecycles, and the keys of values, common to parameters and fields.

use super::means::Texts;
use super::{
    Element, Key, Means, additive, behaviour, breaking, documentation, first, flag, in_any_order, list, maybe, names,
    path, source, sources, stated,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::json::Value;
use crate::compiler::model::facts::Fact;
use crate::compiler::model::{
    Case, Choice, ChoiceKind, Decided, Deprecated, Enum, EnumValue, ExcludedTransition, Exclusion, Family, Form,
    Identifier, Lifecycle, Name, NameOf, NamesWithin, Parameter, Pattern, Placed, Reference, Shape, State, Tracked,
    Transition, Truth, Type, Unit, declared, formats,
    phrases::{self, PLAIN},
};

/// Returns an element with a name on the wire and one in Rust.
pub(super) fn named(kind: &'static str, path: String, name: &Name) -> Element {
    Element::new(kind, path, [&name.wire, &name.rust], name.place)
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
pub(super) fn travels(
    family: &Family,
    shape: &Shape,
    as_text: bool,
    means: impl Fn() -> super::Verdict,
) -> Option<Key> {
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

impl Enum {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, values, truth, truth_places, counterpart: _ } = self;
        let word = |index: usize| values[index].name.wire.as_str();
        let words = truth.map(|(yes, no)| format!("{} is true, {} is false", word(yes), word(no)));
        let means = Means::Each {
            added: additive("it can be made from a bool"),
            removed: breaking("`From<bool>` is removed"),
            changed: behaviour("a bool becomes another value"),
        };
        type_names(name)
            .into_iter()
            .chain([Key::new("truth", maybe(words), means).at(first(truth_places)), Key::prose("doc", doc)])
            .collect()
    }

    pub(super) fn element(&self, family: &str) -> Element {
        let path = path(family, &self.name.wire);
        let values: Vec<_> = self.values.iter().map(|value| value.element(&path)).collect();
        let converts = || behaviour("requests with its values can be converted");
        let counterpart = self.counterpart.as_ref().map(|counterpart| {
            stated("counterpart", &path, counterpart).when(converts(), behaviour("what a request is converted to"))
        });
        named("enum", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys())
            .holds(counterpart)
            .holds(values)
    }
}

/// Returns the names of a type on the wire and in Rust.
pub(super) fn type_names(name: &Name) -> [Key; 2] {
    [
        Key::new("name", &name.wire, documentation("")),
        Key::new("rust", &name.rust, breaking("the type has another name")),
    ]
}

impl EnumValue {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, also, sources, deprecated, dates } = self;
        let [from, until, dated_by] = super::dates(dates, "when the client warns of it");
        vec![
            Key::new("name", &name.wire, behaviour("it has another name on the wire")),
            Key::new("rust", &name.rust, breaking("the variant has another name")),
            Key::new("also", names(also), behaviour("which other spellings are read as it")).at(first(also)),
            self::deprecated(deprecated.as_ref()),
            from,
            until,
            dated_by,
            self::sources(sources),
            Key::prose("doc", doc),
        ]
    }

    pub(super) fn element(&self, of: &str) -> Element {
        named("value", path(of, &self.name.wire), &self.name)
            .observed(!self.sources.is_empty())
            .when(additive("a new variant; matches have a wildcard"), breaking("the variant is removed"))
            .keys(self.keys())
            .states(self.deprecated.as_ref().map(|deprecated| deprecated.fact(of, &self.name.wire)))
    }
}

impl Identifier {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, length, alphabet, forms: _, mint } = self;
        let takes = |texts| Means::Takes { texts, is_constrained: self.is_constrained() };
        let lengths = length.map_or(Texts::All, |(min, max)| Texts::Length(min, max));
        let characters = alphabet.as_ref().map(|(alphabet, _)| formats::characters(alphabet));
        let words = length.map(|(min, max)| format!("{min} to {max}"));
        let minted = Means::Each {
            added: additive("the client makes new ones"),
            removed: breaking("`mint` is removed"),
            changed: documentation(""),
        };
        let keys = [
            Key::new("length", maybe(words), takes(lengths)),
            Key::placed("alphabet", alphabet.as_ref(), takes(characters.map_or(Texts::All, Texts::Alphabet))),
            Key::new("mint", flag(mint.is_some()), minted).at(*mint),
            Key::prose("doc", doc),
        ];
        type_names(name).into_iter().chain(keys).collect()
    }

    pub(super) fn element(&self, family: &str) -> Element {
        let path = path(family, &self.name.wire);
        let forms: Vec<_> = self.forms.iter().map(|form| form.element(&path)).collect();
        named("identifier", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys())
            .holds(forms)
    }
}

impl Form {
    fn element(&self, of: &str) -> Element {
        let Self { name, pattern, decided } = self;
        let Pattern { text: pattern, place: _, prefix: _, alphabet: _, suffix: _ } = pattern;
        let also = decided.as_ref().map(|Decided { also, by: _ }| also.text.clone());
        let by = decided.as_ref().map(|Decided { also: _, by }| by);
        let decides = Means::Each {
            added: breaking("its function returns an option"),
            removed: breaking("its function returns a boolean"),
            changed: behaviour("other texts match it"),
        };
        named("form", path(of, &name.wire), name)
            .when(additive("a function tests for it"), breaking("the function that tests for it is removed"))
            .keys([
                Key::new("name", &name.wire, documentation("")),
                Key::new("rust", name.bare(), breaking("its function has another name")),
                Key::new("pattern", pattern, behaviour("other texts match it")),
                Key::new("also", maybe(also), decides),
                Key::placed("decided_by", by, behaviour("another flag of instruments decides")),
            ])
    }
}

impl Choice {
    /// Returns the keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self { name, doc, kind } = self;
        let (way, keys) = match kind {
            ChoiceKind::Presence { alternatives: _, wins } => {
                let wins = Key::placed("wins", wins.as_ref(), documentation("two at once cannot be written"));
                ("which one is sent", vec![wins])
            }
            ChoiceKind::Value { decider, enum_index, cases: _ } => {
                let of = Shape::One(Type::Enum(*enum_index));
                let decider = Key::new("choose_by", &decider.wire, behaviour("another parameter decides"));
                ("a value", vec![decider, ty(family, &of, "`kind` returns another type")])
            }
        };
        let chosen = Key::new("chosen by", way, breaking("the enum has other variants"));
        type_names(name).into_iter().chain([chosen, Key::prose("doc", doc)]).chain(keys).collect()
    }

    pub(super) fn element(&self, family: &Family) -> Element {
        let path = path(&family.name, &self.name.wire);
        let (form, elements): (_, Vec<_>) = match &self.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                ("presence", alternatives.iter().map(|one| alternative(one, family, &path)).collect())
            }
            ChoiceKind::Value { enum_index, cases, .. } => {
                let values = &family.enums[*enum_index].values;
                let case = |case: &Case| case.element(family, &path, &values[case.value].name, self.name.place);
                ("value", cases.iter().map(case).collect())
            }
        };
        let element = named("choice", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys(family))
            .holds(elements);
        Element { form, ..element }
    }
}

fn alternative(parameter: &Parameter, family: &Family, choice: &str) -> Element {
    let part = parameter.part(family, "alternative", choice);
    let part = part.when(additive("a new variant"), breaking("the variant is removed"));
    Element { converts_from: Some(phrases::shape(&parameter.shape, |ty| family.type_rust(ty))), ..part }
}

impl Case {
    /// Returns a variant that holds the parameters. One without data is there as well if all of them can be left out.
    fn element(&self, family: &Family, choice: &str, value: &Name, place: Place) -> Element {
        let Self { value: _, parameters } = self;
        let path = path(choice, &value.wire);
        let parameters: Vec<_> = parameters.iter().map(|parameter| parameter.element(family, &path)).collect();
        Element::new("case", path, [&value.wire, &value.rust], place)
            .when(additive("a new variant"), breaking("the variant is removed"))
            .holds(parameters)
    }
}

impl Lifecycle {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { enum_index, place, source: from, states, transitions, never, records } = self;
        let of = Type::Enum(*enum_index);
        let states_of = Key::new("enum", family.type_name(of), breaking("another enum has the states"));
        Element::new("lifecycle", &family.name, ["lifecycle", "lifecycle"], *place)
            .when(
                additive("`LIFECYCLE`, and functions of the enum that use it"),
                breaking("`LIFECYCLE` and the functions of the enum that use it are removed"),
            )
            .keys([states_of.same_as(family.type_rust(of)), source(from.as_ref())])
            .holds(states.iter().map(|state| state.element(&family.name)))
            .holds(transitions.iter().map(|transition| transition.element(&family.name)))
            .holds(never.iter().map(|never| never.element(&family.name)))
            .holds(records.iter().map(|tracked| tracked.element(family)))
    }
}

impl State {
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { value, place, doc, terminal } = self;
        Element::new("state", path(family, value), [value, value], *place)
            .when(behaviour("the exchange shows it"), behaviour("the exchange no longer shows it"))
            .keys([
                Key::new("terminal", flag(*terminal), behaviour("whether another state follows it")),
                Key::prose("doc", doc),
            ])
            .states([(*place, Fact::State { family: family.to_owned(), state: value.clone() })])
    }
}

/// Returns the texts of names.
fn texts<K>(names: &[NameOf<K>]) -> impl Iterator<Item = &str> {
    names.iter().map(|name| name.text.as_str())
}

impl Transition {
    /// Returns one fact for each state and trigger.
    fn facts(&self, family: &str) -> Vec<(Place, Fact)> {
        let fact = |from: &String, trigger: &Reference| {
            let to = if self.to == "unchanged" { from } else { &self.to };
            let (from, trigger, to) = (from.clone(), trigger.text.clone(), to.clone());
            (self.place, Fact::Transition { family: family.to_owned(), from, trigger, to })
        };
        let by_each = |from| self.trigger.iter().map(move |trigger| fact(from, trigger));
        self.from.iter().flat_map(by_each).collect()
    }

    /// Returns the element; a transition has no name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, trigger, to, condition, doc } = self;
        let name = format!("{} -> {to} by {}", list(from), list(texts(trigger)));
        let same = format!("{} -> {to} by {}", in_any_order(from), in_any_order(texts(trigger)));
        Element::new("transition", path(family, &name), [&same, &same], *place)
            .when(behaviour("it happens"), behaviour("it no longer happens"))
            .keys([Key::new("condition", condition, behaviour("when it happens")), Key::prose("doc", doc)])
            .states(self.facts(family))
    }
}

impl ExcludedTransition {
    /// Returns an element without a name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, what, at, why } = self;
        let (name, same) = match what {
            Exclusion::Becoming(states) => (
                format!("{} -> {}", list(from), list(states)),
                format!("{} -> {}", in_any_order(from), in_any_order(states)),
            ),
            Exclusion::Operations(operations) => (
                format!("{} by {}", list(from), list(texts(operations))),
                format!("{} by {}", in_any_order(from), in_any_order(texts(operations))),
            ),
        };
        Element::new("never", path(family, &name), [&same, &same], *place)
            .when(behaviour("it is ruled out"), behaviour("it is no longer ruled out"))
            .keys([Key::new("at", at, documentation("")), Key::prose("why", why)])
    }
}

impl Tracked {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { place, record, id, client_id, state, at } = self;
        let of = Type::Record(*record);
        let (name, rust) = (family.type_name(of), family.type_rust(of));
        let field = |name, field: Option<&Placed>| Key::placed(name, field, behaviour("another field has it"));
        Element::new("tracked record", path(&family.name, name), [name, rust], *place)
            .when(additive("it implements `HasState`"), breaking("it no longer implements `HasState`"))
            .keys([
                field("id", id.as_ref()),
                field("client_id", client_id.as_ref()),
                field("state", Some(state)),
                field("at", at.as_ref()),
            ])
    }
}
