//! Modifications in the classic account, which replace an open order or change its presets.

use rust_decimal::Decimal;
use tradeapi::Edit;
use tradeapi::classic::{ModifyOrder, OrderIds};

use super::{half_done, ids_of};
use crate::operations::reading::{number, optional};
use crate::operations::routes::{Desk, Serve};
use crate::operations::wanted::Wanted;
use crate::state::orders::{Name, Preset, Presets, Quantity, Source, State, Ticket};
use crate::state::refusal::{Reason, Refusal};
use crate::state::tasks::Task;
use crate::state::words::{Cancelled, Family};

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        modify(&self, at).map_err(|reason| at.refusal(reason))
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let wanted = Wanted::of(request.product_type.as_str(), request.symbol.as_str());
    let order = at.named(&Name::from(&request.order), wanted)?;
    if order.state != State::Live || order.ticks.is_none() {
        return Err(Reason::NotModifiable);
    }
    let (id, ticket) = (order.id, order.ticket.clone());
    if at.core.pairs[ticket.pair].suspended {
        return Err(Reason::Suspended);
    }
    match (optional("newSize", request.new_size.as_ref())?, optional("newPrice", request.new_price.as_ref())?) {
        (Some(size), Some(price)) => {
            let client = request.new_client_oid.as_str();
            replace(at, id, Ticket { client: Some(client.into()), ..ticket }, size, price)?;
            Ok(ids_of(id, Some(client)))
        }
        (None, None) => {
            change_presets(request, at, id, &ticket)?;
            // The order stays, and with it its clientOid.
            Ok(ids_of(id, ticket.client.as_deref()))
        }
        _ => Err(Reason::value(["newSize", "required"], "it goes with newPrice")),
    }
}

/// Cancels an order, and places one of another size and price later, unless these are refused now.
fn replace(at: &mut Desk<'_>, old: u64, ticket: Ticket, size: Decimal, price: Decimal) -> Result<(), Reason> {
    let (quantity, source) = (Quantity::Lots(size), Source::Modification);
    let ticket = Ticket { price: Some(price), quantity, source, ..ticket };
    at.core.refuse_duplicate(&ticket)?;
    at.core.bounded(&ticket)?;
    at.core.end(old, State::Cancelled(Cancelled::Normal));
    if at.core.ends_half_done() {
        return Err(half_done(at, ticket.client.as_deref(), Some(price), size));
    }
    at.core.later(at.core.settings.replacement_delay, Task::Place(Box::new(ticket)));
    Ok(())
}

fn change_presets(request: &ModifyOrder, at: &mut Desk<'_>, id: u64, ticket: &Ticket) -> Result<(), Reason> {
    let new = [&request.new_preset_stop_surplus_price, &request.new_preset_stop_loss_price];
    if new.iter().all(|edit| **edit == Edit::Keep) {
        return Err(Reason::ModifyUnchanged);
    }
    // Passing one preset cancels the other. A changed one keeps its execution price.
    let edited = |parameter, edit: &Edit<tradeapi::Decimal>, kept: Preset| -> Result<Preset, Reason> {
        match edit {
            Edit::Set(price) => Ok(Preset { price: Some(number(parameter, price)?), ..kept }),
            _ => Ok(Preset::default()),
        }
    };
    let kept = ticket.presets();
    let presets = Presets {
        take_profit: edited("newPresetStopSurplusPrice", new[0], kept.take_profit)?,
        stop_loss: edited("newPresetStopLossPrice", new[1], kept.stop_loss)?,
    };
    at.core.check_presets(Family::Classic, ticket.pair, &presets)?;
    let now = at.core.now;
    if let Some(order) = at.core.orders.get_mut(&id) {
        (order.ticket.presets, order.updated) = (presets.boxed(), now);
    }
    Ok(())
}
