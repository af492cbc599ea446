//! Modifications in the classic account, which replace an open order or change its presets.

use std::sync::Arc;

use tradeapi::Edit;
use tradeapi::classic::{ModifyOrder, OrderIds};

use super::{half_done, ids_of, named};
use crate::orders::{Preset, Presets, Quantity, Source, State, Ticket};
use crate::reading::{number, optional};
use crate::refusal::{Reason, Refusal};
use crate::routes::{Desk, Serve};
use crate::tasks::Task;
use crate::words::Cancelled;

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let id = modify(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids_of(id, Some(self.new_client_oid.as_str())))
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let order = named(at, &request.order, request.product_type.as_str(), Some(request.symbol.as_str()))?;
    let id = order.id;
    if order.state != State::Live || order.ticks.is_none() {
        return Err(Reason::NotModifiable);
    }
    match (optional(request.new_size.as_ref())?, optional(request.new_price.as_ref())?) {
        (Some(size), Some(price)) => {
            let new = Arc::from(request.new_client_oid.as_str());
            if at.core.accounts[at.account].clients.contains_key(&new) && at.core.settings.unique_client_ids {
                return Err(Reason::Duplicate);
            }
            let order = at.core.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
            let pair = &at.core.pairs[order.ticket.pair];
            pair.ticks(price).ok_or(Reason::PriceStep)?;
            if pair.lots(size).ok_or(Reason::SizeStep)? < pair.least {
                return Err(Reason::SizeLeast);
            }
            let ticket = Ticket {
                price: Some(price),
                quantity: Quantity::Lots(size),
                client: Some(new),
                source: Source::Modification,
                ..order.ticket.clone()
            };
            at.core.end(id, State::Cancelled(Cancelled::Normal));
            if at.core.ends_half_done() {
                return Err(half_done(at, ticket.client.as_deref(), Some(price), size));
            }
            at.core.later(at.core.settings.replacement_delay, Task::Place(Box::new(ticket)));
        }
        (None, None) => {
            let presets = [&request.new_preset_stop_surplus_price, &request.new_preset_stop_loss_price];
            if presets.iter().all(|edit| **edit == Edit::Keep) {
                return Err(Reason::ModifyUnchanged);
            }
            // Passing one preset cancels the other.
            let edited = |edit: &Edit<tradeapi::Decimal>| -> Result<Preset, Reason> {
                let price = match edit {
                    Edit::Set(price) => Some(number(price)?),
                    _ => None,
                };
                Ok(Preset { price, ..Preset::default() })
            };
            let [take_profit, stop_loss] = [edited(presets[0])?, edited(presets[1])?];
            let now = at.core.now;
            if let Some(order) = at.core.orders.get_mut(&id) {
                (order.ticket.presets, order.updated) = (Presets { take_profit, stop_loss }.boxed(), now);
            }
        }
        _ => return Err(Reason::Parameter),
    }
    Ok(id)
}
