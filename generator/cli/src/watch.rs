//! Open orders as they change.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tradeapi_runtime::ClientCore;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::json::JsonWriter;

use crate::ending::{Ended, Ending};
use crate::everyday::orders;
use crate::output::{Printer, Report};
use crate::table::Program;

/// The open orders of one reading, by their ids.
#[derive(Default)]
struct Seen {
    orders: BTreeMap<String, String>,
    notes: Vec<String>,
}

impl Report for Seen {
    fn item(&mut self, json: &str, id: Option<&str>) -> bool {
        self.orders.insert(id.unwrap_or(json).to_owned(), json.to_owned());
        true
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

/// Reads the open orders again and again, and reports each that is new, changed or gone. Ends if they cannot be read.
pub(crate) async fn watch(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    every: Duration,
    to: &mut Printer,
) -> Ended {
    let (mut before, mut noted) = (BTreeMap::new(), BTreeSet::new());
    loop {
        let mut now = Seen::default();
        let ended = orders(program, client, policy, &mut now).await;
        if ended.ending != Ending::Done {
            return ended;
        }
        for note in now.notes {
            if !noted.contains(&note) {
                to.note(&note);
                noted.insert(note);
            }
        }
        let mut goes_on = true;
        for (change, order) in changes(&before, &now.orders) {
            goes_on &= to.item(&line(change, order), None);
        }
        to.flush();
        if !goes_on {
            return Ended::DONE;
        }
        before = now.orders;
        tokio::time::sleep(every).await;
    }
}

/// Returns what is new, changed or gone.
fn changes<'a>(
    before: &'a BTreeMap<String, String>,
    now: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let here = now.iter().filter_map(|(id, order)| match before.get(id) {
        None => Some(("new", order.as_str())),
        Some(earlier) if earlier != order => Some(("changed", order.as_str())),
        Some(_) => None,
    });
    let gone = before.iter().filter(|(id, _)| !now.contains_key(*id)).map(|(_, order)| ("gone", order.as_str()));
    here.chain(gone)
}

/// Returns the order with what happened to it as its first member.
fn line(change: &str, order: &str) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    out.member("change").string(change);
    out.end_object();
    let (change, order) = (out.finish(), order.trim_start_matches('{'));
    format!("{},{order}", change.trim_end_matches('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_change_and_go() {
        let at = |orders: &[(&str, &str)]| -> BTreeMap<String, String> {
            orders.iter().map(|(id, order)| ((*id).to_owned(), (*order).to_owned())).collect()
        };
        let (before, now) = (at(&[("a", "1"), ("b", "1"), ("c", "1")]), at(&[("b", "2"), ("c", "1"), ("d", "1")]));
        let changes: Vec<_> = changes(&before, &now).collect();
        assert_eq!(changes, [("changed", "2"), ("new", "1"), ("gone", "1")]);
        assert_eq!(line("new", r#"{"a":1}"#), r#"{"change":"new","a":1}"#);
    }
}
