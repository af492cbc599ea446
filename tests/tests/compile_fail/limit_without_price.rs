//! E0061: a limit order has no price
use tradeapi::unified::LimitExecution;

fn main() {
    let _ = LimitExecution::new();
}
