//! E0277: a take-profit is a number that is not exact
//! The compiler says: `{float}` is not an exact number
use tradeapi::unified::{ModifyOrder, OrderRef};

fn main() {
    let _ = ModifyOrder::new(OrderRef::OrderId("1".into())).take_profit(0.1);
}
