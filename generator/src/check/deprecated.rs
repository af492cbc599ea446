//! What a document advises instead of something that is deprecated.

use std::collections::BTreeSet;

use crate::diagnostics::{Code, Diagnostics, Help, Place, name_list, unknown};
use crate::model::{Api, Deprecated, Family, Lookup, Operation};

/// What `use` names exists: another operation, a parameter of the request, a field of the record, a value of the enum.
pub(super) fn names_what_exists(api: &Api, family: &Family, to: &mut Diagnostics) {
    let mut check = Check { to, seen: BTreeSet::new() };
    for operation in &family.operations {
        let titles = || api.operations().map(|(_, all)| (all.title.as_str(), Some(all.place)));
        let is_known = |name: &str| api.operations().any(|(_, all)| all.title == name || all.name == name);
        check.one("operation", operation.deprecated.as_ref(), |name| {
            (!is_known(name))
                .then(|| unknown(name, titles(), || "write the title or the name of an operation".to_owned()))
        });
        check.parameters(family, operation);
    }
    for record in &family.records {
        let fields = || record.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
        for field in &record.fields {
            check.one("field", field.deprecated.as_ref(), |name| among(name, fields));
        }
    }
    for all in &family.enums {
        let values = || all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place)));
        for value in &all.values {
            check.one("value", value.deprecated.as_ref(), |name| among(name, values));
        }
    }
}

/// Types are shared and records include others, so that one key can be met more than once.
struct Check<'a> {
    to: &'a mut Diagnostics,
    seen: BTreeSet<Place>,
}

impl Check<'_> {
    fn one(&mut self, kind: &str, deprecated: Option<&Deprecated>, help: impl Fn(&str) -> Option<Help>) {
        let Some((name, place)) = deprecated.and_then(|deprecated| deprecated.instead.as_ref()) else { return };
        if let Some(help) = help(name).filter(|_| self.seen.insert(*place)) {
            self.to.at(*place, Code::UndefinedName, format!("unknown {kind} `{name}`")).help(help);
        }
    }

    fn parameters(&mut self, family: &Family, operation: &Operation) {
        for (_, set) in operation.sets() {
            let names = family.names(set).and(&family.names(operation.members()));
            for wire in names.iter() {
                let deprecated = wire.parameter().and_then(|parameter| parameter.deprecated.as_ref());
                self.one("parameter", deprecated, |name| match names.find(name) {
                    Lookup::Missing(help) => Some(help),
                    Lookup::Found(_) | Lookup::Unresolved => None,
                });
            }
        }
    }
}

/// Help for a name that is not among these.
fn among<'a, I: Iterator<Item = (&'a str, Option<Place>)>>(name: &str, known: impl Fn() -> I) -> Option<Help> {
    let others = || format!("expected one of: {}", name_list(known().map(|(known, _)| known)));
    (!known().any(|(known, _)| known == name)).then(|| unknown(name, known(), others))
}
