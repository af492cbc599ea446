//! The elements of a family's types, and of parameters.

use serde_json::{Value, json};

use super::means::Texts;
use super::{
    Among, Element, Key, Means, Order, additive, behaviour, breaking, documentation, first, flag, maybe, names, path,
    source,
};
use crate::diagnostics::Place;
use crate::model::{
    Case, Choice, ChoiceKind, Deprecated, Edit, Enum, EnumValue, Family, Field, Form, Identifier, Name, Need,
    Parameter, Record, Shape, Truth, Type, Unit, alphabet, phrases,
};

impl Parameter {
    /// Its keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self {
            name,
            written: _,
            shape,
            in_header,
            need,
            default,
            default_note,
            min,
            max,
            min_items,
            max_items,
            digits,
            only,
            edit,
            may_be_blank,
            wins_unstated,
            units,
            deprecated,
            as_text,
            doc,
            called,
        } = self;
        let checked = || behaviour("checked before sending");
        let note = default_note.as_ref().map(|note| format!("Default: {}.", note.trim_end_matches('.')));
        let blank = if *may_be_blank { "An empty text in a stored request stands for leaving it out." } else { "" };
        let required = matches!(need, Need::Conditional | Need::Unstated).then(|| need.as_str());
        // An array that is the whole body has no name; the operation states what its body is.
        let wire = Key::new("name", &name.wire, behaviour("it has another name on the wire"));
        let wire = (!self.is_body()).then_some(wire);
        let keys = [
            Key::new("rust", name.bare(), breaking("its field and what sets it have another name")),
            ty(family, shape, "its field and what sets it have another type"),
            Key::new("in", if in_header.is_some() { "header" } else { "" }, behaviour("it travels elsewhere"))
                .at(*in_header)
                .says(if in_header.is_some() { "It is sent as a header." } else { "" })
                .documented(),
            self::deprecated(deprecated.as_ref()),
            Key::new("required", need.as_str(), Means::Need(*need)).data("x-required", required),
            Key::prose("default_note", &maybe(default_note.as_ref())).says(note.unwrap_or_default()).documented(),
            self::edit(edit.as_ref()),
            Key::new("blank", flag(*may_be_blank), behaviour("whether an empty text is read as left out"))
                .says(blank)
                .data("x-blank", may_be_blank.then_some("left_out"))
                .documented(),
            unit(units),
            Key::placed(
                "default",
                default.as_ref(),
                behaviour("the exchange assumes another value when it is not sent"),
            ),
            Key::placed("min", min.as_ref(), checked()),
            Key::placed("max", max.as_ref(), checked()),
            Key::placed("min_items", min_items.as_ref(), checked()),
            Key::placed("max_items", max_items.as_ref(), checked()),
            Key::placed("digits", digits.as_ref(), checked()),
            Key::new("only", names(only), Means::Values(only.iter().map(|(value, _)| value.clone()).collect()))
                .at(first(only)),
            Key::new("wins unstated", flag(*wins_unstated), documentation("")),
            Key::prose("doc", own_doc(family, shape, doc)),
            super::called(called),
        ];
        let travels = travels(family, shape, *as_text, || behaviour("it is written another way"));
        wire.into_iter().chain(keys).chain(travels).collect()
    }

    /// The parameter as a part of a request, of an item or of the case of a choice.
    pub(super) fn element(&self, family: &Family, of: &str) -> Element {
        let is_required = self.need == Need::Always;
        let added = if is_required { breaking("`new` takes it") } else { additive("a setter sets it") };
        let order = Order { kind: "arguments", verdict: breaking("`new` takes its arguments in another order") };
        let part = self.part(family, "parameter", of);
        let part = part.when(added, breaking("its field, and the argument or setter that sets it, are gone"));
        Element { order: is_required.then_some(order), ..part }
    }

    /// With the parameters of its items.
    fn part(&self, family: &Family, kind: &'static str, of: &str) -> Element {
        let path = path(of, &self.name.wire);
        let of_item = if self.is_body() { path.clone() } else { format!("{path}[]") };
        let items = self.item().into_iter().flat_map(|item| &item.parameters);
        let element = named(kind, path, &self.name)
            .keys(self.keys(family))
            .holds(items.map(|parameter| parameter.element(family, &of_item)));
        let form = if self.item().is_some() { "items" } else { "" };
        Element { written: self.written, form, ..element }
    }
}

/// An element that has a name on the wire and one in Rust.
pub(super) fn named(kind: &'static str, path: String, name: &Name) -> Element {
    Element::new(kind, path, [&name.wire, &name.rust], name.place)
}

/// What a value is. A type that is only called something else in the schema is the same in Rust.
fn ty(family: &Family, shape: &Shape, means: &'static str) -> Key {
    let words = phrases::shape(shape, |ty| family.type_name(ty));
    Key::new("type", words, breaking(means)).same_as(phrases::shape(shape, |ty| family.type_rust(ty)))
}

