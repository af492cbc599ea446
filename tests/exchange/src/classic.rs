//! The operations of the classic account.

mod cancelling;
mod placing;
mod positions;
mod queries;
mod records;
mod replacing;

use rust_decimal::Decimal;
use tradeapi::classic::{OrderIds, OrderRef};

use crate::events::{Event, Unplaced};
use crate::orders::Name;
use crate::orders::Order;
use crate::pages::Wanted;
use crate::refusal::Reason;
use crate::routes::Desk;

fn ids_of(id: u64, client: Option<&str>) -> OrderIds {
    let mut ids = OrderIds::default();
    (ids.order_id, ids.client_oid) = (Some(id.to_string().into()), client.map(Into::into));
    ids
}

/// The order that a request names, of its product line and pair.
fn named<'a>(at: &'a Desk<'_>, order: &OrderRef, line: &str, symbol: Option<&str>) -> Result<&'a Order, Reason> {
    let wanted = Wanted { line: Some(line), symbol };
    let order = at.core.find(at.account, &Name::from(order)).filter(|order| wanted.is(at.core, order));
    order.ok_or(Reason::NoSuchOrder)
}

/// Ends a compound request after its first part, as a fault.
fn half_done(at: &mut Desk<'_>, client: Option<&str>, price: Option<Decimal>, qty: Decimal) -> Reason {
    let unplaced = Some(Unplaced { client_id: client.map(str::to_owned), price, qty });
    at.core.publish(Event::DoneHalf { order: None, request_id: None, unplaced });
    Reason::Funds
}
