//! Placements a second, in process: with signatures, JSON, checks, matching and accounts, on one core.
//!
//! `cargo bench -p tradeapi-exchange`

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use bytes::Bytes;
use http::Request;
use tradeapi::runtime::exchange::{BaseUrl, HeaderValues, build_request};
use tradeapi::runtime::signing::Authenticator;
use tradeapi::unified::{Category, ClientOid, Execution, PlaceOrder, Side};
use tradeapi::{API, Decimal};
use tradeapi_exchange::{Exchange, Profile, Seed, Settings, Time};

const COUNT: u64 = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:>12} {:>22} {:>22}", "open orders", "resting a second", "matched a second");
    for open in [0, 10_000, 100_000, 1_000_000] {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits, settings.ceilings) = (Seed(7), false, false);
        let profile = Profile::new().balance("USDT", 1_000_000_000);
        let exchange = Exchange::with(settings, Time::by_hand(), profile);
        run(&exchange, requests(&exchange, "open", open, |index| Some(40_000 + index % 20_000))?)?;
        let resting = requests(&exchange, "rest", COUNT, |index| Some(40_000 + index * 7 % 20_000))?;
        let matched = requests(&exchange, "match", COUNT, |_| None)?;
        let (resting, matched) = (run(&exchange, resting)?, run(&exchange, matched)?);
        println!("{open:>12} {resting:>22.0} {matched:>22.0}");
    }
    Ok(())
}

/// Signed placements: limit orders at prices, or market orders.
fn requests(
    exchange: &Exchange,
    name: &str,
    count: u64,
    price: impl Fn(u64) -> Option<u64>,
) -> Result<Vec<Request<Bytes>>, Box<dyn Error>> {
    let authenticator = Authenticator::new(&API, &exchange.keys().credentials())?;
    let base = BaseUrl::parse("http://127.0.0.1", false)?;
    let qty: Decimal = "0.001".parse()?;
    let mut requests = Vec::new();
    for index in 0..count {
        let execution: Execution = match price(index) {
            Some(price) => Execution::limit(price).into(),
            None => Execution::Market,
        };
        let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", qty.clone(), Side::Buy, execution)
            .client_oid(ClientOid::new(format!("{name}-{index}"))?);
        let now = exchange.time().now();
        requests.push(build_request(&API, &order, &base, authenticator.as_ref(), &HeaderValues::default(), now)?);
    }
    Ok(requests)
}

/// Sends all, and returns how many a second were answered with success.
fn run(exchange: &Exchange, requests: Vec<Request<Bytes>>) -> Result<f64, Box<dyn Error>> {
    let count = requests.len();
    let begun = Instant::now();
    for request in requests {
        let response = exchange.answer(&request, IpAddr::V4(Ipv4Addr::LOCALHOST));
        if !response.status().is_success() {
            return Err(String::from_utf8_lossy(response.body()).into());
        }
    }
    Ok(f64::from(u32::try_from(count)?) / begun.elapsed().as_secs_f64())
}
