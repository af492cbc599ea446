//! The most that orders are worth, and the last prices that answers show: what budgets follow from.

#[doc(inline)]
pub use tradeapi_words::CountedIn;

/// The most that each order of a request is worth: its quantity, times the worst price that it can get if the quantity
/// counts the base coin.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// The parameter with the list of orders; `[]` where it is the whole body, `None` for a request with one order.
    pub list: Option<&'static str>,
    /// The parameter with the business line.
    pub line: &'static str,
    /// The parameter with the symbol.
    pub symbol: &'static str,
    /// Business lines, each with the coin of its prices. The symbols of other lines end with the coin.
    pub quotes: &'static [(&'static str, &'static str)],
    /// The parameter with the quantity; `None` if no request opens or enlarges a position.
    pub quantity: Option<&'static str>,
    /// The coin that the quantity counts, by the conditions that have to hold together; the first row that fits.
    pub counts: &'static [(&'static [WorthCondition], CountedIn)],
    /// The parameter with the price.
    pub price: Option<&'static str>,
    /// Sets of conditions of which one has to hold so that nothing worse than the price is paid or received.
    pub at_price: &'static [&'static [WorthCondition]],
    /// Sets of conditions of which one has to hold so that the worth is known; without any, it always is.
    pub known_when: &'static [&'static [WorthCondition]],
    /// Sets of conditions of which one has to hold so that the order can only reduce a position.
    pub reduces: &'static [&'static [WorthCondition]],
}

impl Worth {
    /// Opens and enlarges no position; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self {
        list: None,
        line: "",
        symbol: "",
        quotes: &[],
        quantity: None,
        counts: &[],
        price: None,
        at_price: &[],
        known_when: &[],
        reduces: &[],
    };
}

/// A condition about a parameter, or about a property of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorthCondition {
    /// True for a property of the account, which has to be stated.
    pub of_account: bool,
    /// The name.
    pub name: &'static str,
    /// The values with which it holds.
    pub values: &'static [&'static str],
    /// True if it also holds without the parameter.
    pub or_absent: bool,
}

impl WorthCondition {
    /// The parameter has one of these values.
    pub const fn is(name: &'static str, values: &'static [&'static str]) -> Self {
        Self { of_account: false, name, values, or_absent: false }
    }

    /// The property of the account is stated to have one of these values.
    pub const fn account(name: &'static str, values: &'static [&'static str]) -> Self {
        Self { of_account: true, ..Self::is(name, values) }
    }

    /// Returns the same, or the parameter is left out.
    #[must_use]
    pub const fn or_absent(self) -> Self {
        Self { or_absent: true, ..self }
    }
}

/// The last prices that the list in an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// The family whose requests name the instruments.
    pub family: &'static str,
    /// The parameter with the business line.
    pub line: &'static str,
    /// The field with the symbol.
    pub symbol: &'static str,
    /// The field with the price of the latest trade.
    pub price: &'static str,
}
