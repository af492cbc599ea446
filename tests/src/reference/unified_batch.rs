//! The unified account's batches: their items, and the rules across items.

use std::collections::BTreeSet;

use super::Findings;
use super::account::Account;
use super::request::{Request, count};
use super::unified::{TAKE_PROFIT_STOP_LOSS, change, new_order, shapes};

const MAX_ITEMS: usize = 20;

pub(super) fn place(items: &[Request], account: Account, out: &mut Findings) {
    batch(items, out);
    out.refuse_if(account.is_copy_trader(), "copy traders cannot place batches");
    for item in items {
        new_order(*item, account, out);
        out.refuse_if(item.has_any(&TAKE_PROFIT_STOP_LOSS), "a batch presets no take-profit or stop-loss");
        out.refuse_if(item.is("reduceOnly", "yes"), "a batch places no reduce-only orders");
    }
}

pub(super) fn modify(items: &[Request], out: &mut Findings) {
    batch(items, out);
    let mut seen = BTreeSet::new();
    for item in items {
        change(*item, out);
        // Each of the two ids names the order, so a repeated one names it twice.
        for name in ["orderId", "clientOid"] {
            let repeated = item.text(name).is_some_and(|id| !seen.insert((name, id)));
            out.refuse_if(repeated, format!("{name} twice in the batch"));
        }
    }
}

pub(super) fn cancel(items: &[Request], out: &mut Findings) {
    batch(items, out);
}

fn batch(items: &[Request], out: &mut Findings) {
    count(items, MAX_ITEMS, out);
    items.iter().for_each(|item| shapes(*item, out));
    let categories: BTreeSet<_> = items.iter().filter_map(|item| item.text("category")).collect();
    out.refuse_if(categories.len() > 1, "more than one category in the batch");
}
