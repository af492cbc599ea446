use super::trade::{Contract, TradeEffect};

/// The fields of a fill by which it changes a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TradeFields {
    /// The field that identifies the fill.
    pub id: &'static str,
    /// The field with the instrument.
    pub instrument: &'static str,
    /// The field with the direction.
    pub side: &'static str,
    /// Its value for a buy.
    pub buy: &'static str,
    /// The field with the price.
    pub price: &'static str,
    /// The lines of business with [linear](super::Contract::Linear) contracts; `None` means all but the inverse ones.
    pub linear: Option<&'static [&'static str]>,
    /// The lines of business with [inverse](super::Contract::Inverse) contracts.
    pub inverse: &'static [&'static str],
    /// The field with the profit of the fill.
    pub profit: Option<&'static str>,
    /// The fees.
    pub fees: Option<FeeFields>,
    /// What the fill did to the long or the short position.
    pub position: Option<PositionFields>,
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
}

impl TradeFields {
    /// How contracts of a line of business count.
    pub(super) fn contract(&self, line: Option<&str>) -> Contract {
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

impl PositionFields {
    /// What a fill with this value did.
    pub(super) fn effect(&self, value: &str, is_buy: bool) -> TradeEffect {
        if self.open.contains(&value) {
            return TradeEffect::Opened;
        }
        let closes_either = self.close.contains(&value);
        if self.close_long.contains(&value) || closes_either && is_buy {
            TradeEffect::ClosedLong
        } else if self.close_short.contains(&value) || closes_either {
            TradeEffect::ClosedShort
        } else {
            TradeEffect::Net
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Contract, PositionFields, TradeEffect, TradeFields};

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
    fn a_value_states_the_effect_of_a_fill() {
        let position = PositionFields {
            field: "effect",
            open: &["open"],
            close: &["close"],
            close_long: &["burst_long"],
            close_short: &["burst_short"],
        };
        let effects = |value| [true, false].map(|is_buy| position.effect(value, is_buy));
        use TradeEffect::{ClosedLong, ClosedShort, Net, Opened};
        assert_eq!(effects("open"), [Opened; 2]);
        assert_eq!(effects("close"), [ClosedLong, ClosedShort]);
        assert_eq!(effects("burst_long"), [ClosedLong; 2]);
        assert_eq!(effects("burst_short"), [ClosedShort; 2]);
        assert_eq!(effects("buy_single"), [Net; 2]);
    }
}
