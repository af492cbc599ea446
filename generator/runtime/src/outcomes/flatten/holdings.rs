//! The positions that follow from the fills of an account.

use std::collections::HashMap;

use rust_decimal::Decimal as Number;

use super::calls::{CallDoubt, ReducingFields, SideFields};
use super::rounds::Allowed;
use crate::calls::client::ClientCore;
use crate::data::parameters::Named;
use crate::data::value::{Decimal, Timestamp, days};
use crate::outcomes::reconcile::{Listing, Part};
use crate::state::ledger::Contract;

/// The number of days for which fills are read.
const HISTORY_DAYS: u32 = 90;

/// The positions of a family as its fills show them.
pub(super) struct Holdings {
    /// The positions that may be open.
    pub(super) known: Vec<Holding>,
    /// The instruments whose positions do not follow from their fills, each with its line, in the order of both.
    pub(super) unknown: Vec<(&'static str, String)>,
}

/// A position that may be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    pub(super) line: &'static str,
    pub(super) instrument: String,
    pub(super) is_long: bool,
    pub(super) quantity: Decimal,
}

/// The position of an instrument that a fill changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// There is one, or the order of the fill is not listed any more.
    Net,
    Long,
    Short,
}

/// Reads the fills of a family. How the contracts of a line count has to be known: otherwise a filled quantity may be in
/// another unit than that of an order.
pub(super) async fn read(
    client: &ClientCore,
    listings: &[Listing],
    family: &str,
    fields: &ReducingFields,
    allowed: Allowed,
) -> Result<Holdings, CallDoubt> {
    let since = client.now() - days(HISTORY_DAYS);
    let sides = match &fields.side {
        Some(side) => sides(client, listings, family, (side, since), allowed).await?,
        None => HashMap::new(),
    };
    // Both are in order.
    let mut sizes: Vec<((&'static str, String, Side), Number)> = Vec::new();
    let mut unknown = Vec::new();
    for listing in of(listings, family, Part::Fills).filter(|listing| listing.has_trades()) {
        for line in listing.turns().into_iter().flatten().filter(|line| fields.lines.contains(line)) {
            let mut pages = walk(client, listing, (line, since), allowed)?;
            while let Some(page) = pages.next().await {
                let page = page.map_err(|failure| CallDoubt::new(failure.of(listing.operation).to_string()))?;
                for fill in page.fills {
                    let Some(trade) = fill.trade.transpose().map_err(CallDoubt::new)? else { continue };
                    if trade.contract == Contract::Unknown {
                        let instrument = (line, trade.instrument);
                        if let Err(place) = unknown.binary_search(&instrument) {
                            unknown.insert(place, instrument);
                        }
                        continue;
                    }
                    let side = sides.get(&fill.order).copied().unwrap_or(Side::Net);
                    let quantity =
                        trade.quantity.to_rust_decimal().map_err(|error| CallDoubt::new(error.to_string()))?;
                    let of = (line, trade.instrument, side);
                    let place = sizes.binary_search_by(|(known, _)| known.cmp(&of)).unwrap_or_else(|place| {
                        sizes.insert(place, (of, Number::ZERO));
                        place
                    });
                    sizes[place].1 += if trade.is_buy { quantity } else { -quantity };
                }
            }
        }
    }
    let mut known = Vec::new();
    for ((line, instrument, side), size) in sizes {
        let is_long = match side {
            Side::Net => size.is_sign_positive(),
            Side::Long => true,
            Side::Short => false,
        };
        if !size.is_zero() {
            known.push(Holding { line, instrument, is_long, quantity: size.abs().normalize().into() });
        }
    }
    Ok(Holdings { known, unknown })
}

/// Returns the sides of the positions that past orders changed, by the ids of the orders.
async fn sides(
    client: &ClientCore,
    listings: &[Listing],
    family: &str,
    (fields, since): (&SideFields, Timestamp),
    allowed: Allowed,
) -> Result<HashMap<String, Side>, CallDoubt> {
    let mut sides = HashMap::new();
    for listing in of(listings, family, Part::PastOrders) {
        for line in listing.turns().into_iter().flatten() {
            let mut pages = walk(client, listing, (line, since), allowed)?;
            while let Some(page) = pages.next().await {
                let page = page.map_err(|failure| CallDoubt::new(failure.of(listing.operation).to_string()))?;
                for order in page.orders {
                    let record = Named::read(&order.record);
                    let side = match record.text(fields.field).as_deref() {
                        Some(side) if side == fields.long => Side::Long,
                        Some(side) if side == fields.short => Side::Short,
                        _ => continue,
                    };
                    sides.extend(order.id.map(|id| (id, side)));
                }
            }
        }
    }
    Ok(sides)
}

fn walk(
    client: &ClientCore,
    listing: &Listing,
    (line, since): (&'static str, Timestamp),
    allowed: Allowed,
) -> Result<Box<dyn crate::outcomes::reconcile::ListingPages>, CallDoubt> {
    let retry = allowed.retries(client);
    listing.walk(client, Some(line), since, &retry).map_err(|violations| CallDoubt::new(violations.to_string()))
}

/// Returns the listings of a family that show this part of an account.
pub(super) fn of<'a>(listings: &'a [Listing], family: &'a str, part: Part) -> impl Iterator<Item = &'a Listing> {
    listings.iter().filter(move |listing| listing.part == part && listing.family == family)
}
