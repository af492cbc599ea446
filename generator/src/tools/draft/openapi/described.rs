//! The parameters outside of a body as the file describes them, and how lists and objects are written there.

use serde_json::Value;

use super::reading::{Cursor, Mark};
use super::schema::{self, Side};
use crate::compiler::model::Method;
use crate::compiler::words::{Lists, Objects, Sends};
use crate::tools::draft::{DraftField, JsonKind};

/// The content of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    None,
    Json,
    Form,
    /// One that the language does not have.
    Unknown,
}

/// A parameter outside of the body.
pub(super) struct Described<'a> {
    pub(super) name: &'a str,
    pub(super) place: &'a str,
    pub(super) at: Cursor<'a>,
}

impl<'a> Described<'a> {
    pub(super) fn schema(&self) -> Option<Cursor<'a>> {
        let in_content = || self.at.get("content")?.members().into_iter().find_map(|(_, media)| media.get("schema"));
        self.at.get("schema").or_else(in_content)
    }

    fn is_json(&self) -> bool {
        self.at.value.get("content").is_some()
    }
}

/// Returns the parameters of an operation: its own, and those of its path that it does not replace.
pub(super) fn described<'a>(item: &Cursor<'a>, operation: &Cursor<'a>) -> Vec<Described<'a>> {
    let listed = |of: &Cursor<'a>| {
        let all = of.get("parameters").map(|all| all.items()).unwrap_or_default();
        let text = |one: &Cursor<'a>, key: &str| one.value.get(key).and_then(Value::as_str).unwrap_or_default();
        let described = |at: Cursor<'a>| Described { name: text(&at, "name"), place: text(&at, "in"), at };
        all.into_iter().map(described).filter(|one| !one.name.is_empty()).collect::<Vec<_>>()
    };
    let own = listed(operation);
    let is_replaced = |one: &Described<'_>| own.iter().any(|other| (other.name, other.place) == (one.name, one.place));
    let of_path: Vec<_> = listed(item).into_iter().filter(|one| !is_replaced(one)).collect();
    of_path.into_iter().chain(own).collect()
}

/// The form of lists and objects in the query: as the first of them says.
#[derive(Default)]
pub(super) struct Style {
    pub(super) lists: Option<Lists>,
    pub(super) objects: Option<Objects>,
    /// The exporter's style for the lists of the whole operation.
    own_lists: Option<Lists>,
    own_objects: Option<Objects>,
    has_query: bool,
    /// True if nothing but the query carries parameters that a body would by default.
    is_query_of_body: bool,
    /// True if a form has a style of its own.
    is_beside_form: bool,
}

impl Style {
    pub(super) fn of(operation: &Cursor<'_>, described: &[Described<'_>], content: Content, method: Method) -> Self {
        let mut style = Self::default();
        let own = |key: &str| operation.value.get(key).and_then(Value::as_str);
        style.own_lists = own("x-lists").and_then(Lists::parse);
        style.own_objects = own("x-objects").and_then(Objects::parse);
        for one in described.iter().filter(|one| one.place == "query") {
            style.has_query = true;
            one.at.peek(|| match one.schema().map(|schema| schema::field("", &schema, Side::Request, &[]).kind) {
                Some(JsonKind::List) if style.lists.is_none() => style.lists = lists(one),
                Some(JsonKind::Object) if style.objects.is_none() => style.objects = objects(one),
                _ => {}
            });
        }
        let has_body = matches!(content, Content::Json | Content::Form);
        style.is_beside_form = content == Content::Form;
        style.is_query_of_body = style.has_query && !has_body && !method.has_query();
        style
    }

    /// Returns why a list or an object of the query is not read: it is written otherwise than the others, or in no way
    /// that the language has.
    pub(super) fn why_unlike(&self, one: &Described<'_>, field: &DraftField) -> Option<&'static str> {
        const UNLIKE: &str = "which is written in another way";
        match field.kind {
            JsonKind::List if field.item == JsonKind::Object && self.own_lists.is_none() => {
                Some("whose items are objects")
            }
            JsonKind::List if self.own_lists.is_some() => None,
            JsonKind::List if self.is_beside_form => Some(UNLIKE),
            JsonKind::Object if self.own_objects.is_some() => None,
            JsonKind::List => (self.lists != lists(one) || lists(one).is_none()).then_some(UNLIKE),
            JsonKind::Object => (self.objects != objects(one) || objects(one).is_none()).then_some(UNLIKE),
            _ => None,
        }
    }

    pub(super) fn sends(&self, content: Content, method: Method) -> Option<Sends> {
        match content {
            Content::Form => Some(Sends::Form),
            Content::Json => method.has_query().then_some(Sends::Json),
            Content::None | Content::Unknown => self.is_query_of_body.then_some(Sends::Query),
        }
    }

    /// Returns whether lists and objects are in the query, rather than in a form with a style of its own.
    pub(super) fn is_read_from(&self, content: Content) -> bool {
        self.has_query && content != Content::Form
    }
}

/// Returns how a list is written.
pub(super) fn lists(one: &Described<'_>) -> Option<Lists> {
    if one.is_json() {
        return Some(Lists::Json);
    }
    let (style, is_exploded) = (one.at.text("style").unwrap_or("form"), one.at.value.get("explode"));
    one.at.mark("explode", Mark::Read);
    match (style, is_exploded.and_then(Value::as_bool)) {
        ("form", Some(false)) => Some(Lists::Comma),
        ("form", _) => Some(Lists::Repeated),
        _ => None,
    }
}

/// Returns how an object is written.
pub(super) fn objects(one: &Described<'_>) -> Option<Objects> {
    if one.is_json() {
        return Some(Objects::Json);
    }
    one.at.mark("explode", Mark::Read);
    (one.at.text("style") == Some("deepObject")).then_some(Objects::Brackets)
}

/// Returns whether a header can carry a value: a single one, or a list separated by commas.
pub(super) fn fits_header(field: &DraftField) -> bool {
    let is_single = |kind: JsonKind| {
        !matches!(kind, JsonKind::Unknown | JsonKind::Json | JsonKind::List | JsonKind::Map | JsonKind::Object)
    };
    if field.kind == JsonKind::List { is_single(field.item) } else { is_single(field.kind) }
}
