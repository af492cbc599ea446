//! Listings: how their items are identified, how pages follow without losing items, and what they show of an account,
//! of instruments and of trades.

use super::account::{account_word, instrument_property};
use super::records::{self, is_field};
use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics, one_of};
use crate::compiler::model::declared::KeyValue;
use crate::compiler::model::{
    Api, Effect, Enum, Family, Field, ListedInstruments, Need, Operation, PageOrder, Pages, PagesBy, Parameter, Placed,
    Record, Reference, Response, Shape, Shown, Shows, Times, Trade, TradeFees, TradePosition, TradeSides, Type,
    WireNames,
};

/// Checks the listings of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in family.operations.iter().filter(|operation| operation.paged_record(family).is_some()) {
        each_is_an_optional_enum(operation, to);
    }
}

fn each_is_an_optional_enum(operation: &Operation, to: &mut Diagnostics) {
    let Some(each) = &operation.listing.each else { return };
    let Some(found) = operation.parameter(each).filter(|parameter| parameter.need == Need::Always) else { return };
    to.at(each.place, Code::BadResponse, format!("expected an optional enum, found `{each}`"))
        .related(found.name.place, "the parameter is here")
        .help("name an optional parameter that is an enum");
}

/// Checks the paging of a family's listings.
pub(super) fn paging(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(pages) = &operation.listing.pages else { continue };
        if !operation.may_have(Effect::Read) {
            to.at(pages.place, Code::Misplaced, "`pages` requires `effect: read`").help("remove it");
        }
        let next = next_is_taken(operation, pages, to);
        size_is_known(operation, pages, to);
        cursor_is_in_the_object(family, operation, pages, to);
        let item = operation.paged_record(family).and_then(|record| family.records.get(record));
        let last = item.and_then(|item| last_item(item, pages, to));
        if let (Some(next), Some(last)) = (next, last) {
            last_fits_next(pages, next, last, to);
        }
        let is_counted = match pages.by.0 {
            PagesBy::Number | PagesBy::Offset => true,
            // A link contains the number of a page, unless the parameter can take any cursor.
            PagesBy::Link => next.is_some_and(|next| next.shape.is_one(|ty| ty == Type::Integer)),
            PagesBy::Cursor | PagesBy::Last => false,
        };
        repeated_items_are_known(operation, pages, last, is_counted, to);
        open_orders_are_not_counted(operation, pages, is_counted, to);
    }
}

/// Checks that the parameter that begins a page can be left out, and takes what the page before ends with.
fn next_is_taken<'a>(operation: &'a Operation, pages: &Pages, to: &mut Diagnostics) -> Option<&'a Parameter> {
    let (fits, expected): (fn(Type) -> bool, _) = match pages.by.0 {
        PagesBy::Cursor | PagesBy::Link => (Type::is_cursor, "a `string`, an `integer` or an identifier"),
        PagesBy::Last => (|ty| ty.is_cursor() || ty.is_time(), "a `string`, an `integer`, a `time` or an identifier"),
        PagesBy::Number | PagesBy::Offset => (|ty| ty == Type::Integer, "an `integer`"),
    };
    let next = operation.parameter(&pages.next)?;
    if !next.shape.is_one(fits) {
        to.at(pages.next.place, Code::BadResponse, format!("expected {expected}, found `{}`", pages.next))
            .related(next.name.place, "the parameter is here")
            .help("name a parameter outside of choices that has this type");
        return None;
    }
    if next.need == Need::Always {
        to.at(pages.next.place, Code::BadResponse, format!("expected an optional parameter, found `{}`", pages.next))
            .related(next.name.place, "the parameter is here")
            .help("the first page is requested without it: remove `required: always`");
    }
    let bounds = operation.window.iter().flat_map(|window| [&window.from, &window.to]);
    if let Some(bound) = bounds.into_iter().find(|bound| bound.is_same(&pages.next)) {
        to.at(
            pages.next.place,
            Code::BadResponse,
            format!("`{}` bounds the times and cannot begin a page", pages.next),
        )
        .related(bound.place, "the bound is here")
        .help("name another parameter, or remove the `window`");
    }
    Some(next)
}

