//! Fills as they change a position, and the fields that they are read from.

use crate::data::account::{Account, PropertyValue};
use crate::data::parameters::Named;
use crate::data::value::Decimal;

/// The fields of a fill by which it changes a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TradeFields {
    /// The field that identifies the fill.
    pub id: &'static str,
    /// The field with the instrument.
    pub instrument: &'static str,
    /// The field with the direction.
    pub side: &'static str,
    /// The value for a buy.
    pub buy: &'static str,
    /// The field with the price.
    pub price: &'static str,
    /// The business lines with [linear](super::Contract::Linear) contracts; `None` means all but the inverse ones.
    pub linear: Option<&'static [&'static str]>,
    /// The business lines with [inverse](super::Contract::Inverse) contracts.
    pub inverse: &'static [&'static str],
    /// The field with the profit of the fill.
    pub profit: Option<&'static str>,
    /// The fees.
    pub fees: Option<FeeFields>,
    /// The fields that state the effect of the fill on the long or the short position.
    pub position: Option<PositionFields>,
    /// The fields that tell which position of the instrument the fill changes, where no field states the effect.
    pub sides: Option<SidesFields>,
}

/// The list of the fees of a fill, and the fields of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeFields {
    /// The field with the list.
    pub list: &'static str,
    /// The field with the coin.
    pub coin: &'static str,
    /// The field with the amount, negative if it was paid.
    pub amount: &'static str,
    /// True if what was paid is written with either sign: then each amount counts as paid.
    pub any_sign: bool,
}

/// The field that states what a fill did to the long or the short position, and its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionFields {
    /// The field.
    pub field: &'static str,
    /// The values for opening: a buy the long position, a sell the short one.
    pub open: &'static [&'static str],
    /// The values for closing, where the side is the one that opened the position.
    pub close: &'static [&'static str],
    /// The values for closing the long position.
    pub close_long: &'static [&'static str],
    /// The values for closing the short position.
    pub close_short: &'static [&'static str],
    /// The values where there is one position.
    pub net: &'static [&'static str],
}

/// The position that a fill changes, where an instrument has a long and a short one in some accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SidesFields {
    /// The field with the side of the position, which fills may be without.
    pub field: &'static str,
    /// The value for the long position.
    pub long: &'static str,
    /// The value for the short position.
    pub short: &'static str,
    /// The business lines whose instruments can have both.
    pub lines: &'static [&'static str],
    /// The property of the account that tells whether they have.
    pub property: &'static str,
    /// The value of the property where an instrument has one position.
    pub net: &'static str,
}

impl SidesFields {
    /// Returns the effect of a fill of the business line `line`.
    fn effect(&self, record: &Named, is_buy: bool, line: Option<&str>, account: &Account) -> TradeEffect {
        let is_net = || matches!(account.get(self.property), Some(PropertyValue::Word(word)) if word == self.net);
        let side = record.text(self.field);
        let side = side.as_deref().unwrap_or_default();
        match (side, is_buy) {
            (side, true) if side == self.long => TradeEffect::Opened,
            (side, false) if side == self.long => TradeEffect::ClosedLong,
            (side, false) if side == self.short => TradeEffect::Opened,
            (side, true) if side == self.short => TradeEffect::ClosedShort,
            _ if line.is_some_and(|line| !self.lines.contains(&line)) || is_net() => TradeEffect::Net,
            _ => TradeEffect::NetUnlessHedged,
        }
    }
}

impl TradeFields {
    /// Reads the record of a fill of an account with the filled quantity, of the business line `line`.
    ///
    /// # Errors
    ///
    /// Returns the field that is missing or unreadable.
    pub(crate) fn read(
        &self,
        record: &Named,
        quantity: Decimal,
        line: Option<&str>,
        account: &Account,
    ) -> Result<Trade, &'static str> {
        let text = |field: &'static str| record.text(field).ok_or(field);
        let number = |field: &'static str| text(field).and_then(|text| decimal(&text).ok_or(field));
        let is_buy = text(self.side)? == self.buy;
        let stated = |position: &PositionFields| -> Result<_, &'static str> {
            Ok(position.effect(&text(position.field)?, is_buy))
        };
        let stated = self.position.as_ref().map_or(Ok(TradeEffect::Net), stated);
        let effect = match &self.sides {
            Some(sides) if self.position.is_none() || !matches!(stated, Ok(known) if known != TradeEffect::Unknown) => {
                sides.effect(record, is_buy, line, account)
            }
            Some(_) | None => stated?,
        };
        let fees = match &self.fees {
            None => Vec::new(),
            Some(fees) => fees.read(record).ok_or(fees.list)?,
        };
        Ok(Trade {
            id: text(self.id)?.into_owned(),
            instrument: text(self.instrument)?.into_owned(),
            is_buy,
            effect,
            price: number(self.price)?,
            quantity,
            contract: self.contract(line),
            profit: self.profit.map(number).transpose()?,
            fees,
        })
    }

    /// Returns how contracts of a business line count.
    fn contract(&self, line: Option<&str>) -> Contract {
        let is_of = |lines: &[&str]| line.is_some_and(|line| lines.contains(&line));
        if is_of(self.inverse) {
            Contract::Inverse
        } else if self.linear.is_none_or(is_of) {
            Contract::Linear
        } else {
            Contract::Unknown
        }
    }
}

