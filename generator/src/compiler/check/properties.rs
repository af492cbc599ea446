//! The properties of accounts and instruments that conditions, forms and listings name.

use crate::compiler::diagnostics::{Code, Diagnostics, Place, unknown};
use crate::compiler::model::{Account, Api, Name, Property};

type Placed = (String, Place);

/// Returns the property of the account with this name, or reports that there is none.
pub(super) fn account_property<'a>(api: &'a Api, (name, place): &Placed, to: &mut Diagnostics) -> Option<&'a Property> {
    let properties: &[Property] = api.account.as_ref().map_or(&[], |account| &account.properties);
    let found = properties.iter().find(|property| property.name.wire == *name);
    if found.is_none() && api.is_sound {
        let known = properties.iter().map(|property| &property.name);
        unknown_property("the account", name, *place, known, "properties` of `account", to);
    }
    found
}

/// Checks that instruments have a property of this name, a flag or a number.
pub(super) fn instrument_property(api: &Api, (name, place): &Placed, is_flag: bool, to: &mut Diagnostics) {
    let instrument = api.account.as_ref().and_then(|Account { instrument, .. }| instrument.as_ref());
    let properties = instrument.map_or(&[][..], |instrument| &instrument.properties);
    match properties.iter().find(|property| property.name.wire == *name) {
        Some(property) if property.is_flag != is_flag => {
            let [needed, found] = if is_flag { ["a flag", "a number"] } else { ["a number", "a flag"] };
            to.at(*place, Code::BadRule, format!("expected {needed}, but `{name}` of instruments is {found}"))
                .related(property.name.place, "the property is here")
                .help(format!("name a property of `account.instrument` that is {needed}"));
        }
        None if api.is_sound => {
            let known = properties.iter().filter(|known| known.is_flag == is_flag).map(|property| &property.name);
            unknown_property("the instrument", name, *place, known, "properties` of `account.instrument", to);
        }
        Some(_) | None => {}
    }
}

/// Reports that something has no property of this name.
fn unknown_property<'a>(
    what: &str,
    name: &str,
    place: Place,
    known: impl Iterator<Item = &'a Name>,
    list: &str,
    to: &mut Diagnostics,
) {
    let known = known.map(|known| (known.wire.as_str(), Some(known.place)));
    let help = unknown(name, known, || format!("define it under `{list}` in {}", to.api_file())).of_api();
    to.at(place, Code::UndefinedName, format!("{what} has no property `{name}`")).help(help);
}
