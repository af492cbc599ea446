//! Where the next page begins: at the cursor of the answer, after the last item, at the next number or offset.
//!
//! A link to the next page gives a cursor, not an address, so that no signed request follows an address in an answer.

use crate::network::wire::NextPageHint;

/// The way the next page is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStep {
    /// With the cursor of the answer.
    Cursor,
    /// With the id or the time of the last item.
    Last {
        /// Added to the time of the last item, so that the next page repeats all items of this time: a page that
        /// begins right after a time would lack the other items of it.
        shift: i8,
    },
    /// With the number of the page.
    Number {
        /// The number of the first page.
        first: u64,
    },
    /// With the number of items before the page.
    Offset {
        /// The offset of the first page.
        first: u64,
    },
}

/// The statement of an answer about the pages after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// True if there is another page.
    pub more: Option<bool>,
    /// The number of items that all pages have together.
    pub total: Option<u64>,
}

/// The request that follows a page.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// A page that begins there.
    At(String),
    /// Nothing.
    End,
    /// Another page, but nothing says where it begins.
    Lost,
}

/// The content of an answer about the page after it.
pub(super) struct Answer {
    /// The number of its items.
    pub(super) items: u64,
    /// The number of items on a page, if a shorter page is the last one.
    pub(super) size: Option<u64>,
    pub(super) continuation: Continuation,
    pub(super) cursor: Option<String>,
    /// The id or the time of the last item, with [`PageStep::Last`].
    pub(super) last: Option<String>,
}

impl Answer {
    /// Returns what follows the page; `requested` is its cursor, and `onward` what the headers state.
    pub(super) fn next(self, step: PageStep, requested: Option<&str>, onward: NextPageHint) -> Next {
        let Self { items, size, mut continuation, mut cursor, last } = self;
        match onward {
            NextPageHint::Unsaid => {}
            NextPageHint::At(next) => cursor = Some(next),
            NextPageHint::Lost => continuation.more = continuation.more.or(Some(true)),
        }
        let begun = |first: u64| requested.and_then(|requested| requested.parse().ok()).unwrap_or(first);
        match step {
            // An empty page that leads nowhere else is how some exchanges end a listing.
            PageStep::Cursor => match cursor.filter(|next| !(items == 0 && requested == Some(next))) {
                _ if continuation.more == Some(false) => Next::End,
                Some(cursor) => Next::At(cursor),
                None if continuation.more == Some(true) => Next::Lost,
                None => Next::End,
            },
            PageStep::Last { shift } => {
                behind(last.map(|last| shifted(last, shift)), has_more(continuation, items, size, None))
            }
            PageStep::Number { first } => {
                let number = begun(first);
                let pages = number.saturating_sub(first).saturating_add(1);
                let reached = size.map(|size| pages.saturating_mul(size));
                behind(Some(number.saturating_add(1).to_string()), has_more(continuation, items, size, reached))
            }
            PageStep::Offset { first } => {
                let offset = begun(first).saturating_add(items);
                let reached = Some(offset.saturating_sub(first));
                behind(Some(offset.to_string()), has_more(continuation, items, size, reached))
            }
        }
    }
}

/// Returns whether another page follows. What the answer says counts first; a page that is shorter than requested is
/// the last. An empty page is the last too, unless the answer says otherwise.
fn has_more(continuation: Continuation, items: u64, size: Option<u64>, reached: Option<u64>) -> bool {
    let by_total = || Some(reached? < continuation.total?);
    continuation.more.or_else(by_total).unwrap_or(items > 0 && size.is_none_or(|size| items >= size))
}

fn behind(next: Option<String>, has_more: bool) -> Next {
    if has_more { next.map_or(Next::Lost, Next::At) } else { Next::End }
}

/// A time moved by `shift` of its units; anything else stays as it is.
fn shifted(text: String, shift: i8) -> String {
    if shift == 0 {
        return text;
    }
    text.parse::<u64>().map(|time| time.saturating_add_signed(shift.into()).to_string()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNSTATED: Continuation = Continuation { more: None, total: None };

    #[test]
    fn a_stated_end_counts_before_the_length_of_a_page() {
        let more = |more| Continuation { more: Some(more), ..UNSTATED };
        assert!(has_more(more(true), 0, Some(5), None) && !has_more(more(false), 5, Some(5), None));
        let total = Continuation { total: Some(10), ..UNSTATED };
        assert!(has_more(total, 3, Some(5), Some(9)) && !has_more(total, 5, Some(5), Some(10)));
        assert!(has_more(total, 5, None, None), "nothing says how far the pages reach");
    }

    #[test]
    fn without_a_word_a_short_or_an_empty_page_is_the_last() {
        assert!(has_more(UNSTATED, 5, Some(5), None) && !has_more(UNSTATED, 4, Some(5), None));
        assert!(has_more(UNSTATED, 1, None, None) && !has_more(UNSTATED, 0, None, None));
    }

    #[test]
    fn times_are_shifted_and_ids_are_not() {
        assert_eq!(shifted("1790000000000".to_owned(), 1), "1790000000001");
        assert_eq!(shifted("0".to_owned(), -1), "0");
        assert_eq!(shifted("a7".to_owned(), 1), "a7");
        assert_eq!(shifted("007".to_owned(), 0), "007");
    }
}
