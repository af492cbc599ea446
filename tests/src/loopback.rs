//! A scripted server on loopback, for tests of the bytes on the wire.
//!
//! It records every request unchanged and answers from a script, also with half a body, a closed connection or nothing
//! at all. It implements HTTP/1.1 over plain sockets, because a web framework normalizes requests before a handler sees
//! them, and cannot break off an answer.
//!
//! ```
//! use std::io::{Read, Write};
//! use tradeapi_tests::loopback::{Answer, ScriptedServer};
//!
//! let server = ScriptedServer::start()?;
//! server.answer_next(Answer::json(r#"{"code": "00000"}"#));
//!
//! let mut connection = std::net::TcpStream::connect(server.address())?;
//! connection.write_all(b"GET /time?zone=UTC HTTP/1.1\r\nconnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! connection.read_to_string(&mut answer)?;
//!
//! assert!(answer.ends_with(r#"{"code": "00000"}"#));
//! assert_eq!(server.requests()[0].query.as_deref(), Some("zone=UTC"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod connection;
mod connection_rules;
mod port;
mod request;
mod script;
mod server;

pub use answer::{Act, Answer, Behind, Parts};
pub use request::Request;
pub use server::ScriptedServer;
