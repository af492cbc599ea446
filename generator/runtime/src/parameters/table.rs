//! What a row of [`parameters!`](crate::parameters) says about a parameter.

use super::Name;

/// The row of a parameter: its name on the wire, how it travels, and the bounds that the documents state.
///
/// The words after the name in `#[wire(..)]` are methods of this type.
#[derive(Clone, Copy, Debug)]
pub struct ParameterTable {
    pub(super) written: Name,
    pub(super) wire: &'static str,
    /// All names on the wire, of which a choice has several.
    pub(super) members: &'static [&'static str],
    pub(super) is_bare: bool,
    pub(super) is_bit: bool,
    pub(super) is_body: bool,
    pub(super) is_elsewhere: bool,
    pub(super) may_be_blank: bool,
    pub(super) delete: &'static str,
    pub(super) only: &'static [&'static str],
    pub(super) min: Option<i128>,
    pub(super) max: Option<i128>,
    pub(super) min_decimal: Option<&'static str>,
    pub(super) max_decimal: Option<&'static str>,
    pub(super) digits: Option<u32>,
    pub(super) min_length: usize,
    pub(super) max_length: usize,
    pub(super) min_items: usize,
    pub(super) max_items: usize,
}

impl ParameterTable {
    /// A parameter that travels as text, without bounds.
    pub const fn of(written: Name, members: &'static [&'static str]) -> Self {
        Self {
            written,
            wire: if let [wire, ..] = members { wire } else { "" },
            members,
            is_bare: false,
            is_bit: false,
            is_body: false,
            is_elsewhere: false,
            may_be_blank: false,
            delete: "",
            only: &[],
            min: None,
            max: None,
            min_decimal: None,
            max_decimal: None,
            digits: None,
            min_length: 0,
            max_length: usize::MAX,
            min_items: 0,
            max_items: usize::MAX,
        }
    }

    /// It travels as a bare JSON number or boolean.
    #[must_use]
    pub const fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// A boolean that travels as the number 1 or 0.
    #[must_use]
    pub const fn bit(self) -> Self {
        Self { is_bit: true, ..self }
    }

    /// It is the whole body, which is an array.
    #[must_use]
    pub const fn body(self) -> Self {
        Self { is_body: true, ..self }
    }

    /// It travels in the path or in a header.
    #[must_use]
    pub const fn elsewhere(self) -> Self {
        Self { is_elsewhere: true, ..self }
    }

    /// An empty text stands for a parameter that is left out.
    #[must_use]
    pub const fn may_be_blank(self) -> Self {
        Self { may_be_blank: true, ..self }
    }

    /// The text that deletes the value.
    #[must_use]
    pub const fn deleted_by(self, delete: &'static str) -> Self {
        Self { delete, ..self }
    }

    /// It takes only these values of its type.
    #[must_use]
    pub const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    /// The least integer.
    #[must_use]
    pub const fn min(self, min: i128) -> Self {
        Self { min: Some(min), ..self }
    }

    /// The greatest integer.
    #[must_use]
    pub const fn max(self, max: i128) -> Self {
        Self { max: Some(max), ..self }
    }

    /// The least decimal number.
    #[must_use]
    pub const fn min_decimal(self, min: &'static str) -> Self {
        Self { min_decimal: Some(min), ..self }
    }

    /// The greatest decimal number.
    #[must_use]
    pub const fn max_decimal(self, max: &'static str) -> Self {
        Self { max_decimal: Some(max), ..self }
    }

    /// The greatest number of digits of an integer.
    #[must_use]
    pub const fn digits(self, digits: u32) -> Self {
        Self { digits: Some(digits), ..self }
    }

    /// The least number of characters of a text.
    #[must_use]
    pub const fn min_length(self, min_length: usize) -> Self {
        Self { min_length, ..self }
    }

    /// The greatest number of characters of a text.
    #[must_use]
    pub const fn max_length(self, max_length: usize) -> Self {
        Self { max_length, ..self }
    }

    /// The least number of items.
    #[must_use]
    pub const fn min_items(self, min_items: usize) -> Self {
        Self { min_items, ..self }
    }

    /// The greatest number of items.
    #[must_use]
    pub const fn max_items(self, max_items: usize) -> Self {
        Self { max_items, ..self }
    }

    /// Whether there is a least or a greatest decimal number.
    pub(super) const fn has_decimal_bound(&self) -> bool {
        self.min_decimal.is_some() || self.max_decimal.is_some()
    }
}
