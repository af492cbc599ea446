//! E0004: a match has no arm for values that the exchange may add
use tradeapi::unified::Side;

fn is_buy(side: &Side) -> bool {
    match side {
        Side::Buy => true,
        Side::Sell => false,
    }
}

fn main() {
    let _ = is_buy;
}
