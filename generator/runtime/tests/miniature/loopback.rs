//! Whole calls over a loopback server, by every transport.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tradeapi_runtime::error::{BuildError, Delivery, TransportErrorKind};
use tradeapi_runtime::tables::Outcome;
#[cfg(feature = "reqwest")]
use tradeapi_runtime::transport::ReqwestTransport;
use tradeapi_runtime::transport::{HyperTransport, TransportLimits};
use tradeapi_runtime::{ClientBuilder, Credentials, Error};

use crate::Tested;
use crate::api::{Client, Side};
use crate::orders::{Execution, Orders, PlaceOrder};

/// Sets the transport of a client.
type Over = fn(ClientBuilder<Client>, TransportLimits) -> Result<ClientBuilder<Client>, BuildError>;

const OVER: &[Over] = &[
    |client, limits| Ok(client.transport(HyperTransport::new(limits)?)),
    #[cfg(feature = "reqwest")]
    |client, limits| Ok(client.transport(ReqwestTransport::new(limits)?)),
];

fn client_of(over: Over, address: &str, limits: TransportLimits) -> Result<Client, BuildError> {
    over(Client::builder(address).credentials(Credentials::new("key", "secret", "pass")), limits)?.build()
}

/// The treatment of a connection after the server has read a request.
#[derive(Clone, Copy)]
enum Manner {
    Answers(&'static str),
    Closes,
    Waits,
    Redirects,
}

/// A server that reads requests, keeps them, and answers from a script.
struct Server {
    address: String,
    requests: tokio::sync::mpsc::UnboundedReceiver<String>,
}

impl Server {
    async fn start(manner: Manner) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let (to, requests) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let to = to.clone();
                tokio::spawn(async move {
                    while let Ok(request) = read_request(&mut stream).await {
                        let _ = to.send(request);
                        if !behave(&mut stream, manner).await {
                            break;
                        }
                    }
                });
            }
        });
        Ok(Self { address, requests })
    }

    fn client(&self, over: Over) -> Result<Client, BuildError> {
        let call = Duration::from_millis(300);
        client_of(over, &self.address, TransportLimits { call, max_body: 200, ..TransportLimits::default() })
    }

    /// Returns the requests that have come until now.
    fn seen(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }
}

/// Reads a head, and as much of a body as it announces.
async fn read_request(stream: &mut TcpStream) -> io::Result<String> {
    let mut request = Vec::new();
    loop {
        request.push(stream.read_u8().await?);
        if request.ends_with(b"\r\n\r\n") {
            break;
        }
    }
    let head = String::from_utf8_lossy(&request).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(head + &String::from_utf8_lossy(&body))
}

/// Treats a connection in this manner. Returns whether it stays open.
async fn behave(stream: &mut TcpStream, manner: Manner) -> bool {
    let answer = match manner {
        Manner::Closes => return false,
        Manner::Waits => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            return false;
        }
        Manner::Redirects => "HTTP/1.1 307 Go\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".to_owned(),
        Manner::Answers(body) => {
            format!("HTTP/1.1 200 OK\r\nx-remaining: 3\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        }
    };
    stream.write_all(answer.as_bytes()).await.is_ok()
}

fn market_order() -> PlaceOrder {
    PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market)
}

async fn failure(over: Over, manner: Manner) -> Result<(Error, Vec<String>), Box<dyn std::error::Error>> {
    let mut server = Server::start(manner).await?;
    let error = server.client(over)?.call(&market_order()).await.err().ok_or("the call succeeded")?;
    Ok((error, server.seen()))
}

fn transport(error: &Error) -> Option<(TransportErrorKind, Delivery)> {
    match error {
        Error::Unknown(unknown) => transport(&unknown.why),
        Error::Transport(failure) => Some((failure.error.kind(), failure.error.sent())),
        _ => None,
    }
}

#[tokio::test]
async fn a_call_returns_the_data_of_its_answer() -> Tested {
    for over in OVER {
        let mut server = Server::start(Manner::Answers(r#"{"code":"00000","data":[{"orderId":"7"}]}"#)).await?;
        let client = server.client(*over)?;
        for _ in 0..2 {
            let reply = client.call(&Orders { limit: Some(5), ..Orders::default() }).await?;
            assert_eq!((reply.len(), reply.remaining), (1, Some(3)));
        }
        let seen = server.seen();
        assert_eq!(seen.len(), 2);
        assert!(seen[0].starts_with("get /v1/orders?limit=5 http/1.1\r\n"), "{}", seen[0]);
        assert!(seen[0].contains("mini-key: key\r\n"), "{}", seen[0]);
    }
    Ok(())
}

#[tokio::test]
async fn forbidden_requests_are_not_sent() -> Tested {
    for over in OVER {
        let mut server = Server::start(Manner::Closes).await?;
        let client = server.client(*over)?;
        let error = client.call(&Orders { limit: Some(500), ..Orders::default() }).await.err();
        assert!(matches!(error, Some(Error::Refused(refusal)) if refusal.violations.len() == 1));
        let unchecked = Client::from(client.core().with_check_policy(false));
        assert!(unchecked.call(&Orders { limit: Some(500), ..Orders::default() }).await.is_err());
        assert_eq!(server.seen().len(), 1);
    }
    Ok(())
}

#[tokio::test]
async fn an_order_is_sent_once_despite_failures() -> Tested {
    for over in OVER {
        for manner in [Manner::Closes, Manner::Waits, Manner::Redirects, Manner::Answers("{")] {
            let (error, seen) = failure(*over, manner).await?;
            assert_eq!((seen.len(), error.outcome()), (1, Outcome::Unknown), "{error}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn failures_have_a_kind() -> Tested {
    const LONG: &str = concat!("{\"code\":\"00000\",\"msg\":\"", "0123456789012345678901234567890123456789", "\"}");
    for over in OVER {
        let (closed, _) = failure(*over, Manner::Closes).await?;
        assert_eq!(transport(&closed), Some((TransportErrorKind::Closed, Delivery::MaybeSent)));
        let (late, _) = failure(*over, Manner::Waits).await?;
        assert_eq!(transport(&late), Some((TransportErrorKind::Timeout, Delivery::MaybeSent)));
        let server = Server::start(Manner::Answers(LONG)).await?;
        let client = client_of(*over, &server.address, TransportLimits { max_body: 50, ..TransportLimits::default() })?;
        let long = client.call(&market_order()).await.err().ok_or("taken")?;
        assert_eq!(transport(&long), Some((TransportErrorKind::BodyTooLarge, Delivery::MaybeSent)));
    }
    Ok(())
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() -> Tested {
    for over in OVER {
        let closed = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
        let client = client_of(*over, &format!("http://{closed}"), TransportLimits::default())?;
        let error = client.call(&market_order()).await.err().ok_or("answered")?;
        assert_eq!(transport(&error), Some((TransportErrorKind::Connect, Delivery::NotSent)));
        assert_eq!(error.outcome(), Outcome::NotDone);
    }
    Ok(())
}

#[tokio::test]
async fn a_handshake_that_does_not_end_was_not_a_request() -> Tested {
    for over in OVER {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let limits = TransportLimits { connect: Duration::from_millis(100), ..TransportLimits::default() };
        let client = client_of(*over, &format!("https://{}", listener.local_addr()?), limits)?;
        let error = client.call(&market_order()).await.err().ok_or("answered")?;
        assert_eq!(transport(&error), Some((TransportErrorKind::Connect, Delivery::NotSent)));
    }
    Ok(())
}
