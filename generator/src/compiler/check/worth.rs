//! The most that orders are worth.

use super::account::account_word;
use super::batches::{is_value_of, list_of_objects, parameter_or_member};
use super::operations::doubt_of_read;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, one_of};
use crate::compiler::model::{Api, CountedIn, Effect, Family, NamesWithin, Operation, Placed, Type, Unit, Worth};

/// Checks `worth` of the operations of a family, and the coins of its business lines.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(worth) = &operation.worth else { continue };
        let is_reported = doubt_of_read(operation).is_some();
        if !operation.may_have(Effect::Create) && !operation.may_have(Effect::Amend) && !is_reported {
            to.at(worth.place, Code::Misplaced, "`worth` requires an operation that creates or amends")
                .help("remove it");
        }
        match worth.only_reduces.place() {
            Some(place) => stands_alone(worth, place, to),
            None => is_counted(api, family, operation, worth, to),
        }
    }
}

/// Checks that nothing is said beside `only_reduces`.
fn stands_alone(worth: &Worth, place: Place, to: &mut Diagnostics) {
    let Worth { r#in, quantity, price, at_price, known_when, reduces, only_reduces: _, place: _ } = worth;
    let mut sets = [at_price, known_when, reduces].into_iter();
    let is_alone = [r#in, quantity, price].into_iter().all(Option::is_none) && sets.all(Vec::is_empty);
    if !is_alone {
        to.at(place, Code::Misplaced, "`only_reduces` says all").help("remove it, or the other keys of `worth`");
    }
}

fn is_counted(api: &Api, family: &Family, operation: &Operation, worth: &Worth, to: &mut Diagnostics) {
    let Worth { r#in, quantity, price, at_price, known_when, reduces, only_reduces: _, place } = worth;
    if family.instrument.is_none() && !to.is_unread(family.place.file, "instrument") {
        to.at(*place, Code::Misplaced, "`worth` requires `instrument` of the family")
            .help("add `instrument` to `family.yaml`");
    }
    if let Some((list, place)) = r#in {
        list_of_objects(operation, list, *place, to);
    }
    match quantity {
        Some(quantity) => is_quantity(family, operation, quantity, to),
        None => {
            to.at(*place, Code::Misplaced, "`worth` requires `quantity`, or `only_reduces: true`")
                .help("add one of them");
        }
    }
    if let Some(price) = price {
        is_number(family, operation, price, to);
    } else if let Some(at) = at_price.iter().flatten().next() {
        to.at(at.0.1, Code::Misplaced, "`at_price` requires `price`").help("add `price`, or remove `at_price`");
    }
    for condition in at_price.iter().chain(known_when).chain(reduces).flatten() {
        holds(api, family, operation, condition, to);
    }
}

/// Checks that the quantity counts one of the two coins.
fn is_quantity(family: &Family, operation: &Operation, quantity: &Placed, to: &mut Diagnostics) {
    let Some(units) = is_number(family, operation, quantity, to) else { return };
    let words = || CountedIn::WORDS.iter().map(|word| (*word, None));
    let name = &quantity.0;
    if units.is_empty() {
        to.at(quantity.1, Code::BadValue, format!("`{name}` has no `unit`: the worth does not follow from it"))
            .help(one_of("", words()));
    }
    for Unit { is, place, .. } in units.iter().filter(|unit| CountedIn::parse(&unit.is).is_none()) {
        to.at(*place, Code::BadValue, format!("the worth of `{name}` does not follow from the unit `{is}`"))
            .help(one_of(is, words()));
    }
}

/// Checks that the parameter is a number; returns the units that it may have.
fn is_number<'a>(
    family: &'a Family,
    operation: &'a Operation,
    named: &Placed,
    to: &mut Diagnostics,
) -> Option<&'a [Unit]> {
    let found = parameter_or_member(family, operation, named, to)?;
    let parameter = found.parameter();
    if !parameter.is_some_and(|one| one.shape.is_one(Type::is_quantity) || one.shape.is_undefined()) {
        to.at(named.1, Code::Misplaced, format!("expected a number, found `{}`", named.0))
            .related(found.name.place, "the parameter is here")
            .help("name a parameter that is a `decimal`");
        return None;
    }
    parameter.map(|one| one.units.as_slice())
}

/// Checks that the condition names a parameter or a property of the account, and values of it.
fn holds(api: &Api, family: &Family, operation: &Operation, (named, values): &NamesWithin, to: &mut Diagnostics) {
    if let Some(property) = named.0.strip_prefix(Worth::OF_ACCOUNT) {
        let property = (property.to_owned(), named.1);
        values.iter().for_each(|value| account_word(api, &property, value, to));
    } else if let Some(found) = parameter_or_member(family, operation, named, to) {
        values.iter().for_each(|value| is_value_of(family, named, found, value, to));
    }
}
