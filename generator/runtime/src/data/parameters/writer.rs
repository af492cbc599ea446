//! Writes the parameters of requests as a query or a body, and refuses values that have no form in their place.
//!
//! Such values are refused where they are written, not by a rule: a rule can be switched off, and the request would
//! then be another one. An item with a comma is refused rather than escaped, because most servers decode a query before
//! they split lists.

use super::query::Escapes;
use super::table::Place;
use super::{Entries, Name, ParameterTable, Parameters};
use crate::data::checks::Violation;
use crate::data::json::JsonWriter;
use crate::data::tables::{Lists, Meta, Objects, ParameterStyle, Sends, Severity};
use crate::data::value::{Scalar, Scratch};

/// Most requests are shorter than this, so that one allocation is enough.
const USUAL_LENGTH: usize = 256;

/// Writes request parameters as a query or as a JSON body, in the order of the calls.
///
/// In a query every value is its text; lists and objects are JSON texts, unless the operation's table says otherwise.
#[derive(Clone, Debug)]
pub struct ParameterWriter {
    form: Form,
    body: Body,
    part: Part,
}

#[derive(Clone, Debug)]
enum Form {
    /// A query or a form.
    Pairs(Pairs),
    Json(JsonWriter),
}

/// Names and values, percent-encoded.
#[derive(Clone, Debug)]
struct Pairs {
    text: String,
    style: ParameterStyle,
    escapes: Escapes,
    /// The name of the object whose members are written; empty outside of objects.
    within: String,
    refused: Option<Unsendable>,
}

impl Pairs {
    fn list<T: Scalar>(&mut self, name: &str, values: &[T]) {
        let texts = values.iter().map(|value| value.text(&mut Scratch::new()).to_owned());
        match self.style.lists {
            Lists::Json | Lists::Comma => {
                let texts = texts.collect::<Vec<_>>();
                if let Some(item) = texts.iter().find(|text| text.contains(',')) {
                    self.refused = Some(Unsendable::comma(&self.path(name), item));
                }
                self.push(name, &texts.join(","));
            }
            Lists::Repeated => texts.for_each(|text| self.push(name, &text)),
            Lists::Brackets => {
                let path = format!("{}[]", self.path(name));
                texts.for_each(|text| self.escapes.push_pair(&mut self.text, &path, &text));
            }
            Lists::Indexed => {
                let path = self.path(name);
                for (index, text) in texts.enumerate() {
                    self.escapes.push_pair(&mut self.text, &format!("{path}[{index}]"), &text);
                }
            }
        }
    }

    /// Writes a pair; called, not inlined, so that the code for JSON stays short.
    #[inline(never)]
    fn push(&mut self, name: &str, value: &str) {
        if self.within.is_empty() {
            self.escapes.push_pair(&mut self.text, name, value);
        } else {
            let path = self.path(name);
            self.escapes.push_pair(&mut self.text, &path, value);
        }
    }

    /// Returns the name of a member of the object that is written.
    fn path(&self, name: &str) -> String {
        match self.style.objects {
            _ if self.within.is_empty() => name.to_owned(),
            Objects::Json | Objects::Brackets => format!("{}[{name}]", self.within),
            Objects::Dots => format!("{}.{name}", self.within),
        }
    }
}

/// The part of a request that is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// Parameters that travel in the body, or in the query of a request without one.
    Own,
    /// Parameters that travel in the query beside a body.
    Query,
    /// All parameters, also those that travel elsewhere.
    Whole,
}

/// The form of the JSON body so far, which the first parameter decides.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Body {
    Empty,
    Object,
    Array,
}

impl ParameterWriter {
    /// Writes a query, without the question mark.
    pub fn query() -> Self {
        Self::pairs(ParameterStyle::DEFAULT, Escapes::Needed)
    }

    fn pairs(style: ParameterStyle, escapes: Escapes) -> Self {
        let pairs = Pairs { text: String::new(), style, escapes, within: String::new(), refused: None };
        Self { form: Form::Pairs(pairs), body: Body::Empty, part: Part::Own }
    }

    /// Writes a JSON body: an object, or an array if [`items`](Self::items) are written.
    pub fn json() -> Self {
        Self { form: Form::Json(JsonWriter::with_capacity(USUAL_LENGTH)), body: Body::Empty, part: Part::Own }
    }

    /// Writes all parameters of a request as JSON, also those that travel outside the body.
    pub(crate) fn whole() -> Self {
        Self { part: Part::Whole, ..Self::json() }
    }

