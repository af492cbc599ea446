//! The operations of the classic account.

mod orders;
mod queries;
mod records;

use rust_decimal::Decimal;
use tradeapi::classic::OrderIds;

use crate::operations::routes::Desk;
use crate::state::events::{Event, Unplaced};
use crate::state::refusal::Reason;

fn ids_of(id: u64, client: Option<&str>) -> OrderIds {
    let mut ids = OrderIds::default();
    (ids.order_id, ids.client_oid) = (Some(id.to_string().into()), client.map(Into::into));
    ids
}

/// Ends a compound request after its first part, as a fault.
fn half_done(at: &mut Desk<'_>, client: Option<&str>, price: Option<Decimal>, qty: Decimal) -> Reason {
    let unplaced = Some(Unplaced { client_id: client.map(str::to_owned), price, qty });
    at.core.publish(Event::DoneHalf { order: None, request_id: None, unplaced });
    Reason::Funds
}
