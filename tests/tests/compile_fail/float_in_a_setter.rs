//! E0277: a price in a setter is a number that is not exact
//! The compiler says: an exact number is expected
use tradeapi::unified::{ModifyOrder, OrderRef};

fn main() {
    let _ = ModifyOrder::new(OrderRef::OrderId("1".into())).price(0.1_f64);
}
