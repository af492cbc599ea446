//! What an operation answers with.

use super::aspect::{aspect, maybe};
use super::class::{Verdict, behaviour, breaking};
use super::found::{Found, Thing};
use super::scope::Scope;
use crate::model::{Family, Name, Operation, Response, Shape, Type};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>, thing: &Thing, old: &Operation, new: &Operation) {
    let types = |old: usize, new: usize| {
        let types = (scope.old_type(Type::Record(old)), scope.new_type(Type::Record(new)));
        aspect("response", types.0, types.1, breaking("the answer has another type"))
    };
    match (&old.response, &new.response) {
        (Response::Object { record: older }, Response::Object { record: newer }) => {
            to.compare(thing, [types(*older, *newer)]);
        }
        (
            Response::Array { record: older, observed_under: old_under },
            Response::Array { record: newer, observed_under: new_under },
        ) => {
            let under = behaviour("where the list is looked for");
            let under = aspect("observed_under", maybe(old_under.as_ref()), maybe(new_under.as_ref()), under);
            to.compare(thing, [types(*older, *newer), under]);
        }
        (
            Response::Page { list: old_list, record: older, cursor: old_cursor, next: old_next },
            Response::Page { list: new_list, record: newer, cursor: new_cursor, next: new_next },
        ) => {
            let next = match (cursor_type(scope.old, old, &old_next.0), cursor_type(scope.new, new, &new_next.0)) {
                (old, new) if old == new => behaviour("where the cursor goes"),
                _ => breaking("the cursor has another type"),
            };
            to.compare(
                thing,
                [
                    types(*older, *newer),
                    aspect("page", &old_list.wire, &new_list.wire, member(old_list, new_list)),
                    aspect("cursor", &old_cursor.wire, &new_cursor.wire, member(old_cursor, new_cursor)),
                    aspect("next", &old_next.0, &new_next.0, next).at(Some(old_next.1), Some(new_next.1)),
                ],
            );
        }
        (old, new) => {
            to.compare(thing, [aspect("response", shape(old), shape(new), breaking("the answer has another type"))]);
        }
    }
}

fn member(old: &Name, new: &Name) -> Verdict {
    if old.rust == new.rust {
        behaviour("it is read from another name on the wire")
    } else {
        breaking("the page's field has another name")
    }
}

/// A cursor is an identifier where the parameter that it goes into is one.
fn cursor_type<'a>(family: &'a Family, operation: &Operation, next: &str) -> Option<&'a str> {
    let parameters = operation.body.parameters();
    match parameters.iter().find(|parameter| parameter.name.wire == next)?.shape {
        Shape::One(Type::Identifier(index)) => Some(&family.identifiers[index].name.rust),
        _ => None,
    }
}

fn shape(response: &Response) -> &'static str {
    match response {
        Response::Object { .. } => "object",
        Response::Array { .. } => "array",
        Response::Page { .. } => "page",
        Response::Undefined => "",
    }
}
