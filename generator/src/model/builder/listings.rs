//! What an answer says beyond its shape: what tells items apart, and what became of those that were sent.

use super::{Scope, placed, placed_list};
use crate::load::{Spanned, raw};
use crate::model::{Batch, Listing};

/// What is known of a listing.
pub(super) fn listing(raw: &raw::Response) -> Listing {
    Listing { id: raw.id.as_ref().map(placed), each: raw.each.as_ref().map(placed) }
}

impl Scope<'_, '_> {
    pub(super) fn batch(&mut self, response: &Spanned<raw::Response>) -> Option<Batch> {
        let raw = response.items.as_ref()?;
        if response.page.is_some() {
            self.refuse_keys(&[("items", Some(raw.place))], "requires an `object` or an `array`");
            return None;
        }
        if raw.id.is_empty() {
            self.builder.missing("id", raw.place);
        }
        let place = |text: &Option<crate::load::Text>| text.as_ref().map(|text| text.place);
        if response.array.is_some() {
            let lists = [("done", &raw.done), ("failed", &raw.failed), ("all_done", &raw.all_done)];
            let keys = lists.map(|(key, text)| (key, place(text)));
            self.refuse_keys(&keys, "requires an `object`");
            if raw.code.is_none() {
                self.builder.missing("code", raw.place);
            }
        } else if response.object.is_some() {
            for (key, text) in [("done", &raw.done), ("failed", &raw.failed)] {
                if text.is_none() {
                    self.builder.missing(key, raw.place);
                }
            }
        }
        let Some(of) = &raw.of else {
            self.builder.missing("of", raw.place);
            return None;
        };
        Some(Batch {
            of: placed_list(of),
            ids: raw.id.iter().map(placed).collect(),
            done: raw.done.as_ref().map(placed),
            failed: raw.failed.as_ref().map(placed),
            all_done: raw.all_done.as_ref().map(placed),
            code: raw.code.as_ref().map(placed),
            message: raw.message.as_ref().map(placed),
            by_place: raw.by_place.as_ref().is_some_and(|by_place| by_place.value),
            place: raw.place,
        })
    }
}
