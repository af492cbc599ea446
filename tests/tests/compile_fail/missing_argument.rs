//! E0061: how the order executes, which is required, is left out
use tradeapi::unified::{Category, PlaceOrder, Side};

fn main() {
    let _ = PlaceOrder::new(Category::Spot, "BTCUSDT", 1, Side::Buy);
}
