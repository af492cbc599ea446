//! E0061: an order is named by both of its ids
use tradeapi::unified::{CancelOrder, ClientOid, OrderId, OrderRef};

fn cancel(order_id: OrderId, client_oid: ClientOid) -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(order_id, client_oid))
}

fn main() {
    let _ = cancel;
}
