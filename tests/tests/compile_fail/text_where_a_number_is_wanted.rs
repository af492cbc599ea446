//! E0277: a quantity is an unparsed text
//! The compiler says: write `dec!(0.1)` for a number that you know, and parse a text: `text.parse::<Decimal>()?`
use tradeapi::unified::{Category, Execution, PlaceOrder, Side};

fn main() {
    let _ = PlaceOrder::new(Category::Spot, "BTCUSDT", "0.01", Side::Buy, Execution::Market);
}
