use super::trade::TradeEffect;

/// The fields of a fill by which it changes a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TradeFields {
    /// The field that identifies the fill.
    pub id: &'static str,
    /// The field with what is traded.
    pub instrument: &'static str,
    /// The field with the direction.
    pub side: &'static str,
    /// Its value for a buy.
    pub buy: &'static str,
    /// The field with the price.
    pub price: &'static str,
    /// The lines of business with which a profit is a difference of prices, times the quantity; `None` means all.
    pub linear: Option<&'static [&'static str]>,
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
    /// The field with the amount, negative for what was paid.
    pub amount: &'static str,
}

/// The field that tells what a fill did to the long or the short position, and its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionFields {
    /// The field.
    pub field: &'static str,
    /// The values for opening: a buy the long position, a sell the short one.
    pub open: &'static [&'static str],
    /// The values for closing, where the side is that which opened the position.
    pub close: &'static [&'static str],
    /// The values for closing the long position.
    pub close_long: &'static [&'static str],
    /// The values for closing the short position.
    pub close_short: &'static [&'static str],
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
