//! unused_must_use: not every order may be cancelled
#![deny(unused_must_use)]
use tradeapi::Client;
use tradeapi::unified::CancelAllOrders;

pub async fn cancel(client: &Client, all: &CancelAllOrders) -> Result<(), tradeapi::Error> {
    client.unified().cancel_all_orders(all).await?;
    Ok(())
}

fn main() {}
