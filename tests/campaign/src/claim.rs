//! The claim of a client about an effect.

use tradeapi::runtime::tables::Outcome;

/// The claim of the client about one effect that it requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The id of the operation.
    pub operation: &'static str,
    /// The way the request names its order.
    pub naming: Naming,
    /// True if the effect occurred.
    pub outcome: Outcome,
    /// The source of the outcome.
    pub known: Known,
    /// The calls that led to the outcome.
    pub how: &'static str,
}

/// The way a request names its order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// By an id that no other order has.
    #[default]
    UniqueId,
    /// By an id that another order has or gets later.
    SharedId,
    /// Without an id.
    NoId,
    /// By the id that the exchange gave it.
    ExchangeId,
}

impl Naming {
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::UniqueId => "",
            Self::SharedId => "(id used again)",
            Self::NoId => "(no id)",
            Self::ExchangeId => "(order id)",
        }
    }
}

/// The source of the outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// By the answer to the request, or because it was never sent.
    ByAnswer,
    /// By a query.
    ByQuery,
    /// The outcome is unknown.
    Unknown,
    /// The outcome is unknown because the campaign deliberately queried it too late.
    TooLate,
}
