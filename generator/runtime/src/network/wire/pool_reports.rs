//! The reports of an answer about the pools of rate limits.

use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::envelope::text_at;
use super::headers::date;
use crate::data::tables::{Count, PoolReporting, Reset, ResetForm, ResponseValue};

/// The number of pools that an API can report.
pub const MAX_POOLS: usize = 4;

/// The report of an answer about one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolReport {
    /// The name.
    pub pool: &'static str,
    /// The calls that remain.
    pub remaining: u32,
    /// The time until the whole pool is free, if the answer says so.
    pub reset: Option<Duration>,
}

impl PoolReport {
    /// Creates a report that `remaining` calls are left in `pool`.
    pub const fn new(pool: &'static str, remaining: u32) -> Self {
        Self { pool, remaining, reset: None }
    }

    /// Returns the same report; all of the pool is free again after `reset`.
    #[must_use]
    pub const fn reset_in(self, reset: Duration) -> Self {
        Self { reset: Some(reset), ..self }
    }
}

/// Returns what `response` reports about the pools of `table`.
pub(crate) fn pool_reports(table: &[PoolReporting], response: &Response<Bytes>) -> [Option<PoolReport>; MAX_POOLS] {
    let mut all = [None; MAX_POOLS];
    for (report, of) in all.iter_mut().zip(table) {
        *report = of_pool(of, response);
    }
    all
}

fn of_pool(of: &PoolReporting, response: &Response<Bytes>) -> Option<PoolReport> {
    let number = |value: &ResponseValue| -> Option<u64> { text(value, response)?.trim().parse().ok() };
    let remaining = match &of.count {
        Count::Used(value) => u64::from(of.calls).saturating_sub(number(value)?),
        Count::Remaining(value) => number(value)?,
    };
    let reset = of.reset.as_ref().and_then(|reset| reset_in(reset, response));
    Some(PoolReport { pool: of.pool, remaining: u32::try_from(remaining).unwrap_or(u32::MAX), reset })
}

/// Returns how long it takes until a pool is free. A time is compared with that of the response itself, because clocks
/// differ.
fn reset_in(reset: &Reset, response: &Response<Bytes>) -> Option<Duration> {
    let text = text(&reset.value, response)?;
    let number = || text.trim().parse::<u64>().ok();
    let until = |millis: u64| {
        let now = date(response.headers())?;
        Some(Duration::from_millis(millis.saturating_sub(now.as_millis())))
    };
    match reset.form {
        ResetForm::InSeconds => number().map(Duration::from_secs),
        ResetForm::InMilliseconds => number().map(Duration::from_millis),
        ResetForm::AtSeconds => until(number()?.checked_mul(1000)?),
        ResetForm::AtMilliseconds => until(number()?),
    }
}

fn text(value: &ResponseValue, response: &Response<Bytes>) -> Option<String> {
    match value {
        ResponseValue::Header(name) => {
            // A response has few headers, so that comparing them is cheaper than hashing the name.
            let (_, value) = response.headers().iter().find(|(own, _)| own.as_str().eq_ignore_ascii_case(name))?;
            value.to_str().ok().map(str::to_owned)
        }
        ResponseValue::Body(path) => {
            let body = std::str::from_utf8(response.body()).ok()?;
            text_at(body, path).map(std::borrow::Cow::into_owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tables::Step;

    const USED: PoolReporting =
        PoolReporting { pool: "weight", calls: 100, count: Count::Used(ResponseValue::Header("x-used")), reset: None };

    fn of(table: &PoolReporting, headers: &[(&str, &str)], body: &'static str) -> Option<(u32, Option<u64>)> {
        let response = headers.iter().fold(Response::builder(), |to, (name, value)| to.header(*name, *value));
        let response = response.body(Bytes::from_static(body.as_bytes())).ok()?;
        let report = pool_reports(std::slice::from_ref(table), &response)[0]?;
        assert_eq!(report.pool, "weight");
        let millis = report.reset.map(|reset| u64::try_from(reset.as_millis()).unwrap_or(u64::MAX));
        Some((report.remaining, millis))
    }

    #[test]
    fn used_calls_are_subtracted() {
        for (used, expected) in [("30", Some(70)), ("100", Some(0)), ("130", Some(0)), ("-1", None), ("many", None)] {
            assert_eq!(of(&USED, &[("X-Used", used)], ""), expected.map(|left| (left, None)), "{used}");
        }
        assert_eq!(of(&USED, &[], ""), None);
        let left = PoolReporting { count: Count::Remaining(ResponseValue::Header("x-left")), ..USED };
        assert_eq!(of(&left, &[("X-Left", "99999999999")], ""), Some((u32::MAX, None)));
    }

    #[test]
    fn a_body_reports_it_too() {
        let path = &[Step::Member("usage"), Step::Member("left")];
        let left = PoolReporting { count: Count::Remaining(ResponseValue::Body(path)), ..USED };
        assert_eq!(of(&left, &[], r#"{"usage": {"left": 7}}"#), Some((7, None)));
        assert_eq!(of(&left, &[], r#"{"usage": {}}"#), None);
    }

    #[test]
    fn a_reset_is_a_length_or_a_time() {
        let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let cases = [
            (ResetForm::InSeconds, "3", Some(3_000)),
            (ResetForm::InMilliseconds, "3", Some(3)),
            (ResetForm::AtSeconds, "784111780", Some(3_000)),
            (ResetForm::AtMilliseconds, "784111777250", Some(250)),
            (ResetForm::AtMilliseconds, "1", Some(0)),
            (ResetForm::AtSeconds, "99999999999999999999", None),
        ];
        for (form, text, expected) in cases {
            let table = PoolReporting { reset: Some(Reset { value: ResponseValue::Header("x-reset"), form }), ..USED };
            let found = of(&table, &[("x-used", "0"), ("x-reset", text), date], "");
            assert_eq!(found, Some((100, expected)), "{form:?} {text}");
        }
        let at = PoolReporting {
            reset: Some(Reset { value: ResponseValue::Header("x-reset"), form: ResetForm::AtSeconds }),
            ..USED
        };
        assert_eq!(of(&at, &[("x-used", "0"), ("x-reset", "784111780")], ""), Some((100, None)), "without a date");
    }
}
