//! Everyday tasks that take several operations: open orders, positions, and the end of both.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "journal")]
use tradeapi_runtime::confirm;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::flatten::{self, FlattenRound};
use tradeapi_runtime::json::{Json, JsonWriter, Map, read_json};
use tradeapi_runtime::ledger::{Ledger, LedgerError, Position, PositionKey, PositionSide};
use tradeapi_runtime::reconcile::{self, LedgerUpdateError, Listing, ServedFamilies};
use tradeapi_runtime::{ClientCore, Timestamp};

use crate::calls::{Called, StopOf};
use crate::ending::{Ended, Ending};
#[cfg(feature = "journal")]
use crate::options::JOURNAL;
use crate::options::{ACCOUNT, DAYS, USUAL_DAYS};
use crate::output::Report;
use crate::table::{PositionListing, Program};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns a condition that never tells a read to end, which its caller does.
fn never() -> StopOf {
    Arc::new(|| Box::pin(pending()))
}

fn open_orders(program: &'static Program) -> impl Iterator<Item = &'static Listing> {
    program.listings.iter().filter(|listing| listing.shows_open_orders())
}

/// Asks which families serve the key, and notes those that do not.
async fn served(program: &'static Program, client: &ClientCore, to: &mut dyn Report) -> Result<ServedFamilies, Ended> {
    let families = reconcile::served_families(client, program.listings).await?;
    if !families.served.is_empty() {
        families.refused.iter().for_each(|refused| to.note(&refused.to_string()));
    }
    Ok(families)
}

/// Lists the open orders of the families that serve the key.
pub(crate) async fn orders(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    let families = match served(program, client, to).await {
        Ok(families) => families,
        Err(ended) => return ended,
    };
    for listing in open_orders(program).filter(|listing| families.includes(listing.family())) {
        let Some(command) = program.command(listing.operation()) else { continue };
        for json in listing.requests() {
            let called = Called { client, json: &json, policy, to: &mut *to, stop: never(), goes_on: false };
            let ended = command.call(called).await;
            if ended.ending != Ending::Done {
                return ended;
            }
        }
    }
    Ended::DONE
}

/// Lists the positions: those that the exchange lists, or those that follow from the fills of some days, if so many are
/// given or no operation lists positions.
pub(crate) async fn positions(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    days: Option<u32>,
    to: &mut dyn Report,
) -> Ended {
    let families = match served(program, client, to).await {
        Ok(families) => families,
        Err(ended) => return ended,
    };
    let is_served = |listing: &&'static PositionListing| families.includes(listing.account);
    let listings: Vec<_> = program.positions.iter().filter(is_served).collect();
    if days.is_some() || listings.is_empty() {
        return positions_by_fills(program, client, &families, days.unwrap_or(USUAL_DAYS), to).await;
    }
    for listing in listings {
        let Some(command) = program.command(listing.operation) else { continue };
        for (request, line) in listing.requests() {
            let mut to = ListedPositions { listing, line, to: &mut *to };
            let ended = command
                .call(Called { client, json: &request, policy, to: &mut to, stop: never(), goes_on: false })
                .await;
            if ended.ending != Ending::Done {
                return ended;
            }
        }
    }
    Ended::DONE
}

/// Takes the answer of a listing of positions, and passes on each position with its family and business line.
struct ListedPositions<'a> {
    listing: &'a PositionListing,
    line: Option<(&'static str, &'static str)>,
    to: &'a mut dyn Report,
}

impl Report for ListedPositions<'_> {
    fn item(&mut self, json: &str, id: Option<&str>) -> bool {
        let Ok(members) = read_json::<Map<Json>>(json) else { return self.to.item(json, id) };
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("family").string(self.listing.account);
        if let Some((name, line)) = self.line.filter(|(name, _)| members.get(name).is_none()) {
            out.member(name).string(line);
        }
        for (name, value) in &members.entries {
            out.member(name).raw(value.as_str());
        }
        out.end_object();
        self.to.item(&out.finish(), id)
    }

    fn step(&mut self, text: &str) {
        self.to.step(text);
    }

    fn note(&mut self, text: &str) {
        self.to.note(text);
    }

    fn data(&mut self, json: &str) {
        let whole = || read_json::<Map<Json>>(json).ok();
        let list = self.listing.list.and_then(|list| whole()?.get(list).map(|list| list.as_str().to_owned()));
        let list = read_json::<Vec<Json>>(list.as_deref().unwrap_or(json)).unwrap_or_default();
        let _ = list.iter().all(|position| self.item(position.as_str(), None));
    }
}