/// Checks that the usual length of a page is known where a shorter one is the last.
fn size_is_known(operation: &Operation, pages: &Pages, to: &mut Diagnostics) {
    let Some(size) = &pages.size else {
        if let Some(total) = pages.total.as_ref().filter(|_| pages.by.0 == PagesBy::Number) {
            to.missing_key(total.place, "missing key `size`: pages are counted, but `total` counts items")
                .help("add `size: ...` with the parameter that has the number of items on a page");
        }
        return;
    };
    let Some(found) = operation.parameter(size) else { return };
    if found.need != Need::Always && found.default.is_none() {
        to.at(size.place, Code::BadResponse, format!("the length of a page is unknown where `{size}` is left out"))
            .related(found.name.place, "the parameter is here")
            .help("add its `default`, or remove `size`: then an empty page is the last one");
    }
}

fn cursor_is_in_the_object(family: &Family, operation: &Operation, pages: &Pages, to: &mut Diagnostics) {
    let Response::Object { record } = operation.response else {
        if let (Response::Array { .. }, PagesBy::Cursor, None) = (&operation.response, pages.by.0, &pages.header) {
            to.at(pages.place, Code::BadResponse, "an array has no cursor")
                .help("name the `header` that has it, use another `by`, or describe the answer as an `object`");
        }
        return;
    };
    let Some(record) = family.records.get(record) else { return };
    let Some(cursor) = pages.field.as_ref().filter(|_| pages.by.0 == PagesBy::Cursor) else { return };
    let is_cursor = |shape: &Shape| shape.is_one(Type::is_cursor);
    if let Some(field) = records::field(record, cursor, to).filter(|field| !is_cursor(&field.shape)) {
        mismatch(cursor, field, "a `string`, an `integer` or an identifier", to);
    }
}

fn mismatch((name, place): &Placed, field: &Field, expected: &str, to: &mut Diagnostics) {
    to.at(*place, Code::BadResponse, format!("expected {expected}, found `{name}`"))
        .related(field.name.place, "the field is here")
        .help("name a field that has this type");
}

/// Returns the field of the last item with which the next page begins.
fn last_item<'a>(item: &'a Record, pages: &Pages, to: &mut Diagnostics) -> Option<&'a Field> {
    let name = pages.field.as_ref().filter(|_| pages.by.0 == PagesBy::Last)?;
    let field = records::field(item, name, to)?;
    let fits = field.shape.is_one(|ty| ty.is_cursor() || ty.is_time());
    if !fits {
        mismatch(name, field, "an id or a `time`", to);
    }
    fits.then_some(field)
}

/// Checks that the field and the parameter have the same form, because the text of the field is sent unchanged.
fn last_fits_next(pages: &Pages, next: &Parameter, last: &Field, to: &mut Diagnostics) {
    let Some(field) = &pages.field else { return };
    let times = |shape: &Shape| shape.single().filter(|ty| ty.is_time());
    if times(&next.shape) != times(&last.shape) {
        to.at(pages.next.place, Code::BadResponse, format!("`{}` and `{}` have different forms", pages.next, field.0))
            .related(last.name.place, "the field is here")
            .related(next.name.place, "the parameter is here")
            .help("name an id and a parameter for it, or two times with the same `times`");
    }
    if !pages.includes_last() && matches!(last.shape.single(), Some(Type::Time(Times::Seconds | Times::Iso8601))) {
        to.at(field.1, Code::BadResponse, format!("other items with the same `{}` would be lost", field.0))
            .related(last.name.place, "the field is here")
            .help(
                "name an id, or a time in milliseconds, microseconds or nanoseconds, which can be moved by one; \
                 or set `includes: true`, if the next page begins with this time",
            );
    }
}

