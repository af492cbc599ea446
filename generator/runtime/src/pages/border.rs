//! The border between two parts of a range, which belongs to both. After a restart it is not known which of its items
//! the earlier part contained, so the border is queried once more.

use super::error::PageError;
use super::page::TimeRange;
use super::position::{BARREN, Position};
use super::source::{PageRequest, PageSource};
use super::step::Next;
use super::walk::{Learning, Walk};

impl Walk {
    /// Queries which items of its border with the part at `at` the earlier part contained.
    pub(super) async fn learn_border(&mut self, at: &Position, source: &mut dyn PageSource) -> Result<(), PageError> {
        let Some(range) = self.border(at) else {
            self.learning = None;
            return Ok(());
        };
        while let Some(learning) = &self.learning {
            if u64::from(learning.pages) >= BARREN {
                return Err(PageError::EndlessBorder { operation: self.meta.id, pages: learning.pages });
            }
            let wanted = PageRequest { turn: learning.turn, range, cursor: learning.cursor.as_deref() };
            let fetched = self.fetch(source, wanted).await?;
            source.each_hash(&mut |item| self.seen.came_before(item));
            self.learn(fetched.next)?;
        }
        Ok(())
    }

    fn border(&self, at: &Position) -> Option<TimeRange> {
        let border = at.border.filter(|_| self.has_ids && self.learning.is_some())?;
        let range = self.cut().around(border);
        let is_out_of_reach = range.from.zip(self.access()).is_some_and(|(from, access)| from < access.oldest);
        (!is_out_of_reach).then_some(range)
    }

    fn learn(&mut self, next: Next) -> Result<(), PageError> {
        let Some(learning) = &mut self.learning else { return Ok(()) };
        learning.pages += 1;
        match next {
            Next::At(cursor) if !learning.cursors.insert(cursor.clone()) => {
                return Err(PageError::Stuck { operation: self.meta.id, cursor });
            }
            Next::At(cursor) => learning.cursor = Some(cursor),
            Next::Lost => {
                let cursor = learning.cursor.clone().unwrap_or_default();
                return Err(PageError::Stuck { operation: self.meta.id, cursor });
            }
            Next::End => {
                let Learning { turn, pages, .. } = *learning;
                let is_last = turn + 1 >= self.turns;
                self.learning = (!is_last).then(|| Learning { turn: turn + 1, pages, ..Learning::default() });
            }
        }
        Ok(())
    }
}
