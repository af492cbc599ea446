//! unused_must_use: not every order may be cancelled, however often that is repeated
#![deny(unused_must_use)]
use tradeapi::Client;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::CancelAllOrders;

pub async fn cancel(client: &Client, all: &CancelAllOrders) -> Result<(), tradeapi::Error> {
    client.retrying(&RetryPolicy::new()).cancel(all).await?;
    Ok(())
}

fn main() {}