    /// Writes in the form that requests of this operation have; in a query with these escapes.
    pub(crate) fn of(meta: &Meta, escapes: Escapes) -> Self {
        match meta.sends() {
            Sends::Query => Self::pairs(meta.style, escapes),
            Sends::Form => Self::pairs(meta.style, Escapes::All),
            Sends::Json => Self::json(),
        }
    }

    /// Writes the query beside a body, with these escapes.
    pub(crate) fn beside_body(meta: &Meta, escapes: Escapes) -> Self {
        Self { part: Part::Query, ..Self::pairs(meta.style, escapes) }
    }

    /// Returns what was written: a query, which may be empty, or a JSON text, `{}` when no parameter is set.
    pub fn finish(mut self) -> String {
        self.end_body();
        match self.form {
            Form::Pairs(pairs) => pairs.text,
            Form::Json(json) => json.finish(),
        }
    }

    /// Returns the same for a request that is to be sent.
    ///
    /// Fails with a value that the request cannot carry.
    pub(crate) fn finish_to_send(mut self) -> Result<String, Unsendable> {
        let refused = match &mut self.form {
            Form::Pairs(pairs) => pairs.refused.take(),
            Form::Json(_) => None,
        };
        refused.map_or_else(|| Ok(self.finish()), Err)
    }

    /// Writes parameters that travel elsewhere, in the path or in headers: only if all of the request is written.
    pub fn elsewhere(&mut self, write: impl FnOnce(&mut Self)) {
        if self.part == Part::Whole {
            write(self);
        }
    }

    /// Writes a value as text.
    #[inline]
    pub fn text(&mut self, name: Name, value: &impl Scalar) {
        self.write_text(name, name.as_str(), value.text(&mut Scratch::new()), value.is_plain());
    }

    /// Writes a value as a bare JSON number.
    #[inline]
    pub fn number(&mut self, name: Name, value: &impl Scalar) {
        self.write_bare(name, name.as_str(), value.text(&mut Scratch::new()));
    }

    /// Writes a bare JSON boolean.
    pub fn boolean(&mut self, name: Name, value: bool) {
        self.write_bare(name, name.as_str(), value.text(&mut Scratch::new()));
    }

    /// Returns whether the part of the request that is written has the parameter.
    #[inline]
    pub(super) fn takes(&self, row: &ParameterTable) -> bool {
        match self.part {
            Part::Own => row.place == Place::Among,
            Part::Query => row.place == Place::Query,
            Part::Whole => true,
        }
    }

    /// Writes a single value as its row says.
    #[inline]
    pub(super) fn single(&mut self, row: &'static ParameterTable, value: &impl Scalar) {
        if !self.takes(row) {
            return;
        }
        let mut scratch = Scratch::new();
        let text = value.text(&mut scratch);
        if row.is_bit {
            self.write_bare(row.written, row.sent, if text == "true" { "1" } else { "0" });
        } else if row.is_bare {
            self.write_bare(row.written, row.sent, text);
        } else {
            self.write_text(row.written, row.sent, text, value.is_plain());
        }
    }

    /// Writes a list of single values as its row says.
    #[inline]
    pub(super) fn singles<T: Scalar>(&mut self, row: &'static ParameterTable, values: &[T]) {
        if !self.takes(row) {
            return;
        }
        let write: fn(&mut JsonWriter, &str) =
            if row.is_bare { |out, value| out.raw(value) } else { |out, value| out.string(value) };
        self.write_list(row.written, row.sent, values, write);
    }

    /// Writes a text under a name from a table.
    pub(crate) fn text_of_table(&mut self, name: &'static str, value: &str) {
        match &mut self.form {
            Form::Pairs(pairs) => pairs.push(name, value),
            Form::Json(out) => self.body.object(out).member(name).string(value),
        }
    }

    /// Writes a bare JSON number under a name from a table.
    pub(crate) fn number_of_table(&mut self, name: &'static str, value: u64) {
        match &mut self.form {
            Form::Pairs(pairs) => pairs.push(name, value.text(&mut Scratch::new())),
            Form::Json(out) => self.body.object(out).member(name).number(&value),
        }
    }

