//! Where the parameters of a reader come from.

use std::borrow::Cow;

use super::ParameterReader;
use crate::data::checks::Violations;
use crate::data::json::{Kind, Reader};
use crate::data::parameters::named::{Member, members};
use crate::data::parameters::query;
use crate::data::tables::{Meta, ParameterStyle};

impl<'a> ParameterReader<'a> {
    pub(super) fn new(meta: Option<&'static Meta>, text: Cow<'a, str>) -> Self {
        let found = Violations::default();
        Self {
            meta,
            place: None,
            text,
            has_form: true,
            is_array: false,
            took_items: false,
            members: Vec::new(),
            // As many as a request has parameters, with few exceptions.
            known: Vec::with_capacity(32),
            has_failed: false,
            found,
        }
    }

    pub(super) fn of_json(meta: Option<&'static Meta>, json: &'a str) -> Self {
        let mut from = Self::new(meta, Cow::Borrowed(json));
        from.find_members(json);
        from
    }

    pub(super) fn of_query(meta: Option<&'static Meta>, query: &'a str) -> Self {
        let mut from = Self::new(meta, Cow::Borrowed("{}"));
        let style = from.style();
        let mut pairs = Vec::new();
        for pair in query::pairs(query) {
            match pair {
                Ok(pair) => pairs.push(pair),
                Err(pair) => {
                    from.violated("unreadable", "", format!("{pair:?}"), "percent-encoded text is needed", "");
                }
            }
        }
        for (name, json) in query::members(pairs, style) {
            from.members.push(Member { name, json: Cow::Owned(json), taken: false });
        }
        from
    }

    pub(super) fn style(&self) -> ParameterStyle {
        self.meta.map_or(ParameterStyle::DEFAULT, |meta| meta.style)
    }

    pub(super) fn find_members(&mut self, json: &'a str) {
        let mut from = Reader::new(json);
        let found = match from.peek() {
            Kind::Object => members(&mut from),
            // What is in an array is read item by item.
            Kind::Array => {
                self.is_array = true;
                from.skip().map(|()| Vec::new())
            }
            _ => Err(from.unexpected("an object or an array")),
        };
        let found = found.and_then(|members| from.finish().map(|()| members)).map_err(|error| error.located(json));
        let members = self.readable("", found);
        self.has_form = members.is_some();
        self.members = members.unwrap_or_default();
    }
}
