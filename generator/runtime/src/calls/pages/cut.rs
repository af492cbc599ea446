//! Splits time ranges into parts that one query may span.
//!
//! Parts of a long range overlap by two milliseconds, because no document says whether the ends of a range belong to
//! it.

use std::time::Duration;

use super::page::TimeRange;
use crate::data::tables::Length;
use crate::data::value::Timestamp;

const ONE: Duration = Duration::from_millis(1);
const TWO: Duration = Duration::from_millis(2);

/// Older items are certainly visible. A younger border is not queried: an item that appears late would be taken for one
/// that was listed.
pub(super) const SETTLED: Duration = Duration::from_secs(10 * 60);

/// The order of the parts of a range that is too long for one query. Within a part, the exchange decides the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeOrder {
    /// From the end to the beginning, as cursors lead.
    #[default]
    NewestFirst,
    /// From the beginning to the end.
    OldestFirst,
}

/// The way a range is split.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeSplit {
    /// The longest part.
    pub(super) span: Option<Length>,
    pub(super) order: RangeOrder,
    /// True if neighbours share the two milliseconds at their border. No document says whether the ends of a range
    /// belong to it: shared milliseconds are listed in any case, and repeated items are recognized by their ids.
    pub(super) shares_borders: bool,
    /// Later items may not be visible yet. Parts in ascending order meet no later than this, so that nothing between
    /// them is missed.
    pub(super) settled: Option<Timestamp>,
}

/// A part and the rest after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) range: TimeRange,
    pub(super) rest: Option<TimeRange>,
}

impl RangeSplit {
    /// Takes the next part off a range.
    pub(super) fn next(self, range: TimeRange) -> Part {
        self.split(range).unwrap_or(Part { range, rest: None })
    }

    /// Returns the first part of the range, or `None` if one query may span the whole range.
    fn split(self, range: TimeRange) -> Option<Part> {
        let (span, from, to) = (self.span?, range.from?, range.to?);
        match self.order {
            RangeOrder::NewestFirst => {
                let start = latest_start(span, to).filter(|start| *start > from)?;
                let end = if self.shares_borders { start.checked_add(ONE) } else { start.checked_sub(ONE) };
                // A span shorter than the overlap makes no progress.
                let end = end.filter(|end| *end < to)?;
                Some(Part {
                    range: TimeRange { from: Some(start), to: Some(to) },
                    rest: Some(TimeRange { from: Some(from), to: Some(end) }),
                })
            }
            RangeOrder::OldestFirst => {
                let end = earliest_end(span, from).filter(|end| *end < to)?;
                let settled = self.settled.filter(|settled| *settled - from > TWO);
                let end = settled.map_or(end, |settled| end.min(settled));
                let start = if self.shares_borders { end.checked_sub(ONE) } else { end.checked_add(ONE) };
                let start = start.filter(|start| *start > from)?;
                Some(Part {
                    range: TimeRange { from: Some(from), to: Some(end) },
                    rest: Some(TimeRange { from: Some(start), to: Some(to) }),
                })
            }
        }
    }

    /// Returns the times that the parts on both sides of a border contain, and one more on the side of the earlier
    /// part. A query of these shows which items of the border the earlier part contained.
    pub(super) fn around(self, border: Timestamp) -> TimeRange {
        match self.order {
            RangeOrder::NewestFirst => TimeRange { from: Some(border), to: border.checked_add(TWO) },
            RangeOrder::OldestFirst => TimeRange { from: border.checked_sub(TWO), to: Some(border) },
        }
    }

    /// Returns the end of a part at which the next one begins.
    pub(super) fn border(self, part: TimeRange) -> Option<Timestamp> {
        match self.order {
            RangeOrder::NewestFirst => part.from,
            RangeOrder::OldestFirst => part.to,
        }
    }
}

/// Returns whether items of `time` are certainly visible.
pub(super) fn is_settled(time: Timestamp, now: Timestamp) -> bool {
    now.checked_sub(SETTLED).is_some_and(|settled| time <= settled)
}

/// Months differ in length, so three months before a day and three months after it are different distances: the part is
/// within the span counted from either end.
fn latest_start(span: Length, to: Timestamp) -> Option<Timestamp> {
    let start = span.before(to)?;
    let reached = span.after(start)?;
    start.checked_add(to - reached)
}

