//! unused_must_use: items of a batch may have failed
#![deny(unused_must_use)]
use tradeapi::Client;
use tradeapi::unified::BatchOrder;

pub async fn place(client: &Client, orders: BatchOrder) -> Result<(), tradeapi::Error> {
    client.batch(orders).send().await?;
    Ok(())
}

fn main() {}
