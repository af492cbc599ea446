//! The border between two parts of a range, and the limit of access: older times are refused, or clipped and reported.
//!
//! A border belongs to both parts. After a restart it is not known which of its items the earlier part contained, so
//! the border is queried once more.

use std::time::Duration;

use super::cut::{RangeOrder, RangeSplit};
use super::page::{Clipped, PageError, TimeRange};
use super::position::{BARREN, Position, Span};
use super::source::{PageRequest, PageSource};
use super::step::Next;
use super::walk::{Border, Learning, Walk};
use crate::calls::client::Within;
use crate::data::checks::{Violation, Violations};
use crate::data::error::{Error, Refusal};
use crate::data::tables::{Length, Meta, Severity};
use crate::data::value::Timestamp;

/// Clocks differ and calls take time: a clipped listing begins this much later than the limit, and one that exceeds the
/// limit by less than this is not refused.
pub(super) const MARGIN: Duration = Duration::from_secs(60);

/// No items are later than this, even if the client's clock is wrong.
const FUTURE: Duration = Duration::from_secs(24 * 60 * 60);

/// The next call. The listing takes over the position only with the page, so that a failed call changes nothing.
pub(super) struct Plan {
    /// The position of the listing for that call.
    pub(super) at: Position,
    pub(super) range: TimeRange,
    pub(super) clipped: Option<Clipped>,
    /// The time within which its request has to leave, so that the range is accessible.
    pub(super) within: Option<Within>,
    /// The time, by whichever clock is ahead.
    pub(super) made: Timestamp,
}

/// The limit of access.
#[derive(Clone, Copy)]
pub(super) struct Access {
    length: Length,
    oldest: Timestamp,
    /// The earliest time to query. In a listing that may be clipped, this is later than the limit: a machine of the
    /// exchange whose clock is ahead would refuse what another one still shows.
    first: Timestamp,
    /// The beginning of a clipped listing.
    begins: Timestamp,
}

impl Walk {
    /// Returns the part of the range to query at a position, if there is one, and the part of the range that is not
    /// accessible.
    ///
    /// # Errors
    ///
    /// Fails if a part is not accessible and the listing may not be clipped.
    pub(super) fn plan(&self, at: Position, margin: Duration) -> Result<Plan, PageError> {
        let made = self.client.latest_now();
        let access = self.access(margin);
        let mut plan = Plan { at, range: TimeRange::default(), clipped: None, within: None, made };
        loop {
            let is_begun = plan.at.now.is_some();
            plan.range = plan.at.now.or(plan.at.rest).unwrap_or_default().into();
            plan.range.to = self.end(plan.range, made);
            if !plan.at.is_begun() && plan.at.until.is_none() {
                plan.range.to = self.settled_end(plan.range);
                plan.at.until = plan.range.to;
                plan.at.settled = plan.range.to.is_some_and(|to| to <= self.settled()).then_some(true);
            }
            if let Some((access, requested)) = plan.beyond(access) {
                self.refuse_unless_clipped(&plan.at, access, requested)?;
                plan.clip(access, requested);
                if plan.range.to.is_some_and(|to| to < access.begins) {
                    if is_begun && plan.at.leave_part() {
                        continue;
                    }
                    plan.at.end();
                    return Ok(plan);
                }
                plan.range.from = Some(access.begins);
            }
            if !is_begun {
                let part = self.cut().next(plan.range);
                plan.at.rest = part.rest.map(Into::into);
                plan.range = part.range;
            }
            plan.at.now = Some(plan.range.into());
            plan.within = self.within(plan.range, access);
            return Ok(plan);
        }
    }

    /// Returns whether the client chooses the end of the times, and has not yet.
    pub(super) fn has_open_end(&self) -> bool {
        let rest = self.at.rest.filter(|rest| rest.to.is_none() && rest.from.is_some());
        self.at.now.is_none() && rest.is_some() && self.span().is_some()
    }

    /// Returns the end of a range. A range without an end that may have to be split ends now; one that is split ends in
    /// the near future at the latest.
    fn end(&self, range: TimeRange, now: Timestamp) -> Option<Timestamp> {
        let Some((_, from)) = self.span().zip(range.from) else { return range.to };
        let Some(to) = range.to else { return Some(now.max(from)) };
        let future = now.checked_add(FUTURE).unwrap_or(now).max(from);
        let is_cut = self.cut().next(range).rest.is_some();
        Some(if is_cut { to.min(future) } else { to })
    }

