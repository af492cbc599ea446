//! Where the next page of a listing begins, by the headers of an answer.

use std::borrow::Cow;

use http::HeaderMap;
use http::header::LINK;

use crate::data::parameters::query_value;
use crate::data::tables::NextPage;

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

/// The target of the first link with the relation `next` (RFC 8288). A link that is not understood ends the search.
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

/// The parts before and after the first `mark` that is not between quotation marks.
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
        fn any_text_is_read_or_ignored(link in "[ -~]{0,60}|(<[a-z?=&%]{0,9}>[;, ]*(rel=\"?next[ \"]?)?){0,4}") {
            let _ = by_link(&[&link]);
        }
    }
}