    /// Writes a value as text if it is set.
    #[inline]
    pub fn optional_text<T: Scalar>(&mut self, name: Name, value: Option<&T>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Writes a value as a bare JSON number if it is set.
    #[inline]
    pub fn optional_number<T: Scalar>(&mut self, name: Name, value: Option<&T>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    /// Writes a bare JSON boolean if it is set.
    pub fn optional_boolean(&mut self, name: Name, value: Option<bool>) {
        if let Some(value) = value {
            self.boolean(name, value);
        }
    }

    /// Writes what deletes a value: `null`, or the text of the row.
    pub(super) fn deletion(&mut self, row: &'static ParameterTable) {
        if !self.takes(row) {
        } else if row.or_null {
            self.write_bare(row.written, row.sent, "null");
        } else if row.is_bare {
            self.write_bare(row.written, row.sent, row.delete);
        } else {
            self.write_text(row.written, row.sent, row.delete, false);
        }
    }

    /// Writes a list of bare JSON numbers.
    pub fn numbers<T: Scalar>(&mut self, name: Name, values: &[T]) {
        self.write_list(name, name.as_str(), values, |out, value| out.raw(value));
    }

    /// Writes a list of texts.
    pub fn texts<T: Scalar>(&mut self, name: Name, values: &[T]) {
        self.write_list(name, name.as_str(), values, |out, value| out.string(value));
    }

    /// Writes a list of objects.
    pub fn list<T: Parameters>(&mut self, name: Name, items: &[T]) {
        match &mut self.form {
            Form::Json(out) => {
                self.body.begin(out, name.before_value());
                self.write_items(items);
            }
            Form::Pairs(pairs) if pairs.style.spreads_items() => {
                let path = pairs.path(name.as_str());
                for (index, item) in items.iter().enumerate() {
                    self.write_within(format!("{path}[{index}]"), item);
                }
            }
            Form::Pairs(pairs) => {
                let mut list = Self::json();
                list.items(items);
                pairs.push(name.as_str(), &list.finish());
            }
        }
    }

    /// Writes an object with parameters of its own.
    pub fn object<T: Parameters>(&mut self, name: Name, object: &T) {
        match &mut self.form {
            Form::Json(out) => {
                self.body.begin(out, name.before_value());
                self.write_object(object);
            }
            Form::Pairs(pairs) if pairs.style.objects != Objects::Json => {
                let path = pairs.path(name.as_str());
                self.write_within(path, object);
            }
            Form::Pairs(pairs) => {
                let mut json = Self::json();
                object.write(&mut json);
                pairs.push(name.as_str(), &json.finish());
            }
        }
    }

    /// Writes the members of an object under names that begin with `path`.
    fn write_within(&mut self, path: String, object: &dyn Parameters) {
        let outer = self.enter(path);
        object.write(self);
        self.enter(outer);
    }

    /// Returns the name of the object that was written before.
    fn enter(&mut self, within: String) -> String {
        match &mut self.form {
            Form::Pairs(pairs) => std::mem::replace(&mut pairs.within, within),
            Form::Json(_) => within,
        }
    }

    /// Writes the array that is a body; where all of a request with other parameters is written, as a member of it.
    pub(super) fn body<T: Parameters>(&mut self, items: &[T], has_siblings: bool) {
        match self.part {
            Part::Own => self.items(items),
            Part::Query => {}
            Part::Whole if has_siblings => self.list(crate::name!("[]"), items),
            Part::Whole => self.items(items),
        }
    }

    /// Writes the whole body as an array of objects. A query has no place for it.
    pub fn items<T: Parameters>(&mut self, items: &[T]) {
        self.body = Body::Array;
        self.write_items(items);
    }

    /// Writes an object with names of its own. A query and a form hold it as JSON.
    pub(super) fn entries<T: Scalar>(&mut self, row: &'static ParameterTable, entries: &Entries<T>) {
        if !self.takes(row) {
            return;
        }
        let write_to = |out: &mut JsonWriter| {
            out.begin_object();
            for (name, value) in entries {
                let mut scratch = Scratch::new();
                let text = value.text(&mut scratch);
                let out = out.member(name);
                if row.is_bare { out.raw(text) } else { out.string(text) }
            }
            out.end_object();
        };
        match &mut self.form {
            Form::Json(out) => write_to(self.body.begin(out, row.written.before_value())),
            Form::Pairs(pairs) => {
                let mut json = JsonWriter::new();
                write_to(&mut json);
                pairs.push(row.written.as_str(), &json.finish());
            }
        }
    }

    fn write_list<T: Scalar>(
        &mut self,
        name: Name,
        sent: &'static str,
        values: &[T],
        write: fn(&mut JsonWriter, &str),
    ) {
        let write_to = |out: &mut JsonWriter| {
            out.begin_array();
            values.iter().for_each(|value| write(out.element(), value.text(&mut Scratch::new())));
            out.end_array();
        };
        match &mut self.form {
            Form::Json(out) => write_to(self.body.begin(out, name.before_value())),
            Form::Pairs(pairs) if pairs.style.lists != Lists::Json => pairs.list(sent, values),
            Form::Pairs(pairs) => {
                let mut list = JsonWriter::new();
                write_to(&mut list);
                pairs.push(sent, &list.finish());
            }
        }
    }

    fn write_items<T: Parameters>(&mut self, items: &[T]) {
        self.with_json(JsonWriter::begin_array);
        for item in items {
            self.with_json(|out| _ = out.element());
            self.write_object(item);
        }
        self.with_json(JsonWriter::end_array);
    }

    /// Writes an object of a JSON text where its place has been begun.
    fn write_object(&mut self, object: &impl Parameters) {
        let around = std::mem::replace(&mut self.body, Body::Empty);
        object.write(self);
        self.end_body();
        self.body = around;
    }

    /// Writes a text, which has the name `sent` outside of JSON.
    fn write_text(&mut self, name: Name, sent: &'static str, value: &str, is_plain: bool) {
        match &mut self.form {
            Form::Pairs(pairs) => pairs.push(sent, value),
            Form::Json(out) => self.body.begin(out, name.before_text()).end_string(value, is_plain),
        }
    }

    fn write_bare(&mut self, name: Name, sent: &'static str, value: &str) {
        match &mut self.form {
            Form::Pairs(pairs) => pairs.push(sent, value),
            Form::Json(out) => self.body.begin(out, name.before_value()).raw(value),
        }
    }

    fn end_body(&mut self) {
        let body = self.body;
        self.with_json(|out| match body {
            Body::Empty => out.raw("{}"),
            Body::Object => out.end_object(),
            Body::Array => {}
        });
    }

    fn with_json(&mut self, write: impl FnOnce(&mut JsonWriter)) {
        if let Form::Json(out) = &mut self.form {
            write(out);
        }
    }
}

impl Body {
    /// Begins an object if none has begun.
    fn object<'w>(&mut self, out: &'w mut JsonWriter) -> &'w mut JsonWriter {
        if *self == Self::Empty {
            *self = Self::Object;
            out.begin_object();
        }
        out
    }

