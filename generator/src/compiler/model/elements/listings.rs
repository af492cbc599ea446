//! The elements of listings, of what they show of an account, and of batches.

use super::{Element, Key, Means, additive, behaviour, breaking, flag, list, maybe, names};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    Batch, Family, ListedInstruments, Listing, Operation, Paging, Response, Shows, Type, declared,
};
use crate::compiler::words::PagesBy;

impl Listing {
    pub(super) fn keys(&self) -> [Key; 6] {
        let Self { id, each, list, pages, shows, instruments } = self;
        [
            Key::placed("id", id.as_ref(), behaviour("which items of a listing are the same")),
            Key::placed("each", each.as_ref(), behaviour("which requests a whole listing takes")),
            Key::placed("list", list.as_ref(), behaviour("which records of an answer are compared with a request")),
            self::pages(pages.as_ref()),
            self::shows(shows.as_ref()),
            self::instruments(instruments.as_ref()),
        ]
    }
}

/// Returns how its next page is requested.
pub(super) fn pages(pages: Option<&Paging>) -> Key {
    let words = pages.map(
        |Paging {
             place: _,
             by,
             order,
             list: in_field,
             next: (next, _),
             field,
             header,
             includes,
             first,
             size,
             more,
             total,
         }| {
            let one = |key, text: &Option<(String, Place)>| text.as_ref().map(|(text, _)| format!("{key} {text}"));
            let by_last = (*by == PagesBy::Last).then(|| format!("includes {includes}"));
            let counted = matches!(by, PagesBy::Number | PagesBy::Offset).then(|| format!("first {first}"));
            let parts = [Some(format!("by {}", by.as_str())), Some(order.as_str().to_owned()), one("list", in_field)];
            let steps = [Some(format!("next {next}")), one("field", field), one("header", header), by_last, counted];
            list(
                parts
                    .into_iter()
                    .chain(steps)
                    .chain([one("size", size), one("more", more), one("total", total)])
                    .flatten(),
            )
        },
    );
    let means = Means::Allows {
        is_allowed: pages.is_some(),
        lost: breaking("its pages can no longer be followed"),
        otherwise: behaviour("how its pages are requested"),
    };
    let key = Key::new("pages", maybe(words.as_ref()), means);
    key.at(pages.map(|pages| pages.place)).says(maybe(words))
}

/// Returns what the listing shows of an account.
pub(super) fn shows(shows: Option<&Shows>) -> Key {
    let means = behaviour("what `reconcile` compares with the journal");
    Key::new("shows", maybe(shows.map(declared::words)), means).at(shows.map(|shows| shows.place))
}

/// The instruments that the listing has.
fn instruments(instruments: Option<&ListedInstruments>) -> Key {
    let means = behaviour("which steps and bounds `load_instruments` reads");
    let key = Key::new("instruments", maybe(instruments.map(declared::words)), means);
    key.at(instruments.map(|instruments| instruments.place))
}

impl Batch {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let Self { of, ids, list, results: apart, done, failed, all_done, succeeded, code, message, by_place, place } =
            self;
        let item = operation.items().find(|(_, item)| of.as_ref().is_some_and(|(of, _)| item.list == *of));
        let item = item.map(|(_, item)| item.rust.clone());
        let results = || behaviour("how the result of each item is read");
        let of_means = Means::Rust {
            name: item,
            other: breaking("its items have another type"),
            same: behaviour("where its items are"),
        };
        let done_means = || Means::Rust {
            name: self.done_type(family, operation).map(str::to_owned),
            other: breaking("what is answered for an item has another type"),
            same: results(),
        };
        let (comes, goes) = match of {
            Some(_) => {
                (additive("it can be sent as a batch of any length"), breaking("it can no longer be sent as a batch"))
            }
            None => (breaking("its reply is one of results"), breaking("its reply is no longer one of results")),
        };
        Element::new("batch", &operation.id, ["batch", "batch"], *place).when(comes, goes).keys([
            Key::placed("of", of.as_ref(), of_means),
            Key::new("id", names(ids), behaviour("by which id an item finds its result")),
            Key::placed("list", list.as_ref(), done_means()),
            Key::new("results", maybe(apart.as_ref().map(|(path, _)| path)), results())
                .at(apart.as_ref().map(|(_, place)| *place)),
            Key::placed("done", done.as_ref(), done_means()),
            Key::placed("failed", failed.as_ref(), results()),
            Key::placed("all_done", all_done.as_ref(), results()),
            Key::placed("succeeded", succeeded.as_ref(), results()),
            Key::placed("code", code.as_ref(), results()),
            Key::placed("message", message.as_ref(), results()),
            Key::new("by_place", flag(*by_place), results()),
        ])
    }

    /// The Rust name of the answer for an item that succeeded. If the answer is one list, the response states it.
    fn done_type<'a>(&self, family: &'a Family, operation: &Operation) -> Option<&'a str> {
        let Response::Object { record } = operation.response else { return None };
        let (done, _) = self.done.as_ref().or(self.list.as_ref())?;
        let listed = family.records.get(record)?.field(done)?.shape.listed_record()?;
        Some(family.type_rust(Type::Record(listed)))
    }
}
