//! Headers of requests, times in the headers of responses, and where the next page of a listing begins by them.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use http::header::{DATE, LINK, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};
use httpdate::parse_http_date;

use crate::data::error::BuildError;
use crate::data::parameters::query_value;
use crate::data::sorting::sort_by;
use crate::data::tables::{Api, Header, Meta, NextPage, Sent};
use crate::data::value::Timestamp;

/// Values for the headers of an API other than credentials.
#[derive(Clone, Debug, Default)]
pub struct HeaderValues {
    values: Vec<(&'static Header, HeaderName, HeaderValue)>,
}

impl HeaderValues {
    /// Returns the headers with these names and values. If a name occurs twice, the last value applies.
    ///
    /// # Errors
    ///
    /// Fails if the API has no header with a name, or if a value cannot be sent.
    pub fn new(api: &'static Api, given: &[(String, String)]) -> Result<Self, BuildError> {
        let mut values = Self::default();
        for (name, value) in given {
            values.set(api, name, value).map_err(|why| BuildError::Header { name: name.clone(), why })?;
        }
        Ok(values)
    }

    /// Reads the headers of one source from texts of the form `NAME=VALUE`, each of which is set once.
    ///
    /// # Errors
    ///
    /// Fails if a text has another form, or if two set the same header.
    pub fn pairs<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<(String, String)>, BuildError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for text in texts {
            let wrong = |name: &str, why: &str| BuildError::Header { name: name.to_owned(), why: why.to_owned() };
            let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
            let pair = pair.filter(|(name, value)| !name.is_empty() && !value.is_empty());
            let (name, value) = pair.ok_or_else(|| wrong(text, "is not NAME=VALUE"))?;
            if pairs.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(wrong(name, "is set twice; leave out all but one"));
            }
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Ok(pairs)
    }