    /// Begins a member, and before the first one the object.
    // Always: once per parameter, and a call of it costs more than what it does.
    #[inline(always)]
    fn begin<'w>(&mut self, out: &'w mut JsonWriter, member: &'static str) -> &'w mut JsonWriter {
        match self {
            Self::Empty => {
                *self = Self::Object;
                out.begin_object();
                out.raw(member.strip_prefix(',').unwrap_or(member));
            }
            Self::Object | Self::Array => out.raw(member),
        }
        out
    }
}

/// A value that its place in a request cannot carry, whatever the rules of the API. It is never sent, also where rules
/// are not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsendable {
    parameter: String,
    rule: &'static str,
    given: String,
    allowed: &'static str,
    hint: &'static str,
}

impl Unsendable {
    /// Creates a header that is not visible ASCII text.
    pub(super) fn header(parameter: &'static str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "header",
            given: "a text that no header can carry".to_owned(),
            allowed: "visible ASCII characters are needed",
            hint: "use other characters",
        }
    }

    /// Creates an item with a comma, in a list whose items are separated by commas.
    pub(super) fn comma(parameter: &str, item: &str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "comma",
            given: format!("{item:?}"),
            allowed: "an item without a comma is needed, because a comma separates the items",
            hint: "give what is before and after the comma as items of their own, or leave it out",
        }
    }

    /// Creates a segment of a path that servers do not take for one.
    pub(super) fn segment(parameter: &'static str, segment: &str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "shape",
            given: format!("the segment {segment:?}"),
            allowed: "a segment of a path is needed; an empty one or one of dots leads to another path",
            hint: "use another text",
        }
    }

    /// Returns the broken rule, in a request that `source` describes.
    pub(crate) fn violation(self, source: String) -> Violation {
        let Self { parameter, rule, given, allowed, hint } = self;
        Violation {
            rule: format!("{parameter}.{rule}"),
            severity: Severity::Refuse,
            parameter,
            given,
            allowed: allowed.to_owned(),
            source,
            hint: hint.to_owned(),
        }
    }
}
