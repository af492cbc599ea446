//! The known properties of the account. Rules about unknown ones are not checked.

use serde_json::Value;

use super::decimal::Decimal;
use super::request::{Request, text};

/// The known properties of an account.
#[derive(Clone, Copy)]
pub(super) struct Account<'a>(pub(super) &'a Value);

impl<'a> Account<'a> {
    pub(super) fn is_hedge(self) -> bool {
        Request(self.0).is("positionMode", "hedge_mode")
    }

    pub(super) fn is_one_way(self) -> bool {
        Request(self.0).is("positionMode", "one_way_mode")
    }

    pub(super) fn is_copy_trader(self) -> bool {
        Request(self.0).is("copyTrading", "true")
    }

    /// Returns whether the account is known to lack this permission.
    pub(super) fn lacks(self, permission: &str) -> bool {
        Request(self.0).is(permission, "false")
    }

    pub(super) fn binding_time(self) -> Option<i128> {
        Request(self.0).integer("bindingTime")
    }

    /// Returns whether a copy trader may trade the symbol, which is assumed if the pairs are unknown.
    pub(super) fn may_trade(self, symbol: Option<String>) -> bool {
        let pairs = self.0.get("copyTradingPairs").and_then(Value::as_array);
        match (self.is_copy_trader(), pairs) {
            (true, Some(pairs)) => pairs.iter().any(|pair| text(pair) == symbol),
            _ => true,
        }
    }

    /// Returns whether a pair is marked as a Reality pair, whatever its line.
    pub(super) fn has_reality_mark(self, symbol: Option<String>) -> Option<bool> {
        let instruments = self.0.get("instruments")?.as_array()?.iter().map(Request);
        instruments
            .filter(|it| it.text("symbol") == symbol)
            .filter_map(|it| Some(it.text("isReality")? == "true"))
            .max()
    }

    /// Returns the known properties of an instrument. `line` is its category or product type.
    pub(super) fn instrument(self, line: Option<String>, symbol: Option<String>) -> Option<Instrument<'a>> {
        let instruments = self.0.get("instruments")?.as_array()?;
        let found =
            instruments.iter().map(Request).find(|it| it.text("line") == line && it.text("symbol") == symbol)?;
        Some(Instrument(found))
    }
}

/// The known trading rules of an instrument.
#[derive(Clone, Copy)]
pub(super) struct Instrument<'a>(Request<'a>);

impl Instrument<'_> {
    /// Returns whether a number has more decimal places than a precision allows.
    pub(super) fn is_too_fine(self, number: &Decimal, precision: &str) -> bool {
        let most = self.0.text(precision).and_then(|text| text.parse().ok());
        most.is_some_and(|most| number.decimals() > most)
    }

    pub(super) fn is_off_step(self, number: &Decimal, step: &str) -> bool {
        self.0.decimal(step).is_some_and(|step| !number.is_multiple_of(&step))
    }

    pub(super) fn is_too_small(self, number: &Decimal) -> bool {
        self.0.decimal("minOrderAmount").is_some_and(|least| number.is_less_than(&least))
    }
}
