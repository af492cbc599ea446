//! `pages`: how the next page of a listing is requested without losing items.

use super::records;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{
    Api, Effect, Family, Field, Lookup, Need, Operation, PageOrder, PagesBy, Paging, Parameter, Record, Response, Role,
    Shape, Shown, Times, Type,
};

/// Checks the paging of a family's listings.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(pages) = &operation.listing.pages else { continue };
        if operation.effect != Effect::Read {
            to.at(pages.place, Code::Misplaced, "`pages` requires `effect: read`").help("remove it");
        }
        let next = next_is_taken(family, operation, pages, to);
        size_is_known(family, operation, pages, to);
        fields_of_the_object(family, operation, pages, to);
        let item = operation.paged_record(family).and_then(|record| family.records.get(record));
        let last = item.and_then(|item| last_item(item, pages, to));
        if let (Some(next), Some(last)) = (next, last) {
            last_fits_next(pages, next, last, to);
        }
        let is_counted = match pages.by {
            PagesBy::Number | PagesBy::Offset => true,
            // A link contains the number of a page, unless the parameter can take any cursor.
            PagesBy::Link => next.is_some_and(|next| next.shape.is_one(|ty| ty == Type::Integer)),
            PagesBy::Cursor | PagesBy::Last => false,
        };
        repeated_items_are_known(operation, pages, last, is_counted, to);
        open_orders_are_not_counted(operation, pages, is_counted, to);
    }
}

/// The parameter of the request; one of another type is reported.
fn parameter<'a>(
    family: &'a Family,
    operation: &'a Operation,
    (name, place): &(String, Place),
    fits: fn(Type) -> bool,
    expected: &str,
    to: &mut Diagnostics,
) -> Option<&'a Parameter> {
    let found = match family.names(operation.members()).find(name) {
        Lookup::Found(found) => found,
        Lookup::Missing(help) => {
            to.at(*place, Code::UndefinedName, format!("unknown parameter `{name}`")).help(help);
            return None;
        }
        Lookup::Unresolved => return None,
    };
    match found.role {
        Role::Plain(parameter) if parameter.shape.is_undefined() => None,
        Role::Plain(parameter) if parameter.shape.is_one(fits) => Some(parameter),
        Role::Plain(_) | Role::Decider(_) | Role::Alternative(_) | Role::Member(_) => {
            to.at(*place, Code::BadResponse, format!("expected {expected}, found `{name}`"))
                .related(found.name.place, "the parameter is here")
                .help("name a parameter outside of choices that has this type");
            None
        }
    }
}

fn next_is_taken<'a>(
    family: &'a Family,
    operation: &'a Operation,
    pages: &Paging,
    to: &mut Diagnostics,
) -> Option<&'a Parameter> {
    let (fits, expected): (fn(Type) -> bool, _) = match pages.by {
        PagesBy::Cursor | PagesBy::Link => (Type::is_cursor, "a `string`, an `integer` or an identifier"),
        PagesBy::Last => (|ty| ty.is_cursor() || ty.is_time(), "a `string`, an `integer`, a `time` or an identifier"),
        PagesBy::Number | PagesBy::Offset => (|ty| ty == Type::Integer, "an `integer`"),
    };
    let next = parameter(family, operation, &pages.next, fits, expected, to)?;
    if next.need == Need::Always {
        to.at(pages.next.1, Code::BadResponse, format!("expected an optional parameter, found `{}`", pages.next.0))
            .related(next.name.place, "the parameter is here")
            .help("the first page is requested without it: remove `required: always`");
    }
    let bounds = operation.window.iter().flat_map(|window| [&window.from, &window.to]);
    if let Some(bound) = bounds.into_iter().find(|bound| bound.0 == pages.next.0) {
        to.at(pages.next.1, Code::BadResponse, format!("`{}` bounds the times and cannot begin a page", pages.next.0))
            .related(bound.1, "the bound is here")
            .help("name another parameter, or remove the `window`");
    }
    Some(next)
}

/// To recognize a short page, the usual length must be known.
fn size_is_known(family: &Family, operation: &Operation, pages: &Paging, to: &mut Diagnostics) {
    let Some(size) = &pages.size else {
        if let Some(total) = pages.total.as_ref().filter(|_| pages.by == PagesBy::Number) {
            to.missing_key(total.1, "missing key `size`: pages are counted, but `total` counts items")
                .help("add `size: ...` with the parameter that has the number of items on a page");
        }
        return;
    };
    let Some(found) = parameter(family, operation, size, |ty| ty == Type::Integer, "an `integer`", to) else { return };
    if found.need != Need::Always && found.default.is_none() {
        to.at(size.1, Code::BadResponse, format!("the length of a page is unknown where `{}` is left out", size.0))
            .related(found.name.place, "the parameter is here")
            .help("add its `default`, or remove `size`: then an empty page is the last one");
    }
}

