//! E0639: an answer is a literal, without the fields that the exchange may add
use tradeapi::unified::OrderAck;

fn main() {
    let _ = OrderAck { order_id: None, client_oid: None };
}
