//! The rules of time ranges.
//!
//! Within a minute of a moment, whether a time keeps a rule is unknown, so that the rule refuses nothing there: the
//! clocks may disagree, and the request takes time to arrive.

use std::time::Duration;

use crate::data::tables::{Length, Window};
use crate::data::value::Timestamp;

const ACCESS_TOLERANCE: Duration = Duration::from_millis(tradeapi_words::ACCESS_TOLERANCE_MS);

/// Returns whether two times differ by so much that no difference between clocks explains it.
pub(super) fn certainly_apart(one: Timestamp, other: Timestamp) -> bool {
    (one - other).max(other - one) >= ACCESS_TOLERANCE
}

/// A rule of a window that a range breaks.
pub(super) struct Breach {
    pub(super) kind: &'static str,
    pub(super) parameter: &'static str,
    pub(super) given: String,
    pub(super) allowed: String,
    pub(super) hint: &'static str,
}

/// Returns the rules of `window` that the range from `from` to `to` breaks.
pub(super) fn breaches(
    window: &'static Window,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    now: Option<Timestamp>,
) -> impl Iterator<Item = Breach> {
    let pair = pair(window, from, to);
    let range = from.zip(to).and_then(|(from, to)| order(window, from, to).or_else(|| span(window, from, to)));
    let age = now.and_then(|now| age(window, from, to, now));
    [pair, range, age].into_iter().flatten()
}

fn pair(window: &'static Window, from: Option<Timestamp>, to: Option<Timestamp>) -> Option<Breach> {
    let (set, missing) = match (from, to) {
        (Some(_), None) => (window.from, window.to),
        (None, Some(_)) => (window.to, window.from),
        _ => return None,
    };
    window.both_or_neither.then(|| Breach {
        kind: "pair",
        parameter: missing,
        given: format!("only {set}"),
        allowed: "both or neither must be set".to_owned(),
        hint: "set it too",
    })
}

fn order(window: &'static Window, from: Timestamp, to: Timestamp) -> Option<Breach> {
    (from > to).then(|| Breach {
        kind: "order",
        parameter: window.from,
        given: from.to_string(),
        allowed: format!("it must not be after {}, which is {to}", window.to),
        hint: "swap the two",
    })
}

fn span(window: &'static Window, from: Timestamp, to: Timestamp) -> Option<Breach> {
    let span = window.span?;
    let end = span.after(from)?;
    // Months differ in length: a range is too long only if it exceeds the span counted from either end.
    let is_longer = to > end && span.before(to).is_none_or(|start| from < start);
    is_longer.then(|| Breach {
        kind: "span",
        parameter: window.to,
        given: to.to_string(),
        allowed: format!("at most {span} after {}, which is until {end}, is allowed", window.from),
        hint: "request shorter ranges, one after the other",
    })
}

fn age(window: &'static Window, from: Option<Timestamp>, to: Option<Timestamp>, now: Timestamp) -> Option<Breach> {
    let access: Length = window.access?;
    let oldest = access.before(now)?;
    let refused = oldest.checked_sub(ACCESS_TOLERANCE)?;
    let from = from.filter(|_| !window.access_is_of_data);
    let (parameter, time) = from.map(|from| (window.from, from)).or_else(|| to.map(|to| (window.to, to)))?;
    (time < refused).then(|| Breach {
        kind: "access",
        parameter,
        given: time.to_string(),
        allowed: format!("at most {access} ago, which is from {oldest} on, is allowed"),
        hint: "request later times",
    })
}