/// Checks that items that a page can repeat are recognized by their ids, and the last page by its length.
fn repeated_items_are_known(
    operation: &Operation,
    pages: &Pages,
    last: Option<&Field>,
    is_counted: bool,
    to: &mut Diagnostics,
) {
    let repeats_last = match last.and_then(|last| last.shape.single()) {
        Some(ty) if ty.is_time() => true,
        Some(Type::Integer) | None => false,
        Some(_) => pages.includes_last(),
    };
    let repeats = repeats_last || is_counted && pages.order.0 == PageOrder::NewestFirst;
    if repeats && operation.listing.id.is_none() {
        to.missing_key(pages.place, "missing key `id` in `response`: a page repeats items of the one before")
            .help("add `id: ...` with the field that identifies an item");
    }
    if repeats_last && pages.size.is_none() && pages.more.is_none() {
        to.at(pages.place, Code::MissingKey, "neither `size` nor `more` says which page is the last one")
            .help("each page repeats items of the one before, so the last page is never empty: add one of them");
    }
}

/// Checks that open orders are not paged by count: one that is filled or cancelled moves the following ones forward, so
/// paging could miss one.
fn open_orders_are_not_counted(operation: &Operation, pages: &Pages, is_counted: bool, to: &mut Diagnostics) {
    let shows = operation.listing.shows.as_ref().filter(|shows| shows.what.0 == Shown::OpenOrders);
    if let (Some(shows), true) = (shows, is_counted) {
        to.at(shows.place, Code::BadResponse, "pages that are counted can miss open orders")
            .related(pages.place, "the pages are here")
            .help("remove `shows`: an order that is filled meanwhile moves the others forward");
    }
}

/// Checks `shows` of the listings of a family.
pub(super) fn shows(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        if let Some(shows) = operation.listing.shows.as_ref().filter(|shows| shows.what.0 == Shown::Positions) {
            positions_are_listed(family, operation, shows, to);
            continue;
        }
        let (Some(shows), Some(index)) = (&operation.listing.shows, operation.paged_record(family)) else { continue };
        let Some(record) = family.records.get(index) else { continue };
        match shows.what.0 {
            Shown::OpenOrders => {
                has_states(api, family, index, record, shows, to);
                cancel_takes_what_an_order_has(family, record, shows, to);
            }
            Shown::PastOrders => has_states(api, family, index, record, shows, to),
            // Checked above.
            Shown::Positions => {}
            Shown::Fills => {
                names_the_order(shows, to);
                if let Some(trade) = &shows.trade {
                    trades(api, family, operation, record, (shows, trade), to);
                }
            }
        }
        refuse_keys_of_others(shows, to);
    }
}

/// Positions are the records of an answer without pages.
fn positions_are_listed(family: &Family, operation: &Operation, shows: &Shows, to: &mut Diagnostics) {
    let is_list = operation.listed_field(family).is_some() || matches!(operation.response, Response::Array { .. });
    if operation.listing.pages.is_some() || !is_list || !operation.may_have(Effect::Read) {
        to.at(shows.place, Code::Misplaced, "`positions` requires a read with an `array`, or an `object` with `list`")
            .help("add `list` to the response, or remove `shows`");
    }
    refuse_keys_of_others(shows, to);
}

fn refuse_keys_of_others(shows: &Shows, to: &mut Diagnostics) {
    let of_open = [("cancel", shows.cancel.place()), ("by", shows.by.place())];
    let of_fills = [
        ("order", shows.order.place()),
        ("client_id", shows.client_id.place()),
        ("quantity", shows.quantity.place()),
        ("trade", shows.trade.place()),
    ];
    let refused = match shows.what.0 {
        Shown::OpenOrders => [of_fills.as_slice(), &[]],
        Shown::PastOrders => [of_fills.as_slice(), of_open.as_slice()],
        Shown::Fills => [of_open.as_slice(), &[]],
        Shown::Positions => [of_fills.as_slice(), of_open.as_slice()],
    };
    for (key, place) in refused.concat() {
        if let Some(place) = place {
            to.at(place, Code::Misplaced, format!("`{key}` is not allowed for `{}`", shows.what.0.as_str()))
                .help("remove it");
        }
    }
}

