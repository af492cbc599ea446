//! Parameters of requests, of items and of choices.

use super::builder::{FamilyBuilder, placed, text_of};
use super::elements::{
    Element, Key, Means, Order, additive, behaviour, breaking, deprecated, documentation, first, flag, in_any_order,
    maybe, named, names, own_doc, path, scale, travels, ty, unit,
};
use super::rules::is_named;
use super::types::travels_as_text;
use super::{
    Deprecated, Edit, Family, Item, ListName, Name, Placed, Shape, Type, Unit, declared, elements, phrases, type_name,
};
use crate::compiler::diagnostics::{Code, Help, Place, unknown};
use crate::compiler::load::{Named, Spanned, Text, raw};
use crate::compiler::words::{In, Required, Travels};
use tradeapi_words::words;

/// A parameter of a request, of an item or of a choice.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; differs from the place of its name if it is `as` another.
    pub(crate) written: Place,
    pub(crate) shape: Shape,
    /// Where it travels, if not beside the others.
    pub(crate) apart: Option<(In, Place)>,
    /// The name there, if another parameter has it.
    pub(crate) sent_as: Option<Placed>,
    pub(crate) need: Need,
    /// The value that every request sends.
    pub(crate) fixed: Option<Placed>,
    pub(crate) default: Option<Placed>,
    pub(crate) default_note: Option<String>,
    pub(crate) min: Option<Placed>,
    pub(crate) max: Option<Placed>,
    pub(crate) min_items: Option<(u64, Place)>,
    pub(crate) max_items: Option<(u64, Place)>,
    pub(crate) digits: Option<(u32, Place)>,
    pub(crate) places: Option<(u32, Place)>,
    pub(crate) significant_digits: Option<(u32, Place)>,
    /// The shortest and the longest length of a text, in characters.
    pub(crate) length: Option<((u32, u32), Place)>,
    /// The regular expression that a text matches.
    pub(crate) pattern: Option<Placed>,
    pub(crate) only: Vec<Placed>,
    pub(crate) edit: Option<Edit>,
    /// The place that says that `null` clears the value.
    pub(crate) may_be_null: Option<Place>,
    /// True if an empty text means the same as leaving it out.
    pub(crate) may_be_blank: bool,
    /// True if the document leaves open here which alternative of the choice wins.
    pub(crate) wins_unstated: bool,
    pub(crate) units: Vec<Unit>,
    pub(crate) deprecated: Option<Deprecated>,
    /// True if numbers, times and enums travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
    /// Other words that people search for it by.
    pub(crate) called: Vec<Placed>,
}

impl Parameter {
    /// Returns the description of its object, if it is a single object.
    pub(crate) fn object(&self) -> Option<&Item> {
        self.shape.object()
    }

    /// Returns the description of its items, if it is a list of objects.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.shape.items()
    }

    /// Returns whether it travels there, apart from the others.
    pub(crate) fn is_in(&self, place: In) -> bool {
        self.apart.is_some_and(|(apart, _)| apart == place)
    }

    /// Returns the name under which it is sent.
    pub(crate) fn sent_name(&self) -> &str {
        self.sent_as.as_ref().map_or(&self.name.wire, |(name, _)| name)
    }

    /// Returns whether it is always sent.
    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Always
    }

    /// Returns whether it is an argument of `new`.
    pub(crate) fn is_argument(&self) -> bool {
        self.is_required() && self.fixed.is_none()
    }

    /// Returns the least number of items of a list that is set. An empty one is as likely a mistake as a wish for no
    /// restriction, and in most forms of a query it is not sent at all.
    pub(crate) fn least_items(&self) -> u64 {
        self.min_items.map_or(1, |(least, _)| least)
    }

    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.edit.as_ref().and_then(Edit::deletes_with)
    }

    /// Returns whether a request can leave its value as it is, set it, or delete it.
    pub(crate) fn is_edit(&self) -> bool {
        self.deletes_with().is_some() || self.may_be_null.is_some()
    }

    /// Returns, for a value that stays if it is left out, the text that deletes it, if there is one.
    pub(crate) fn kept_unless(&self) -> Option<Option<&str>> {
        match self.may_be_null {
            Some(_) => Some(Some("null")),
            None => self.edit.as_ref().map(Edit::deletes_with),
        }
    }

    /// Returns whether it stands for the body, which is an array.
    pub(crate) fn is_body(&self) -> bool {
        self.name.wire == ListName::BODY
    }
}

