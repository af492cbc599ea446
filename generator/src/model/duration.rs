//! Lengths of time as the documents give them.

use std::fmt;

/// A number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    pub(crate) n: u32,
    pub(crate) unit: Unit,
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
