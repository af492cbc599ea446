//! compiles: the correct versions of the other cases
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::signing::HmacSha256;
use tradeapi::unified::{CancelOrder, Category, ClientOid, Execution, LimitExecution, OrderAck, OrderRef, PlaceOrder, Side};
use tradeapi::{Client, Credentials, Decimal, Error, dec};

fn side(side: &Side) -> &str {
    match side {
        Side::Buy => "in",
        Side::Sell => "out",
        _ => side.as_str(),
    }
}

async fn again(client: &Client, order: &PlaceOrder, cancel: &CancelOrder) -> Result<(), Error> {
    let prepared = client.prepare(order)?;
    client.send(prepared).await?;
    client.retrying(&RetryPolicy::new()).call(cancel).await.map(drop)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let price: Decimal = "64000.5".parse()?;
    let order = PlaceOrder::new(Category::Spot, "BTCUSDT", 1, Side::Buy, LimitExecution::new(price));
    let order = order.client_oid(ClientOid::new("mine-1")?);
    let market = PlaceOrder::new("SPOT".parse()?, "BTCUSDT", dec!(0.01), Side::Sell, Execution::Market);
    let cancel = CancelOrder::new(OrderRef::ClientOid(ClientOid::new("mine-1")?));
    let credentials = Credentials::with_signer("key", "passphrase", HmacSha256::new("secret"));
    let _ = again;
    println!("{} {order:?} {market:?} {cancel:?} {credentials:?} {:?}", side(&order.side), OrderAck::default());
    Ok(())
}