impl FeeFields {
    /// Returns the fees in a record, by coin.
    fn read(&self, record: &Named) -> Option<Vec<(String, Decimal)>> {
        let mut fees = Vec::new();
        for fee in record.items(self.list) {
            let amount = decimal(&fee.text(self.amount)?)?;
            let amount = if self.any_sign { -amount.abs() } else { amount };
            fees.push((fee.text(self.coin)?.into_owned(), amount));
        }
        Some(fees)
    }
}

impl PositionFields {
    /// Returns what a fill with this value did.
    fn effect(&self, value: &str, is_buy: bool) -> TradeEffect {
        if self.open.contains(&value) {
            return TradeEffect::Opened;
        }
        let closes_either = self.close.contains(&value);
        if self.close_long.contains(&value) || closes_either && is_buy {
            TradeEffect::ClosedLong
        } else if self.close_short.contains(&value) || closes_either {
            TradeEffect::ClosedShort
        } else if self.net.contains(&value) {
            TradeEffect::Net
        } else {
            TradeEffect::Unknown
        }
    }
}

fn decimal(text: &str) -> Option<Decimal> {
    text.parse().ok()
}

/// A fill, as far as it changes a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// The id of the fill.
    pub id: String,
    /// The instrument that was traded.
    pub instrument: String,
    /// True if it was bought.
    pub is_buy: bool,
    /// The effect on the position.
    pub effect: TradeEffect,
    /// The price.
    pub price: Decimal,
    /// The quantity.
    pub quantity: Decimal,
    /// The way the contract counts.
    pub contract: Contract,
    /// The profit that the exchange reported.
    pub profit: Option<Decimal>,
    /// The fees, each with a coin and an amount, which is negative if it was paid.
    pub fees: Vec<(String, Decimal)>,
}

/// The way a contract counts: how a profit follows from a quantity and two prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    /// A profit is the difference of the prices, times the quantity, in the coin of the prices.
    #[default]
    Linear,
    /// The quantity and the profit are in the base coin. A quantity is worth `quantity × entry` in the coin of the
    /// prices; a long position has a profit of `(1 / entry − 1 / exit)` for each unit of that.
    Inverse,
    /// Not known, so that neither an average price nor a profit follows.
    Unknown,
}

/// The effect of a fill on a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TradeEffect {
    /// There is one position, which buys make greater and sells make smaller.
    #[default]
    Net,
    /// The fill opened the long position if it was a buy, and the short one if it was a sell.
    Opened,
    /// The fill closed a part of the long position.
    ClosedLong,
    /// The fill closed a part of the short position.
    ClosedShort,
    /// As [`Net`](Self::Net), unless the account has a long and a short position of the instrument, which is not stated. A
    /// fill that would make the position smaller may have opened the other one, so that a ledger does not take it.
    NetUnlessHedged,
    /// Not known, so that none of the positions of its instrument is known any more.
    Unknown,
}

impl Trade {
    /// Creates a trade of a linear instrument with one position, without a reported profit or fee.
    pub fn new(
        id: impl Into<String>,
        instrument: impl Into<String>,
        is_buy: bool,
        price: Decimal,
        quantity: Decimal,
    ) -> Self {
        let (id, instrument) = (id.into(), instrument.into());
        let (effect, profit, fees) = (TradeEffect::Net, None, Vec::new());
        Self { id, instrument, is_buy, effect, price, quantity, contract: Contract::Linear, profit, fees }
    }

