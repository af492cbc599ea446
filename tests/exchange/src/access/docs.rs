//! The reference at `/docs/`: the files of `tradeapi-gen export site`, and the key with which its pages send requests.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode, header};
use tradeapi::runtime::json::JsonWriter;

use crate::access::control::{self, refuse_foreign};
use crate::access::exchange::Exchange;

/// The content security policy of the pages: only the site's script runs, and it may only query this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The answer if no folder was given.
const MISSING: &str = "The reference is not served. Write it, and start the exchange with it:\n\n\
                       cargo run -- export site --out target/site \\\n\
                       \x20 --proofs tests/exchange/tests/exchange/rules.tsv\n\
                       cargo run -p tradeapi-exchange -- --docs target/site\n";

/// The files of the site, read once.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    files: BTreeMap<String, Bytes>,
}

impl Docs {
    /// Reads the folder that `tradeapi-gen export site` wrote.
    ///
    /// # Errors
    ///
    /// A file or folder cannot be read, or the folder has no site.
    pub fn read(folder: &Path) -> io::Result<Self> {
        Self::read_all(folder).map_err(|error| {
            let folder = folder.display();
            let remedy = format!("write it with `tradeapi-gen export site --out {folder}`");
            io::Error::new(error.kind(), format!("cannot read the reference in {folder}: {error}; {remedy}"))
        })
    }

    fn read_all(folder: &Path) -> io::Result<Self> {
        let named =
            |error: io::Error, path: &Path| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut files = BTreeMap::new();
        let mut folders = vec![String::new()];
        while let Some(below) = folders.pop() {
            let path = folder.join(&below);
            let read = std::fs::read_dir(&path);
            for entry in read.map_err(|error| if below.is_empty() { error } else { named(error, &path) })? {
                let entry = entry?;
                let name = format!("{below}{}", entry.file_name().to_string_lossy());
                if entry.file_type()?.is_dir() {
                    folders.push(format!("{name}/"));
                } else if kind(&name).is_some() {
                    let bytes = std::fs::read(entry.path()).map_err(|error| named(error, &entry.path()))?;
                    files.insert(name, bytes.into());
                }
            }
        }
        if !files.contains_key("index.html") {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it has no index.html"));
        }
        Ok(Self { files })
    }

    /// Answers a request for a page, or for the key.
    pub(crate) fn answer(&self, request: &Parts, exchange: &Exchange, hosts: &[String]) -> Response<Bytes> {
        let path = request.uri.path();
        let text =
            |status, text: &str| response(status, "text/plain; charset=utf-8", Bytes::copy_from_slice(text.as_bytes()));
        let Some(name) = path.strip_prefix("/docs/") else {
            let mut moved = text(StatusCode::PERMANENT_REDIRECT, "");
            moved.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/docs/"));
            return moved;
        };
        if request.method != Method::GET {
            return text(StatusCode::METHOD_NOT_ALLOWED, "The reference accepts only GET.\n");
        }
        if name == "keys.json" {
            return match refuse_foreign(path, &request.headers, hosts) {
                Ok(()) => response(StatusCode::OK, "application/json", keys(exchange)),
                Err(refused) => text(refused.0, &refused.1),
            };
        }
        let name = if name.is_empty() { "index.html" } else { name };
        match (self.files.get(name), kind(name)) {
            (Some(bytes), Some(kind)) => response(StatusCode::OK, kind, bytes.clone()),
            _ if self.files.is_empty() => text(StatusCode::NOT_FOUND, MISSING),
            _ => text(StatusCode::NOT_FOUND, "The reference has no such page.\n"),
        }
    }
}

/// Returns whether a path belongs to the reference.
pub(crate) fn serves(path: &str) -> bool {
    path == "/docs" || path.starts_with("/docs/")
}

/// Returns the media type by the file extension; other files are not served.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "md" => "text/markdown; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// Returns the key of the exchange's first user, and the exchange's time, for pages that sign.
fn keys(exchange: &Exchange) -> Bytes {
    let keys = exchange.keys();
    let mut out = JsonWriter::new();
    out.begin_object();
    out.member("key").string(&keys.key);
    out.member("secret").string(&keys.secret);
    out.member("passphrase").string(&keys.passphrase);
    out.member("time").string(&exchange.time().now().as_millis().to_string());
    out.end_object();
    Bytes::from(out.finish())
}

fn response(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Bytes> {
    control::response(status, kind, POLICY, body)
}
