//! Exact numbers of the model: integers of a fixed unit.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use num_bigint::BigInt;

/// The decimal places of a number. Quotients are rounded down to them.
const PLACES: usize = 24;

/// A number.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Num(BigInt);

fn one() -> BigInt {
    BigInt::from(10_u32).pow(24)
}

impl Num {
    pub(super) fn zero() -> Self {
        Self::default()
    }

    /// Creates a number in plain notation.
    pub(super) fn read(text: &str) -> Self {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        assert!(part.len() <= PLACES, "{text}");
        let all: BigInt = format!("{whole}{part:0<PLACES$}").parse().unwrap_or_else(|_| panic!("{text}"));
        Self(all * sign)
    }

    /// Returns how many whole parts there are.
    pub(super) fn whole_parts(&self, part: &Self) -> i64 {
        i64::try_from(&self.0 / &part.0).unwrap()
    }

    pub(super) fn over(&self, by: &Self) -> Self {
        Self(&self.0 * one() / &by.0)
    }

    /// Returns the number rounded to the eight places that coins have, to the even neighbour from the middle.
    pub(super) fn rounded(&self) -> Self {
        let unit = BigInt::from(10_u32).pow(16);
        let (twice, both) = (&self.0 * 2 + &unit, &unit * 2);
        let is_middle = (&twice % &both) == BigInt::ZERO;
        let down = (&twice - ((&twice % &both) + &both) % &both) / &both;
        let is_odd = (&down % 2_u32) != BigInt::ZERO;
        Self((if is_middle && is_odd { down - 1 } else { down }) * unit)
    }

    /// Returns whether two numbers differ by less than another one.
    pub(super) fn is_within(&self, other: &Self, most: &str) -> bool {
        let off = &self.0 - &other.0;
        off.magnitude() < Self::read(most).0.magnitude()
    }

    /// Returns whether two sums of many rounded numbers are the same.
    pub(super) fn is_close(&self, other: &Self) -> bool {
        self.is_within(other, "0.000001")
    }

    /// Returns whether two numbers are the same but for the rounding of quotients, which the exchange shows with twelve
    /// places.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        self.is_within(other, "0.000000001")
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:0>25}", self.0.magnitude().to_string());
        let (whole, part) = digits.split_at(digits.len() - PLACES);
        let sign = if self.0 < BigInt::ZERO { "-" } else { "" };
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{part}")
    }
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<i64> for Num {
    fn from(whole: i64) -> Self {
        Self(BigInt::from(whole) * one())
    }
}

impl Add for Num {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Num {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Num {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<&Num> for &Num {
    type Output = Num;
    fn mul(self, other: &Num) -> Num {
        Num(&self.0 * &other.0 / one())
    }
}

impl AddAssign for Num {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Num {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Sum for Num {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::zero(), Add::add)
    }
}
