//! The parts of an account that listings show: the fields and parameters that a comparison with a journal uses.

use super::listings::named_parameter;
use super::records::{self, is_field};
use super::trades;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::model::{
    Api, Effect, Family, Lookup, Operation, Record, Response, Role, Shape, Shown, Shows, Type, WireNames,
};

/// Checks `shows` of the listings of a family.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        if let Some(shows) = operation.listing.shows.as_ref().filter(|shows| shows.what.0 == Shown::Positions) {
            positions_are_listed(family, operation, shows, to);
            continue;
        }
        let (Some(shows), Some(index)) = (&operation.listing.shows, operation.paged_record(family)) else { continue };
        let Some(record) = family.records.get(index) else { continue };
        if let Some(over) = &shows.over {
            is_an_enum(family, operation, over, to);
        }
        match shows.what.0 {
            Shown::OpenOrders => {
                has_states(api, family, index, record, shows, to);
                cancel_takes_what_an_order_has(api, family, record, shows, to);
            }
            Shown::PastOrders => has_states(api, family, index, record, shows, to),
            // Checked above.
            Shown::Positions => {}
            Shown::Fills => {
                names_the_order(record, shows, to);
                if let Some(trade) = &shows.trade {
                    trades::check(family, operation, record, (shows, trade), to);
                }
            }
        }
        refuse_keys_of_others(shows, to);
    }
}

/// Positions are the records of an answer without pages.
fn positions_are_listed(family: &Family, operation: &Operation, shows: &Shows, to: &mut Diagnostics) {
    let is_list = operation.listed_field(family).is_some() || matches!(operation.response, Response::Array { .. });
    if operation.listing.pages.is_some() || !is_list || operation.effect != Effect::Read {
        to.at(shows.place, Code::Misplaced, "`positions` requires a read with an `array`, or an `object` with `list`")
            .help("add `list` to the response, or remove `shows`");
    }
    if let Some(over) = &shows.over {
        is_an_enum(family, operation, over, to);
    }
    refuse_keys_of_others(shows, to);
}

fn place(named: &Option<(String, Place)>) -> Option<Place> {
    named.as_ref().map(|(_, place)| *place)
}

fn refuse_keys_of_others(shows: &Shows, to: &mut Diagnostics) {
    let of_open = [("cancel", place(&shows.cancel)), ("by", shows.by.first().map(|(_, place)| *place))];
    let of_fills = [
        ("order", place(&shows.order)),
        ("client_id", place(&shows.client_id)),
        ("quantity", place(&shows.quantity)),
        ("trade", shows.trade.as_ref().map(|trade| trade.place)),
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

/// The enum of the parameter with this name; anything else is reported.
pub(super) fn is_an_enum(
    family: &Family,
    operation: &Operation,
    (name, place): &(String, Place),
    to: &mut Diagnostics,
) -> Option<usize> {
    let found = named_parameter(family, operation, name, *place, to)?;
    let index = match found.role {
        Role::Plain(parameter) => parameter.shape.single_enum(),
        _ => None,
    };
    if index.is_none() {
        to.at(*place, Code::BadResponse, format!("expected an enum, found `{name}`"))
            .related(found.name.place, "the parameter is here")
            .help("name a parameter that is an enum");
    }
    index
}

/// Orders are compared by the state and the ids that the lifecycle names.
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

fn names_the_order(record: &Record, shows: &Shows, to: &mut Diagnostics) {
    for (key, named) in [("order", &shows.order), ("quantity", &shows.quantity)] {
        if named.is_none() && !to.is_unread(shows.place.file, key) {
            to.missing_key(shows.place, format!("missing key `{key}`"))
                .help("fills are matched with orders by the id, and their quantities are added");
        }
    }
    const TEXT: &str = "a `string` or an identifier";
    let is_text = |shape: &Shape| shape.is_one(Type::is_text);
    let is_number = |shape: &Shape| shape.is_one(|ty| ty == Type::Decimal);
    is_field(record, shows.order.as_ref(), TEXT, is_text, to);
    is_field(record, shows.client_id.as_ref(), TEXT, is_text, to);
    is_field(record, shows.quantity.as_ref(), "a `decimal`", is_number, to);
}

/// Every field in `by` is a parameter of the operation that cancels.
fn cancel_takes_what_an_order_has(api: &Api, family: &Family, record: &Record, shows: &Shows, to: &mut Diagnostics) {
    let is_over = |(name, _): &&(String, Place)| shows.over.as_ref().is_some_and(|(over, _)| over == name);
    for named in shows.by.iter().filter(|named| !is_over(named)) {
        records::field(record, named, to);
    }
    let Some((name, place)) = &shows.cancel else {
        if let Some((_, place)) = shows.by.first() {
            to.at(*place, Code::Misplaced, "`by` requires `cancel`").help("add `cancel`, or remove `by`");
        }
        return;
    };
    let cancels = || family.operations.iter().filter(|one| one.effect == Effect::Cancel);
    let Some(cancel) = cancels().find(|one| one.name == *name) else {
        if api.is_whole {
            let help = did_you_mean(name, cancels().map(|one| one.name.as_str()));
            to.at(
                *place,
                Code::UndefinedName,
                format!("unknown operation `{name}`: expected one with `effect: cancel`"),
            )
            .help(help.unwrap_or_else(|| "name an operation that cancels one order".into()));
        }
        return;
    };
    let names: WireNames<'_> = family.names(cancel.members());
    for (field, place) in &shows.by {
        if let Lookup::Missing(help) = names.find(field) {
            to.at(*place, Code::UndefinedName, format!("`{name}` has no parameter `{field}`")).help(help);
        }
    }
}
