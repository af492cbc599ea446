//! Statements about an answer beyond its shape: the field that identifies items, and the results of items that were
//! sent.

use super::FamilyBuilder;
use crate::compiler::diagnostics::Place;
use crate::compiler::load::{Spanned, raw};
use crate::compiler::model::declared::KeyValue as _;
use crate::compiler::model::{Batch, Listing, Pages};
use crate::compiler::words::PagesBy;

impl FamilyBuilder<'_, '_> {
    /// Returns the keys of a listing.
    pub(super) fn listing(&mut self, raw: &raw::Response) -> Listing {
        let pages = raw.pages.as_ref().and_then(|pages| self.pages(raw, pages));
        Listing {
            id: raw.id.clone(),
            each: raw.each.clone(),
            list: raw.list.clone(),
            pages,
            shows: raw.shows.clone(),
            instruments: raw.instruments.clone(),
            prices: raw.prices.clone(),
        }
    }

    fn pages(&mut self, response: &raw::Response, raw: &Pages) -> Option<Pages> {
        if response.page.is_some() {
            self.refuse_keys(&[("pages", Some(raw.place))], "requires an `object` or an `array`");
            return None;
        }
        if response.array.is_some() {
            let of_objects = [("list", raw.list.place()), ("more", raw.more.place()), ("total", raw.total.place())];
            self.refuse_keys(&of_objects, "requires an `object`");
        }
        if response.object.is_some() && raw.list.is_none() {
            self.builder.missing("list", raw.place);
        }
        self.keys_of_pages(raw);
        Some(raw.clone())
    }

    /// Reports keys of `pages` that `by` requires or does not allow.
    fn keys_of_pages(&mut self, raw: &Pages) {
        let by = raw.by.0;
        let in_header = by == PagesBy::Cursor && raw.header.is_some();
        if let Some((header, place)) = &raw.header {
            self.builder.check_header(header, *place);
        }
        if in_header {
            self.refuse_keys(&[("field", raw.field.place())], "and `header` exclude each other");
        }
        let keys: [(&str, Option<Place>, &[PagesBy], bool); 5] = [
            ("field", raw.field.place(), &[PagesBy::Cursor, PagesBy::Last], !in_header),
            ("header", raw.header.place(), &[PagesBy::Cursor], false),
            ("includes", raw.includes.place(), &[PagesBy::Last], true),
            ("first", raw.first.place(), &[PagesBy::Number, PagesBy::Offset], false),
            ("total", raw.total.place(), &[PagesBy::Number, PagesBy::Offset], false),
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
        if raw.results.is_some() {
            self.results_apart(response, raw);
        } else if response.array.is_some() {
            let lists =
                [("done", raw.done.place()), ("failed", raw.failed.place()), ("all_done", raw.all_done.place())];
            self.refuse_keys(&lists, "requires an `object`");
            self.failure_is_known(raw);
        } else if response.object.is_some() && raw.list.is_some() {
            self.results_in_one_list(raw);
        } else if response.object.is_some() {
            for (key, place) in [("done", raw.done.place()), ("failed", raw.failed.place())] {
                if place.is_none() {
                    self.builder.missing(key, raw.place);
                }
            }
        }
        if raw.results.is_none() && response.object.is_none() {
            self.refuse_keys(&[("list", raw.list.place())], "requires an `object`");
        }
        let is_one_list = response.array.is_some() || raw.list.is_some();
        if !is_one_list || raw.results.is_some() {
            let why = "requires an `array`, or an `object` with `list`, and no `results`";
            self.refuse_keys(&[("succeeded", raw.succeeded.place())], why);
        }
        if let Some((path, place)) = &raw.results {
            self.builder.path(path, *place, "results");
        }
        Some(raw.clone())
    }

    /// Checks the keys for an answer with one list, whose items state whether they succeeded.
    fn results_in_one_list(&mut self, raw: &Batch) {
        let lists = [("done", raw.done.place()), ("failed", raw.failed.place())];
        self.refuse_keys(&lists, "and `list` exclude each other");
        self.refuse_keys(&[("all_done", raw.all_done.place())], "requires `done` and `failed`");
        self.failure_is_known(raw);
    }

    fn failure_is_known(&mut self, raw: &Batch) {
        if raw.code.is_none() && raw.succeeded.is_none() {
            self.builder.missing("code", raw.place);
        }
    }

    /// Checks the keys for codes that are not in the items.
    fn results_apart(&mut self, response: &Spanned<raw::Response>, raw: &Batch) {
        let lists = [("done", raw.done.place()), ("failed", raw.failed.place()), ("all_done", raw.all_done.place())];
        self.refuse_keys(&lists, "and `results` exclude each other");
        if raw.code.is_none() {
            self.builder.missing("code", raw.place);
        }
        if response.object.is_none() {
            self.refuse_keys(&[("list", raw.list.place())], "requires an `object`");
        } else if raw.list.is_none() {
            self.builder.missing("list", raw.place);
        }
    }
}
