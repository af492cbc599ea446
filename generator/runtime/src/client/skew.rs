use std::fmt;
use std::time::Duration;

/// How far the exchange's clock is from the client's, as its answers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skew {
    /// How far the exchange's clock is ahead, in milliseconds; below zero, the client's is.
    pub ahead_ms: i64,
    /// How far that may be from the truth, to either side.
    pub uncertainty: Duration,
    /// How long ago it was last learned.
    pub age: Duration,
}

impl Skew {
    /// Whether the two clocks surely differ.
    pub fn is_sure(&self) -> bool {
        u128::from(self.ahead_ms.unsigned_abs()) > self.uncertainty.as_millis() + 1
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.ahead_ms < 0 { "behind" } else { "ahead of" };
        let away = Duration::from_millis(self.ahead_ms.unsigned_abs()).as_secs_f64();
        let uncertainty = self.uncertainty.as_secs_f64();
        write!(f, "the exchange's clock is {away:.3} s {side} the client's, give or take {uncertainty:.3} s")
    }
}
