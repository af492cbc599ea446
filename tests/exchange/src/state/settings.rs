//! The settings of an exchange.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::state::dice::Seed;

/// The behaviour of the exchange where the documents leave a choice, and what tests can switch off.
///
/// [`DECISIONS`](crate::DECISIONS) lists the choices.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
#[non_exhaustive]
pub struct Settings {
    /// The seed of prices and of other participants' orders.
    pub seed: Seed,
    /// True if other participants move prices and trade by themselves. Otherwise they only quote around the price that
    /// [`Exchange::set_price`](crate::Exchange::set_price) sets.
    pub lively: bool,
    /// True if calls beyond the documented rates are refused.
    pub rate_limits: bool,
    /// True if more than the documented number of open orders is refused.
    pub ceilings: bool,
    /// True if a clientOid can be used only once, as long as its order is kept.
    pub unique_client_ids: bool,
    /// True if a clientOid of several orders names the first of them instead of the latest.
    pub first_of_client_id: bool,
    /// True if positions are closed when their margin is used up.
    pub liquidation: bool,
    /// True if positions pay and receive funding.
    pub funding: bool,
    /// The time that the classic family takes to create the order that replaces a modified one.
    #[serde(with = "crate::state::values::millis")]
    pub replacement_delay: Duration,
    /// The time for which a modification of the unified family is in progress.
    #[serde(with = "crate::state::values::millis")]
    pub modification_delay: Duration,
    /// True if a modification with autoCancel also cancels its order if it is refused because others are in progress.
    pub auto_cancel_in_progress: bool,
    /// The HTTP status of refusals; success has 200.
    pub refusal_status: u16,
    /// True if it takes what real exchanges take beyond the documents: it ignores parameters that no document lists,
    /// reads values in other letters, and numbers in either form of JSON, accepts either text of a signed query, and
    /// answers as observed where the documents describe another form. The program is tolerant unless it is called with
    /// `--strict`, or its setup file says `tolerant: false`.
    #[serde(default = "tolerant")]
    pub tolerant: bool,
    /// Which text of a query its signature is verified over; `None` for the one that the schema states, or
    /// either if it is tolerant.
    pub signed_query: Option<SignedQuery>,
    /// True if a [journal](crate::Exchange::journal) is kept.
    pub journal: bool,
}

impl Settings {
    /// Refuses what cannot be set.
    pub(crate) fn check(&self) -> Result<(), String> {
        let status = self.refusal_status;
        if (200..=599).contains(&status) {
            return Ok(());
        }
        Err(format!("refusal_status {status}: expected a status from 200 to 599"))
    }
}

/// Returns whether an exchange is tolerant whose setup file does not say it.
fn tolerant() -> bool {
    true
}

/// Which text of a query its signature is verified over. The two differ only where there are percent-escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignedQuery {
    /// The query as it was sent.
    Sent,
    /// The query without its escapes.
    Decoded,
}

impl FromStr for SignedQuery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sent" => Ok(Self::Sent),
            "decoded" => Ok(Self::Decoded),
            _ => Err("expected `sent` or `decoded`".to_owned()),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: Seed(0),
            lively: false,
            rate_limits: true,
            ceilings: true,
            unique_client_ids: true,
            first_of_client_id: false,
            liquidation: true,
            funding: true,
            replacement_delay: Duration::from_millis(20),
            modification_delay: Duration::ZERO,
            auto_cancel_in_progress: false,
            refusal_status: 400,
            tolerant: false,
            signed_query: None,
            journal: false,
        }
    }
}