    /// Returns what trades are sorted by: the later of two has the higher number as its id.
    pub(crate) fn number(&self) -> (usize, &str) {
        (self.id.len(), &self.id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use super::*;

    const FIELDS: TradeFields = TradeFields {
        id: "id",
        instrument: "symbol",
        side: "side",
        buy: "buy",
        price: "price",
        linear: None,
        inverse: &["coin"],
        profit: None,
        fees: None,
        position: None,
        sides: None,
    };

    #[test]
    fn a_product_line_states_the_kind_of_contract() {
        let contracts = |fields: TradeFields| [Some("money"), Some("coin"), None].map(|line| fields.contract(line));
        use Contract::{Inverse, Linear, Unknown};
        assert_eq!(contracts(FIELDS), [Linear, Inverse, Linear]);
        assert_eq!(contracts(TradeFields { linear: Some(&["money"]), ..FIELDS }), [Linear, Inverse, Unknown]);
        assert_eq!(contracts(TradeFields { linear: Some(&["spot"]), ..FIELDS }), [Unknown, Inverse, Unknown]);
    }

    #[test]
    fn a_fee_of_either_sign_counts_as_paid_where_signs_say_nothing() {
        let record = Named::read(
            r#"{"id": "1", "symbol": "BTCUSDT", "side": "buy", "price": "5",
                "paid": [{"coin": "USDT", "amount": "0.1"}, {"coin": "FOO", "amount": "-2"}]}"#,
        );
        let fees = |any_sign| {
            let fees = FeeFields { list: "paid", coin: "coin", amount: "amount", any_sign };
            let trade = TradeFields { fees: Some(fees), ..FIELDS }
                .read(&record, Decimal::from(1_u8), None, &Account::new())
                .unwrap();
            trade.fees.into_iter().map(|(coin, amount)| format!("{amount} {coin}")).collect::<Vec<_>>()
        };
        assert_eq!(fees(false), ["0.1 USDT", "-2 FOO"]);
        assert_eq!(fees(true), ["-0.1 USDT", "-2 FOO"]);
    }

    #[test]
    fn fills_without_a_side_net_only_in_an_account_that_is_stated_to_have_one_position() {
        let sides = SidesFields {
            field: "posSide",
            long: "long",
            short: "short",
            lines: &["futures"],
            property: "mode",
            net: "single",
        };
        let fields = TradeFields { sides: Some(sides), ..FIELDS };
        let effect = |side: &str, held: &str, line, mode: Option<&'static str>| {
            let mut account = Account::new();
            mode.into_iter().for_each(|mode| account.set("mode", PropertyValue::Word(mode.into())));
            let json = format!(r#"{{"id": "1", "symbol": "BTCUSDT", "side": "{side}", "price": "5"{held}}}"#);
            fields.read(&Named::read(&json), Decimal::from(1_u8), Some(line), &account).unwrap().effect
        };
        use TradeEffect::{ClosedLong, ClosedShort, Net, NetUnlessHedged, Opened};
        let [long, short] = ["long", "short"].map(|side| format!(r#", "posSide": "{side}""#));
        for mode in [None, Some("double"), Some("single")] {
            let effects = |held: &str, line| ["buy", "sell"].map(|side| effect(side, held, line, mode));
            assert_eq!(effects(&long, "futures"), [Opened, ClosedLong]);
            assert_eq!(effects(&short, "futures"), [ClosedShort, Opened]);
            let unless_stated = if mode == Some("single") { Net } else { NetUnlessHedged };
            for none in ["", r#", "posSide": """#, r#", "posSide": null"#] {
                assert_eq!(effects(none, "futures"), [unless_stated; 2], "{none} {mode:?}");
                assert_eq!(effects(none, "spot"), [Net; 2], "{none} {mode:?}");
            }
        }
    }

    #[test]
    fn a_value_states_the_effect_of_a_fill() {
        let position = PositionFields {
            field: "effect",
            open: &["open"],
            close: &["close"],
            close_long: &["burst_long"],
            close_short: &["burst_short"],
            net: &["buy_single"],
        };
        let effects = |value| [true, false].map(|is_buy| position.effect(value, is_buy));
        use TradeEffect::{ClosedLong, ClosedShort, Net, Opened, Unknown};
        assert_eq!(effects("open"), [Opened; 2]);
        assert_eq!(effects("close"), [ClosedLong, ClosedShort]);
        assert_eq!(effects("burst_long"), [ClosedLong; 2]);
        assert_eq!(effects("burst_short"), [ClosedShort; 2]);
        assert_eq!(effects("buy_single"), [Net; 2]);
        assert_eq!(effects("settled_by_committee"), [Unknown; 2]);
        assert_eq!(effects(""), [Unknown; 2]);
    }
}