/// Checks that orders are compared by the state and the ids that the lifecycle names.
fn has_states(api: &Api, family: &Family, index: usize, record: &Record, shows: &Shows, to: &mut Diagnostics) {
    let Some(lifecycle) = &family.lifecycle else {
        // A lifecycle that could not be read is reported already.
        if api.is_whole && !to.is_unread(family.place.file, "lifecycle") {
            to.at(shows.place, Code::BadResponse, format!("`{}` requires a `lifecycle`", shows.what.0.as_str()))
                .help("add a `lifecycle` to the family, with the record in its `records`");
        }
        return;
    };
    let is_named = lifecycle.records.iter().any(|tracked| tracked.record == index && tracked.id.is_some());
    if !is_named && !to.is_unread(lifecycle.place.file, "records") {
        let what = format!("the lifecycle does not name the id and the state of `{}`", record.name.wire);
        to.at(shows.place, Code::BadResponse, what)
            .related(lifecycle.place, "the lifecycle is here")
            .help("add the record with its `id` to `records` of the lifecycle");
    }
}

fn names_the_order(shows: &Shows, to: &mut Diagnostics) {
    for (key, place) in [("order", shows.order.place()), ("quantity", shows.quantity.place())] {
        if place.is_none() && !to.is_unread(shows.place.file, key) {
            to.missing_key(shows.place, format!("missing key `{key}`"))
                .help("fills are matched with orders by the id, and their quantities are added");
        }
    }
}

/// Checks that every field in `by` is a parameter of the operation that cancels.
fn cancel_takes_what_an_order_has(family: &Family, record: &Record, shows: &Shows, to: &mut Diagnostics) {
    let is_over = |(name, _): &&Placed| shows.over.as_ref().is_some_and(|over| over.text == *name);
    for named in shows.by.iter().filter(|named| !is_over(named)) {
        records::field(record, named, to);
    }
    let Some(cancel) = &shows.cancel else {
        if let Some((_, place)) = shows.by.first() {
            to.at(*place, Code::Misplaced, "`by` requires `cancel`").help("add `cancel`, or remove `by`");
        }
        return;
    };
    let Some(cancel) = family.operations.get(cancel) else { return };
    let name = &cancel.name;
    let names: WireNames<'_> = family.names(cancel.members());
    for (field, place) in &shows.by {
        names.find(field).or_report(name, field, *place, to);
    }
}

/// Checks `instruments` of the responses of a family.
pub(super) fn instruments(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let (Some(listed), Response::Array { record, .. }) = (&operation.listing.instruments, &operation.response)
        else {
            continue;
        };
        let Some(record) = family.records.get(*record) else { continue };
        let ListedInstruments { of: _, over, lines, symbol: _, properties, in_last_place, place: _ } = listed;
        if let Some(index) = operation.parameter(over).and_then(|parameter| parameter.shape.single_enum()) {
            are_values(&family.enums[index], &format!("`{over}`"), lines, to);
        }
        const NUMBER: &str = "a `decimal` or an `integer`";
        let is_number = |shape: &Shape| shape.is_one(Type::is_quantity);
        // A property of an api.yaml with mistakes may be a flag that was not read.
        for (property, field) in properties.iter().filter(|_| api.is_sound) {
            if is_flag(api, &property.0) {
                let is_truth = |shape: &Shape| family.truth_of(shape).is_some();
                is_field(record, Some(field), "a boolean, or an enum with `truth`", is_truth, to);
            } else {
                instrument_property(api, property, false, to);
                is_field(record, Some(field), NUMBER, is_number, to);
            }
        }
        for (field, places) in in_last_place {
            is_field(record, Some(places), NUMBER, is_number, to);
            if !properties.iter().any(|(_, (used, _))| *used == field.0) {
                to.at(field.1, Code::Unused, format!("no property is the field `{}`", field.0))
                    .help("name it under `properties`, or remove it here");
            }
        }
    }
}

/// Returns whether instruments have a flag of this name.
fn is_flag(api: &Api, name: &str) -> bool {
    let instrument = api.account.as_ref().and_then(|account| account.instrument.as_ref());
    instrument.is_some_and(|instrument| instrument.names(true).any(|flag| flag == name))
}