    fn set(&mut self, api: &'static Api, name: &str, value: &str) -> Result<(), String> {
        let header = api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        let Some(header) = header else {
            let mut known = Vec::new();
            for header in api.headers {
                known.push(header.name);
            }
            return Err(format!("is not one of {}", known.join(", ")));
        };
        keep_window(api, header, value)?;
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|error| error.to_string())?;
        let value = HeaderValue::from_str(value).map_err(|_| "has a value that is not valid in a header".to_owned())?;
        self.values.retain(|(_, other, _)| *other != name);
        self.values.push((header, name, value));
        Ok(())
    }

    /// Returns the headers that select a market, with their values; empty for the default market.
    pub(crate) fn market(&self) -> String {
        let mut lines = Vec::new();
        for (header, _, value) in self.values.iter().filter(|(header, ..)| header.selects_market) {
            lines.push(format!("{}: {}", header.name, value.to_str().unwrap_or_default()));
        }
        sort_by(&mut lines, &Ord::cmp);
        lines.join(", ")
    }

    /// Adds those that requests of the operation `meta` carry to `headers`.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, meta: &Meta) {
        let takes = |header: &Header| meta.headers.iter().any(|name| header.name.eq_ignore_ascii_case(name));
        for (header, name, value) in &self.values {
            if header.sent == Sent::Always || takes(header) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Refuses a window of signatures that is longer than the API's: a later run of the program, which may send another
/// one, has to know how long a stored request could arrive.
fn keep_window(api: &Api, header: &Header, value: &str) -> Result<(), String> {
    let is_window = |name: &str| name.eq_ignore_ascii_case(header.name);
    let credentials = api.credentials.as_ref().filter(|all| all.window_set_by.is_some_and(is_window));
    match credentials.and_then(|credentials| credentials.window_ms) {
        Some(longest) if value.parse::<u64>().map_or(true, |own| own > longest) => {
            Err(format!("must be a number of milliseconds, at most {longest}"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Longer waits are shortened to this.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the time of a response, by its header `Date`.
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let since_1970 = time_of(headers, DATE)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since_1970.as_millis()).ok().map(Timestamp::from_millis)
}

/// Returns the wait that the header `Retry-After` requires, at most a day. A date is compared with that of the response
/// itself, because clocks differ.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let after = text(headers, RETRY_AFTER)?;
    if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit exceeds the maximum.
        return Some(after.parse().map_or(MAX_WAIT, Duration::from_secs).min(MAX_WAIT));
    }
    // A date before that of the response requires no wait.
    let wait = parse_http_date(after).ok()?.duration_since(time_of(headers, DATE)?).unwrap_or_default();
    Some(wait.min(MAX_WAIT))
}

fn time_of(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    parse_http_date(text(headers, name)?).ok()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// The statement of an answer's headers about the next page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NextPageHint {
    /// Nothing: there is no next page unless something else shows one.
    #[default]
    Unsaid,
    /// There is one, which begins here.
    At(String),
    /// There is one, but it is not understood where it begins.
    Lost,
}

impl NextPageHint {
    /// Reads it from the headers that `by` names.
    pub(super) fn read(by: Option<NextPage>, headers: &HeaderMap) -> Self {
        match by {
            None => Self::Unsaid,
            Some(NextPage::Header(name)) => match headers.get(name).map(|value| value.to_str().map(str::trim)) {
                None | Some(Ok("")) => Self::Unsaid,
                Some(Ok(cursor)) => Self::At(cursor.to_owned()),
                Some(Err(_)) => Self::Lost,
            },
            Some(NextPage::Link(parameter)) => {
                let mut links = headers.get_all(LINK).iter();
                links.find_map(|value| following(value.to_str().ok()?)).map_or(Self::Unsaid, |target| {
                    let query = target.split('#').next().and_then(|target| target.split_once('?'));
                    let value = query.and_then(|(_, query)| query_value(query, parameter));
                    value.map(Cow::into_owned).filter(|value| !value.is_empty()).map_or(Self::Lost, Self::At)
                })
            }
        }
    }
}

/// Returns the target of the first link with the relation `next` (RFC 8288). A link that is not understood ends the
/// search.
fn following(links: &str) -> Option<&str> {
    let mut rest = links;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (target, behind) = rest.strip_prefix('<')?.split_once('>')?;
        let (parameters, behind) = until(behind, ',');
        if is_next(parameters) {
            return Some(target);
        }
        rest = behind;
    }
}

/// Returns whether one of the parameters of a link is a relation, and the first such one contains `next`.
fn is_next(parameters: &str) -> bool {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (parameter, behind) = until(rest, ';');
        rest = behind;
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if name.trim().eq_ignore_ascii_case("rel") {
            let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
            return relations.any(|relation| relation.eq_ignore_ascii_case("next"));
        }
    }
    false
}

