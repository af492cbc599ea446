//! A whole signed call over a kept connection: order in, answer out, with a server on this machine.
//!
//! Beside the emitted client stands the same `hyper-util` client by itself, which sends the bytes that the emitted one
//! would send and reads the answer as bytes. Rate limits are off; the bench `limits` has them.
//!
//! `cargo bench -p tradeapi-tests --bench call`

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use measure::Race;
use tokio::runtime::Builder;
use tradeapi::runtime::{LimitMode, read_response};
use tradeapi::unified::{Category, ClientOid, LimitExecution, PlaceOrder, PosSide, Side, TimeInForce};
use tradeapi::{API, Client, Credentials, Decimal};

mod measure;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ANSWER: &str = r#"{"code":"00000","msg":"success","requestTime":1788912000123,"data":{"orderId":"1461937205548810241","clientOid":"desk-7:eth/open.001"}}"#;

fn main() -> Result<()> {
    let address = serve()?;
    let client = Client::builder(format!("http://{address}"))
        .credentials(Credentials::new("key-of-some-length", "secret-of-some-length", "passphrase"))
        .limits(LimitMode::Off)
        .build()?;
    let order = order()?;
    let request = client.core().prepare(&order)?;
    let hyper: Hyper<HttpConnector, Full<Bytes>> = Hyper::builder(TokioExecutor::new()).build_http();
    let runtime = Builder::new_current_thread().enable_all().build()?;

    runtime.block_on(client.call(&order))?;
    if runtime.block_on(raw(&hyper, &request))? != ANSWER {
        return Err("the server answers something else".into());
    }
    Race::new(format!(
        "call: a signed limit order, {} bytes of body there, {} back",
        request.body().len(),
        ANSWER.len()
    ))
    .way("the emitted client", || runtime.block_on(client.call(&order)))
    .way("hyper-util by itself, the same bytes", || runtime.block_on(raw(&hyper, &request)))
    .run();
    Race::new("call: what is ours in it, without the network")
        .way("checking, writing, signing, reading", || {
            let request = client.core().prepare(&order);
            request.and_then(|_| {
                read_response::<PlaceOrder>(&API, http::Response::new(Bytes::from_static(ANSWER.as_bytes())))
            })
        })
        .way("a copy of the request", || request.clone())
        .run();
    Ok(())
}

fn order() -> Result<PlaceOrder> {
    let execution = LimitExecution::new("3150.25".parse::<Decimal>()?).time_in_force(TimeInForce::Gtc);
    let order = PlaceOrder::new(Category::UsdtFutures, "ETHUSDT", "0.75".parse::<Decimal>()?, Side::Buy, execution)
        .pos_side(PosSide::Long)
        .client_oid(ClientOid::new("desk-7:eth/open.001")?);
    Ok(order)
}

async fn raw(hyper: &Hyper<HttpConnector, Full<Bytes>>, request: &http::Request<Bytes>) -> Result<Bytes> {
    let response = hyper.request(request.clone().map(Full::new)).await?;
    Ok(response.into_body().collect().await?.to_bytes())
}

/// Answers every request alike, from threads of its own.
fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A connection ends when its client does.
            thread::spawn(move || answer(connection));
        }
    });
    Ok(address)
}

fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut received = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = connection.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        received.extend_from_slice(&part[..count]);
        // The only body is an object without inner ones, so that its end is easy to see.
        if received.ends_with(b"}") {
            received.clear();
            connection.write_all(answer.as_bytes())?;
        }
    }
}
