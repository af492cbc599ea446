//! Exact decimal numbers of moderate size.

use std::cmp::Ordering;

/// A number: its digits, and how many of them follow the decimal point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    digits: i128,
    places: u32,
}

impl Number {
    /// Parses `-12.50`; `None` for more than 30 digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all = format!("{whole}{fraction}");
        if all.len() > 30 || fraction.contains(['-', '+']) {
            return None;
        }
        Some(Self { digits: all.parse().ok()?, places: u32::try_from(fraction.len()).ok()? })
    }

    /// Both numbers, scaled to the same power of ten.
    fn aligned(self, other: Self) -> Option<(i128, i128)> {
        let places = self.places.max(other.places);
        let scaled = |number: Self| number.digits.checked_mul(10_i128.checked_pow(places - number.places)?);
        scaled(self).zip(scaled(other))
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        self.aligned(other).map(|(a, b)| a.cmp(&b))
    }

    /// The next lower number with the same decimal places, the number itself, and the next higher one.
    pub(super) fn around(self) -> [String; 3] {
        [-1, 0, 1].map(|step| Self { digits: self.digits + step, ..self }.to_text())
    }

    fn to_text(self) -> String {
        let places = self.places as usize;
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if self.digits < 0 { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    pub(super) fn is_multiple_of(self, step: Self) -> Option<bool> {
        self.aligned(step).filter(|(_, step)| *step > 0).map(|(number, step)| number % step == 0)
    }

    /// The number of decimal places that it needs.
    pub(super) fn needed_places(self) -> u32 {
        let mut number = self;
        while number.places > 0 && number.digits % 10 == 0 {
            number = Self { digits: number.digits / 10, places: number.places - 1 };
        }
        number.places
    }
}
