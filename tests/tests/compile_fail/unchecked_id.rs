//! E0308: an identifier with a documented shape is an unchecked text
use tradeapi::unified::{Category, Execution, PlaceOrder, Side};

fn main() {
    let _ = PlaceOrder::new(Category::Spot, "BTCUSDT", 1, Side::Buy, Execution::Market).client_oid("my order");
}
