//! Waves of a thousand concurrent calls: the memory that they take, and that it does not grow.

use std::fs;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tradeapi::Client;
use tradeapi::unified::PlaceOrder;

use super::{Result, client_without_limits, server};

pub(crate) const CALLS: usize = 1000;
const WAVES: usize = 80;

/// The number of waves between two lines of output.
const SHOWN: usize = 10;

pub(crate) fn run(runtime: &Runtime, order: &PlaceOrder) -> Result<()> {
    let address = server::serve(CALLS)?;
    let client = client_without_limits(&address)?;
    let order = Arc::new(order.clone());
    println!("\ncall: {CALLS} in flight at once, all answered at once, {WAVES} times over");
    println!("  {:<42} {:>12} {:>12}", "resident memory, server's threads included", "in flight", "afterwards");
    for wave in 1..=WAVES {
        let in_flight = runtime.block_on(once(&client, &order))?;
        if wave == 1 || wave % SHOWN == 0 {
            println!("  {:<42} {:>9} kB {:>9} kB", format!("wave {wave}"), in_flight, resident());
        }
    }
    Ok(())
}

async fn once(client: &Client, order: &Arc<PlaceOrder>) -> Result<u64> {
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let (client, order) = (client.clone(), Arc::clone(order));
        calls.spawn(async move { client.call(&*order).await.map(|reply| reply.into_data().order_id) });
    }
    let mut most = 0;
    while let Some(ended) = calls.join_next().await {
        // The server answers once every call is in flight.
        most = most.max(if most == 0 { resident() } else { 0 });
        if ended??.is_none() {
            return Err("an answer without an order id".into());
        }
    }
    Ok(most)
}

/// Returns the memory of the process in kB; 0 if the system does not report it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
