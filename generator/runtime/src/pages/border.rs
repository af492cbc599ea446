//! The border between two parts of a range, which belongs to both. After a restart it is not known which of its items
//! the earlier part contained, so the border is queried once more.

use std::collections::HashSet;
use std::time::Duration;

use super::error::PageError;
use super::page::{Paged, TimeRange};
use super::position::{BARREN, Position};
use super::step::{Next, follow};
use super::walk::{Pages, hash_of, hash_of_bad};
use crate::json::List;
use crate::value::Timestamp;

/// Older items are certainly visible. A younger border is not queried: an item that appears late would be taken for one
/// that was listed.
pub(super) const SETTLED: Duration = Duration::from_secs(10 * 60);

/// How far a border was queried. It is kept, so that a failed call does not repeat earlier ones.
#[derive(Debug, Default)]
pub(super) struct Learning {
    turn: usize,
    cursor: Option<String>,
    cursors: HashSet<String>,
    pages: u32,
}

impl<O: Paged> Pages<O> {
    /// Queries which items of its border with the part at `at` the earlier part contained.
    pub(super) async fn learn_border(&mut self, at: &Position) -> Result<(), PageError> {
        let Some(range) = self.border(at) else {
            self.learning = None;
            return Ok(());
        };
        while let Some(learning) = &self.learning {
            if u64::from(learning.pages) >= BARREN {
                return Err(PageError::EndlessBorder { operation: O::META.id, pages: learning.pages });
            }
            let reply = self.fetch(learning.turn, range, learning.cursor.as_deref()).await?;
            let request = &self.requests[learning.turn];
            let (list, next) = follow(request, learning.cursor.as_deref(), reply.onward, reply.data.0);
            self.learn(&list, next)?;
        }
        Ok(())
    }

    fn border(&self, at: &Position) -> Option<TimeRange> {
        let border = at.border.filter(|_| O::HAS_ID && self.learning.is_some())?;
        let range = self.cut().around(border);
        let is_out_of_reach = range.from.zip(self.access()).is_some_and(|(from, access)| from < access.oldest);
        (!is_out_of_reach).then_some(range)
    }

    fn learn(&mut self, list: &List<O::Item>, next: Next) -> Result<(), PageError> {
        let items = list.items.iter().filter_map(hash_of::<O>);
        let bad = list.bad.iter().filter_map(hash_of_bad::<O>);
        items.chain(bad).for_each(|item| self.seen.came_before(item));
        let Some(learning) = &mut self.learning else { return Ok(()) };
        learning.pages += 1;
        match next {
            Next::At(cursor) if !learning.cursors.insert(cursor.clone()) => {
                return Err(PageError::Stuck { operation: O::META.id, cursor });
            }
            Next::At(cursor) => learning.cursor = Some(cursor),
            Next::Lost => {
                let cursor = learning.cursor.clone().unwrap_or_default();
                return Err(PageError::Stuck { operation: O::META.id, cursor });
            }
            Next::End => {
                let Learning { turn, pages, .. } = *learning;
                let is_last = turn + 1 >= self.requests.len();
                self.learning = (!is_last).then(|| Learning { turn: turn + 1, pages, ..Learning::default() });
            }
        }
        Ok(())
    }
}

/// Whether items of `time` are certainly visible.
pub(super) fn is_settled(time: Timestamp, now: Timestamp) -> bool {
    now.checked_sub(SETTLED).is_some_and(|settled| time <= settled)
}