/// Checks `trade` of a listing of fills.
pub(super) fn trades(
    api: &Api,
    family: &Family,
    operation: &Operation,
    record: &Record,
    (shows, trade): (&Shows, &Trade),
    to: &mut Diagnostics,
) {
    has_values(family, record, &trade.side, std::slice::from_ref(&trade.buy), to);
    if let Some(TradePosition { field, open, close, close_long, close_short, net, place: _ }) = &trade.position {
        let values = [open, close, close_long, close_short, net].into_iter().flatten().cloned().collect::<Vec<_>>();
        has_values(family, record, field, &values, to);
        for ((_, first), (value, place)) in repeated(&values, |one, other| one.0 == other.0) {
            to.at(*place, Code::DefinedTwice, format!("`{value}` has two meanings"))
                .related(*first, "first listed here")
                .help("remove one of them");
        }
    }
    if let Some(fees) = &trade.fees {
        lists_fees(family, record, fees, to);
    }
    if let Some(sides) = &trade.sides {
        tell_sides(api, (family, operation, record), (shows, sides), to);
    }
    for (key, values) in [("linear", &trade.linear), ("inverse", &trade.inverse)] {
        are_of_over(family, operation, shows, (key, values), to);
    }
    for (value, place) in trade.inverse.iter().filter(|(value, _)| is_among(value, &trade.linear)) {
        to.at(*place, Code::BadResponse, format!("`{value}` is both linear and inverse")).help("remove one of them");
    }
}

/// Checks that the field has both sides, and the property tells the accounts without sides.
fn tell_sides(
    api: &Api,
    (family, operation, record): (&Family, &Operation, &Record),
    (shows, sides): (&Shows, &TradeSides),
    to: &mut Diagnostics,
) {
    let TradeSides { field, long, short, lines, property, net, place: _ } = sides;
    has_values(family, record, field, &[long.clone(), short.clone()], to);
    if long.0 == short.0 {
        to.at(short.1, Code::DefinedTwice, format!("`{}` has two meanings", short.0))
            .related(long.1, "first listed here")
            .help("name the value of the other side");
    }
    are_of_over(family, operation, shows, ("lines", lines), to);
    account_word(api, property, net, to);
}

fn is_among(value: &str, all: &[Placed]) -> bool {
    all.iter().any(|(other, _)| other == value)
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::One(Type::Decimal | Type::Undefined))
}

/// Checks that the field, if it is an enum, has these values.
fn has_values(family: &Family, record: &Record, name: &Reference, values: &[Placed], to: &mut Diagnostics) {
    if let Some(all) = record.named(name).and_then(|field| family.enum_of(&field.shape)) {
        are_values(all, &format!("`{name}`"), values, to);
    }
}

/// Checks that the texts are values of an enum, which is called `name`.
pub(super) fn are_values(all: &Enum, name: &str, values: &[Placed], to: &mut Diagnostics) {
    let known = all.placed_wires();
    // An enum without values is reported itself.
    for (value, place) in values.iter().filter(|(value, _)| !known.is_empty() && !all.has(value)) {
        let known = known.iter().map(|(known, place)| (*known, Some(*place)));
        let message = format!("{name} has no value `{value}`");
        to.at(*place, Code::UndefinedName, message).help(one_of(value, known));
    }
}

fn lists_fees(family: &Family, record: &Record, fees: &TradeFees, to: &mut Diagnostics) {
    let fee = record.named(&fees.list).and_then(|field| field.shape.listed_record());
    if let Some(fee) = fee.and_then(|index| family.records.get(index)) {
        records::field(fee, &fees.coin, to);
        is_field(fee, Some(&fees.amount), "a `decimal`", is_number, to);
    }
}

/// Checks that the values of a key are values of the parameter in `over`.
fn are_of_over(
    family: &Family,
    operation: &Operation,
    shows: &Shows,
    (key, values): (&str, &[Placed]),
    to: &mut Diagnostics,
) {
    let Some((_, place)) = values.first() else { return };
    let Some(over) = &shows.over else {
        to.at(*place, Code::Misplaced, format!("`{key}` requires `over`"))
            .help(format!("add `over`, or remove `{key}`"));
        return;
    };
    let index = operation.parameter(over).and_then(|parameter| parameter.shape.single_enum());
    if let Some(all) = index.and_then(|index| family.enums.get(index)) {
        are_values(all, &format!("`{over}`"), values, to);
    }
}
