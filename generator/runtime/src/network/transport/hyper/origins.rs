//! The origins that requests go to, each with its connections.

use std::sync::{Arc, Mutex, PoisonError};

use http::header::{HOST, HeaderValue};
use http::uri::{Authority, Scheme, Uri};

use super::pool::Pool;

/// Every origin that was requested: a program has one or two, so a list is enough, and none is dropped.
#[derive(Debug, Default)]
pub(super) struct Origins(Mutex<Vec<Arc<Origin>>>);

/// The origin of requests: a scheme, a host and a port.
#[derive(Debug)]
pub(super) struct Origin {
    scheme: Scheme,
    authority: Authority,
    host: HeaderValue,
    pool: Arc<Pool>,
}

impl Origins {
    /// The origin of `uri`; `None` if it names no host.
    pub(super) fn of(&self, uri: &Uri) -> Option<Arc<Origin>> {
        let (scheme, authority) = (uri.scheme()?, uri.authority()?);
        let mut origins = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = origins.iter().find(|known| known.is(scheme, authority)) {
            return Some(Arc::clone(known));
        }
        let origin = Arc::new(Origin::new(scheme.clone(), authority.clone())?);
        origins.push(Arc::clone(&origin));
        Some(origin)
    }
}

impl Origin {
    fn new(scheme: Scheme, authority: Authority) -> Option<Self> {
        let host = match authority.port_u16() {
            Some(port) if port != usual_port(&scheme) => format!("{}:{port}", authority.host()),
            _ => authority.host().to_owned(),
        };
        let host = HeaderValue::try_from(host).ok()?;
        Some(Self { scheme, authority, host, pool: Arc::default() })
    }

    /// A host in another case counts as another one, which does no harm.
    fn is(&self, scheme: &Scheme, authority: &Authority) -> bool {
        self.authority.as_str() == authority.as_str() && self.scheme == *scheme
    }

    pub(super) fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The name or the address of the host, without the brackets around an IPv6 address.
    pub(super) fn name(&self) -> &str {
        let host = self.authority.host();
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    pub(super) fn port(&self) -> u16 {
        self.authority.port_u16().unwrap_or(usual_port(&self.scheme))
    }

    /// Addresses `request` as HTTP/1.1 requires: the path is in the first line, the host in a header.
    pub(super) fn address<B>(&self, request: &mut http::Request<B>) {
        request.headers_mut().entry(HOST).or_insert_with(|| self.host.clone());
        let target = std::mem::take(request.uri_mut()).into_parts().path_and_query;
        *request.uri_mut() = target.map(Uri::from).unwrap_or_default();
    }

    /// The host, with its port unless it is the usual one.
    pub(super) fn host(&self) -> &str {
        self.host.to_str().unwrap_or_default()
    }

    /// The idle connections to this origin.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

fn usual_port(scheme: &Scheme) -> u16 {
    if *scheme == Scheme::HTTPS { 443 } else { 80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn origin(of: &str) -> Result<Arc<Origin>, Box<dyn std::error::Error>> {
        Ok(Origins::default().of(&of.parse()?).ok_or("it names no host")?)
    }

    #[test]
    fn the_host_has_its_port_unless_it_is_the_usual_one() -> Tested {
        for (address, host) in [
            ("https://example.com/a", "example.com"),
            ("https://example.com:443/a", "example.com"),
            ("https://example.com:80/a", "example.com:80"),
            ("http://example.com:80/a", "example.com"),
            ("http://example.com:443/a", "example.com:443"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("http://[::1]", "[::1]"),
        ] {
            let mut request = http::Request::get(address).body(())?;
            origin(address)?.address(&mut request);
            assert_eq!(request.headers()[HOST], host, "{address}");
        }
        assert!(Origins::default().of(&"/a".parse()?).is_none());
        Ok(())
    }

    #[test]
    fn brackets_are_no_part_of_an_address() -> Tested {
        for (address, name, port) in [
            ("https://[::1]/a", "::1", 443),
            ("https://[::1]:8443", "::1", 8443),
            ("http://127.0.0.1", "127.0.0.1", 80),
        ] {
            let origin = origin(address)?;
            assert_eq!((origin.name(), origin.port()), (name, port));
        }
        Ok(())
    }

    #[test]
    fn path_and_query_follow_the_address() -> Tested {
        for (address, target) in [
            ("https://example.com/a/b?c=d", "/a/b?c=d"),
            ("https://example.com/?c=%2F", "/?c=%2F"),
            ("https://example.com", "/"),
        ] {
            let mut request = http::Request::get(address).header(HOST, "another").body(())?;
            let origin = origin(address)?;
            origin.address(&mut request);
            assert_eq!(request.uri(), target);
            assert_eq!(request.headers()[HOST], "another");
            assert_eq!((origin.name(), origin.port()), ("example.com", 443));
        }
        Ok(())
    }

    #[test]
    fn an_origin_is_found_again() -> Tested {
        let origins = Origins::default();
        let of = |address: &str| Ok::<_, http::uri::InvalidUri>(origins.of(&address.parse()?));
        let first = of("https://example.com/a")?.ok_or("it names no host")?;
        let again = of("https://example.com/b?c")?.ok_or("it names no host")?;
        assert!(Arc::ptr_eq(&first, &again));
        for other in ["http://example.com/a", "https://example.com:8443/a", "https://example.org/a"] {
            assert!(!Arc::ptr_eq(&first, &of(other)?.ok_or("it names no host")?), "{other}");
        }
        Ok(())
    }
}
