/// A part of every rate, for one of several processes that share an account but no limiter.
///
/// ```
/// use tradeapi_runtime::Share;
///
/// assert_eq!(Share::new(1, 4).of(10), 2);
/// assert_eq!(Share::ALL.of(10), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    part: u32,
    whole: u32,
}

impl Share {
    /// All of it.
    pub const ALL: Self = Self { part: 1, whole: 1 };

    const NONE: Self = Self { part: 0, whole: 1 };

    /// `part` of `whole`: one of four processes may take `Share::new(1, 4)`. More than the whole is the whole, and no part
    /// of anything is nothing.
    pub const fn new(part: u32, whole: u32) -> Self {
        match part {
            0 => Self::NONE,
            _ if part >= whole => Self::ALL,
            _ => Self { part, whole },
        }
    }

    /// Its part of `calls`, rounded down: together, the shares never have more than there are.
    pub const fn of(self, calls: u32) -> u32 {
        let calls = calls as u64 * self.part as u64 / self.whole as u64;
        calls as u32
    }

    /// What part of the whole it is.
    #[cfg(feature = "redis")]
    pub(super) fn fraction(self) -> f64 {
        f64::from(self.part) / f64::from(self.whole)
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::ALL
    }
}
