//! E0277: a retrying client is given an order
//! The compiler says: `PlaceOrder` is not safe to repeat
use tradeapi::runtime::Reply;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::{OrderAck, PlaceOrder};
use tradeapi::{Client, Error};

async fn twice(client: &Client, order: &PlaceOrder) -> Result<Reply<OrderAck>, Error> {
    client.retrying(&RetryPolicy::new()).call(order).await
}

fn main() {
    let _ = twice;
}
