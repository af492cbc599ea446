//! Placements per second: in process on one core, with signatures, JSON, checks, matching and accounts; and over
//! loopback.
//!
//! `cargo bench -p tradeapi-exchange`, or with numbers of open orders: `cargo bench -p tradeapi-exchange -- 10000`
//!
//! The exchange alone is measured from the request to the answer, with requests that are built and signed in advance.
//! Another column includes the client, which builds and signs each request. Over loopback, the threads of client and
//! server share the machine.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use cpu_time::ThreadTime;
use http::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tradeapi::runtime::signing::Authenticator;
use tradeapi::runtime::wire::{BaseUrl, HeaderValues, build_request};
use tradeapi::unified::{CancelAllOrders, Category, ClientOid, Execution, PlaceOrder, Side};
use tradeapi::{API, Decimal};
use tradeapi_exchange::{Exchange, Family, Profile, Seed, Settings, Time, server};

const COUNT: u64 = 50_000;

const CONNECTIONS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let counts = if given.is_empty() { vec![0, 10_000, 100_000, 1_000_000] } else { given };
    println!("a second, on one core:");
    println!(
        "{:>12} {:>12} {:>12} {:>24} {:>12}",
        "open orders", "resting", "matched", "resting, with client", "memory"
    );
    for open in counts {
        let exchange = exchange();
        // In parts, so that memory does not hold all requests beside the orders.
        for part in 0..open / 10_000 {
            run(&exchange, &requests(&exchange, &format!("open-{part}"), 10_000, |index| Some(40_000 + index * 2))?)?;
        }
        let memory = memory().map_or_else(|| "unknown".to_owned(), |kib| format!("{} MiB", kib / 1024));
        let resting = requests(&exchange, "rest", COUNT, |index| Some(40_000 + index * 7 % 20_000))?;
        let matched = requests(&exchange, "match", COUNT, |_| None)?;
        let (resting, matched) = (run(&exchange, &resting)?, run(&exchange, &matched)?);
        let whole = run_with_client(&exchange)?;
        println!("{open:>12} {resting:>12.0} {matched:>12.0} {whole:>24.0} {memory:>12}");
        cancel_all(exchange)?;
    }
    let (throughput, mut times) = loopback()?;
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 1000].as_micros();
    println!(
        "over loopback, {CONNECTIONS} connections: {throughput:.0} a second; an answer takes {} us, 1 % more than {} us, \
         0.1 % more than {} us",
        at(500),
        at(990),
        at(999)
    );
    Ok(())
}

/// Cancels everything in one request, and prints how long it takes on one core and how much memory is in use then, and
/// once the exchange has forgotten the orders.
fn cancel_all(exchange: Exchange) -> Result<(), Box<dyn Error>> {
    let open = exchange.account(exchange.keys(), Family::Unified).open_orders.len();
    let all = CancelAllOrders::new(Category::UsdtFutures);
    let authenticator = Authenticator::new(&API, &exchange.keys().credentials())?;
    let base = BaseUrl::parse("http://127.0.0.1", false)?;
    let now = exchange.time().now();
    let request = build_request(&API, &all, &base, authenticator.as_ref(), &HeaderValues::default(), now)?;
    let shown = || memory().map_or_else(|| "unknown".to_owned(), |kib| format!("{} MiB", kib / 1024));
    let before = shown();
    let begun = ThreadTime::now();
    send(&exchange, &[request])?;
    let took = begun.elapsed();
    let after = shown();
    exchange.time().advance(Duration::from_secs(24 * 60 * 60));
    exchange.advance_to(exchange.time().now());
    println!(
        "{:>12} cancelled in {:.2} s; memory before {before}, after {after}, a day later {}",
        open,
        took.as_secs_f64(),
        shown()
    );
    Ok(())
}

fn exchange() -> Exchange {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits, settings.ceilings) = (Seed(7), false, false);
    Exchange::with(settings, Time::by_hand(), Profile::new().both().balance("USDT", 1_000_000_000))
}

