//! The proof that error codes give, with its sources, and the reasons for which an exchange refuses requests.

use super::Meta;

#[doc(inline)]
pub use tradeapi_words::{CodeProof, CredentialCause, Stage};

/// The certainty of the meaning of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Certainty {
    /// The meaning is documented.
    Documented,
    /// The caller set it.
    Named,
    /// The meaning is not documented, but several independent sources have observed it.
    Several,
    /// A single source has observed it, which proves nothing.
    Single,
    /// Sources contradict each other, which proves nothing.
    Conflicting,
}

/// An error code and what it proves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KnownError {
    /// The code.
    pub code: &'static str,
    /// The families of operations that respond with it; empty for all.
    pub families: &'static [&'static str],
    /// The text in the document, or its meaning if it is only observed.
    pub text: &'static str,
    /// Advice on what to do.
    pub doc: &'static str,
    /// The proof about the request; none, if the code means [`success`](Self::success).
    pub proves: CodeProof,
    /// The stage at which the request was refused.
    pub stage: Stage,
    /// The reason why credentials were refused, if the code shows it.
    pub cause: Option<CredentialCause>,
    /// The certainty of the meaning.
    pub certainty: Certainty,
    /// True if every copy of a request is refused with it, because the request alone decides: an amount with too many
    /// digits, not a balance that is too small. So is what is refused at the stage of [`Stage::Parameters`].
    pub alike: bool,
    /// True if it comes before the signature is looked at, so that it says nothing about key, secret and passphrase.
    pub before_signature: bool,
    /// True if it means success.
    pub success: bool,
}

impl KnownError {
    /// Creates a code that a document lists.
    pub const fn documented(code: &'static str, text: &'static str, proves: CodeProof) -> Self {
        let (families, stage) = (&[] as &[&str], proves.usual_stage());
        Self {
            code,
            families,
            text,
            doc: "",
            proves,
            stage,
            cause: None,
            certainty: Certainty::Documented,
            alike: false,
            before_signature: false,
            success: false,
        }
    }

    /// Creates an undocumented code that several sources have observed.
    pub const fn observed(code: &'static str, text: &'static str, proves: CodeProof) -> Self {
        Self { certainty: Certainty::Several, ..Self::documented(code, text, proves) }
    }

    /// Returns the same code, of these families only.
    #[must_use]
    pub const fn of(self, families: &'static [&'static str]) -> Self {
        Self { families, ..self }
    }

    /// Returns the same code, of requests that were refused at `stage`.
    #[must_use]
    pub const fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }

    /// Returns the same code, with what to do about it.
    #[must_use]
    pub const fn with_doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// Returns the same code, with the likely cause.
    #[must_use]
    pub const fn because_of(self, cause: CredentialCause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// Returns the same code, with this certainty.
    #[must_use]
    pub const fn certain(self, certainty: Certainty) -> Self {
        Self { certainty, ..self }
    }

    /// Returns the same code, as one that every copy of a request is refused with.
    #[must_use]
    pub const fn alike(self) -> Self {
        Self { alike: true, ..self }
    }

    /// Returns the same code, as one that comes before the signature is looked at.
    #[must_use]
    pub const fn before_signature(self) -> Self {
        Self { before_signature: true, ..self }
    }

    /// Returns the same code, as one that means success.
    #[must_use]
    pub const fn success(self) -> Self {
        Self { success: true, ..self }
    }

    /// Returns whether every copy of a request is refused with it.
    pub(crate) fn is_for_every_copy(&self) -> bool {
        self.alike || self.stage == Stage::Parameters
    }

    /// Returns whether an operation of `family` can respond with it.
    pub(crate) fn is_of(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.contains(&family)
    }
}