/// In another unit the same number means something else; a unit that is newly stated, or no longer, changes nothing.
fn unit(units: &[Unit]) -> Key {
    let means = Means::Each {
        added: documentation(""),
        removed: documentation(""),
        changed: breaking("the same number means something else"),
    };
    let when = |unit: &Unit| -> Value {
        let when = unit.when.iter().map(|(name, values, _)| (name.clone(), json!(values)));
        json!({"is": unit.is, "when": when.collect::<serde_json::Map<_, _>>()})
    };
    let data = units.iter().map(|unit| if unit.when.is_empty() { json!({"is": unit.is}) } else { when(unit) });
    let data: Vec<Value> = data.collect();
    Key::new("unit", phrases::units(units), means).data("x-units", Some(data).filter(|data| !data.is_empty()))
}

/// How a number is written. What the family says for all its numbers is not repeated for each.
fn travels(family: &Family, shape: &Shape, as_text: bool, means: impl Fn() -> super::Verdict) -> Option<Key> {
    let (words, is_usual) = match shape.element()? {
        Type::Boolean(Truth::Bare) => return None,
        Type::Boolean(Truth::Text) => ("text", false),
        Type::Boolean(Truth::Number) => ("number", false),
        Type::Enum(_) if as_text => return None,
        ty if ty.can_be_bare() => {
            (if as_text { "text" } else { "number" }, ty.is_number() && as_text == family.numbers_as_text)
        }
        _ => return None,
    };
    let key = Key::new("json", words, means());
    Some(if is_usual { key.same_as("family") } else { key })
}

fn edit(edit: Option<&Edit>) -> Key {
    let delete = edit.and_then(|edit| edit.delete.as_deref());
    let words = edit.map(|_| match delete {
        None => "left out keeps".to_owned(),
        Some(delete) => format!("left out keeps, {delete:?} deletes"),
    });
    let other = match delete {
        Some(_) => "its field becomes an `Edit`",
        None => "its field is no longer an `Edit`",
    };
    let means = Means::Rust {
        name: delete.map(|_| "Edit".to_owned()),
        other: breaking(other),
        same: behaviour("how the value is kept or deleted"),
    };
    let data = edit.map(|_| match delete {
        None => json!({"keep": "left_out"}),
        Some(delete) => json!({"keep": "left_out", "delete": delete}),
    });
    Key::new("edit", maybe(words), means).at(edit.map(|edit| edit.place)).data("x-edit", data)
}

/// Whether the compiler warns where it is used, and with what text.
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
        .data("x-deprecated", deprecated.map(deprecation))
        .documented()
}

/// What a document says about the deprecation.
fn deprecation(deprecated: &Deprecated) -> Value {
    let Deprecated { since, instead, place: _ } = deprecated;
    let members = [("since", since.as_ref()), ("use", instead.as_ref().map(|(instead, _)| instead))].into_iter();
    let members = members.filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?.as_str()))));
    Value::Object(members.collect())
}

/// The text of the parameter or field itself; empty where it has that of its type.
fn own_doc<'a>(family: &Family, shape: &Shape, doc: &'a str) -> &'a str {
    let of_type = shape.element().map_or("", |ty| family.type_doc(ty));
    if doc == of_type { "" } else { doc }
}

impl Enum {
    /// Its keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, values, truth, truth_places } = self;
        let word = |index: usize| values[index].name.wire.as_str();
        let words = truth.map(|(yes, no)| format!("{} is true, {} is false", word(yes), word(no)));
        let means = Means::Each {
            added: additive("it can be made from a bool"),
            removed: breaking("`From<bool>` is gone"),
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
        named("enum", path, &self.name)
            .when(additive("a new type"), breaking("the type is gone"))
            .keys(self.keys())
            .holds(values)
    }
}

/// What a type is called.
fn type_names(name: &Name) -> [Key; 2] {
    [
        Key::new("name", &name.wire, documentation("")),
        Key::new("rust", &name.rust, breaking("the type has another name")),
    ]
}

impl EnumValue {
    /// Its keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, also, deprecated } = self;
        vec![
            Key::new("name", &name.wire, behaviour("it has another name on the wire")),
            Key::new("rust", &name.rust, breaking("the variant has another name")),
            Key::new("also", names(also), behaviour("which other spellings are read as it")).at(first(also)),
            self::deprecated(deprecated.as_ref()),
            Key::prose("doc", doc),
        ]
    }

    pub(super) fn element(&self, of: &str) -> Element {
        named("value", path(of, &self.name.wire), &self.name)
            .when(additive("a new variant; matches have a wildcard"), breaking("the variant is gone"))
            .keys(self.keys())
    }
}

