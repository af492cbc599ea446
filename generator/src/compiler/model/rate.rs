//! The properties of the account and the classes that follow from them, rate limits, the pools that several operations
//! share, and the proof that codes give.

use super::{
    AnswerPath, AnyFamily, Api, Condition, Dates, Duration, Enum, EnumValue, Family, Field, Name, NameOf, Operation,
    Placed, Record, ResetForm, Scope, Sources,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::{Certainty, CodeProof, CredentialCause, Effect, Stage};

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) calls: u32,
    /// The window that the calls are counted in.
    pub(crate) every: Duration,
    pub(crate) scope: Scope,
    /// The class of users that it applies to; `default` is everyone.
    pub(crate) class: String,
    /// True if no document describes the class.
    pub(crate) is_observed: bool,
    /// The days on which the exchange knows the class.
    pub(crate) dates: Dates,
    /// The weight of a call in a pool, if other operations count in it, too.
    pub(crate) of_pool: Option<PoolWeight>,
    pub(crate) place: Place,
}

/// The weight of a call in a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PoolWeight {
    pub(crate) pool: String,
    /// The number of calls that one call counts as.
    pub(crate) weight: u32,
    /// The calls with this weight; `None` covers those that no heavier weight covers.
    pub(crate) when: Option<WeightCondition>,
}

/// The calls that a weight applies to, by a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WeightCondition {
    Without(String),
    With(String),
    Over(String, u64),
}

impl WeightCondition {
    /// Returns the parameter that decides.
    pub(crate) fn parameter(&self) -> &str {
        match self {
            Self::Without(name) | Self::With(name) | Self::Over(name, _) => name,
        }
    }
}

/// A rate that several operations share.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) doc: String,
    /// The report of answers about the pool.
    pub(crate) reporting: Option<PoolReporting>,
    pub(crate) place: Place,
}

/// The refusal of an address that has made too many requests.
#[derive(Clone, Debug)]
pub(crate) struct RefusedAddress {
    /// The rate of all calls of an address, beyond which it is refused.
    pub(crate) rate: Option<Rate>,
    pub(crate) lasts: Duration,
    /// The HTTP status of such an answer.
    pub(crate) status: u16,
    /// Who has seen it, if no document describes it.
    pub(crate) sources: Sources,
    pub(crate) place: Place,
}

impl RefusedAddress {
    /// The status of any request that is one too many.
    pub(crate) const USUAL_STATUS: u16 = 429;
}

/// A report of answers about a pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolReporting {
    /// True if they report used rather than remaining calls.
    pub(crate) is_used: bool,
    pub(crate) count: ResponseValue,
    pub(crate) reset: Option<(ResponseValue, ResetForm)>,
    pub(crate) place: Place,
}

/// The position of a value in an answer.
#[derive(Clone, Debug)]
pub(crate) enum ResponseValue {
    Header(String),
    Body(AnswerPath),
}

impl Rate {
    /// The class that everyone is in.
    pub(crate) const EVERYONE: &str = "default";

    /// Returns the class of users that it applies to, unless that is everyone.
    pub(crate) fn own_class(&self) -> Option<&str> {
        Some(self.class.as_str()).filter(|class| *class != Self::EVERYONE)
    }
}

/// An error code of a document, and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct ErrorCode {
    pub(crate) code: String,
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) doc: String,
    pub(crate) source: Option<super::Source>,
    pub(crate) proof: Proof,
    pub(crate) success: bool,
}

/// A code that no document lists.
#[derive(Clone, Debug)]
pub(crate) struct ObservedCode {
    pub(crate) code: String,
    pub(crate) place: Place,
    /// The families whose operations return it; empty for all.
    pub(crate) families: Vec<NameOf<AnyFamily>>,
    pub(crate) proof: Proof,
    pub(crate) says: String,
    /// Advice on what to do.
    pub(crate) doc: String,
    pub(crate) sources: Vec<String>,
    pub(crate) certainty: Certainty,
}

/// A reason to refuse a request.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    /// The code in families that do not have their own.
    pub(crate) code: Option<Placed>,
    /// The families with a code of their own.
    pub(crate) codes: Vec<FamilyCode>,
    /// The HTTP status, if it is not that of other refusals.
    pub(crate) status: Option<(u64, Place)>,
    /// The ids of rules, or the last word of the ids of rules that follow from other keys.
    pub(crate) rules: Vec<Placed>,
    /// The parameters of other names for which a change is refused.
    pub(crate) parameters: Vec<Placed>,
}

/// A family and its code, each with its place.
pub(crate) type FamilyCode = (NameOf<AnyFamily>, Placed);

