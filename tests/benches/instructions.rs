//! The instructions of a call, from the request to the reply, over a transport that answers at once: `cargo bench -p
//! tradeapi-tests --bench instructions`. It runs itself under valgrind, whose counts are the same on a busy machine.

use std::env;
use std::error::Error;
use std::process::Command;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::transport;
use tradeapi::unified::{Category, Execution, GetOpenOrders, GetOrderDetails, OrderRef, PlaceOrder, Side};
use tradeapi::{Client, Credentials, dec};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The number of calls in a short and in a long run; the difference has none of the costs of the beginning.
const CALLS: [u64; 2] = [20, 220];

const ORDER: &str = r#"{"orderId":"1234567890","clientOid":"desk-1:0001","category":"USDT-FUTURES","symbol":"BTCUSDT","price":"64000","qty":"0.01","amount":"640","orderType":"limit","cumExecQty":"0","cumExecValue":"0","avgPrice":"0","orderStatus":"live","side":"buy","timeInForce":"gtc","posSide":"long","tradeSide":"open","holdMode":"hedge_mode","marginMode":"crossed","createdTime":"1788912000100","updatedTime":"1788912000100"}"#;

fn main() -> Result<()> {
    let mut args = env::args().skip(1);
    if let (Some(what), Some(calls)) = (args.next(), args.next()) {
        return call(&what, calls.parse()?);
    }
    println!("instructions of a call");
    for what in ["place", "query", "page"] {
        let [short, long] = CALLS;
        let of_all = counted(what, long)? - counted(what, short)?;
        println!("  {what:<8} {:>10}", of_all / (long - short));
    }
    Ok(())
}

/// Returns the instructions of a whole run.
fn counted(what: &str, calls: u64) -> Result<u64> {
    let itself = env::current_exe()?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(itself);
    let ran = valgrind.args([what, &calls.to_string()]).output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    let count = said.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next());
    match count {
        Some(count) if ran.status.success() => Ok(count.parse()?),
        _ => Err(said.into()),
    }
}

fn call(what: &str, calls: u64) -> Result<()> {
    let client = client(answer(what))?;
    let id = || "desk-1:0001".parse();
    for _ in 0..calls {
        match what {
            "place" => {
                let order = PlaceOrder::new(
                    Category::UsdtFutures,
                    "BTCUSDT",
                    dec!(0.01),
                    Side::Buy,
                    Execution::limit(dec!(64000)),
                );
                drop(drive(client.unified().place_order(&order.client_oid(id()?)))?);
            }
            "query" => {
                let query = GetOrderDetails::new(OrderRef::ClientOid(id()?));
                drop(drive(client.unified().get_order_details(&query))?);
            }
            _ => drop(drive(client.unified().get_open_orders(&GetOpenOrders::new()))?),
        }
    }
    Ok(())
}

fn answer(what: &str) -> String {
    let data = match what {
        "place" => r#"{"orderId":"1234567890","clientOid":"desk-1:0001"}"#.to_owned(),
        "query" => ORDER.to_owned(),
        _ => format!(r#"{{"list":[{}],"cursor":null}}"#, vec![ORDER; 100].join(",")),
    };
    format!(r#"{{"code":"00000","msg":"success","requestTime":1788912000123,"data":{data}}}"#)
}

fn client(answer: String) -> Result<Client> {
    let answer = Bytes::from(answer);
    let transport = transport::from_fn(move |_| std::future::ready(Ok(http::Response::new(answer.clone()))));
    let credentials = Credentials::new("key-of-some-length", "secret-of-some-length", "passphrase");
    let builder = Client::builder("https://api.example.com").credentials(credentials);
    Ok(builder.transport(transport).limits(LimitMode::Off).build()?)
}

/// Returns the output of a call, which never waits.
fn drive<T>(call: impl Future<Output = T>) -> T {
    let mut call = std::pin::pin!(call);
    loop {
        if let Poll::Ready(output) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}
