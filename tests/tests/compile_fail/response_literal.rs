//! E0639: an answer is made up, without leaving room for what the exchange may add
use tradeapi::unified::OrderAck;

fn main() {
    let _ = OrderAck { order_id: None, client_oid: None };
}
