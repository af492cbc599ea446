//! What an answer says of the items of a batch, and what tells the items of a listing apart.

use super::aspect::{Aspect, aspect, flag, list, placed};
use super::class::{Verdict, additive, behaviour, breaking};
use super::found::{Found, Thing};
use super::scope::Scope;
use crate::model::{Batch, Family, Operation, Response, Shape, Type};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>, operation: &Thing, old: &Operation, new: &Operation) {
    listing(to, operation, old, new);
    let thing = |batch: &Batch| Thing::new("batch", operation.path.as_str(), batch.place);
    match (&old.batch, &new.batch) {
        (None, None) => {}
        (Some(gone), None) => to.removed(&thing(gone), breaking("it can no longer be sent as a batch")),
        (None, Some(more)) => to.added(&thing(more), additive("it can be sent as a batch of any length")),
        (Some(older), Some(newer)) => {
            let verdicts = Verdicts {
                items: if item_type(old, older) == item_type(new, newer) {
                    behaviour("where its items stand")
                } else {
                    breaking("its items have another type")
                },
                done: if done_type(scope.old, old, older) == done_type(scope.new, new, newer) {
                    told()
                } else {
                    breaking("what is answered for an item has another type")
                },
            };
            to.compare(&thing(newer), facts(older, newer, verdicts));
        }
    }
}

fn listing(to: &mut Found, operation: &Thing, old: &Operation, new: &Operation) {
    let (old, new) = (&old.listing, &new.listing);
    let same = behaviour("which items of a listing are taken for the same");
    let asked = behaviour("what a listing is asked for");
    to.compare(
        operation,
        [
            placed("id", old.id.as_ref(), new.id.as_ref(), same),
            placed("each", old.each.as_ref(), new.each.as_ref(), asked),
        ],
    );
}

/// What it means that types hang on what changes.
struct Verdicts {
    items: Verdict,
    done: Verdict,
}

fn told() -> Verdict {
    behaviour("how the answer tells of each item")
}

fn facts(old: &Batch, new: &Batch, verdicts: Verdicts) -> [Aspect; 8] {
    let ids = |batch: &Batch| list(batch.ids.iter().map(|(id, _)| id));
    [
        placed("of", Some(&old.of), Some(&new.of), verdicts.items),
        aspect("id", ids(old), ids(new), behaviour("by what an item and its result are told")),
        placed("done", old.done.as_ref(), new.done.as_ref(), verdicts.done),
        placed("failed", old.failed.as_ref(), new.failed.as_ref(), told()),
        placed("all_done", old.all_done.as_ref(), new.all_done.as_ref(), told()),
        placed("code", old.code.as_ref(), new.code.as_ref(), told()),
        placed("message", old.message.as_ref(), new.message.as_ref(), told()),
        aspect("by_place", flag(old.by_place), flag(new.by_place), told()),
    ]
}

/// What one of the items is called in Rust.
fn item_type<'a>(operation: &'a Operation, batch: &Batch) -> Option<&'a str> {
    operation.items().find(|(_, item)| item.list == batch.of.0).map(|(_, item)| item.rust.as_str())
}

/// What is answered for an item that succeeded, by its name in Rust. Where the answer is one list, that is said of the
/// response already.
fn done_type<'a>(family: &'a Family, operation: &Operation, batch: &Batch) -> Option<&'a str> {
    let Response::Object { record } = operation.response else { return None };
    let (done, _) = batch.done.as_ref()?;
    let field = family.records.get(record)?.field(done)?;
    match field.shape {
        Shape::List(Type::Record(of)) => Some(&family.records.get(of)?.name.rust),
        _ => None,
    }
}