/// The proof that a code gives about the request that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) proves: CodeProof,
    /// The stage that the request reached.
    pub(crate) stage: Stage,
    /// The likely reason why credentials were refused.
    pub(crate) cause: Option<CredentialCause>,
    /// The place of the cause, if the schema states one.
    pub(crate) cause_place: Option<Place>,
    /// Where the schema states that every copy of a request is refused with it.
    pub(crate) alike: Option<Place>,
    /// Where the schema states that it comes before the signature is looked at.
    pub(crate) before_signature: Option<Place>,
}

impl Proof {
    /// Returns whether a request with this refusal may have had its effect. A `compound` request does several things:
    /// when a rule of trading stops one of them, others may be done.
    pub(crate) fn leaves_open(&self, effect: Effect, compound: bool) -> bool {
        self.proves.leaves_open(self.stage, effect, compound)
    }
}

impl ObservedCode {
    /// Returns whether operations of a family return it.
    pub(crate) fn is_of(&self, family: &Family) -> bool {
        self.families.is_empty() || self.families.iter().any(|name| family.is(name))
    }
}

impl Api {
    /// Returns the codes that operations of a family return and its documents do not list. Documented meanings take
    /// precedence.
    pub(crate) fn observed_of<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a ObservedCode> {
        let is_documented = |code: &str| family.errors.iter().any(|error| error.code == code);
        self.codes.iter().filter(move |code| code.is_of(family) && !is_documented(&code.code))
    }
}

impl Api {
    /// Returns the full ids of the rules and ceilings with this id, in operations and families.
    pub(crate) fn rules_with_id(&self, id: &str) -> Vec<String> {
        let of_family = self.families.iter().flat_map(|family| {
            let rules = family.statements.rules.iter().map(|rule| &rule.id);
            let ids = rules.chain(family.limits.iter().map(|limit| &limit.id));
            ids.filter(|found| *found == id).map(|_| format!("{}.{id}", family.name))
        });
        let of_operations = self.families.iter().flat_map(|family| {
            let rules = family.operations.rules().filter(|(_, found)| *found == id);
            rules.map(|(operation, _)| format!("{}.{operation}.{id}", family.name))
        });
        of_family.chain(of_operations).collect()
    }
}

impl Operation {
    /// Returns the documented codes after which it is unknown whether a request had its effect.
    pub(crate) fn open_errors<'a>(&'a self, family: &'a Family) -> impl Iterator<Item = &'a ErrorCode> {
        // A request that is compound only under a condition is described separately.
        let compound = self.compound.as_ref().is_some_and(|compound| compound.when.is_none());
        family.errors.iter().filter(move |error| !error.success && error.proof.leaves_open(self.effect, compound))
    }
}

/// The properties of an account that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) doc: String,
    pub(crate) properties: Vec<Property>,
    pub(crate) instrument: Option<Instrument>,
}

/// A property of an account.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: PropertyKind,
    /// The enums that show it, as `family.Enum`.
    pub(crate) shown_as: Vec<Placed>,
    /// The codes that refuse a request because the account has another value.
    pub(crate) denied_by: Vec<Placed>,
}

impl Property {
    /// Returns whether values of an enum show it.
    pub(crate) fn is_shown_as(&self, family: &str, name: &str) -> bool {
        self.shown_as.iter().any(|(shown, _)| shown.split_once('.') == Some((family, name)))
    }
}

impl Account {
    /// Returns the properties that a record shows, each with the field that shows it.
    pub(crate) fn shown_in<'a>(
        &'a self,
        family: &'a Family,
        record: &'a Record,
    ) -> impl Iterator<Item = (&'a Property, &'a Field)> {
        self.properties.iter().filter_map(|property| {
            let is_it = |shown: &&Enum| property.is_shown_as(&family.name, &shown.name.wire);
            let index = family.enums.iter().position(|shown| is_it(&shown))?;
            Some((property, record.field_of_enum(index)?))
        })
    }
}

/// The kind of a property's values.
#[derive(Clone, Debug)]
pub(crate) enum PropertyKind {
    /// One of these words; the name is that of their Rust type.
    Words(Name, Vec<EnumValue>),
    Flag,
    Time,
    Names,
}

/// The properties of an instrument that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) doc: String,
    pub(crate) properties: Vec<InstrumentProperty>,
}

/// A property of an instrument: a number, or a flag.
#[derive(Clone, Debug)]
pub(crate) struct InstrumentProperty {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) is_flag: bool,
    /// The codes that refuse a request because the instrument has another value.
    pub(crate) denied_by: Vec<Placed>,
}

impl Instrument {
    /// Returns the names of its properties that are flags, or of those that are numbers.
    pub(crate) fn names(&self, flags: bool) -> impl Iterator<Item = &str> {
        self.properties.iter().filter(move |one| one.is_flag == flags).map(|property| property.name.wire.as_str())
    }
}

/// A class of accounts or requests that has rate limits of its own.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) when: Vec<Condition>,
    /// Who has seen it, if no document describes it.
    pub(crate) sources: Sources,
    /// The days on which the exchange knows it.
    pub(crate) dates: Dates,
}
