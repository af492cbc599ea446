//! How far back a listing can go: what is older than the documents give access to is refused, or cut off and told.

use std::time::Duration;

use super::error::PageError;
use super::page::{Clipped, TimeRange};
use super::paged::Paged;
use super::position::{Position, Span};
use super::walk::Pages;
use crate::checks::{Violation, Violations};
use crate::error::{Error, Refusal};
use crate::tables::{Length, Severity, Window};
use crate::value::Timestamp;

/// Clocks differ and calls take time: who asks for everything that can be asked for begins this much later, and is not
/// refused for this much more.
const MARGIN: Duration = Duration::from_secs(60);

/// Nothing has happened yet that is later than this, however wrong the client's clock is.
const FUTURE: Duration = Duration::from_secs(24 * 60 * 60);

/// What is asked for next. The listing is there only once the page has come, so that nothing is forgotten with a call
/// that fails.
pub(super) struct Plan {
    /// Where the listing is then.
    pub(super) at: Position,
    pub(super) range: TimeRange,
    pub(super) clipped: Option<Clipped>,
    pub(super) made: Timestamp,
}

/// How far back one can ask.
#[derive(Clone, Copy)]
pub(super) struct Access {
    length: Length,
    pub(super) oldest: Timestamp,
    /// Where a listing begins that is cut off.
    begins: Timestamp,
}

impl<O: Paged> Pages<O> {
    /// The part of the range to ask for now, if there is one, and what of the range cannot be had.
    ///
    /// # Errors
    ///
    /// When something cannot be had, and the listing may not be clipped.
    pub(super) fn plan(&self) -> Result<Plan, PageError> {
        let made = self.client.now();
        let access = self.access();
        let mut plan = Plan { at: self.at.clone(), range: TimeRange::default(), clipped: None, made };
        loop {
            let is_begun = plan.at.now.is_some();
            plan.range = plan.at.now.or(plan.at.rest).unwrap_or_default().into();
            plan.range.to = self.end(plan.range, made);
            if let Some((access, asked)) = plan.beyond(access) {
                self.refuse_unless_clipped(&plan.at, access, asked)?;
                plan.clip(access, asked);
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
            return Ok(plan);
        }
    }

    /// Whether the end of the times is the client's to choose, and not chosen yet.
    pub(super) fn has_open_end(&self) -> bool {
        let rest = self.at.rest.filter(|rest| rest.to.is_none() && rest.from.is_some());
        self.at.now.is_none() && rest.is_some() && self.span().is_some()
    }

    /// Where a range ends: one that has no end, and has to be cut, ends now; one that is cut ends in the near future.
    fn end(&self, range: TimeRange, now: Timestamp) -> Option<Timestamp> {
        let Some((_, from)) = self.span().zip(range.from) else { return range.to };
        let Some(to) = range.to else { return Some(now.max(from)) };
        let future = now.checked_add(FUTURE).unwrap_or(now).max(from);
        let is_cut = self.cut().next(range).rest.is_some();
        Some(if is_cut { to.min(future) } else { to })
    }

    fn span(&self) -> Option<Length> {
        self.window?.span
    }

    /// How far back one can ask now, where there is a limit.
    pub(super) fn access(&self) -> Option<Access> {
        let length = self.window.as_ref()?.access?;
        let severity = self.client.policy().severity(Some(O::META), "window.access", Severity::Refuse);
        let oldest = length.before(self.client.now()).filter(|_| severity == Some(Severity::Refuse))?;
        Some(Access { length, oldest, begins: oldest.checked_add(MARGIN).unwrap_or(oldest) })
    }

    fn refuse_unless_clipped(&self, at: &Position, access: Access, asked: Timestamp) -> Result<(), PageError> {
        // What was cut off without a refusal does not add up.
        let first = at.missing.and_then(|missing| missing.from).map_or(asked, |missing| missing.min(asked));
        let is_refused = first < access.oldest.checked_sub(MARGIN).unwrap_or_default();
        if self.clips || !is_refused { Ok(()) } else { Err(refusal::<O>(self.window.as_ref(), first, access).into()) }
    }
}

impl Plan {
    /// What the range asks for beyond what can be had, and since when. Behind a part that was left out of reach, nothing
    /// is asked for that comes before the new beginning.
    fn beyond(&self, access: Option<Access>) -> Option<(Access, Timestamp)> {
        let (access, asked) = access.zip(self.range.from)?;
        let first = if self.clipped.is_some() { access.begins } else { access.oldest };
        (asked < first).then_some((access, asked))
    }

    fn clip(&mut self, access: Access, asked: Timestamp) {
        let Access { length, begins, .. } = access;
        let asked = self.clipped.map_or(asked, |clipped| clipped.asked.min(asked));
        self.clipped = Some(Clipped { asked, begins, access: length });
        let from = self.at.missing.and_then(|missing| missing.from).map_or(asked, |from| from.min(asked));
        let to = self.at.missing.and_then(|missing| missing.to).map_or(begins, |to| to.max(begins));
        self.at.missing = Some(Span { from: Some(from), to: Some(to) });
    }
}

fn refusal<O: Paged>(window: Option<&Window>, asked: Timestamp, access: Access) -> Error {
    let Access { length, oldest, .. } = access;
    let mut violations = Violations::default();
    violations.push(Violation {
        rule: "window.access".to_owned(),
        severity: Severity::Refuse,
        parameter: window.map_or("", |window| window.from).to_owned(),
        given: asked.to_string(),
        allowed: format!("at most {length} ago, which is from {oldest} on, is allowed"),
        source: O::META.source(),
        mend: "ask for later times, or clip the listing to what can be had".to_owned(),
    });
    Error::Refused(Box::new(Refusal { operation: O::META.id, violations }))
}