fn fields_of_the_object(family: &Family, operation: &Operation, pages: &Paging, to: &mut Diagnostics) {
    let Response::Object { record } = operation.response else {
        if let (Response::Array { .. }, PagesBy::Cursor, None) = (&operation.response, pages.by, &pages.header) {
            to.at(pages.place, Code::BadResponse, "an array has no cursor")
                .help("name the `header` that has it, use another `by`, or describe the answer as an `object`");
        }
        return;
    };
    let Some(record) = family.records.get(record) else { return };
    let cursor = pages.field.as_ref().filter(|_| pages.by == PagesBy::Cursor);
    let is_list: fn(&Shape) -> bool =
        |shape| shape.listed_record().is_some() || shape.listed() == Some(Type::Undefined);
    let is_cursor: fn(&Shape) -> bool = |shape| shape.is_one(Type::is_cursor);
    let is_flag: fn(&Shape) -> bool = |shape| shape.is_one(Type::is_boolean);
    let is_count: fn(&Shape) -> bool = |shape| shape.is_one(|ty| ty == Type::Integer);
    let fields = [
        (pages.list.as_ref(), is_list, "a list of records"),
        (cursor, is_cursor, "a `string`, an `integer` or an identifier"),
        (pages.more.as_ref(), is_flag, "a `boolean`"),
        (pages.total.as_ref(), is_count, "an `integer`"),
    ];
    for (name, fits, expected) in fields {
        let Some((name, field)) = name.and_then(|name| Some((name, records::field(record, name, to)?))) else {
            continue;
        };
        if !fits(&field.shape) && !field.shape.is_undefined() {
            mismatch(name, field, expected, to);
        }
    }
}

fn mismatch((name, place): &(String, Place), field: &Field, expected: &str, to: &mut Diagnostics) {
    to.at(*place, Code::BadResponse, format!("expected {expected}, found `{name}`"))
        .related(field.name.place, "the field is here")
        .help("name a field that has this type");
}

/// The field of the last item with which the next page begins.
fn last_item<'a>(item: &'a Record, pages: &Paging, to: &mut Diagnostics) -> Option<&'a Field> {
    let name = pages.field.as_ref().filter(|_| pages.by == PagesBy::Last)?;
    let field = records::field(item, name, to)?;
    let fits = field.shape.is_one(|ty| ty.is_cursor() || ty.is_time());
    if !fits {
        mismatch(name, field, "an id or a `time`", to);
    }
    fits.then_some(field)
}

/// The field and the parameter have the same form, because the text of the field is sent unchanged.
fn last_fits_next(pages: &Paging, next: &Parameter, last: &Field, to: &mut Diagnostics) {
    let Some(field) = &pages.field else { return };
    let times = |shape: &Shape| shape.single().filter(|ty| ty.is_time());
    if times(&next.shape) != times(&last.shape) {
        to.at(pages.next.1, Code::BadResponse, format!("`{}` and `{}` have different forms", pages.next.0, field.0))
            .related(last.name.place, "the field is here")
            .related(next.name.place, "the parameter is here")
            .help("name an id and a parameter for it, or two times with the same `times`");
    }
    if !pages.includes && matches!(last.shape.single(), Some(Type::Time(Times::Seconds | Times::Iso8601))) {
        to.at(field.1, Code::BadResponse, format!("other items with the same `{}` would be lost", field.0))
            .related(last.name.place, "the field is here")
            .help(
                "name an id, or a time in milliseconds, microseconds or nanoseconds, which can be moved by one; \
                 or set `includes: true`, if the next page begins with this time",
            );
    }
}

/// If a page can repeat items, they are recognized by their ids, and the last page by its length.
fn repeated_items_are_known(
    operation: &Operation,
    pages: &Paging,
    last: Option<&Field>,
    is_counted: bool,
    to: &mut Diagnostics,
) {
    let repeats_last = match last.and_then(|last| last.shape.single()) {
        Some(ty) if ty.is_time() => true,
        Some(Type::Integer) | None => false,
        Some(_) => pages.includes,
    };
    let repeats = repeats_last || is_counted && pages.order == PageOrder::NewestFirst;
    if repeats && operation.listing.id.is_none() {
        to.missing_key(pages.place, "missing key `id` in `response`: a page repeats items of the one before")
            .help("add `id: ...` with the field that identifies an item");
    }
    if repeats_last && pages.size.is_none() && pages.more.is_none() {
        to.at(pages.place, Code::MissingKey, "neither `size` nor `more` says which page is the last one")
            .help("each page repeats items of the one before, so the last page is never empty: add one of them");
    }
}

/// An order that is filled or cancelled moves the following ones forward, so paging by count could miss one.
fn open_orders_are_not_counted(operation: &Operation, pages: &Paging, is_counted: bool, to: &mut Diagnostics) {
    let shows = operation.listing.shows.as_ref().filter(|shows| shows.what.0 == Shown::OpenOrders);
    if let (Some(shows), true) = (shows, is_counted) {
        to.at(shows.place, Code::BadResponse, "pages that are counted can miss open orders")
            .related(pages.place, "the pages are here")
            .help("remove `shows`: an order that is filled meanwhile moves the others forward");
    }
}
