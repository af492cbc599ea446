//! Statements about an answer beyond its shape: the field that identifies items, and the results of items that were
//! sent.

use super::{FamilyBuilder, placed, placed_list};
use crate::compiler::diagnostics::Place;
use crate::compiler::load::{Spanned, raw};
use crate::compiler::model::{Batch, Listing, NameOf, Paging};
use crate::compiler::words::PagesBy;

impl FamilyBuilder<'_, '_> {
    /// Returns the keys of a listing.
    pub(super) fn listing(&mut self, raw: &raw::Response) -> Listing {
        let pages = raw.pages.as_ref().and_then(|pages| self.pages(raw, pages));
        Listing {
            id: raw.id.as_ref().map(placed),
            each: raw.each.as_ref().map(placed).map(NameOf::new),
            list: raw.list.as_ref().map(placed),
            pages,
            shows: raw.shows.clone(),
            instruments: raw.instruments.clone(),
            prices: raw.prices.clone(),
        }
    }

    fn pages(&mut self, response: &raw::Response, raw: &Spanned<raw::Pages>) -> Option<Paging> {
        if response.page.is_some() {
            self.refuse_keys(&[("pages", Some(raw.place))], "requires an `object` or an `array`");
            return None;
        }
        let place = |text: &Option<crate::compiler::load::Text>| text.as_ref().map(|text| text.place);
        if response.array.is_some() {
            let of_objects = [("list", place(&raw.list)), ("more", place(&raw.more)), ("total", place(&raw.total))];
            self.refuse_keys(&of_objects, "requires an `object`");
        }
        let is_object = response.object.is_some();
        let missing = [
            ("by", raw.by.is_none()),
            ("order", raw.order.is_none()),
            ("next", raw.next.is_none()),
            ("list", is_object && raw.list.is_none()),
        ];
        missing.iter().filter(|(_, is_missing)| *is_missing).for_each(|(key, _)| self.builder.missing(key, raw.place));
        let by = raw.by?;
        self.keys_of_pages(raw, by);
        Some(Paging {
            place: raw.place,
            by,
            order: raw.order?,
            list: raw.list.as_ref().map(placed),
            next: NameOf::new(placed(raw.next.as_ref()?)),
            field: raw.field.as_ref().map(placed),
            header: raw.header.as_ref().map(placed),
            includes: raw.includes.as_ref().is_some_and(|includes| includes.value),
            first: raw.first.as_ref().map_or(u64::from(by == PagesBy::Number), |first| first.value),
            size: raw.size.as_ref().map(placed).map(NameOf::new),
            more: raw.more.as_ref().map(placed),
            total: raw.total.as_ref().map(placed),
        })
    }

    /// Reports keys of `pages` that `by` requires or does not allow.
    fn keys_of_pages(&mut self, raw: &Spanned<raw::Pages>, by: PagesBy) {
        let text = |text: &Option<crate::compiler::load::Text>| text.as_ref().map(|text| text.place);
        let in_header = by == PagesBy::Cursor && raw.header.is_some();
        if let Some(header) = &raw.header {
            self.builder.check_header(&header.value, header.place);
        }
        if in_header {
            self.refuse_keys(&[("field", text(&raw.field))], "and `header` exclude each other");
        }
        let keys: [(&str, Option<Place>, &[PagesBy], bool); 5] = [
            ("field", text(&raw.field), &[PagesBy::Cursor, PagesBy::Last], !in_header),
            ("header", text(&raw.header), &[PagesBy::Cursor], false),
            ("includes", raw.includes.as_ref().map(|includes| includes.place), &[PagesBy::Last], true),
            ("first", raw.first.as_ref().map(|first| first.place), &[PagesBy::Number, PagesBy::Offset], false),
            ("total", text(&raw.total), &[PagesBy::Number, PagesBy::Offset], false),
        ];
        for (key, place, ways, is_needed) in keys {
            if !ways.contains(&by) {
                self.refuse_keys(&[(key, place)], &format!("is not allowed with `by: {}`", by.as_str()));
            } else if is_needed && place.is_none() {
                self.builder.missing(key, raw.place);
            }
        }
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
        let place = |text: &Option<crate::compiler::load::Text>| text.as_ref().map(|text| text.place);
        if raw.results.is_some() {
            self.results_apart(response, raw);
        } else if response.array.is_some() {
            let lists = [("done", &raw.done), ("failed", &raw.failed), ("all_done", &raw.all_done)];
            let keys = lists.map(|(key, text)| (key, place(text)));
            self.refuse_keys(&keys, "requires an `object`");
            self.failure_is_known(raw);
        } else if response.object.is_some() && raw.list.is_some() {
            self.results_in_one_list(raw);
        } else if response.object.is_some() {
            for (key, text) in [("done", &raw.done), ("failed", &raw.failed)] {
                if text.is_none() {
                    self.builder.missing(key, raw.place);
                }
            }
        }
        if raw.results.is_none() && response.object.is_none() {
            self.refuse_keys(&[("list", place(&raw.list))], "requires an `object`");
        }
        let is_one_list = response.array.is_some() || raw.list.is_some();
        if !is_one_list || raw.results.is_some() {
            let why = "requires an `array`, or an `object` with `list`, and no `results`";
            self.refuse_keys(&[("succeeded", place(&raw.succeeded))], why);
        }
        let results = self.builder.paths(raw.results.as_slice(), "results", raw.place).into_iter().next();
        Some(Batch {
            of: raw.of.as_ref().map(placed_list),
            ids: raw.id.iter().map(placed).collect(),
            list: raw.list.as_ref().map(placed),
            results: results.zip(place(&raw.results)),
            done: raw.done.as_ref().map(placed),
            failed: raw.failed.as_ref().map(placed),
            all_done: raw.all_done.as_ref().map(placed),
            succeeded: raw.succeeded.as_ref().map(placed),
            code: raw.code.as_ref().map(placed),
            message: raw.message.as_ref().map(placed),
            by_place: raw.by_place.as_ref().is_some_and(|by_place| by_place.value),
            place: raw.place,
        })
    }

    /// Checks the keys for an answer with one list, whose items state whether they succeeded.
    fn results_in_one_list(&mut self, raw: &Spanned<raw::Items>) {
        let place = |text: &Option<crate::compiler::load::Text>| text.as_ref().map(|text| text.place);
        let lists = [("done", &raw.done), ("failed", &raw.failed)];
        self.refuse_keys(&lists.map(|(key, text)| (key, place(text))), "and `list` exclude each other");
        self.refuse_keys(&[("all_done", place(&raw.all_done))], "requires `done` and `failed`");
        self.failure_is_known(raw);
    }

    fn failure_is_known(&mut self, raw: &Spanned<raw::Items>) {
        if raw.code.is_none() && raw.succeeded.is_none() {
            self.builder.missing("code", raw.place);
        }
    }

    /// Checks the keys for codes that are not in the items.
    fn results_apart(&mut self, response: &Spanned<raw::Response>, raw: &Spanned<raw::Items>) {
        let place = |text: &Option<crate::compiler::load::Text>| text.as_ref().map(|text| text.place);
        let lists = [("done", &raw.done), ("failed", &raw.failed), ("all_done", &raw.all_done)];
        self.refuse_keys(&lists.map(|(key, text)| (key, place(text))), "and `results` exclude each other");
        if raw.code.is_none() {
            self.builder.missing("code", raw.place);
        }
        if response.object.is_none() {
            self.refuse_keys(&[("list", place(&raw.list))], "requires an `object`");
        } else if raw.list.is_none() {
            self.builder.missing("list", raw.place);
        }
    }
}