impl Identifier {
    /// Its keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, length, alphabet, forms: _, mint } = self;
        let takes = |texts| Means::Takes { texts, is_constrained: self.is_constrained() };
        let lengths = length.map_or(Texts::All, |(min, max)| Texts::Length(min, max));
        let characters = alphabet.as_ref().map(|(alphabet, _)| alphabet::characters(alphabet));
        let words = length.map(|(min, max)| format!("{min} to {max}"));
        let minted = Means::Each {
            added: additive("the client makes new ones"),
            removed: breaking("`mint` is gone"),
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
            .when(additive("a new type"), breaking("the type is gone"))
            .keys(self.keys())
            .holds(forms)
    }
}

impl Form {
    fn element(&self, of: &str) -> Element {
        let Self { name, pattern, place: _, prefix: _, alphabet: _, suffix: _ } = self;
        named("form", path(of, &name.wire), name)
            .when(additive("a function tests for it"), breaking("the function that tests for it is gone"))
            .keys([
                Key::new("name", &name.wire, documentation("")),
                Key::new("rust", name.bare(), breaking("its function has another name")),
                Key::new("pattern", pattern, behaviour("other texts match it")),
            ])
    }
}

impl Choice {
    /// Its keys.
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
            .when(additive("a new type"), breaking("the type is gone"))
            .keys(self.keys(family))
            .holds(elements);
        Element { form, ..element }
    }
}

fn alternative(parameter: &Parameter, family: &Family, choice: &str) -> Element {
    let part = parameter.part(family, "alternative", choice);
    let part = part.when(additive("a new variant"), breaking("the variant is gone"));
    Element { converts_from: Some(phrases::shape(&parameter.shape, |ty| family.type_rust(ty))), ..part }
}

impl Case {
    /// Without parameters it is a bare variant; with any it holds them.
    fn element(&self, family: &Family, choice: &str, value: &Name, place: Place) -> Element {
        let Self { value: _, parameters } = self;
        let path = path(choice, &value.wire);
        let parameters: Vec<_> = parameters.iter().map(|parameter| parameter.element(family, &path)).collect();
        let holds = || ("parameter", breaking("the variant holds something, where it was bare"));
        let among = Among { added: parameters.is_empty().then(holds), removed: None };
        let element = Element::new("case", path, [&value.wire, &value.rust], place)
            .when(additive("a new variant"), breaking("the variant is gone"))
            .holds(parameters);
        Element { among, ..element }
    }
}

impl Record {
    /// Its keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, source: from, is_abstract: _, is_observed, by_position, key, fields: _, is_whole: _ } =
            self;
        let by_position = Key::new("by_position", flag(*by_position), behaviour("it is read as another JSON type"));
        let key = Key::placed("key", key.as_ref(), behaviour("lists of it are read as another JSON type"));
        let key = key.says(maybe(self.key.as_ref().map(|(key, _)| format!("in lists under its {key}"))));
        let observed = Key::new("observed", flag(*is_observed), documentation(""));
        type_names(name)
            .into_iter()
            .chain([by_position, key, observed, source(from.as_ref()), Key::prose("doc", doc)])
            .collect()
    }

    pub(super) fn element(&self, family: &Family) -> Element {
        let path = path(&family.name, &self.name.wire);
        let fields: Vec<_> = self.fields.iter().map(|field| field.element(family, &path)).collect();
        named("record", path, &self.name)
            .when(additive("a new type"), breaking("the type is gone"))
            .keys(self.keys())
            .holds(fields)
    }
}

impl Field {
    /// Its keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self { name, shape, may_be_null, comes_only, deprecated, only, units, as_text, doc } = self;
        let null = if *may_be_null { "null" } else { "" };
        let condition = comes_only.as_ref().map(|condition| format!("It comes only {condition}."));
        let keys = [
            Key::new("name", &name.wire, behaviour("it is read from another name on the wire")),
            Key::new("rust", name.bare(), breaking("the field has another name")),
            ty(family, shape, "the field has another type"),
            Key::new("may_be", null, documentation("it is optional in any case")),
            self::deprecated(deprecated.as_ref()),
            Key::prose("comes_only", &maybe(comes_only.as_ref())).says(maybe(condition)).documented(),
            Key::new("only", names(only), documentation("any value is read")).at(first(only)),
            unit(units),
            Key::prose("doc", own_doc(family, shape, doc)),
        ];
        let travels = travels(family, shape, *as_text, || documentation("both ways are read"));
        keys.into_iter().chain(travels).collect()
    }

    fn element(&self, family: &Family, of: &str) -> Element {
        named("field", path(of, &self.name.wire), &self.name)
            .when(additive("a new field"), breaking("the field is gone"))
            .keys(self.keys(family))
    }
}
