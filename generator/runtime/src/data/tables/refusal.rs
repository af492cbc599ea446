//! The reasons for which an exchange refuses requests.

use super::Meta;

/// A reason for which an exchange refuses requests, for programs that stand in for the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The name, unique in the API.
    pub name: &'static str,
    /// The mistake.
    pub says: &'static str,
    /// Families and the code of each.
    pub codes: &'static [(&'static str, &'static str)],
    /// The HTTP status, if it is known and differs from that of other refusals.
    pub status: Option<u16>,
    /// The ids of the rules whose violation has this refusal, with their operation or family:
    /// `unified.place-order.qty-step`. A rule that follows from another key is named by the word that ends its id:
    /// `required`.
    pub rules: &'static [&'static str],
}

/// Declares a table of refusals: a constant slice of [`Rejection`](crate::data::tables::Rejection).
///
/// A row has the name, each code with the families that refuse with it, and what is wrong. The HTTP status stands behind
/// the codes, after `with`; the rules whose violation has the refusal stand at the end, after `for`.
///
/// ```
/// tradeapi_runtime::refusals! {
///     /// Why requests are refused.
///     pub const REFUSALS;
///
///     "unknown-path" => "404" of "spot" | "margin" with 404: "There is no such path.";
///     "wrong-price" => "22" of "spot", "23" of "margin": "The price is too low.", for "min" | "spot.place.floor";
/// }
/// assert_eq!((REFUSALS[0].status, REFUSALS[1].code("margin")), (Some(404), Some("23")));
/// ```
#[macro_export]
macro_rules! refusals {
    (
        $(#[doc = $doc:literal])*
        $vis:vis const $name:ident;
        $(
            $row:literal $(=> $($code:literal of $($family:literal)|+),+)? $(with $status:literal)?: $says:literal
            $(, for $($rule:literal)|+)?;
        )*
    ) => {
        $(#[doc = $doc])*
        $vis const $name: &[$crate::tables::Rejection] = &[$(
            $crate::tables::Rejection::new($row, $says)
                $(.of(&[$($(($family, $code),)+)+]))?
                $(.with_status($status))?
                $(.for_rules(&[$($rule),+]))?,
        )*];
    };
}

impl Rejection {
    /// A refusal with this name, for this reason, without a code.
    pub const fn new(name: &'static str, says: &'static str) -> Self {
        Self { name, says, codes: &[], status: None, rules: &[] }
    }

    /// The same refusal, with the codes of families.
    #[must_use]
    pub const fn of(self, codes: &'static [(&'static str, &'static str)]) -> Self {
        Self { codes, ..self }
    }

    /// The same refusal, with an HTTP status of its own.
    #[must_use]
    pub const fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// The same refusal, for violations of these rules.
    #[must_use]
    pub const fn for_rules(self, rules: &'static [&'static str]) -> Self {
        Self { rules, ..self }
    }

    /// The code of a family.
    pub fn code(&self, family: &str) -> Option<&'static str> {
        self.codes.iter().find(|(name, _)| *name == family).map(|(_, code)| *code)
    }

    /// The rule of an operation, or of its family as a whole, whose violation has this refusal, by its full id.
    pub fn rule(&self, meta: &Meta) -> Option<&'static str> {
        let of = |whose: &str| {
            let is_its = |rule: &&&str| rule.strip_prefix(whose).is_some_and(|rest| rest.starts_with('.'));
            self.rules.iter().find(is_its).copied()
        };
        of(meta.id).or_else(|| self.rules.iter().find(|rule| is_of_family(rule, meta.family)).copied())
    }
}

/// Returns whether a full id is that of a rule of a family as a whole: `unified.batch-items-fail-alone`.
fn is_of_family(rule: &str, family: &str) -> bool {
    let rest = rule.strip_prefix(family).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|id| !id.contains('.'))
}