/// Returns the memory of this process in KiB, where the system reports it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns placements per second over sockets, the client's processor time included, and the time of each.
fn loopback() -> Result<(f64, Vec<Duration>), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let exchange = exchange();
    let requests = requests(&exchange, "wire", COUNT, |index| Some(40_000 + index * 7 % 20_000))?;
    let texts: Vec<Vec<u8>> = requests.iter().map(wire).collect();
    let (address, listener) = runtime.block_on(async {
        let listener = server::listen(0).await?;
        Ok::<_, std::io::Error>((listener.local_addr()?, listener))
    })?;
    runtime.spawn(server::serve(listener, exchange));
    let begun = Instant::now();
    let times = runtime.block_on(async {
        let share = texts.len().div_ceil(CONNECTIONS);
        let mut tasks = tokio::task::JoinSet::new();
        for part in texts.chunks(share) {
            let part = part.to_vec();
            tasks.spawn(async move { talk(address, &part).await });
        }
        let mut times = Vec::with_capacity(texts.len());
        while let Some(done) = tasks.join_next().await {
            times.extend(done??);
        }
        Ok::<_, Box<dyn Error>>(times)
    })?;
    Ok((f64::from(u32::try_from(texts.len())?) / begun.elapsed().as_secs_f64(), times))
}

/// Sends requests over one connection, each after the answer to the one before. Returns how long each took.
async fn talk(address: SocketAddr, requests: &[Vec<u8>]) -> std::io::Result<Vec<Duration>> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut answer = vec![0; 4_096];
    let mut times = Vec::with_capacity(requests.len());
    for request in requests {
        let sent = Instant::now();
        stream.write_all(request).await?;
        // The answer is short and comes in one piece.
        let length = stream.read(&mut answer).await?;
        if !answer[..length].starts_with(b"HTTP/1.1 200") {
            return Err(std::io::Error::other(String::from_utf8_lossy(&answer[..length]).into_owned()));
        }
        times.push(sent.elapsed());
    }
    Ok(times)
}

/// Returns a request as it is on the wire.
fn wire(request: &Request<Bytes>) -> Vec<u8> {
    let target = request.uri().path();
    let mut text = format!("{} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\n", request.method());
    for (name, value) in request.headers().iter().filter(|(name, _)| *name != "host" && *name != "content-length") {
        text += &format!("{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()));
    }
    text += &format!("content-length: {}\r\n\r\n", request.body().len());
    [text.as_bytes(), request.body()].concat()
}

/// Returns signed placements: limit orders at prices, or market orders.
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

/// Runs as [`run`] does, including the client: each request is built and signed as it is sent.
fn run_with_client(exchange: &Exchange) -> Result<f64, Box<dyn Error>> {
    const PART: u64 = 1_000;
    let begun = ThreadTime::now();
    for part in 0..COUNT / PART {
        let price = |index| Some(40_000 + (part * PART + index) * 7 % 20_000);
        send(exchange, &requests(exchange, &format!("whole-{part}"), PART, price)?)?;
    }
    Ok(f64::from(u32::try_from(COUNT)?) / begun.elapsed().as_secs_f64())
}

/// Sends all requests, and returns the successful answers per second of this thread's processor time, which other
/// programs do not affect.
fn run(exchange: &Exchange, requests: &[Request<Bytes>]) -> Result<f64, Box<dyn Error>> {
    let begun = ThreadTime::now();
    send(exchange, requests)?;
    Ok(f64::from(u32::try_from(requests.len())?) / begun.elapsed().as_secs_f64())
}

/// Sends all requests; each must succeed.
#[inline(never)]
fn send(exchange: &Exchange, requests: &[Request<Bytes>]) -> Result<(), Box<dyn Error>> {
    for request in requests {
        let response = exchange.answer(request, IpAddr::V4(Ipv4Addr::LOCALHOST));
        if !response.status().is_success() {
            return Err(String::from_utf8_lossy(response.body()).into());
        }
    }
    Ok(())
}
