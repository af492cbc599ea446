//! What is done every day with several operations: open orders, positions, and the end of both.

use std::collections::BTreeMap;
use std::time::Duration;

#[cfg(feature = "journal")]
use tradeapi_runtime::confirm;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::flatten;
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::ledger::{Ledger, LedgerError, Position, PositionKey, PositionSide};
use tradeapi_runtime::reconcile::{self, Listing};
use tradeapi_runtime::{ClientCore, Timestamp};

use crate::calls::Called;
use crate::ending::{Ended, Ending};
use crate::options::DAYS;
#[cfg(feature = "journal")]
use crate::options::JOURNAL;
use crate::output::Report;
use crate::table::Program;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn open_orders(program: &'static Program) -> impl Iterator<Item = &'static Listing> {
    program.listings.iter().filter(|listing| listing.shows_open_orders())
}

/// Lists the open orders of all families.
pub(crate) async fn orders(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    for listing in open_orders(program) {
        let Some(command) = program.commands().find(|command| command.meta.id == listing.operation()) else { continue };
        for json in listing.requests() {
            let called = Called { client, json: &json, policy, to: &mut *to };
            let ended = command.call(called).await;
            if ended.ending != Ending::Done {
                return ended;
            }
        }
    }
    Ended::DONE
}

/// Lists the positions that follow from fills.
pub(crate) async fn positions(program: &'static Program, client: &ClientCore, days: u32, to: &mut dyn Report) -> Ended {
    let mut ledger = Ledger::new();
    let since = client.now() - DAY * days;
    let mut families: Vec<&str> = Vec::new();
    for listing in program.listings.iter().filter(|listing| listing.shows_trades()) {
        if !families.contains(&listing.family()) {
            families.push(listing.family());
        }
    }
    let mut unknown = BTreeMap::new();
    for family in families {
        let trades = match reconcile::trades_since(client, program.listings, family, since).await {
            Ok(trades) => trades,
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
        error => format!("\n- {error}"),
    });
    let lines: String = lines.collect();
    Ended::failed(Ending::NotDone, format!("not known from the fills since {since}:{lines}"))
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
    match flatten::flatten(client, program.flats, program.listings, policy).await {
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
        Err(not_flat) => {
            let left: String = not_flat.left.iter().map(|left| format!("\n- {left}")).collect();
            // It has cancelled and closed before it gave up, and of some of that the outcome may not be known.
            Ended::failed(
                Ending::Unknown,
                format!("not flat after {} rounds; start it again to go on{left}", not_flat.rounds),
            )
        }
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
        let ending = Ending::from(change.outcome());
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("outcome").string(ending.as_str());
        out.member("change").string(&change.to_string());
        out.end_object();
        to.item(&out.finish(), None);
        // A change that is known not to be done is recovered, too.
        endings.push(if ending == Ending::Unknown { ending } else { Ending::Done });
    }
    if let Some(gap) = &recovered.gap {
        to.note(&gap.to_string());
    }
    Ended::reported(Ending::of_all(endings))
}
