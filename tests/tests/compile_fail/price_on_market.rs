//! E0559: a market order has a price
use tradeapi::unified::Execution;

fn main() {
    let _ = Execution::Market { price: 64000 };
}
