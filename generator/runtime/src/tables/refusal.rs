//! The reasons for which an exchange refuses requests.

use super::Meta;

/// A reason for which an exchange refuses requests, for programs that stand in for the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its name, unique in the API.
    pub name: &'static str,
    /// What is wrong.
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

impl Refusal {
    /// A refusal without a name and a code; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { name: "", says: "", codes: &[], status: None, rules: &[] };

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

/// Whether a full id is that of a rule of a family as a whole: `unified.batch-items-fail-alone`.
fn is_of_family(rule: &str, family: &str) -> bool {
    let rest = rule.strip_prefix(family).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|id| !id.contains('.'))
}
