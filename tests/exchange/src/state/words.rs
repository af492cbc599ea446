//! The enums that both families share, each value with its spelling on the wire.

use tradeapi::runtime::tables::Meta;
use tradeapi::{broker, classic, observed, unified};

/// Declares an enum with the spelling of each value.
macro_rules! words {
    ($($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $wire:literal),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// Returns the spelling on the wire.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire),* }
            }

            /// Returns the value with this spelling.
            $vis fn of(text: &str) -> Option<Self> {
                match text { $($wire => Some(Self::$variant),)* _ => None }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                let expected: &[&str] = &[$($wire),*];
                Self::of(&text).ok_or_else(|| {
                    serde::de::Error::custom(format!("unknown value `{text}`, expected one of: {}", expected.join(", ")))
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

words! {
    /// A family of operations, and the account behind it.
    pub enum Family {
        /// Futures of a classic account.
        Classic = "classic",
        /// The unified account.
        Unified = "unified",
    }

    /// The accounts behind a key.
    #[derive(Default)]
    pub enum Accounts {
        /// A unified account, as every new key has.
        #[default]
        Unified = "unified",
        /// A classic account.
        Classic = "classic",
        /// An account of each family, as no key of a real exchange has.
        Both = "both",
    }

    /// A business line: the `category` or `productType` of a request.
    pub enum Line {
        /// Spot.
        Spot = "SPOT",
        /// Spot with borrowed funds.
        Margin = "MARGIN",
        /// Futures settled in USDT.
        UsdtFutures = "USDT-FUTURES",
        /// Futures settled in the base coin.
        CoinFutures = "COIN-FUTURES",
        /// Futures settled in USDC.
        UsdcFutures = "USDC-FUTURES",
    }

    /// The side of an order.
    pub enum Side {
        /// Buys.
        Buy = "buy",
        /// Sells.
        Sell = "sell",
    }

    /// The time in force of an order.
    pub(crate) enum Force {
        /// Until it is cancelled.
        Gtc = "gtc",
        /// Fills at once as far as possible; the rest is cancelled.
        Ioc = "ioc",
        /// Fills wholly at once, or not at all.
        Fok = "fok",
        /// Only as a maker.
        PostOnly = "post_only",
        /// As a maker, for accounts with the permission for retail price improvement.
        Rpi = "rpi",
    }

    /// Self-trade prevention: which of two orders of one user is cancelled when they meet.
    pub(crate) enum Prevention {
        /// Neither: they trade.
        Off = "none",
        /// The taker.
        CancelTaker = "cancel_taker",
        /// The maker.
        CancelMaker = "cancel_maker",
        /// Both.
        CancelBoth = "cancel_both",
    }

    /// The position that an order belongs to.
    pub enum PositionSide {
        /// The one position of a pair in one-way mode, long or short.
        Net = "net",
        /// The long position in hedge mode.
        Long = "long",
        /// The short position in hedge mode.
        Short = "short",
    }

    /// The effect of an order on its position.
    pub enum Effect {
        /// Opens it or adds to it.
        Open = "open",
        /// Closes it or a part of it.
        Close = "close",
    }

    /// The position mode of an account.
    pub enum Mode {
        /// One position a pair.
        OneWay = "one_way_mode",
        /// A long and a short position a pair.
        Hedge = "hedge_mode",
    }

    /// The margin mode of a position.
    pub enum Margin {
        /// The whole account.
        Crossed = "crossed",
        /// The own margin.
        Isolated = "isolated",
    }

    /// The kind of a conditional order.
    pub(crate) enum PlanKind {
        /// In the classic account: an order at a price.
        Normal = "normal_plan",
        /// An order when the price turns back from its best.
        Track = "track_plan",
        /// The take-profit or stop-loss of a part of a position.
        Profit = "profit_plan",
        Loss = "loss_plan",
        /// One that follows the price.
        Moving = "moving_plan",
        /// The take-profit or stop-loss of a whole position.
        WholeProfit = "pos_profit",
        WholeLoss = "pos_loss",
        /// In the unified account: the take-profit and stop-loss of a position.
        Tpsl = "tpsl",
        /// An order at a price.
        Trigger = "trigger",
    }

    /// The reason why an order was cancelled.
    pub enum Cancelled {
        /// A request cancelled it, or the order's time in force required it.
        Normal = "normal_cancel",
        /// The order would have traded with another one of the same user.
        SelfTrade = "stp_cancel",
    }
}

impl Line {
    /// Returns whether it trades contracts with positions.
    pub const fn is_futures(self) -> bool {
        matches!(self, Self::UsdtFutures | Self::CoinFutures | Self::UsdcFutures)
    }
}

impl PlanKind {
    /// Returns whether it closes a position, so that it ends with it.
    pub(crate) const fn closes(self) -> bool {
        !matches!(self, Self::Normal | Self::Track | Self::Trigger)
    }
}

impl Side {
    /// Returns the other side.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }
}

impl PositionSide {
    /// Returns the side that opens the position.
    pub(crate) const fn opening_side(self) -> Side {
        match self {
            Self::Short => Side::Sell,
            Self::Net | Self::Long => Side::Buy,
        }
    }
}

impl Accounts {
    /// Returns whether the key may call operations of a family.
    pub(crate) fn serve(self, family: Family) -> bool {
        self.family().is_none_or(|own| own == family)
    }

    /// Returns the family of the only account.
    pub(crate) fn family(self) -> Option<Family> {
        match self {
            Self::Unified => Some(Family::Unified),
            Self::Classic => Some(Family::Classic),
            Self::Both => None,
        }
    }
}

/// Returns all operations of the API.
pub(crate) fn all_operations() -> impl Iterator<Item = &'static Meta> {
    [classic::OPERATIONS, unified::OPERATIONS, broker::OPERATIONS, observed::OPERATIONS].into_iter().flatten().copied()
}
