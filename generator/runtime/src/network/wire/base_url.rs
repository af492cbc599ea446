//! The address that all paths are appended to.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use bytes::Bytes;
use http::uri::{Authority, Parts, PathAndQuery, Scheme, Uri};

use crate::data::error::BuildError;
use crate::data::parameters::leads_elsewhere;

/// The address that all paths are appended to.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    path: String,
}

impl BaseUrl {
    /// Parses an address such as `https://host`, optionally with a port and a path. Plain `http` is accepted for this
    /// machine only, unless `allow_plain_http` is set.
    ///
    /// # Errors
    ///
    /// Fails if the address has another form.
    pub fn parse(address: &str, allow_plain_http: bool) -> Result<Self, BuildError> {
        let wrong = |why| BuildError::BaseUrl { why };
        if address.contains(['?', '#', '@']) {
            return Err(wrong("must have no user, query or fragment"));
        }
        let parts = address.parse::<Uri>().map_err(|_| wrong("is not a URL"))?.into_parts();
        let scheme = parts.scheme.filter(is_http).ok_or_else(|| wrong("must begin with https:// or http://"))?;
        let authority = parts
            .authority
            .filter(names_a_host)
            .ok_or_else(|| wrong("must name a host, and at most a port with it"))?;
        if scheme == Scheme::HTTP && !allow_plain_http && !is_loopback(authority.host()) {
            return Err(wrong("must begin with https:// (http:// is accepted for this machine, or if allowed)"));
        }
        let path = parts.path_and_query.map(|path| path.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        // Some transports, servers and proxies resolve them, and others do not.
        if path.split('/').any(leads_elsewhere) {
            return Err(wrong("must have no `.` or `..` in its path"));
        }
        Ok(Self { scheme, authority, path })
    }

    /// Returns the exchange that a key belongs to, for what the clients of a key share. A key is one exchange's, under
    /// whichever of its names that is called, so the address says nothing of it. On this machine each port is another
    /// exchange, because tests run several with equal keys.
    pub(crate) fn exchange_of_key(&self) -> String {
        if !is_loopback(self.authority.host()) {
            return String::new();
        }
        let usual = if self.scheme == Scheme::HTTPS { 443 } else { 80 };
        format!("this machine, port {}", self.authority.port_u16().unwrap_or(usual))
    }

    /// Returns the path of the address, without a slash at its end: usually empty.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the whole address of `target`, which is a path and a query.
    pub(super) fn join(&self, target: Cow<'static, str>) -> Result<Uri, http::Error> {
        let target = match target {
            Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
            Cow::Owned(text) => Bytes::from(text),
        };
        let target = PathAndQuery::from_maybe_shared(target)?;
        let mut parts = Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(target);
        Ok(Uri::from_parts(parts)?)
    }
}

/// The address as it was given, without a slash at its end. Journals store it of their owner, so it must not change.
impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn is_http(scheme: &Scheme) -> bool {
    *scheme == Scheme::HTTPS || *scheme == Scheme::HTTP
}

/// Returns whether it is a host with at most a port: what is parsed as a port here must not be a name to another
/// parser.
fn names_a_host(authority: &Authority) -> bool {
    let host = authority.host();
    let port = authority.as_str().strip_prefix(host).unwrap_or_default();
    !host.is_empty() && (port.is_empty() || authority.port_u16().is_some())
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || ip_of(host).is_some_and(|address| address.is_loopback())
}

/// Returns the address that a host is, unless it is a name.
fn ip_of(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_taken(address: &str) -> bool {
        BaseUrl::parse(address, false).is_ok()
    }

    #[test]
    fn an_address_is_shown_as_journals_store_it() {
        for (given, shown) in [
            ("https://example.com", "https://example.com"),
            ("https://example.com/", "https://example.com"),
            ("HTTPS://Example.com:8443/api/", "https://Example.com:8443/api"),
        ] {
            assert_eq!(BaseUrl::parse(given, false).map(|url| url.to_string()).ok().as_deref(), Some(shown));
        }
    }

    /// A key has the limits of one exchange, by whatever name it is reached.
    #[test]
    fn a_key_is_of_one_exchange_except_on_this_machine() {
        let of = |address: &str| BaseUrl::parse(address, true).map(|url| url.exchange_of_key()).ok();
        for same in [
            ["https://api.h.example", "https://h-mirror.example:8443/proxy"],
            ["https://h.example", "HTTPS://H.Example."],
            ["http://localhost:8080", "http://127.0.0.1:8080/"],
            ["http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080"],
            ["http://localhost", "http://localhost:80"],
        ] {
            assert_eq!(of(same[0]), of(same[1]), "{same:?}");
        }
        let others = ["https://h.example", "http://localhost:1", "http://localhost:2"];
        let all: std::collections::HashSet<_> = others.iter().map(|other| of(other)).collect();
        assert!(all.len() == others.len() && !all.contains(&None), "{all:?}");
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        for own in [
            "http://localhost",
            "http://LocalHost:8080/api",
            "http://127.0.0.1",
            "http://127.0.0.1:8080",
            "http://127.255.3.4",
            "http://[::1]",
            "http://[::1]:8080/",
            "HTTP://[0:0:0:0:0:0:0:1]",
        ] {
            assert!(is_taken(own), "{own}");
        }
        for other in [
            "http://example.com",
            "http://localhost.evil.com",
            "http://localhost.",
            "http://evil.localhost",
            "http://127.0.0.1.evil.com",
            "http://127.0.0.1%2eevil.com",
            "http://127.0.0.1\\.evil.com",
            "http://127.0.0.1;evil.com",
            "http://127.0.0.1:80.evil.com",
            "http://127.0.0.1:80:evil.com",
            "http://[::1].evil.com",
            "http://[[::1]]",
            "http://[::ffff:8.8.8.8]",
            "http://[::2]",
            "http://128.0.0.1",
            "http://0.0.0.0",
            // Some readers of addresses see 127.0.0.1 in these, others do not.
            "http://127.1",
            "http://2130706433",
            "http://0x7f.0.0.1",
            "http://0177.0.0.1",
            "http://::1",
        ] {
            assert!(!is_taken(other), "{other}");
            // With the explicit permission, an address is accepted if it would be accepted with TLS.
            assert_eq!(BaseUrl::parse(other, true).is_ok(), is_taken(&other.replacen("http", "https", 1)), "{other}");
        }
        assert!(is_taken("https://example.com") && is_taken("https://127.0.0.1.evil.com"));
        assert!(BaseUrl::parse("http://example.com", true).is_ok());
    }

    #[test]
    fn an_address_has_no_user_and_a_host() {
        for wrong in [
            "http://localhost@evil.com",
            "http://127.0.0.1:80@evil.com",
            "https://user@example.com",
            "https://user:password@example.com",
            "https://example.com/@",
            "https://example.com\\@evil.com",
            "https://",
            "https:///path",
            "https://:443",
            "//example.com",
            "/path",
            "example.com",
            "ftp://localhost",
            "file:///etc",
            " https://example.com",
            "https://example.com ",
            "https://exa mple.com",
            "https://example.com\r\nhost: evil.com",
            "https://example.com?a=b",
            "https://example.com/api/../v1",
            "https://example.com/./api",
            "https://example.com/api/%2e%2E",
            "https://example.com/api/..%2fv1",
            "https://example.com#a",
            "",
        ] {
            let parsed = BaseUrl::parse(wrong, true);
            assert!(parsed.is_err(), "{wrong:?}: {parsed:?}");
        }
    }
}
