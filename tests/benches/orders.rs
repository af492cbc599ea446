//! The costs of listing and counting the orders that a client tracks.
//!
//! `cargo bench -p tradeapi-tests --bench orders`

mod measure;

use std::error::Error;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Request, Response};
use measure::Race;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::transport;
use tradeapi::unified::{CEILINGS, Category, ClientOid, Execution, GetOrderDetails, OrderRef, PlaceOrder, Side};
use tradeapi::{Client, Credentials, dec};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The orders that stay open where the others are filled.
const FEW: usize = 10;

fn main() -> Result<()> {
    for placed in [1_000, 10_000, 100_000] {
        let all_open = client_with(placed, placed)?;
        let few_open = client_with(placed, FEW)?;
        let open = |client: &Client| client.tracked_orders().map_or(0, |orders| orders.open().len());
        let counted = |client: &Client| {
            let orders = client.tracked_orders()?;
            Some(orders.counted("unified", CEILINGS).may_place(&Category::UsdtFutures, 1))
        };
        if open(&all_open) != placed || open(&few_open) != FEW {
            return Err("orders are missing".into());
        }
        Race::new(format!("{placed} orders that were placed"))
            .way("open orders, all of them", || open(&all_open))
            .way("open orders, ten of them", || open(&few_open))
            .way("counting for the ceilings, all open", || counted(&all_open))
            .way("counting for the ceilings, ten open", || counted(&few_open))
            .run();
    }
    Ok(())
}

/// Returns a client that placed orders, all but some of which were filled later.
fn client_with(placed: usize, open: usize) -> Result<Client> {
    let transport = transport::from_fn(|request| std::future::ready(Ok(answer(&request))));
    let credentials = Credentials::new("key-of-some-length", "secret-of-some-length", "passphrase");
    let builder = Client::builder("https://api.example.com").credentials(credentials).track_orders();
    let client = builder.transport(transport).limits(LimitMode::Off).build()?;
    let id = |number| format!("desk-{number}").parse::<ClientOid>();
    for number in 0..placed {
        let execution = Execution::limit(dec!(64000));
        let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.01), Side::Buy, execution);
        drop(drive(client.unified().place_order(&order.client_oid(id(number)?)))?);
    }
    for number in open..placed {
        let query = GetOrderDetails::new(OrderRef::ClientOid(id(number)?));
        drop(drive(client.unified().get_order_details(&query))?);
    }
    Ok(client)
}

/// Returns the answer; a query shows that its order is filled.
fn answer(request: &Request<Bytes>) -> Response<Bytes> {
    let text = format!("{}{}", request.uri(), String::from_utf8_lossy(request.body()));
    let number: String =
        text.split("desk-").skip(1).take(1).flat_map(str::chars).take_while(char::is_ascii_digit).collect();
    let ids = format!(r#""orderId":"1{number}","clientOid":"desk-{number}""#);
    let rest = match request.body().is_empty() {
        true => {
            r#","category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"0.01","cumExecQty":"0.01","orderStatus":"filled","createdTime":"1788912000100","updatedTime":"1788912000200""#
        }
        false => "",
    };
    let envelope = r#""code":"00000","msg":"success","requestTime":1788912000123"#;
    Response::new(format!("{{{envelope},\"data\":{{{ids}{rest}}}}}").into())
}

/// Returns the output of a future that never waits.
fn drive<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}
