//! The border between two parts of a range, or between two listings, which belongs to both. After a restart it is not
//! known which of its items the earlier one contained, so the border is queried once more.

use super::cut::{RangeOrder, RangeSplit};
use super::error::PageError;
use super::page::TimeRange;
use super::position::{BARREN, Position};
use super::source::{PageRequest, PageSource};
use super::step::Next;
use super::walk::{Border, Learning, Walk};

impl Walk {
    /// Queries which items of their borders with the part at `at` the earlier part and the earlier listing contained.
    pub(super) async fn learn_border(&mut self, at: &Position, source: &mut dyn PageSource) -> Result<(), PageError> {
        if at.since != self.known {
            self.learning.extend(at.since.map(|_| Learning::of(Border::Listing)));
            self.known = at.since;
        }
        while let Some(learning) = self.learning.front() {
            let border = learning.border;
            let Some(range) = self.border(border, at) else {
                self.learning.pop_front();
                continue;
            };
            if u64::from(learning.pages) >= BARREN {
                return Err(PageError::EndlessBorder { operation: self.meta.id, pages: learning.pages });
            }
            let wanted = PageRequest { turn: learning.turn, range, cursor: learning.cursor.as_deref() };
            let fetched = self.fetch(source, wanted).await?;
            source.each_hash(&mut |item| match border {
                Border::Part => self.seen.came_before(item),
                Border::Listing => self.seen.was_listed(item),
            });
            self.learn(fetched.next)?;
        }
        Ok(())
    }

    /// The times of a border, if some of its items may come again.
    fn border(&self, border: Border, at: &Position) -> Option<TimeRange> {
        let (time, cut) = match border {
            Border::Part => (at.border, self.cut()),
            // The earlier listing has the earlier times.
            Border::Listing => (at.since, RangeSplit { order: RangeOrder::OldestFirst, ..self.cut() }),
        };
        let range = cut.around(time.filter(|_| self.has_ids)?);
        let is_out_of_reach = range.from.zip(self.access()).is_some_and(|(from, access)| from < access.oldest);
        (!is_out_of_reach).then_some(range)
    }

    fn learn(&mut self, next: Next) -> Result<(), PageError> {
        let Some(learning) = self.learning.front_mut() else { return Ok(()) };
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
                let Learning { border, turn, pages, .. } = *learning;
                match turn + 1 < self.turns {
                    true => *learning = Learning { turn: turn + 1, pages, ..Learning::of(border) },
                    false => _ = self.learning.pop_front(),
                }
            }
        }
        Ok(())
    }
}
