/// A single value with a text of its own, as parameters carry them.
pub trait Scalar {
    /// The text that is sent. `scratch` is room for texts that must be made first.
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str;
}

/// Room in which a [`Scalar`] makes its text; digits need no allocation.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    digits: [u8; 20],
    text: String,
}

impl Scratch {
    /// Empty room.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The decimal digits of `number`.
    pub fn digits(&mut self, number: u64) -> &str {
        let mut start = self.digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            self.digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                // Digits are ASCII.
                return std::str::from_utf8(&self.digits[start..]).unwrap_or_default();
            }
        }
    }

    /// Keeps `text` while it is needed.
    pub fn keep(&mut self, text: String) -> &str {
        self.text = text;
        &self.text
    }
}

impl<T: Scalar + ?Sized> Scalar for &T {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        (**self).text(scratch)
    }
}

impl Scalar for str {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        self
    }
}

impl Scalar for String {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        self
    }
}

impl Scalar for bool {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        if *self { "true" } else { "false" }
    }
}

impl Scalar for u64 {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.digits(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_number() {
        for number in [0, 7, 10, 1_730_271_234_567, u64::MAX] {
            assert_eq!(number.text(&mut Scratch::new()), number.to_string());
        }
    }
}
