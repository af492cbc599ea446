//! A whole signed call over a pooled connection to a local server, from the order to the answer.
//!
//! The emitted client, with its checks and limits, is compared with the bare `hyper-util` client, which sends the same
//! bytes and reads the answer as bytes, and with a hand-written call: a formatted body, a signature, and `serde_json`
//! for the answer.
//!
//! On a machine with few cores, pin it to one (`taskset -c 1`), because waking another core costs more than a call.
//!
//! `cargo bench -p tradeapi-tests --bench call`

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use by_hand::ByHand;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use measure::Race;
use measure::leaping::Leaping;
use tokio::runtime::Builder;
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::client::{ClientBuilder, LimitMode};
use tradeapi::runtime::journal::{Durability, FileJournal};
use tradeapi::runtime::limits::{InProcessLimits, LimitSettings};
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};
use tradeapi::runtime::wire::read_response;
use tradeapi::runtime::{Account, Operation};
use tradeapi::unified::{Category, ClientOid, LimitExecution, PlaceOrder, PosSide, Side, TimeInForce};
use tradeapi::{API, Client, Credentials, Decimal};

mod by_hand;
mod crowd;
#[path = "../measure/mod.rs"]
mod measure;
mod server;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let address = server::serve(1)?;
    let client = client(&address)?;
    let order = order()?;
    let request = client.core().prepare(&order)?.into_request();
    let transport = HyperTransport::new(TransportLimits::default())?;
    let hyper = hyper();
    let runtime = Builder::new_current_thread().enable_all().build()?;

    let by_hand = ByHand::new(address);
    let folder = tempfile::tempdir()?;
    let journal = FileJournal::open(folder.path().join("journal"), Durability::Process)?;
    let journaled = builder(&address)?.limiter(unlimited()).journal(Arc::new(journal)).build()?;
    runtime.block_on(journaled.call(&order))?;
    runtime.block_on(client.call(&order))?;
    if runtime.block_on(raw(&hyper, &request))? != server::ANSWER {
        return Err("the server answers something else".into());
    }
    let title = format!(
        "call: a signed limit order, {} bytes of body there, {} back",
        request.body().len(),
        server::ANSWER.len()
    );
    Race::new(title)
        .rounds(81)
        .cpu()
        .way("the emitted client", || runtime.block_on(client.call(&order)))
        .way("the emitted client with a journal", || runtime.block_on(journaled.call(&order)))
        .way("its transport by itself, the same bytes", || runtime.block_on(transport.send(request.clone())))
        .way("hyper-util by itself, the same bytes", || runtime.block_on(raw(&hyper, &request)))
        .way("hyper-util and a request written by hand", || runtime.block_on(by_hand.place(&hyper, &order)))
        .run();
    steps(&client, &order, &request);
    crowd::run(&runtime, &order)
}

/// Times the steps of a call before and after the network.
fn steps(client: &Client, order: &PlaceOrder, request: &http::Request<Bytes>) {
    let unchecked = client.with_check_policy(false);
    let answer = || http::Response::new(Bytes::from_static(server::ANSWER.as_bytes()));
    Race::new("call: what is ours in it, without the network")
        .way("a copy of the request, as hyper-util gets it", || request.clone())
        .way("checking", || order.inspect(CheckContext { account: &Account::default(), ..CheckContext::default() }))
        .way("room within the limits, and giving it back", || {
            let mut room = std::pin::pin!(client.core().admit(order));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            room.as_mut().poll(&mut context).map(|permit| permit.map(drop))
        })
        .way("writing and signing", || unchecked.core().prepare(order))
        .way("reading", || read_response::<PlaceOrder>(&API, answer()))
        .run();
}

fn client(address: &SocketAddr) -> Result<Client> {
    Ok(builder(address)?.limiter(unlimited()).build()?)
}

/// Returns limits whose clock leaps, so that every call is admitted.
fn unlimited() -> Arc<InProcessLimits> {
    Arc::new(InProcessLimits::with_timer(LimitSettings::new(), Leaping::default()))
}

/// Returns a call occupies a limit until it is answered, so many concurrent calls need a client without limits.
fn client_without_limits(address: &SocketAddr) -> Result<Client> {
    Ok(builder(address)?.limits(LimitMode::Off).build()?)
}

fn builder(address: &SocketAddr) -> Result<ClientBuilder<Client>> {
    // Each concurrent call has a connection.
    let kept = TransportLimits { max_idle: crowd::CALLS, ..TransportLimits::default() };
    Ok(Client::builder(format!("http://{address}"))
        .credentials(Credentials::new("key-of-some-length", "secret-of-some-length", "passphrase"))
        .transport(HyperTransport::new(kept)?)
        // The rate of the address is counted, and admits every call.
        .address_calls(u32::MAX - 1))
}

fn order() -> Result<PlaceOrder> {
    let execution = LimitExecution::new("3150.25".parse::<Decimal>()?).time_in_force(TimeInForce::Gtc);
    let order = PlaceOrder::new(Category::UsdtFutures, "ETHUSDT", "0.75".parse::<Decimal>()?, Side::Buy, execution)
        .pos_side(PosSide::Long)
        .client_oid(ClientOid::new("desk-7:eth/open.001")?);
    Ok(order)
}

/// Returns a client with the settings of a trading program.
fn hyper() -> Hyper<HttpConnector, Full<Bytes>> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    Hyper::builder(TokioExecutor::new()).build(tcp)
}

async fn raw(hyper: &Hyper<HttpConnector, Full<Bytes>>, request: &http::Request<Bytes>) -> Result<Bytes> {
    let response = hyper.request(request.clone().map(Full::new)).await?;
    Ok(response.into_body().collect().await?.to_bytes())
}