/// Declares a table of codes that are `documented` or `observed`: a constant slice of
/// [`KnownError`](crate::data::tables::KnownError).
///
/// A row has the code, the families that respond with it if not all do, what it proves, and its text, which what to do
/// may follow. What does not follow from the proof stands behind it: `at` a [`Stage`](crate::data::tables::Stage),
/// `because_of` a [`CredentialCause`](crate::data::tables::CredentialCause), `and alike`, `and before_signature`,
/// `and success`, and `certain` with a [`Certainty`](crate::data::tables::Certainty).
///
/// ```
/// use tradeapi_runtime::tables::CodeProof;
///
/// tradeapi_runtime::codes! {
///     /// What was seen.
///     pub const SEEN: observed;
///
///     "22005" => NotDone: "The symbol has no cross margin.";
///     "22010" of "spot" | "margin" => Credentials because_of Ip: "The key must be bound to an address.";
///     "22046" => NotDone at Parameters certain Single: "The price is too low.", "Raise it.";
/// }
/// assert_eq!((SEEN[1].families, SEEN[2].proves), (&["spot", "margin"] as &[&str], CodeProof::NotDone));
/// ```
#[macro_export]
macro_rules! codes {
    (
        $(#[doc = $doc:literal])*
        $vis:vis const $name:ident: $known:ident;
        $(
            $code:literal $(of $($family:literal)|+)? => $proof:ident $(at $stage:ident)? $(because_of $cause:ident)?
            $(and $flag:ident)* $(certain $certainty:ident)?: $text:literal $(, $what_to_do:literal)?;
        )*
    ) => {
        $(#[doc = $doc])*
        $vis const $name: &[$crate::tables::KnownError] = &[$(
            $crate::tables::KnownError::$known($code, $text, $crate::tables::CodeProof::$proof)
                $(.of(&[$($family),+]))?
                $(.at($crate::tables::Stage::$stage))?
                $(.because_of($crate::tables::CredentialCause::$cause))?
                $(.$flag())*
                $(.certain($crate::tables::Certainty::$certainty))?
                $(.with_doc($what_to_do))?,
        )*];
    };
}

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
    /// The parameters that clients send although the operation has none of these names, and for which a change is refused:
    /// without them it would be another one.
    pub parameters: &'static [&'static str],
}

/// Declares a table of refusals: a constant slice of [`Rejection`](crate::data::tables::Rejection).
///
/// A row has the name, each code with the families that refuse with it, and what is wrong. The HTTP status stands behind
/// the codes, after `with`; the rules whose violation has the refusal stand at the end, after `for`, and after them the
/// parameters of other names that have it, after `because_of`.
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
            $(, for $($rule:literal)|+)? $(, because_of $($parameter:literal)|+)?;
        )*
    ) => {
        $(#[doc = $doc])*
        $vis const $name: &[$crate::tables::Rejection] = &[$(
            $crate::tables::Rejection::new($row, $says)
                $(.of(&[$($(($family, $code),)+)+]))?
                $(.with_status($status))?
                $(.for_rules(&[$($rule),+]))?
                $(.because_of(&[$($parameter),+]))?,
        )*];
    };
}

impl Rejection {
    /// Creates a refusal with this name, for this reason, without a code.
    pub const fn new(name: &'static str, says: &'static str) -> Self {
        Self { name, says, codes: &[], status: None, rules: &[], parameters: &[] }
    }

    /// Returns the same refusal, with the codes of families.
    #[must_use]
    pub const fn of(self, codes: &'static [(&'static str, &'static str)]) -> Self {
        Self { codes, ..self }
    }

    /// Returns the same refusal, with an HTTP status of its own.
    #[must_use]
    pub const fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Returns the same refusal, for violations of these rules.
    #[must_use]
    pub const fn for_rules(self, rules: &'static [&'static str]) -> Self {
        Self { rules, ..self }
    }

    /// Returns the same refusal, for parameters of these names.
    #[must_use]
    pub const fn because_of(self, parameters: &'static [&'static str]) -> Self {
        Self { parameters, ..self }
    }

    /// Returns the code of a family.
    pub fn code(&self, family: &str) -> Option<&'static str> {
        self.codes.iter().find(|(name, _)| *name == family).map(|(_, code)| *code)
    }

    /// Returns the rule of an operation, or of its family as a whole, whose violation has this refusal, by its full id.
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