impl Edit {
    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.delete.as_ref().map(|(delete, _)| delete.as_str())
    }
}

words! {
    /// The need to send a parameter; `no` is the absence of a word.
    pub(crate) enum Need {
        Always = "always",
        Conditional = "conditional",
        Unstated = "unstated",
        No = "no",
    }
}

impl From<Option<Required>> for Need {
    fn from(required: Option<Required>) -> Self {
        match required {
            Some(Required::Always) => Self::Always,
            Some(Required::Conditional) => Self::Conditional,
            Some(Required::Unstated) => Self::Unstated,
            None => Self::No,
        }
    }
}

/// The kind of message that a field is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    Request,
    Answer,
}

/// The keys that have a meaning only in requests.
pub(super) const OF_REQUESTS: &str = "required default default_note min max max_items min_items digits places significant_digits \
    length pattern edit blank as wins in sent_as item object called";

/// The keys that have a meaning only in records.
const OF_RECORDS: &str = "comes_only sources";

/// The keys of a value that changes: one that is always the same has neither bounds nor a default.
const NOT_FIXED: &str = "default default_note min max places significant_digits digits length pattern only edit may_be \
    blank";

impl FamilyBuilder<'_, '_> {
    /// Refuses those of some keys that are there; `keys` has spaces between them.
    pub(super) fn refuse_present(&mut self, raw: &raw::Field, keys: &str, why: &str) {
        raw.each_key(&mut |key, place| {
            if keys.split(' ').any(|one| one == key) {
                self.refuse_keys(&[(key, Some(place))], why);
            }
        });
    }

