//! The fields by which a fill changes a position, from which a ledger is built.

use super::records::{self, is_field};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, one_of};
use crate::compiler::model::{Family, Field, Operation, Record, Shape, Shows, Trade, TradeFees, TradePosition, Type};

type Named = (String, Place);

/// Checks `trade` of a listing of fills.
pub(super) fn check(
    family: &Family,
    operation: &Operation,
    record: &Record,
    (shows, trade): (&Shows, &Trade),
    to: &mut Diagnostics,
) {
    const TEXT: &str = "a `string` or an identifier";
    const NUMBER: &str = "a `decimal`";
    is_field(record, Some(&trade.id), TEXT, is_text, to);
    is_field(record, Some(&trade.instrument), TEXT, is_text, to);
    is_field(record, Some(&trade.price), NUMBER, is_number, to);
    is_field(record, trade.profit.as_ref(), NUMBER, is_number, to);
    has_values(family, record, &trade.side, std::slice::from_ref(&trade.buy), to);
    if let Some(TradePosition { field, open, close, close_long, close_short, net, place: _ }) = &trade.position {
        let values = [open, close, close_long, close_short, net].into_iter().flatten().cloned().collect::<Vec<_>>();
        has_values(family, record, field, &values, to);
        for (index, (value, place)) in values.iter().enumerate() {
            if let Some((_, first)) = values[..index].iter().find(|(earlier, _)| earlier == value) {
                to.at(*place, Code::DefinedTwice, format!("`{value}` has two meanings"))
                    .related(*first, "first listed here")
                    .help("remove one of them");
            }
        }
    }
    if let Some(fees) = &trade.fees {
        lists_fees(family, record, fees, to);
    }
    for (key, values) in [("linear", &trade.linear), ("inverse", &trade.inverse)] {
        are_of_over(family, operation, shows, (key, values), to);
    }
    for (value, place) in trade.inverse.iter().filter(|(value, _)| is_among(value, &trade.linear)) {
        to.at(*place, Code::BadResponse, format!("`{value}` is both linear and inverse")).help("remove one of them");
    }
}

fn is_among(value: &str, all: &[Named]) -> bool {
    all.iter().any(|(other, _)| other == value)
}

fn is_text(shape: &Shape) -> bool {
    matches!(shape, Shape::One(Type::Identifier(_) | Type::String | Type::Undefined))
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::One(Type::Decimal | Type::Undefined))
}

/// The field is an enum that has these values.
fn has_values(family: &Family, record: &Record, named: &Named, values: &[Named], to: &mut Diagnostics) {
    let is_enum = |shape: &Shape| matches!(shape, Shape::One(Type::Enum(_) | Type::Undefined));
    is_field(record, Some(named), "an enum", is_enum, to);
    if let Some(Field { shape: Shape::One(Type::Enum(index)), .. }) = record.field(&named.0)
        && let Some(all) = family.enums.get(*index)
    {
        are_among(&all.placed_wires(), &format!("`{}` has no value", named.0), values, to);
    }
}

fn are_among(known: &[(&str, Place)], what: &str, values: &[Named], to: &mut Diagnostics) {
    for (value, place) in values.iter().filter(|(value, _)| !known.iter().any(|(known, _)| known == value)) {
        let help = one_of(value, known.iter().map(|(known, place)| (*known, Some(*place))));
        to.at(*place, Code::UndefinedName, format!("{what} `{value}`")).help(help);
    }
}

fn lists_fees(family: &Family, record: &Record, fees: &TradeFees, to: &mut Diagnostics) {
    let is_list = |shape: &Shape| matches!(shape, Shape::List(Type::Record(_) | Type::Undefined));
    is_field(record, Some(&fees.list), "a list of records", is_list, to);
    let Some(Field { shape: Shape::List(Type::Record(index)), .. }) = record.field(&fees.list.0) else { return };
    if let Some(fee) = family.records.get(*index) {
        records::field(fee, &fees.coin, to);
        is_field(fee, Some(&fees.amount), "a `decimal`", is_number, to);
    }
}

/// The values of a key are values of the parameter in `over`.
fn are_of_over(
    family: &Family,
    operation: &Operation,
    shows: &Shows,
    (key, values): (&str, &[Named]),
    to: &mut Diagnostics,
) {
    let Some((_, place)) = values.first() else { return };
    let Some((over, _)) = &shows.over else {
        to.at(*place, Code::Misplaced, format!("`{key}` requires `over`"))
            .help(format!("add `over`, or remove `{key}`"));
        return;
    };
    let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == *over);
    if let Some(Shape::One(Type::Enum(index))) = parameter.map(|parameter| &parameter.shape)
        && let Some(all) = family.enums.get(*index)
    {
        are_among(&all.placed_wires(), &format!("`{over}` has no value"), values, to);
    }
}
