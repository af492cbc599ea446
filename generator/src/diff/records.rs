//! Records: what answers hold.

use super::aspect::{Aspect, aspect, flag, list, prose};
use super::class::{additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::parameters::{travels, unit};
use super::scope::{Scope, own_doc, path};
use super::statements::source;
use crate::model::{Field, Record};

/// Records that are only there to be included are compared where they are included.
pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let emitted = |record: &&Record| !record.is_abstract;
    let (old, new) = (scope.old.records.iter().filter(emitted), scope.new.records.iter().filter(emitted));
    let pairs = pairs(old, new, |record| [&record.name.wire, &record.name.rust]);
    let thing = |record: &Record| Thing::new("record", path(&scope.new.name, &record.name.wire), record.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the type is gone"));
    }
    for (old, new) in pairs.both {
        let thing = thing(new);
        to.compare(&thing, record(old, new));
        fields(to, scope, &thing.path, &old.fields, &new.fields);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new type"));
    }
}

fn record(old: &Record, new: &Record) -> [Aspect; 5] {
    [
        aspect("name", &old.name.wire, &new.name.wire, documentation("")),
        aspect("rust", &old.name.rust, &new.name.rust, breaking("the type has another name")),
        aspect("observed", flag(old.is_observed), flag(new.is_observed), documentation("")),
        source(old.source.as_ref(), new.source.as_ref()),
        prose("doc", &old.doc, &new.doc),
    ]
}

fn fields(to: &mut Found, scope: &Scope<'_>, of: &str, old: &[Field], new: &[Field]) {
    let pairs = pairs(old, new, |field| [&field.name.wire, &field.name.rust]);
    let thing = |field: &Field| Thing::new("field", path(of, &field.name.wire), field.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the field is gone"));
    }
    for (old, new) in pairs.both {
        to.compare(&thing(new), field(scope, old, new));
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new field"));
    }
}

fn field(scope: &Scope<'_>, old: &Field, new: &Field) -> [Aspect; 9] {
    // Each key of a field is compared below; a new one has to be named here too.
    let Field { name: _, shape: _, may_be_null: _, comes_only: _, only: _, units: _, as_text: _, doc: _ } = new;
    let only = |field: &Field| list(field.only.iter().map(|(value, _)| value));
    let place = |field: &Field| field.only.first().map(|(_, place)| *place);
    let types = (scope.old_shape(&old.shape), scope.new_shape(&new.shape));
    [
        aspect("name", &old.name.wire, &new.name.wire, behaviour("it is read from another name on the wire")),
        aspect("rust", old.name.bare(), new.name.bare(), breaking("the field has another name")),
        aspect("type", types.0, types.1, breaking("the field has another type")),
        aspect("may_be", null(old), null(new), documentation("it is optional in any case")),
        prose("comes_only", condition(old), condition(new)),
        aspect("only", only(old), only(new), documentation("any value is read")).at(place(old), place(new)),
        unit(&old.units, &new.units),
        travels(scope, &new.shape, old.as_text, new.as_text, documentation("both ways are read")),
        prose("doc", own_doc(scope.old, &old.shape, &old.doc), own_doc(scope.new, &new.shape, &new.doc)),
    ]
}

fn condition(field: &Field) -> &str {
    field.comes_only.as_deref().unwrap_or_default()
}

fn null(field: &Field) -> &'static str {
    if field.may_be_null { "null" } else { "" }
}