/// Returns the parts before and after the first `mark` that is not between quotation marks.
fn until(text: &str, mark: char) -> (&str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            letter if letter == mark && !is_quoted => return (&text[..at], &text[at + mark.len_utf8()..]),
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(after: &str, date: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, after.parse().ok()?);
        headers.insert(DATE, date.parse().ok()?);
        retry_after(&headers)
    }

    fn dated(text: &str) -> Option<Timestamp> {
        date(&HeaderMap::from_iter([(DATE, text.parse().ok()?)]))
    }

    #[test]
    fn seconds_and_dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(dated(date), Some(Timestamp::from_millis(784_111_777_000)));
        assert_eq!(read("7", ""), Some(Duration::from_secs(7)));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:40 GMT", date), Some(Duration::from_secs(63)));
        assert_eq!(read("Thu, 01 Jan 1970 00:00:00 GMT", date), Some(Duration::ZERO));
        // The two old forms of RFC 9110.
        assert_eq!(read("Sunday, 06-Nov-94 08:50:40 GMT", date), Some(Duration::from_secs(63)));
        assert_eq!(read("Sun Nov  6 08:50:40 1994", date), Some(Duration::from_secs(63)));
    }

    #[test]
    fn malformed_headers_are_ignored() {
        assert_eq!(retry_after(&HeaderMap::new()), None);
        let years = ["10000", "65536", "4294967296", "9999999999999999999", "99999999999999999999", "-1"];
        let dates = years.map(|year| format!("Sun, 06 Nov {year} 08:49:37 GMT"));
        let others =
            ["", "-1", "+1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Now 1994 08:49:37 GMT", ", GMT"];
        let times = ["Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT"];
        for after in dates.iter().map(String::as_str).chain(others).chain(times) {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), None, "{after}");
            assert_eq!(dated(after), None, "{after}");
        }
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT", "today"), None);
    }

    #[test]
    fn waits_are_at_most_a_day() {
        let digits = "9".repeat(1_000);
        for after in ["86401", "18446744073709551615", "18446744073709551616", &digits, "Sat, 06 Nov 9999 08:49:37 GMT"]
        {
            assert_eq!(read(after, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(MAX_WAIT), "{after}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_ignored(
            after in "[ -~]{0,40}|[0-9]{1,30}|Sun, [0-9]{1,25} Nov [0-9]{1,25} [0-9]{1,3}:[0-9]{2}:[0-9]{2} GMT",
            date in "[ -~]{0,40}|Sun, [0-9]{2} Nov [0-9]{1,20} 08:49:37 GMT",
        ) {
            prop_assert!(read(&after, &date).is_none_or(|wait| wait <= MAX_WAIT));
            let _ = dated(&after);
        }
    }

    fn by_link(links: &[&str]) -> NextPageHint {
        let headers = links.iter().filter_map(|link| Some((LINK, link.parse().ok()?)));
        NextPageHint::read(Some(NextPage::Link("page")), &HeaderMap::from_iter(headers))
    }

    fn at(text: &str) -> NextPageHint {
        NextPageHint::At(text.to_owned())
    }

    #[test]
    fn the_link_to_the_next_page_is_found() {
        assert_eq!(by_link(&[r#"<https://a.example/list?page=4>; rel="next""#]), at("4"));
        let several =
            r#"<https://a.example/list?page=2>; rel="prev", <https://a.example/list?size=1&page=4>; rel="next""#;
        assert_eq!(by_link(&[several]), at("4"));
        assert_eq!(by_link(&["</l?page=2>; rel=prev", "</l?page=4>; rel=next"]), at("4"));
        assert_eq!(by_link(&[r#"</l?page=a%2Bb#top>; title="a, b; rel=x\" "; REL="last Next""#]), at("a+b"));
    }

    #[test]
    fn no_link_to_the_next_page_is_the_end() {
        for links in [&[][..], &[r#"</l?page=2>; rel="prev""#], &["</l?page=2>"], &[r#"</l?page=2>; title="rel=next""#]]
        {
            assert_eq!(by_link(links), NextPageHint::Unsaid, "{links:?}");
        }
        // Only the first relation of a link counts (RFC 8288, section 3.3).
        assert_eq!(by_link(&["</l?page=2>; rel=prev; rel=next"]), NextPageHint::Unsaid);
    }

    #[test]
    fn a_next_page_that_is_not_understood_is_not_the_end() {
        for link in ["</l>; rel=next", "</l?cursor=4>; rel=next", "</l?page=>; rel=next", "</l?page=%zz>; rel=next"] {
            assert_eq!(by_link(&[link]), NextPageHint::Lost, "{link}");
        }
    }

    #[test]
    fn a_cursor_stands_in_a_header() {
        let read = |value: &[u8]| {
            let value = http::HeaderValue::from_bytes(value).unwrap_or(http::HeaderValue::from_static("?"));
            let name = http::HeaderName::from_static("x-after");
            NextPageHint::read(Some(NextPage::Header("X-After")), &HeaderMap::from_iter([(name, value)]))
        };
        assert_eq!((read(b" 17 "), read(b""), read(b"\xff")), (at("17"), NextPageHint::Unsaid, NextPageHint::Lost));
        assert_eq!(NextPageHint::read(Some(NextPage::Header("X-After")), &HeaderMap::new()), NextPageHint::Unsaid);
    }

    proptest! {
        #[test]
        fn any_link_is_read_or_ignored(link in "[ -~]{0,60}|(<[a-z?=&%]{0,9}>[;, ]*(rel=\"?next[ \"]?)?){0,4}") {
            let _ = by_link(&[&link]);
        }
    }
}
