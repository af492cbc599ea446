//! E0308: category and side are exchanged
use tradeapi::unified::{Category, Execution, PlaceOrder, Side};

fn main() {
    let _ = PlaceOrder::new(Side::Buy, "BTCUSDT", 1, Category::Spot, Execution::Market);
}
