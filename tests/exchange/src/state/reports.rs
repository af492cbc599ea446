//! Insider trades and commissions that a setup states.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tradeapi::broker::Commission;
use tradeapi::runtime::json::{Decode, Encode, JsonWriter, read_json};
use tradeapi::unified::InsiderTrade;

/// A record as the wire has it: its fields with their values.
type Fields = BTreeMap<String, Value>;

/// Insider trades and commissions, which are answered instead of invented ones.
///
/// Each is a record with the fields of the documents, such as `{ reporterName: A, tradeDate: 2026-01-31 }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Reports {
    /// Insider trades by the code of the company, in the order in which they are listed. If there are any, other
    /// companies have none.
    pub insider_trades: BTreeMap<String, Vec<Fields>>,
    /// Commissions, each with its `date` in Unix milliseconds, the newest first.
    pub commissions: Vec<Fields>,
}

impl Reports {
    /// Checks that each record can be read.
    pub(crate) fn check(&self) -> Result<(), String> {
        let trades = self.insider_trades.iter();
        for (code, index, fields) in
            trades.flat_map(|(code, all)| all.iter().enumerate().map(move |(index, fields)| (code, index, fields)))
        {
            insider_trade(fields)
                .and_then(|trade| check_names(fields, &trade))
                .map_err(|why| format!("insider trade {} of {code}: {why}", index + 1))?;
        }
        for (index, fields) in self.commissions.iter().enumerate() {
            commission(fields)
                .and_then(|(_, found)| check_names(fields, &found))
                .map_err(|why| format!("commission {}: {why}", index + 1))?;
        }
        Ok(())
    }

    /// The insider trades of a company; `None` if they are invented.
    pub(crate) fn insider_trades(&self, code: &str) -> Option<Vec<InsiderTrade>> {
        let stated = || self.insider_trades.get(code).into_iter().flatten();
        (!self.insider_trades.is_empty()).then(|| stated().filter_map(|fields| insider_trade(fields).ok()).collect())
    }

    /// The commissions with the time of each, the newest first; `None` if they are invented.
    pub(crate) fn commissions(&self) -> Option<Vec<(u64, Commission)>> {
        let stated = || self.commissions.iter().filter_map(|fields| commission(fields).ok());
        (!self.commissions.is_empty()).then(|| stated().collect())
    }
}

fn insider_trade(fields: &Fields) -> Result<InsiderTrade, String> {
    record(fields)
}

/// A commission with its time in Unix milliseconds.
fn commission(fields: &Fields) -> Result<(u64, Commission), String> {
    let found: Commission = record(fields)?;
    let date = found.date.as_ref().and_then(|date| date.parse().ok());
    Ok((date.ok_or("expected `date` in Unix milliseconds")?, found))
}

/// Refuses fields that a record does not have.
fn check_names(fields: &Fields, record: &impl Encode) -> Result<(), String> {
    let mut out = JsonWriter::new().with_missing_fields();
    record.encode(&mut out);
    let known: Fields = serde_json::from_str(&out.finish()).map_err(|error| error.to_string())?;
    match fields.keys().find(|name| !known.contains_key(*name)) {
        Some(name) => {
            let known = known.into_keys().collect::<Vec<_>>().join(", ");
            Err(format!("unknown field `{name}`: expected one of {known}"))
        }
        None => Ok(()),
    }
}

fn record<T: Decode>(fields: &Fields) -> Result<T, String> {
    let json = serde_json::to_string(fields).map_err(|error| error.to_string())?;
    read_json(&json).map_err(|error| error.to_string())
}
