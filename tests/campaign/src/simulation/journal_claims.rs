//! The claims of a journal and its recovery about the effects of each change, compared with what the exchange did.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde_json::Value;
use tradeapi::runtime::confirm::Recovered;
use tradeapi::runtime::journal::{ChangeNumber, StoredChange};
use tradeapi::runtime::tables::Outcome;

use crate::claim::{Claim, Known, Naming};
use crate::ground_truth::{Effect, GroundTruth, label, leverage_set};
use crate::ledger::Ledger;
use crate::violation::{Violation, are_one_change, find_violations};

/// The outcomes that recoveries have found, by change, one for each of its items.
#[derive(Default)]
pub(super) struct RecoveredOutcomes(BTreeMap<ChangeNumber, Vec<Outcome>>);

impl RecoveredOutcomes {
    pub(super) fn add(&mut self, recovered: &[Recovered]) {
        for change in recovered {
            let outcomes = change.items.iter().map(|item| item.outcome).collect();
            self.0.insert(change.stored.number, outcomes);
        }
    }
}

/// The action of a request on each of its items, and the names of the fields that say so.
struct Form {
    operation: &'static str,
    does: Does,
    list: Option<&'static str>,
    id: &'static str,
    size: &'static str,
    price: &'static str,
}

#[derive(Clone, Copy)]
enum Does {
    Place,
    Amend,
    Cancel,
    Set,
}

const fn form(operation: &'static str, does: Does, list: Option<&'static str>, names: [&'static str; 3]) -> Form {
    let [id, size, price] = names;
    Form { operation, does, list, id, size, price }
}

const UNIFIED: [&str; 3] = ["clientOid", "qty", "price"];
const CLASSIC: [&str; 3] = ["clientOid", "size", "price"];

const FORMS: [Form; 13] = [
    form("unified.place-order", Does::Place, None, UNIFIED),
    form("unified.place-batch", Does::Place, Some(""), UNIFIED),
    form("unified.modify-order", Does::Amend, None, UNIFIED),
    form("unified.batch-modify-order", Does::Amend, Some(""), UNIFIED),
    form("unified.cancel-order", Does::Cancel, None, UNIFIED),
    form("unified.cancel-batch", Does::Cancel, Some(""), UNIFIED),
    form("classic.place-order", Does::Place, None, CLASSIC),
    form("classic.batch-place-order", Does::Place, Some("orderList"), CLASSIC),
    form("classic.click-backhand", Does::Place, None, CLASSIC),
    form("classic.modify-order", Does::Place, None, ["newClientOid", "newSize", "newPrice"]),
    form("classic.cancel-order", Does::Cancel, None, CLASSIC),
    form("classic.batch-cancel-orders", Does::Cancel, Some("orderIdList"), CLASSIC),
    form("observed.set-contract-leverage", Does::Set, None, ["symbol", "leverage", ""]),
];

/// The labels of orders by what requests name them by.
struct Names {
    amended: FxHashMap<String, Effect>,
    by_client_id: FxHashMap<String, Vec<String>>,
    by_order_id: FxHashMap<String, String>,
}

impl Names {
    fn of(ledger: &Ledger, truth: &GroundTruth) -> Self {
        let (mut amended, mut by_client_id) = (FxHashMap::default(), FxHashMap::<_, Vec<String>>::default());
        ledger.with_claims(|claims| {
            for effect in claims.keys() {
                match effect {
                    Effect::Amended(_, request) => drop(amended.insert(request.clone(), effect.clone())),
                    Effect::Placed(label) => {
                        let id = label.split(' ').next().unwrap_or_default();
                        by_client_id.entry(id.to_owned()).or_default().push(label.clone());
                    }
                    Effect::Cancelled(_) | Effect::Set(_) | Effect::Half(_) => {}
                }
            }
        });
        let by_order_id = truth.labels().map(|(id, label)| (id.to_string(), label.clone())).collect();
        Self { amended, by_client_id, by_order_id }
    }

    /// Returns the effect of an item, if it can be told from the request.
    fn effect(&self, form: &Form, item: &Value) -> Option<Effect> {
        let text = |name: &str| match &item[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        match form.does {
            // An order that closes a position while the account is made flat has neither an id nor a price.
            Does::Place if text(form.id).is_empty() && text(form.price).is_empty() => None,
            Does::Place => Some(Effect::Placed(label(&text(form.id), &text(form.size), &text(form.price)))),
            Does::Amend => self.amended.get(&text("requestId")).cloned(),
            Does::Set => Some(leverage_set(&text(form.id), &text(form.size))),
            Does::Cancel => {
                // A request that names an order by the exchange's id only is not about one without an id.
                let named = Some(text(form.id)).filter(|id| !id.is_empty());
                let by_client_id = named.and_then(|id| self.by_client_id.get(&id)).filter(|labels| labels.len() == 1);
                let label = self.by_order_id.get(&text("orderId")).or(by_client_id.and_then(|labels| labels.first()));
                label.cloned().map(Effect::Cancelled)
            }
        }
    }
}

/// Returns the disagreements between a journal and the exchange. Each change that had an effect must be in it.
pub(super) fn violations(
    changes: &[StoredChange],
    recovered: &RecoveredOutcomes,
    ledger: &Ledger,
    truth: &GroundTruth,
) -> Vec<Violation> {
    let names = Names::of(ledger, truth);
    let mut claims = BTreeMap::<Effect, Vec<Claim>>::new();
    for stored in changes {
        let Some(form) = FORMS.iter().find(|form| form.operation == stored.change.operation) else { continue };
        let Ok(request) = serde_json::from_str::<Value>(&stored.change.request) else { continue };
        let items = items(form, &request);
        let known = recovered.0.get(&stored.number).filter(|known| known.len() == items.len());
        for (place, item) in items.iter().enumerate() {
            let Some(effect) = names.effect(form, item) else { continue };
            let found = known.and_then(|known| known.get(place).copied()).filter(|known| *known != Outcome::Unknown);
            let outcome = found.unwrap_or_else(|| ending(stored, place));
            claims.entry(effect).or_default().push(Claim {
                operation: form.operation,
                naming: Naming::UniqueId,
                outcome,
                known: Known::ByQuery,
                how: "journal",
            });
        }
    }
    ledger.learn(&claims);
    // What no name leads to is not compared: the effects of orders that have only an id of the exchange, and those of late
    // amendments on a later order with the id.
    let is_elsewhere = |effect: &Effect| claims.keys().any(|claimed| are_one_change(claimed, effect));
    let mut effects = truth.effects_by(&claims).into_owned();
    effects.retain(|effect, _| {
        claims.contains_key(effect) || !(matches!(effect, Effect::Cancelled(_)) || is_elsewhere(effect))
    });
    find_violations(&claims, &effects)
}

fn items<'a>(form: &Form, request: &'a Value) -> Vec<&'a Value> {
    let list = match form.list {
        None => return vec![request],
        Some("") if request.is_array() => request.as_array(),
        Some("") => request.as_object().and_then(|members| members.values().find_map(Value::as_array)),
        Some(name) => request[name].as_array(),
    };
    list.map(|items| items.iter().collect()).unwrap_or_default()
}

/// Returns the outcome of an item as the journal has it: its own, or that of the change.
fn ending(stored: &StoredChange, place: usize) -> Outcome {
    let own = stored.items.iter().find(|item| item.place == place).map(|item| item.outcome);
    own.or(stored.ending.as_ref().map(|ending| ending.outcome)).unwrap_or(Outcome::Unknown)
}