    pub(super) fn parameter(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> Parameter {
        let (merged, is_known) = self.follow(name, raw);
        let raw = &merged;
        self.refuse_present(raw, OF_RECORDS, "is only allowed for a field of a record");
        for (key, name) in [("item", &raw.item), ("object", &raw.object)] {
            if let Some(name) = name.as_ref().filter(|_| raw.fields.is_none()) {
                self.refuse_keys(&[(key, Some(name.place))], "requires `fields`");
            }
        }
        let required = raw.required.as_ref().map(|required| required.value);
        if raw.fixed.is_some() {
            self.refuse_present(raw, NOT_FIXED, "contradicts `fixed`: the value is always the same");
            let needed = raw.required.as_ref().filter(|need| need.value != Required::Always).map(|need| need.place);
            self.refuse_keys(&[("required", needed)], "contradicts `fixed`: the value is always the same");
        }
        let shape = if is_known { self.shape(name, raw) } else { Shape::One(Type::Undefined) };
        Parameter {
            name: self.parameter_name(name, raw),
            written: raw.place,
            apart: raw.r#in.as_ref().map(|apart| (apart.value, apart.place)),
            sent_as: raw.sent_as.as_ref().map(placed),
            need: if raw.fixed.is_some() { Need::Always } else { required.into() },
            fixed: raw.fixed.as_ref().map(placed),
            default: raw.default.as_ref().map(placed),
            default_note: raw.default_note.as_ref().map(|note| note.value.clone()),
            min: raw.min.as_ref().map(|min| placed(min)),
            max: raw.max.as_ref().map(|max| placed(max)),
            min_items: raw.min_items.as_ref().map(|n| (n.value, n.place)),
            max_items: raw.max_items.as_ref().map(|n| (n.value, n.place)),
            digits: raw.digits.as_ref().map(|n| (n.value, n.place)),
            places: raw.places.as_ref().map(|n| (n.value, n.place)),
            significant_digits: raw.significant_digits.as_ref().map(|n| (n.value, n.place)),
            length: raw.length.as_ref().and_then(|length| Some((self.builder.length(length, 0)?, length.place))),
            pattern: raw.pattern.as_ref().map(placed),
            only: self.only(raw),
            edit: raw.edit.as_ref().cloned(),
            may_be_null: raw.may_be.as_ref().map(|key| key.place),
            may_be_blank: raw.blank.is_some(),
            wins_unstated: raw.wins.is_some(),
            units: self.units(raw),
            deprecated: raw.deprecated.as_ref().cloned(),
            as_text: self.as_text(raw, &shape, Message::Request),
            shape,
            doc: self.doc(raw),
            called: raw.called.as_ref().into_iter().flat_map(|called| &called.value).map(placed).collect(),
        }
    }

    /// Returns how it travels. `json` is refused for a type without numbers.
    pub(super) fn as_text(&mut self, raw: &raw::Field, shape: &Shape, side: Message) -> bool {
        let own = raw.json.as_ref().map(|json| json.value);
        let is_truth = matches!(shape.element(), Some(Type::Boolean(_)));
        let is_text = shape.element().is_some_and(Type::is_text);
        let is_meant =
            is_truth || shape.is_undefined() || shape.can_be_bare() && !(is_text && side == Message::Request);
        if let Some(json) = raw.json.as_ref().filter(|_| !is_meant) {
            let why = "is only allowed for a number, an enum, a boolean, or a text in an answer";
            self.refuse_keys(&[("json", Some(json.place))], why);
        }
        match shape.element() {
            Some(ty) if ty.is_number() => travels_as_text(self.family.family.numbers, own),
            _ => own != Some(Travels::Number),
        }
    }

    pub(super) fn only(&mut self, raw: &raw::Field) -> Vec<Placed> {
        let Some(only) = raw.only.as_ref() else { return Vec::new() };
        if only.is_empty() {
            self.at(only.place, Code::BadValue, "`only` is empty").help("list the allowed values, or remove it");
        }
        only.iter().map(placed).collect()
    }

    /// Returns the name of a parameter; an array body has none on the wire, so its Rust name has to be given.
    fn parameter_name(&mut self, name: &Text, raw: &raw::Field) -> crate::compiler::model::Name {
        if name.value == ListName::BODY && raw.rust.is_none() {
            let fallback = Spanned { value: "items".to_owned(), place: name.place };
            return crate::compiler::model::Name {
                wire: ListName::BODY.to_owned(),
                rust: fallback.value,
                place: name.place,
            };
        }
        self.field_name(name, &raw.rust)
    }

    pub(super) fn shape(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> Shape {
        match (&raw.r#type, &raw.list, &raw.map, &raw.fields) {
            (Some(ty), None, None, None) => Shape::One(self.resolve_formed(ty, raw)),
            (None, Some(ty), None, None) => Shape::List(self.resolve_formed(ty, raw)),
            (None, None, Some(ty), None) => Shape::Map(self.resolve_formed(ty, raw)),
            (None, None, None, Some(fields)) if raw.object.is_some() => Shape::Object(self.item(name, raw, fields)),
            (None, None, None, Some(fields)) => Shape::Items(self.item(name, raw, fields)),
            (None, None, None, None) => {
                // With `as`, the type may be written in another file.
                let files = [name.place.file, raw.place.file];
                let is_unread = |key: &&str| files.iter().any(|file| self.builder.to.is_unread(*file, key));
                // What comes from an `as` is reported only where it is written.
                let is_own = raw.place.file == name.place.file && raw.r#as.is_none();
                if is_own && !["type", "list", "map", "fields", "as", "<<"].iter().any(is_unread) {
                    self.at(name.place, Code::MissingKey, format!("`{}` has no type", name.value))
                        .help("add `type`, `list`, `map`, or `fields` with `item` or `object`");
                }
                Shape::One(Type::Undefined)
            }
            (ty, list, map, _) => {
                // What comes from an `as` is reported only where it is written.
                let place = list.as_ref().or(map.as_ref()).or(ty.as_ref()).map_or(name.place, |text| text.place);
                self.at(place, Code::Misplaced, "`type`, `list`, `map` and `fields` exclude each other")
                    .help("keep one of them");
                Shape::One(Type::Undefined)
            }
        }
    }

    fn resolve_formed(&mut self, name: &Text, raw: &raw::Field) -> Type {
        let ty = self.resolve(name);
        self.formed(raw, ty)
    }

    pub(super) fn item(&mut self, name: &Text, raw: &Spanned<raw::Field>, fields: &Named<Spanned<raw::Field>>) -> Item {
        if let (Some(item), Some(_)) = (raw.item.as_ref(), raw.object.as_ref()) {
            self.refuse_keys(&[("item", Some(item.place))], "and `object` exclude each other");
        }
        let (rust, place) = match raw.object.as_ref().or(raw.item.as_ref()) {
            Some(item) => {
                let rust = self.builder.rust_name(&Some(item.clone()), &item.value, item.place, "item", type_name);
                (rust, item.place)
            }
            None => {
                self.builder.missing("item", name.place);
                (String::new(), name.place)
            }
        };
        let parameters = fields.iter().map(|(name, field)| self.parameter(name, field)).collect();
        let list = match raw.object.is_some() {
            true => ListName::Object(name.value.clone()),
            false => ListName::new(&name.value),
        };
        Item { list, rust, place, parameters }
    }

    pub(super) fn doc(&self, raw: &raw::Field) -> String {
        let own = text_of(&raw.doc);
        if !own.is_empty() {
            return own;
        }
        let ty = raw.r#type.as_ref().or(raw.list.as_ref()).or(raw.map.as_ref());
        ty.map(|ty| self.names.doc(&ty.value).to_owned()).unwrap_or_default()
    }

    /// Replaces `as: operation.parameter` by the definition that it names; keys beside it win. Returns whether it was
    /// found.
    ///
    /// The place of the result is that of the name under which the definition is written out.
    pub(super) fn follow(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> (Spanned<raw::Field>, bool) {
        let mut merged = Spanned { value: raw.value.clone(), place: name.place };
        for _ in 0..8 {
            let Some(reference) = merged.value.r#as.take() else { return (merged, true) };
            let Some(target) = self.find_parameter(&reference) else { return (merged, false) };
            merged = Spanned { value: overlay(merged.value, target.value), place: target.place };
        }
        self.at(raw.place, Code::Circular, "circular `as`").help("write one of the definitions out");
        merged.value.r#as.take();
        (merged, false)
    }

    fn find_parameter(&mut self, reference: &Text) -> Option<Spanned<raw::Field>> {
        let (operation, parameter) = reference.value.split_once('.').unwrap_or((&reference.value, ""));
        let operations = || self.family.operations.iter();
        // Another file may have a copy of the name, which is reported there.
        let of_file = operations().find(|(file, ..)| file == operation);
        let Some((_, _, raw)) = of_file.or_else(|| operations().find(|one| is_named(one, operation))) else {
            let place = |raw: &raw::Operation| raw.operation.as_ref().map(|own| own.place);
            let known = operations().map(|(name, _, raw)| (name.as_str(), place(raw)));
            return self.no_parameter(reference, unknown(operation, known, how_to_refer));
        };
        // A missing request is reported at that operation.
        let request = raw.request.as_ref()?;
        find_named(request, parameter).or_else(|| {
            let known = names_of(request).into_iter().map(|name| (name.value.as_str(), Some(name.place)));
            self.no_parameter(reference, unknown(parameter, known, how_to_refer))
        })
    }

    fn no_parameter<T>(&mut self, reference: &Text, help: Help) -> Option<T> {
        self.at(reference.place, Code::UndefinedName, format!("unknown parameter `{}`", reference.value)).help(help);
        None
    }
}

fn how_to_refer() -> String {
    "write `operation.parameter` with an operation of this family, such as `place-order.price`".to_owned()
}

/// Returns the names that [`find_named`] can find.
fn names_of(request: &Named<Spanned<raw::Field>>) -> Vec<&Text> {
    let of_items =
        request.iter().filter(|(name, _)| name.value == ListName::BODY).filter_map(|(_, field)| field.fields.as_ref());
    let inner = of_items.flat_map(|fields| fields.iter());
    request.iter().chain(inner).map(|(name, _)| name).collect()
}

/// Returns the parameter with that name, at the place of its name; parameters of items of an array body are included.
fn find_named(request: &Named<Spanned<raw::Field>>, parameter: &str) -> Option<Spanned<raw::Field>> {
    request.iter().find_map(|(name, field)| match &field.fields {
        _ if name.value == parameter => Some(Spanned { value: field.value.clone(), place: name.place }),
        Some(fields) if name.value == ListName::BODY => find_named(fields, parameter),
        _ => None,
    })
}

/// Returns all keys of `base`, overridden by those of `own`. The keys of a shape are overridden together.
fn overlay(own: raw::Field, base: raw::Field) -> raw::Field {
    let has_shape = own.r#type.is_some() || own.list.is_some() || own.map.is_some() || own.fields.is_some();
    own.or(match has_shape {
        true => raw::Field { r#type: None, list: None, map: None, fields: None, ..base },
        false => base,
    })
}

/// Notes of each list of objects that it stands in an object, in another list or in a choice.
pub(super) fn mark_inner_lists(parameters: &mut [Parameter]) {
    for parameter in parameters {
        let is_list = parameter.shape.is_list();
        let Some(item) = parameter.shape.objects_mut() else { continue };
        if is_list {
            item.list = ListName::Within(parameter.name.wire.clone());
        }
        mark_inner_lists(&mut item.parameters);
    }
}

impl Parameter {
    /// Returns the keys.
    pub(crate) fn keys(&self, family: &Family) -> Vec<Key> {
        let Self {
            name,
            written: _,
            shape,
            apart,
            sent_as,
            need,
            fixed,
            default,
            default_note,
            min,
            max,
            min_items,
            max_items,
            digits,
            places,
            significant_digits,
            length,
            pattern,
            only,
            edit,
            may_be_null,
            may_be_blank,
            wins_unstated,
            units,
            deprecated: is_deprecated,
            as_text,
            doc,
            called,
        } = self;
        let checked = || behaviour("checked before sending");
        let note = phrases::default_sentence(default_note.as_deref());
        let blank =
            if *may_be_blank { "An empty text in a stored request means the same as leaving it out." } else { "" };
        let required = matches!(need, Need::Conditional | Need::Unstated).then(|| need.as_str());
        // An array that is the whole body has no name; the operation states the form of its body.
        let wire = Key::new("name", &name.wire, behaviour("it has another name on the wire"));
        let wire = (!self.is_body()).then_some(wire);
        let keys = [
            Key::new("rust", name.bare(), breaking("its field and what sets it have another name")),
            ty(family, shape, "its field and what sets it have another type"),
            Key::new("in", apart.map_or("", |(apart, _)| apart.as_str()), behaviour("it travels elsewhere"))
                .at(apart.map(|(_, place)| place))
                .says(apart.map_or("", |(apart, _)| phrases::apart(apart)))
                .documented(),
            Key::placed("sent_as", sent_as.as_ref(), behaviour("it has another name on the wire"))
                .says(sent_as.as_ref().map_or(String::new(), |(name, _)| phrases::sent_as(name)))
                .data("x-name", sent_as.as_ref().map(|_| name.wire.as_str()))
                .documented(),
            deprecated(is_deprecated.as_ref()),
            Key::new("required", need.as_str(), Means::Need(*need)).data("x-required", required),
            Key::placed(
                "fixed",
                fixed.as_ref(),
                Means::Each {
                    added: breaking("its field, and the argument or setter that sets it, are removed"),
                    removed: breaking("requests have to set it"),
                    changed: behaviour("another value is sent"),
                },
            ),
            Key::prose("default_note", &maybe(default_note.as_ref())).says(note).documented(),
            self::edit(edit.as_ref()),
            Key::new(
                "may_be",
                if may_be_null.is_some() { "null" } else { "" },
                Means::Each {
                    added: breaking("its field becomes an `Edit`"),
                    removed: breaking("its field is no longer an `Edit`"),
                    changed: documentation(""),
                },
            )
            .at(*may_be_null),
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
            Key::placed("places", places.as_ref(), checked()).data("x-places", places.map(|(places, _)| places)),
            Key::placed("significant_digits", significant_digits.as_ref(), checked())
                .data("x-significant-digits", significant_digits.map(|(digits, _)| digits)),
            Key::new("length", length.map_or(String::new(), |((min, max), _)| format!("{min} to {max}")), checked())
                .at(length.map(|(_, place)| place)),
            Key::placed("pattern", pattern.as_ref(), checked()),
            Key::new("only", names(only), Means::Values(only.iter().map(|(value, _)| value.clone()).collect()))
                .same_as(in_any_order(only.iter().map(|(value, _)| value)))
                .at(first(only)),
            Key::new("wins unstated", flag(*wins_unstated), documentation("")),
            Key::prose("doc", own_doc(family, shape, doc)),
            elements::called(called),
        ];
        let travels = travels(family, shape, *as_text, || behaviour("it is written another way"));
        wire.into_iter().chain(keys).chain(travels).chain(scale(shape)).collect()
    }

    /// Returns the parameter as a part of a request, of an item or of the case of a choice.
    pub(super) fn element(&self, family: &Family, of: &str) -> Element {
        let is_required = self.is_argument();
        let added = match self.fixed {
            Some(_) => behaviour("every request sends it"),
            None if is_required => breaking("`new` takes it"),
            None => additive("a setter sets it"),
        };
        let order = Order { kind: "arguments", verdict: breaking("`new` takes its arguments in another order") };
        let part = self.part(family, "parameter", of);
        let part = part.when(added, breaking("its field, and the argument or setter that sets it, are removed"));
        Element { order: is_required.then_some(order), ..part }
    }

    /// Returns the parameter as an element of a kind, with the parameters of its object or of its items.
    pub(super) fn part(&self, family: &Family, kind: &'static str, of: &str) -> Element {
        let path = path(of, &self.name.wire);
        let of_item = if self.is_body() || self.object().is_some() { path.clone() } else { format!("{path}[]") };
        let item = self.item().or(self.object());
        let items = item.into_iter().flat_map(|Item { list: _, rust: _, place: _, parameters }| parameters);
        let element = named(kind, path, &self.name)
            .keys(self.keys(family))
            .holds(items.map(|parameter| parameter.element(family, &of_item)));
        let form = match self.shape {
            Shape::Items(_) => "items",
            Shape::Object(_) => "object",
            Shape::One(_) | Shape::List(_) | Shape::Map(_) => "",
        };
        Element { written: self.written, form, ..element }
    }
}

fn edit(edit: Option<&Edit>) -> Key {
    let delete = edit.and_then(Edit::deletes_with);
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
    Key::new("edit", maybe(words), means).at(edit.map(|edit| edit.place)).data("x-edit", edit.map(declared::data))
}
