//! A fleet: several processes with one key share its rate limits through Redis, so that together they never send too
//! many requests.
//!
//! `cargo run -p tradeapi --features redis --example fleet -- redis://127.0.0.1:6379 3` starts three
//! processes. Each lists the open orders twenty times as fast as it may.

use std::error::Error;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use tradeapi::runtime::limits::{RedisLimits, RedisSettings};
use tradeapi::unified::GetOpenOrders;
use tradeapi::{Client, Credentials};

const CALLS: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let redis = arguments.next().ok_or("say where Redis is: fleet redis://127.0.0.1:6379 3")?;
    match arguments.next().as_deref() {
        Some("member") => member(&redis),
        count => lead(&redis, count.map_or(Ok(3), str::parse)?),
    }
}

/// Starts the members and waits for them.
fn lead(redis: &str, count: u32) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let program = std::env::current_exe()?;
    let start = |_| Command::new(&program).args([redis, "member"]).spawn();
    let members = (0..count).map(start).collect::<Result<Vec<_>, _>>()?;
    for mut member in members {
        if !member.wait()?.success() {
            return Err("a member of the fleet failed".into());
        }
    }
    let (calls, seconds) = (count * CALLS, begun.elapsed().as_secs_f32());
    println!("{calls} calls of {count} processes in {seconds:.1} s, and none was refused.");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn member(redis: &str) -> Result<(), Box<dyn Error>> {
    let limits = RedisLimits::new(redis, RedisSettings::new())?;
    let keys = Credentials::from_env("TRADEAPI")?;
    let client = Client::builder(std::env::var("TRADEAPI_URL")?).credentials(keys).limiter(Arc::new(limits)).build()?;
    for _ in 0..CALLS {
        client.unified().get_open_orders(&GetOpenOrders::new()).await?;
    }
    Ok(())
}
