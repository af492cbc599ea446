//! unused_must_use: not every order may be placed, whenever the request was prepared
#![deny(unused_must_use)]
use tradeapi::Client;
use tradeapi::unified::BatchOrder;

pub async fn place(client: &Client, orders: &BatchOrder) -> Result<(), tradeapi::Error> {
    client.send(client.prepare(orders)?).await?;
    Ok(())
}

fn main() {}
