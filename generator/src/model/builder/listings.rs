//! What an answer says beyond its shape: what tells items apart, and what became of those that were sent.

use super::{Scope, placed, placed_list};
use crate::load::{Spanned, raw};
use crate::model::{Batch, Listing, Shows};

impl Scope<'_, '_> {
    /// What is known of a listing.
    pub(super) fn listing(&mut self, raw: &raw::Response) -> Listing {
        let shows = raw.shows.as_ref().and_then(|shows| self.shows(shows));
        Listing { id: raw.id.as_ref().map(placed), each: raw.each.as_ref().map(placed), shows }
    }

    fn shows(&mut self, raw: &Spanned<raw::Shows>) -> Option<Shows> {
        let Some(what) = raw.what else {
            self.builder.missing("what", raw.place);
            return None;
        };
        Some(Shows {
            place: raw.place,
            what,
            over: raw.over.as_ref().map(placed),
            cancel: raw.cancel.as_ref().map(placed),
            by: raw.by.iter().map(placed).collect(),
            order: raw.order.as_ref().map(placed),
            client_id: raw.client_id.as_ref().map(placed),
            quantity: raw.quantity.as_ref().map(placed),
        })
    }

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
