//! How far back a listing can go: what is older than the documents give access to is refused, or cut off and told.

use std::time::Duration;

use super::error::PageError;
use super::page::{Clipped, TimeRange};
use super::paged::Paged;
use super::walk::Pages;
use crate::checks::{Violation, Violations};
use crate::error::{Error, Refusal};
use crate::tables::{Length, Severity, Window};
use crate::value::Timestamp;

/// Clocks differ and calls take time: who asks for everything that can be asked for begins this much later.
const MARGIN: Duration = Duration::from_secs(60);

/// What is asked for next.
pub(super) struct Begun {
    pub(super) range: TimeRange,
    pub(super) clipped: Option<Clipped>,
    /// All of it is older than what can be had.
    pub(super) is_out_of_reach: bool,
}

impl<O: Paged> Pages<O> {
    /// The part of the range to ask for now, if there is one, and what of the range cannot be had.
    pub(super) fn begin(&mut self) -> Result<Begun, PageError> {
        let is_first = self.at.border.is_none() && self.at.now.is_none();
        let mut range: TimeRange = self.at.now.or(self.at.rest).unwrap_or_default().into();
        let mut clipped = None;
        if let Some((access, oldest, asked)) = self.beyond_access(range) {
            let is_refused = asked < oldest.checked_sub(MARGIN).unwrap_or_default();
            if is_first && is_refused && !self.clips {
                return Err(refusal::<O>(self.window.as_ref(), asked, oldest, access).into());
            }
            let begins = oldest.checked_add(MARGIN).unwrap_or(oldest);
            clipped = self.at.clipped.is_none().then_some(Clipped { asked, begins, access });
            if range.to.is_some_and(|to| to <= begins) {
                return Ok(Begun { range, clipped, is_out_of_reach: true });
            }
            range.from = Some(begins);
        }
        if self.at.now.is_none() {
            let part = self.cut().next(range);
            self.at.rest = part.rest.map(Into::into);
            range = part.range;
        }
        self.at.now = Some(range.into());
        Ok(Begun { range, clipped, is_out_of_reach: false })
    }

    /// How far back one can ask, the time that this is now, and the beginning of a range that lies before it.
    pub(super) fn beyond_access(&self, range: TimeRange) -> Option<(Length, Timestamp, Timestamp)> {
        let access = self.window.as_ref()?.access?;
        let (asked, oldest) = (range.from?, access.before(self.client.now())?);
        let severity = self.client.policy().severity(Some(O::META), "window.access", Severity::Refuse);
        let holds = severity == Some(Severity::Refuse);
        (holds && asked < oldest).then_some((access, oldest, asked))
    }
}

fn refusal<O: Paged>(window: Option<&Window>, asked: Timestamp, oldest: Timestamp, access: Length) -> Error {
    let mut violations = Violations::default();
    violations.push(Violation {
        rule: "window.access".to_owned(),
        severity: Severity::Refuse,
        parameter: window.map_or("", |window| window.from).to_owned(),
        given: asked.to_string(),
        allowed: format!("at most {access} ago, which is from {oldest} on, is allowed"),
        source: O::META.source(),
        mend: "ask for later times, or clip the listing to what can be had".to_owned(),
    });
    Error::Refused(Box::new(Refusal { operation: O::META.id, violations }))
}
