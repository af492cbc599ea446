//! E0277: a retrying client is given a cancellation of everything
//! The compiler says: `retrying(..).cancel(..)` repeats it
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::CancelAllOrders;
use tradeapi::{Client, Error};

async fn twice(client: &Client, all: &CancelAllOrders) -> Result<(), Error> {
    client.retrying(&RetryPolicy::new()).call(all).await.map(drop)
}

fn main() {
    let _ = twice;
}
