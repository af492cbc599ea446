//! E0382: a prepared request is sent a second time
use tradeapi::unified::PlaceOrder;
use tradeapi::{Client, Error};

async fn twice(client: &Client, order: &PlaceOrder) -> Result<(), Error> {
    let prepared = client.prepare(order)?;
    client.send(prepared).await?;
    client.send(prepared).await.map(drop)
}

fn main() {
    let _ = twice;
}
