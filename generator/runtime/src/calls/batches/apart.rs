//! Codes of items that a response has in an array of their own, apart from the data of the items.

use std::borrow::Cow;

use super::batch::{BatchAnswer, Failure, ItemResult, ResultsApart};
use crate::data::json::Kind;
use crate::data::tables::Step;
use crate::network::wire::{reader_at, text_at};

impl ResultsApart {
    /// The code and the message of each item, if there are exactly `count` of them.
    fn read(&self, body: &[u8], count: usize) -> Option<Vec<Failure>> {
        let mut from = reader_at(std::str::from_utf8(body).ok()?, self.path)?;
        if from.peek() != Kind::Array {
            return None;
        }
        let mut elements = from.array().ok()?;
        let mut all = Vec::new();
        while elements.next(&mut from).ok()?.is_some() {
            if all.len() == count {
                return None;
            }
            let item = from.raw_value().ok()?;
            let word = |name| text_at(item, &[Step::Member(name)]).map(Cow::into_owned);
            all.push(Failure::new((word(self.code), self.message.and_then(word))));
        }
        (all.len() == count).then_some(all)
    }
}

impl<T> BatchAnswer<T> {
    /// Gives each result the code at its place. If the numbers of codes and results differ, codes cannot be assigned to
    /// items: no result counts then, nor does a claim that all items succeeded.
    pub(super) fn with_codes(&mut self, apart: &ResultsApart, body: &[u8], is_success: &dyn Fn(&str) -> bool) {
        let Some(codes) = apart.read(body, self.results.len() + self.bad.len()) else {
            self.results.clear();
            self.all_done = Some(false);
            return;
        };
        for stated in &mut self.results {
            let Some(failure) = stated.place.and_then(|place| codes.get(place)) else { continue };
            match failure.code.as_deref() {
                Some(code) if is_success(code) => {}
                Some(_) => stated.result = ItemResult::Failed(failure.clone()),
                None => stated.result = ItemResult::Unclear(failure.clone()),
            }
        }
    }
}
