//! The orders that the listings show of an account.

use super::by_order::ByOrder;
use super::listing::{Fill, Listing, Part};
use crate::data::lifecycle::Sighting;
use crate::data::sorting::sort_by;

/// The orders and fills that the listings show.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) orders: ByOrder<ShownOrder>,
    pub(super) fills: ByOrder<Filled>,
}

/// An order, and where it is open.
pub(super) struct ShownOrder {
    pub(super) sighting: Sighting,
    pub(super) is_open: bool,
    /// The listing of open orders that shows it, and the value of the parameter it is read over. `None` if only a
    /// listing of past orders or a query shows it: these may lag behind, so that it may have ended.
    pub(super) open_in: Option<(Listing, Option<&'static str>)>,
}

/// The fills of an order.
#[derive(Default)]
pub(super) struct Filled {
    pub(super) client_id: Option<String>,
    pub(super) quantity: rust_decimal::Decimal,
}

impl Shown {
    /// Adds an order. Of several records the latest counts, and an order that ended stays so.
    pub(super) fn add_order(
        &mut self,
        family: &'static str,
        sighting: Sighting,
        listed: Option<(Listing, Option<&'static str>)>,
    ) {
        let Some(id) = sighting.id.clone() else { return };
        let is_open = match (sighting.has_ended, listed) {
            (Some(has_ended), _) => !has_ended,
            // An undocumented state.
            (None, Some((listing, _))) => listing.part == Part::OpenOrders,
            (None, None) => true,
        };
        let key = (family, id);
        let known = self.orders.get(&key).and_then(|known| known.open_in);
        let open_in = listed.filter(|(listing, _)| listing.part == Part::OpenOrders).or(known);
        let new = ShownOrder { sighting, is_open, open_in };
        let is_older = |known: &ShownOrder| match (known.is_open, new.is_open) {
            (false, true) => true,
            (true, false) => false,
            _ => known.sighting.at > new.sighting.at,
        };
        if !self.orders.get(&key).is_some_and(is_older) {
            self.orders.insert(key, new);
        }
    }

    /// Adds a fill.
    pub(super) fn add_fill(&mut self, family: &'static str, fill: Fill) -> Result<(), String> {
        let sum = self.fills.get_or_default((family, fill.order));
        let quantity = sum.quantity.checked_add(fill.quantity);
        sum.quantity = quantity.ok_or("the sum of the filled quantities is too large")?;
        sum.client_id = sum.client_id.take().or(fill.client_id);
        Ok(())
    }

    /// The client ids of all orders and fills, in their order.
    pub(super) fn client_ids(&self) -> Vec<&str> {
        let mut ids = Vec::new();
        for (_, order) in self.orders.iter() {
            ids.extend(order.sighting.client_id.as_deref());
        }
        for (_, filled) in self.fills.iter() {
            ids.extend(filled.client_id.as_deref());
        }
        sort_by(&mut ids, &Ord::cmp);
        ids
    }

    /// The client ids of the orders, and those of fills alone, by family.
    pub(super) fn named(&self) -> (ByOrder<()>, ByOrder<()>) {
        let (mut seen, mut filled) = (ByOrder::default(), ByOrder::default());
        for ((family, _), order) in self.orders.iter() {
            if let Some(client_id) = &order.sighting.client_id {
                seen.insert((*family, client_id.clone()), ());
            }
        }
        for ((family, _), fills) in self.fills.iter() {
            if let Some(client_id) = &fills.client_id {
                filled.insert((*family, client_id.clone()), ());
            }
        }
        (seen, filled)
    }
}