    /// Returns the end of a range, with [`Pages::settled`](super::Pages::settled) where everything is certainly
    /// visible.
    fn settled_end(&self, range: TimeRange) -> Option<Timestamp> {
        let settles = self.settles && self.window.is_some() && range.from.is_some();
        if settles { Some(range.to.map_or(self.settled(), |to| to.min(self.settled()))) } else { range.to }
    }

    fn span(&self) -> Option<Length> {
        self.window?.span
    }

    /// Returns the limit of access now, if there is one.
    fn access(&self, margin: Duration) -> Option<Access> {
        let length = self.window.as_ref()?.access?;
        let severity = self.client.policy().severity(Some(self.meta), "window.access", Severity::Refuse);
        let oldest = length.before(self.client.now()).filter(|_| severity == Some(Severity::Refuse))?;
        let after = |distance| oldest.checked_add(distance).unwrap_or(oldest);
        let first = after(if self.clips { margin / 2 } else { Duration::ZERO });
        Some(Access { length, oldest, first, begins: after(margin) })
    }

    /// Returns how long the range remains accessible, if there is a limit of access.
    fn within(&self, range: TimeRange, access: Option<Access>) -> Option<Within> {
        let (from, access) = range.from.zip(access)?;
        // What begins at the first time is still accessible.
        let length = Duration::from_millis(1 + from.as_millis().saturating_sub(access.first.as_millis()));
        let why = "the range was no longer accessible after the wait for the limits";
        Some(Within { begun: self.client.moment(), length, why })
    }

    fn refuse_unless_clipped(&self, at: &Position, access: Access, requested: Timestamp) -> Result<(), PageError> {
        // Parts that were clipped without a refusal do not add up.
        let first = at.missing.and_then(|missing| missing.from).map_or(requested, |missing| missing.min(requested));
        let is_refused = first < access.oldest.checked_sub(MARGIN).unwrap_or_default();
        if self.clips || !is_refused { Ok(()) } else { Err(refusal(self.meta, first, access).into()) }
    }
}

impl Plan {
    /// Returns the part of the range that is not to be queried, and its beginning. After a part that was left out,
    /// nothing before the new beginning is queried.
    fn beyond(&self, access: Option<Access>) -> Option<(Access, Timestamp)> {
        let (access, requested) = access.zip(self.range.from)?;
        let first = if self.clipped.is_some() { access.begins } else { access.first };
        (requested < first).then_some((access, requested))
    }

    fn clip(&mut self, access: Access, requested: Timestamp) {
        let Access { length, begins, .. } = access;
        let requested = self.clipped.map_or(requested, |clipped| clipped.requested.min(requested));
        self.clipped = Some(Clipped { requested, begins, access: length });
        let from = self.at.missing.and_then(|missing| missing.from).map_or(requested, |from| from.min(requested));
        let to = self.at.missing.and_then(|missing| missing.to).map_or(begins, |to| to.max(begins));
        self.at.missing = Some(Span { from: Some(from), to: Some(to) });
    }
}

fn refusal(meta: &'static Meta, requested: Timestamp, access: Access) -> Error {
    let Access { length, oldest, .. } = access;
    let mut violations = Violations::default();
    violations.push(Violation {
        rule: "window.access".to_owned(),
        severity: Severity::Refuse,
        parameter: meta.window.map_or("", |window| window.from).to_owned(),
        given: requested.to_string(),
        allowed: format!("at most {length} ago, which is from {oldest} on, is allowed"),
        source: meta.source(),
        hint: "request later times, or clip the listing".to_owned(),
    });
    Error::Refused(Box::new(Refusal::new(meta.id, violations)))
}

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
            let within = self.within(range, self.access(MARGIN));
            let wanted = PageRequest { turn: learning.turn, range, cursor: learning.cursor.as_deref(), within };
            let Some(fetched) = self.fetch(source, wanted).await? else { continue };
            source.each_hash(&mut |item| match border {
                Border::Part => self.seen.came_before(item),
                Border::Listing => self.seen.was_listed(item),
            });
            self.learn(fetched.next)?;
        }
        Ok(())
    }

    /// Returns the times of a border, if some of its items may come again.
    fn border(&self, border: Border, at: &Position) -> Option<TimeRange> {
        let (time, cut) = match border {
            Border::Part => (at.border, self.cut()),
            // The earlier listing has the earlier times.
            Border::Listing => (at.since, RangeSplit { order: RangeOrder::OldestFirst, ..self.cut() }),
        };
        let range = cut.around(time.filter(|_| self.has_ids)?);
        let is_out_of_reach = range.from.zip(self.access(MARGIN)).is_some_and(|(from, access)| from < access.first);
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
