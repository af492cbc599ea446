//! Fields: those of records, and the parameters of requests, items and choices.

use super::statements::is_named;
use super::{FamilyBuilder, placed, text_of};
use crate::compiler::diagnostics::{Code, Help, unknown};
use crate::compiler::load::{Named, Spanned, Text, raw};
use crate::compiler::model::types::travels_as_text;
use crate::compiler::model::{Field, Item, ListName, Need, Parameter, Placed, Shape, Type, Unit, type_name};
use crate::compiler::words::{Required, Travels};

/// The kind of message that a field is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    Request,
    Answer,
}

/// The keys that have a meaning only in requests.
const OF_REQUESTS: &str = "required default default_note min max max_items min_items digits places significant_digits \
    length pattern edit blank as wins in sent_as item object called";

/// The keys that have a meaning only in records.
const OF_RECORDS: &str = "comes_only sources";

/// The keys of a value that changes: one that is always the same has neither bounds nor a default.
const NOT_FIXED: &str = "default default_note min max places significant_digits digits length pattern only edit may_be \
    blank";

impl FamilyBuilder<'_, '_> {
    pub(super) fn record_field(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> Field {
        self.refuse_present(raw, OF_REQUESTS, "is only allowed for a parameter of a request");
        let shape = if raw.fields.is_some() { self.refuse_fields(name) } else { self.shape(name, raw) };
        if shape.element().is_some_and(|ty| matches!(ty, Type::Choice(_))) {
            self.at(name.place, Code::Misplaced, "only a parameter of a request can be a choice")
                .help("list its members as fields");
        }
        Field {
            name: self.field_name(name, &raw.rust),
            may_be_null: raw.may_be.is_some(),
            comes_only: raw.comes_only.as_ref().map(|condition| condition.value.clone()),
            sources: self.builder.sources(raw.sources.as_ref(), None),
            deprecated: raw.deprecated.as_ref().cloned(),
            only: self.only(raw),
            fixed: raw.fixed.as_ref().map(placed),
            units: self.units(raw),
            as_text: self.as_text(raw, &shape, Message::Answer),
            shape,
            doc: self.doc(raw),
        }
    }

    fn refuse_fields(&mut self, name: &Text) -> Shape {
        self.at(name.place, Code::Misplaced, "only a parameter of a request can have `fields`")
            .help("define a record with them, and use it as `type` or `list`");
        Shape::One(Type::Undefined)
    }

    /// Refuses those of some keys that are there; `keys` has spaces between them.
    fn refuse_present(&mut self, raw: &raw::Field, keys: &str, why: &str) {
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
            called: raw.called.iter().map(placed).collect(),
        }
    }

    /// Returns how it travels. `json` is refused for a type without numbers.
    fn as_text(&mut self, raw: &raw::Field, shape: &Shape, side: Message) -> bool {
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

    fn only(&mut self, raw: &raw::Field) -> Vec<Placed> {
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

    fn shape(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> Shape {
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

    fn item(&mut self, name: &Text, raw: &Spanned<raw::Field>, fields: &Named<Spanned<raw::Field>>) -> Item {
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

    fn doc(&self, raw: &raw::Field) -> String {
        let own = text_of(&raw.doc);
        if !own.is_empty() {
            return own;
        }
        let ty = raw.r#type.as_ref().or(raw.list.as_ref()).or(raw.map.as_ref());
        ty.map(|ty| self.names.doc(&ty.value).to_owned()).unwrap_or_default()
    }

    fn units(&mut self, raw: &raw::Field) -> Vec<Unit> {
        let Some(units) = raw.unit.as_ref() else { return Vec::new() };
        let last = units.0.len().saturating_sub(1);
        let is_closed = units.0.iter().enumerate().all(|(index, unit)| match (&unit.when, &unit.is, &unit.otherwise) {
            (Some(when), Some(_), None) => index < last && !when.is_empty(),
            (None, None, Some(_)) => index == last,
            _ => false,
        });
        if !is_closed || units.0.is_empty() {
            self.at(
                units.place,
                Code::Misplaced,
                "expected a text, or a list of `when` with `is` that ends with `otherwise`",
            )
            .help("write `[{ when: { side: buy }, is: quote coin }, { otherwise: base coin }]`");
        }
        units.0.iter().map(unit).collect()
    }

    /// Replaces `as: operation.parameter` by the definition that it names; keys beside it win. Returns whether it was
    /// found.
    ///
    /// The place of the result is that of the name under which the definition is written out.
    fn follow(&mut self, name: &Text, raw: &Spanned<raw::Field>) -> (Spanned<raw::Field>, bool) {
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
            let known = names(request).into_iter().map(|name| (name.value.as_str(), Some(name.place)));
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
fn names(request: &Named<Spanned<raw::Field>>) -> Vec<&Text> {
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

fn unit(raw: &raw::Unit) -> Unit {
    let conditions = raw.when.iter().flat_map(|when| when.iter());
    let is = raw.is.as_ref().or(raw.otherwise.as_ref());
    Unit {
        when: conditions.map(|(name, values)| (placed(name), values.iter().map(placed).collect())).collect(),
        is: is.map_or_else(String::new, |is| is.value.trim().to_owned()),
        place: is.map(|is| is.place).unwrap_or_default(),
    }
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
