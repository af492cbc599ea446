//! Lengths of time as the documents give them.

use std::fmt;

/// A number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    pub(crate) n: u32,
    pub(crate) unit: Unit,
}

/// The shortest month.
const SHORTEST_MONTH: u64 = 28 * 24 * 60 * 60;

impl Duration {
    /// Its length in milliseconds; `None` of months, which have no fixed one.
    pub(crate) fn milliseconds(self) -> Option<u64> {
        Some(u64::from(self.n) * self.unit.seconds()? * 1000)
    }

    /// Whether both are of one length, as a week and 7 days are.
    #[cfg(feature = "cli")]
    pub(crate) fn is_as_long_as(self, other: Self) -> bool {
        match (self.milliseconds(), other.milliseconds()) {
            (Some(one), Some(other)) => one == other,
            _ => self == other,
        }
    }

    /// The length that it surely has, in milliseconds: a month is as short as the shortest.
    pub(crate) fn at_least_milliseconds(self) -> u64 {
        u64::from(self.n) * self.unit.seconds().unwrap_or(SHORTEST_MONTH) * 1000
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
}

impl Unit {
    const ALL: [(Self, &str); 6] = [
        (Self::Second, "second"),
        (Self::Minute, "minute"),
        (Self::Hour, "hour"),
        (Self::Day, "day"),
        (Self::Week, "week"),
        (Self::Month, "month"),
    ];

    /// Its length; `None` of a month, which has no fixed one.
    fn seconds(self) -> Option<u64> {
        match self {
            Self::Second => Some(1),
            Self::Minute => Some(60),
            Self::Hour => Some(60 * 60),
            Self::Day => Some(24 * 60 * 60),
            Self::Week => Some(7 * 24 * 60 * 60),
            Self::Month => None,
        }
    }

    fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(unit, _)| *unit == self).map_or("", |(_, name)| name)
    }
}

impl Duration {
    /// Reads `30 days`, `1 week`, `3 months`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (n, unit) = text.split_once(' ')?;
        let n: u32 = n.parse().ok().filter(|n| (1..=100_000).contains(n))?;
        let name = unit.strip_suffix('s').unwrap_or(unit);
        let (unit, _) = Unit::ALL.into_iter().find(|(_, known)| *known == name)?;
        Some(Self { n, unit })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.n, self.unit.as_str(), if self.n == 1 { "" } else { "s" })
    }
}