/// Lists the positions that follow from fills.
async fn positions_by_fills(
    program: &'static Program,
    client: &ClientCore,
    served: &ServedFamilies,
    days: u32,
    to: &mut dyn Report,
) -> Ended {
    let mut ledger = Ledger::new();
    let since = client.now() - DAY * days;
    let mut families: Vec<&str> = Vec::new();
    for listing in program.listings.iter().filter(|listing| listing.shows_trades()) {
        if served.includes(listing.family()) && !families.contains(&listing.family()) {
            families.push(listing.family());
        }
    }
    let mut unknown = BTreeMap::new();
    for family in families {
        let trades = match reconcile::trades_since(client, program.listings, family, since).await {
            Ok(trades) => trades,
            Err(LedgerUpdateError::Clipped { operation, begins }) => {
                return Ended::refused(out_of_reach(client.now(), operation, begins));
            }
            Err(error) => return Ended::failed(Ending::NotDone, error.to_string()),
        };
        for (line, trade) in &trades {
            if let Err(error) = ledger.take(family, line, trade) {
                unknown.entry(error.position().clone()).or_insert(error);
            }
        }
    }
    to.note(&format!(
        "these follow from the fills since {since}, as if nothing was open before; `{DAYS}` sets how far back they are read"
    ));
    let known = ledger.positions().iter().filter(|(key, _)| !unknown.contains_key(*key));
    for (key, position) in known {
        if position.size().is_none_or(|size| !size.is_zero()) && !to.item(&position_json(key, position, since), None) {
            break;
        }
    }
    for (key, difference) in ledger.differences().filter(|(key, _)| !unknown.contains_key(*key)) {
        to.note(&format!("{key}: the exchange reports a realised profit that differs by {difference}"));
    }
    if unknown.is_empty() {
        return Ended::DONE;
    }
    let lines = unknown.iter().map(|(key, error)| match error {
        LedgerError::NotOpen { .. } => format!("\n- {key}: its fills close more than they open"),
        LedgerError::MayBeHedged { .. } => format!(
            "\n- {key}: its fills do not say whether they are of a long or of a short position; leave out `{DAYS}`, or \
             state the position mode in the file of `--{ACCOUNT}` if it is one-way"
        ),
        error => format!("\n- {error}"),
    });
    let lines: String = lines.collect();
    Ended::failed(Ending::NotDone, format!("not known from the fills since {since}:{lines}"))
}

/// Returns what to do about fills that the exchange does not list any more.
fn out_of_reach(now: Timestamp, operation: &str, begins: Timestamp) -> String {
    let days = now.as_millis().saturating_sub(begins.as_millis()) / u64::try_from(DAY.as_millis()).unwrap_or(u64::MAX);
    let advice = match days {
        0 => "leave it out, and the positions are read as the exchange lists them".to_owned(),
        days => format!("`{DAYS}` may be {days} at most"),
    };
    format!("{operation} has no fills from before {begins}: {advice}")
}

fn position_json(key: &PositionKey, position: &Position, since: Timestamp) -> String {
    let side = match key.side {
        PositionSide::Net => "net",
        PositionSide::Long => "long",
        PositionSide::Short => "short",
        PositionSide::Unknown => "unknown",
    };
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, text) in
        [("family", key.family.as_str()), ("line", &key.line), ("instrument", &key.instrument), ("side", side)]
    {
        out.member(name).string(text);
    }
    for (name, number) in
        [("size", position.size()), ("averagePrice", position.average_price()), ("realised", position.realised())]
    {
        if let Some(number) = number {
            out.member(name).string(number.as_str());
        }
    }
    out.member("since").string(&since.to_string());
    out.end_object();
    out.finish()
}

/// Cancels and closes everything.
pub(crate) async fn flatten(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    let mut report = |round: &FlattenRound<'_>| to.step(&round.to_string());
    let flat = flatten::flatten_reporting(client, program.flats, program.listings, policy, &mut report).await;
    match flat {
        Ok(flat) => {
            let mut out = JsonWriter::new();
            out.begin_object();
            out.member("outcome").string(Ending::Done.as_str());
            out.member("rounds").string(&flat.rounds.to_string());
            out.end_object();
            to.item(&out.finish(), None);
            to.note(&flat.to_string());
            Ended::DONE
        }
        // It has cancelled and closed before it gave up, and of some of that the outcome may not be known.
        Err(not_flat) => Ended::failed(Ending::Unknown, not_flat.to_string()),
    }
}

/// Queries the outcomes of the changes that a journal has open.
#[cfg(feature = "journal")]
pub(crate) async fn recover(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    if client.journal().is_none() {
        return Ended::refused(format!("--{} states which journal", JOURNAL));
    }
    let recovered = match confirm::recover(client, program.recoveries, policy).await {
        Ok(recovered) => recovered,
        Err(error) => return Ended::failed(Ending::NotDone, error.to_string()),
    };
    if recovered.changes.is_empty() {
        to.note("the journal has no open change");
    }
    let mut endings = Vec::new();
    for change in &recovered.changes {
        // Nothing queries a change without items.
        let ending = match change.items.is_empty() {
            true => Ending::Unknown,
            false => Ending::of_all(change.items.iter().map(|item| item.outcome.into())),
        };
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("outcome").string(ending.as_str());
        out.member("change").string(&change.to_string());
        if change.items.len() > 1 {
            out.member("items").begin_array();
            for item in &change.items {
                let out = out.element();
                out.begin_object();
                item.id.iter().for_each(|id| out.member("id").string(id));
                out.member("outcome").string(Ending::from(item.outcome).as_str());
                out.member("because").string(&item.because);
                out.end_object();
            }
            out.end_array();
        }
        out.end_object();
        to.item(&out.finish(), None);
        // A change that is known not to be done is recovered, too.
        endings.push(if ending == Ending::NotDone { Ending::Done } else { ending });
    }
    match &recovered.gap {
        Some(gap) => Ended::failed(Ending::Unknown, gap.to_string()),
        None => Ended::reported(Ending::of_all(endings)),
    }
}