fn earliest_end(span: Length, from: Timestamp) -> Option<Timestamp> {
    let end = span.after(from)?;
    let reached = span.before(end)?;
    end.checked_sub(reached - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000;

    fn at(millis: u64) -> Option<Timestamp> {
        Some(Timestamp::from_millis(millis))
    }

    fn parts(cut: RangeSplit, from: u64, to: u64) -> Vec<(u64, u64)> {
        let mut parts = Vec::new();
        let mut rest = Some(TimeRange { from: at(from), to: at(to) });
        while let Some(range) = rest {
            let part = cut.next(range);
            let ends = (part.range.from, part.range.to);
            parts.extend(ends.0.zip(ends.1).map(|(from, to)| (from.as_millis(), to.as_millis())));
            rest = part.rest;
        }
        parts
    }

    fn cut(span: Length, order: RangeOrder, shares_borders: bool) -> RangeSplit {
        RangeSplit { span: Some(span), order, shares_borders, settled: None }
    }

    #[test]
    fn neighbours_share_a_border_or_nothing() {
        let week = Length::Days(7);
        let w = 7 * DAY;
        assert_eq!(
            parts(cut(week, RangeOrder::NewestFirst, true), 0, 2 * w + 10),
            [(w + 10, 2 * w + 10), (11, w + 11), (0, 12)]
        );
        assert_eq!(
            parts(cut(week, RangeOrder::OldestFirst, true), 0, 2 * w + 10),
            [(0, w), (w - 1, 2 * w - 1), (2 * w - 2, 2 * w + 10)]
        );
        assert_eq!(
            parts(cut(week, RangeOrder::NewestFirst, false), 0, 2 * w + 10),
            [(w + 10, 2 * w + 10), (9, w + 9), (0, 8)]
        );
        assert_eq!(
            parts(cut(week, RangeOrder::OldestFirst, false), 0, 2 * w + 10),
            [(0, w), (w + 1, 2 * w + 1), (2 * w + 2, 2 * w + 10)]
        );
    }

    #[test]
    fn a_range_within_the_span_stays_whole() {
        let week = cut(Length::Days(7), RangeOrder::NewestFirst, true);
        assert_eq!(parts(week, 5, 5 + 7 * DAY), [(5, 5 + 7 * DAY)]);
        let open = TimeRange { from: at(5), to: None };
        assert_eq!(week.next(open), Part { range: open, rest: None });
        let unbounded = RangeSplit { span: None, ..week };
        assert_eq!(parts(unbounded, 0, 1000 * DAY), [(0, 1000 * DAY)]);
    }

    #[test]
    fn parts_that_go_forward_meet_where_everything_is_listed() {
        let w = 7 * DAY;
        let settled =
            |millis| RangeSplit { settled: at(millis), ..cut(Length::Days(7), RangeOrder::OldestFirst, true) };
        assert_eq!(parts(settled(w - 50), 0, w + 10), [(0, w - 50), (w - 51, w + 10)]);
        assert_eq!(parts(settled(w + 50), 0, w + 10), [(0, w), (w - 1, w + 10)]);
        assert_eq!(parts(settled(2), 0, w + 10), [(0, w), (w - 1, w + 10)]);
    }

    #[test]
    fn a_span_of_zero_repeats_no_range() {
        for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
            for shares_borders in [true, false] {
                let part = cut(Length::Seconds(0), order, shares_borders).next(TimeRange { from: at(5), to: at(9) });
                let rest = part.rest.map(|rest| (rest.from, rest.to));
                assert!(rest.is_none_or(|rest| rest != (at(5), at(9))), "{rest:?}");
            }
        }
    }

    #[test]
    fn months_are_within_the_span_from_either_end() {
        // From any day of some years, by the calendar that the checks use.
        let span = Length::Months(3);
        for day in 0..1200 {
            let (from, to) = (18_262 * DAY + day * DAY, 18_262 * DAY + day * DAY + 400 * DAY + 17);
            for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
                let all = parts(cut(span, order, true), from, to);
                assert!(all.len() == 5, "{all:?}");
                for (from, to) in all {
                    let (from, to) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
                    assert!(span.after(from).is_some_and(|end| to <= end), "{from} {to}");
                    assert!(span.before(to).is_some_and(|start| start <= from), "{from} {to}");
                }
            }
        }
    }
}
