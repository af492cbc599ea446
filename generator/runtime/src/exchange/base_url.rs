use std::fmt;
use std::net::IpAddr;

use http::uri::{Authority, InvalidUri, Parts, PathAndQuery, Scheme, Uri};

use crate::client::BuildError;

/// The address all paths are appended to.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    path: String,
}

impl BaseUrl {
    /// Takes an address such as `https://host`, with a port and a path if need be. Plain `http` is taken for this
    /// machine only, unless `allow_plain_http` is set.
    ///
    /// # Errors
    ///
    /// When the address has another form.
    pub fn parse(address: &str, allow_plain_http: bool) -> Result<Self, BuildError> {
        let wrong = |why| BuildError::BaseUrl { why };
        if address.contains(['?', '#', '@']) {
            return Err(wrong("must have no user, query or fragment"));
        }
        let parts = address.parse::<Uri>().map_err(|_| wrong("is no URL"))?.into_parts();
        let scheme = parts.scheme.filter(is_http).ok_or_else(|| wrong("must begin with https:// or http://"))?;
        let authority = parts.authority.ok_or_else(|| wrong("must name a host"))?;
        if scheme == Scheme::HTTP && !allow_plain_http && !is_loopback(authority.host()) {
            return Err(wrong("must begin with https:// (only to this machine, or when allowed, http:// is taken)"));
        }
        let path = parts.path_and_query.map(|path| path.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        Ok(Self { scheme, authority, path })
    }

    /// The path of the address, without a slash at its end: usually empty.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The whole address of `target`, which is a path and a query.
    pub(super) fn join(&self, target: String) -> Result<Uri, http::Error> {
        let target = PathAndQuery::try_from(target).map_err(|error: InvalidUri| http::Error::from(error))?;
        let mut parts = Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(target);
        Ok(Uri::from_parts(parts)?)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

fn is_http(scheme: &Scheme) -> bool {
    *scheme == Scheme::HTTPS || *scheme == Scheme::HTTP
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
