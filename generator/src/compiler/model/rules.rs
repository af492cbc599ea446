//! Rules: sentences of the documents, with their conditions as data.
//!
//! Conditions are data, because a string language would need a parser and a type checker of its own. They have three
//! values: some depend on the account or an instrument, and a rule with an unknown condition is skipped. Every rule has
//! an id, also one that comes from another key (`limit.max`), so that each can be switched off or turned into a warning
//! at run time.

use std::collections::BTreeSet;

use super::builder::{Builder, placed, placed_list};
use super::elements::{Element, Key, Means, behaviour, documentation, first, maybe, names, path};
use super::facts::Fact;
use super::{Duration, ListName, Placed, RuleKind, Severity};
use crate::compiler::diagnostics::{Code, Place, unknown};
use crate::compiler::load::{Conditions, Spanned, raw};
use tradeapi_words::words;

/// A binding sentence of a document.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) place: Place,
    /// Where it is written out; differs from its place if it is `as` another.
    pub(crate) written: Place,
    pub(crate) at: String,
    pub(crate) kind: RuleKind,
    pub(crate) severity: Severity,
    /// The place of the severity, if it is written.
    pub(crate) severity_place: Option<Place>,
    pub(crate) says: String,
    pub(crate) why: Option<String>,
    /// The list to whose items it applies.
    pub(crate) within: Option<(ListName, Place)>,
    pub(crate) test: Option<Test>,
    /// Parameters that the operation, or the items of the list, do not support although the family has them.
    pub(crate) unsupported: Vec<Placed>,
}

impl Rule {
    /// Returns the paths of the parameters that are not supported: `[].reduceOnly`.
    pub(crate) fn unsupported_paths(&self) -> impl Iterator<Item = Placed> {
        let prefix = self.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
        self.unsupported.iter().map(move |(name, place)| (format!("{prefix}{name}"), *place))
    }

    /// Returns the parameters that it says are not supported: `not supported: reduceOnly, takeProfit`.
    pub(crate) fn unsupported_in_words(&self) -> Option<String> {
        let names: Vec<&str> = self.unsupported.iter().map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("not supported: {}", names.join(", ")))
    }
}

/// The condition that a rule requires.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// When all of `when` hold, all of `require` hold and not all of `forbid` do.
    Condition { when: Vec<Condition>, require: Vec<Condition>, forbid: Vec<Condition> },
    /// All items have the same value.
    Same(String, Place),
    /// No two items share a value of any of these.
    Unique(Vec<Placed>),
}

/// One entry of `when`, `require` or `forbid`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// All of these are set.
    Given(Vec<Placed>),
    /// At least one of these is set.
    AnyGiven(Vec<Placed>),
    /// The parameter is set, and its text has one of these forms.
    HasForm { parameter: Placed, forms: Vec<Placed> },
    /// The parameter is set to one of these values.
    Is { parameter: Placed, values: Vec<Placed> },
    /// A property of the account has one of these values. Undecided while the property is unknown.
    AccountIs { property: Placed, values: Vec<Placed> },
    /// The parameter compares in this way with a property of the account or the instrument. Undecided if one of the two
    /// is missing.
    Compares { parameter: Placed, comparison: Comparison, property: Placed },
    /// The parameter is below or above a number, another parameter or a moment. Undecided if one of the two is missing,
    /// or within a minute of the moment.
    Relates { parameter: Placed, relation: Relation, operand: Operand, place: Place },
    /// The condition does not hold. Undecided if the condition is.
    Not(Box<Condition>),
}

words! {
    /// The order of a parameter relative to its operand; the word follows the name of the parameter and a dot.
    pub(crate) enum Relation {
        Below = "below",
        Above = "above",
        NotBelow = "not_below",
        NotAbove = "not_above",
    }

    /// The comparison of a parameter with a property of the account or of the instrument; the word follows the name of
    /// the parameter and a dot.
    pub(crate) enum Comparison {
        /// The text is among the names of the account's property.
        Among = "among",
        /// The time is not before that of the account's property.
        NotBefore = "not_before",
        /// The number is a multiple of the instrument's property.
        MultipleOf = "multiple_of",
        /// The number has no more decimal places than the instrument's property says.
        Places = "places",
        /// The number is not below the instrument's property.
        AtLeast = "at_least",
        /// The number is not above the instrument's property.
        AtMost = "at_most",
    }
}

impl Relation {
    /// Returns the relation that holds where this one does not.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Below => Self::NotBelow,
            Self::Above => Self::NotAbove,
            Self::NotBelow => Self::Below,
            Self::NotAbove => Self::Above,
        }
    }

    /// Returns whether it holds for a parameter that has this order relative to the other.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Below => order.is_lt(),
            Self::Above => order.is_gt(),
            Self::NotBelow => order.is_ge(),
            Self::NotAbove => order.is_le(),
        }
    }
}

/// The operand of a comparison with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Number(String),
    Parameter(String),
    /// A time relative to now; `None` is now itself.
    Moment {
        length: Option<Duration>,
        is_ahead: bool,
    },
}

impl Operand {
    /// Parses `0.5`, `now`, `30 days ago`, `1 hour ahead`; any other text is the name of a parameter.
    pub(crate) fn parse(text: &str) -> Self {
        let moment = |length: &str, is_ahead| {
            Duration::parse(length).map(|length| Self::Moment { length: Some(length), is_ahead })
        };
        let moment = match text.rsplit_once(' ') {
            _ if text == "now" => Some(Self::Moment { length: None, is_ahead: false }),
            Some((length, "ago")) => moment(length, false),
            Some((length, "ahead")) => moment(length, true),
            Some(_) | None => None,
        };
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = (is_digits(whole) && is_digits(fraction)).then(|| Self::Number(text.to_owned()));
        moment.or(number).unwrap_or_else(|| Self::Parameter(text.to_owned()))
    }
}

impl Comparison {
    /// Returns whether it compares with a property of the instrument rather than of the account.
    pub(crate) fn is_of_instrument(self) -> bool {
        matches!(self, Self::MultipleOf | Self::Places | Self::AtLeast | Self::AtMost)
    }
}

impl Test {
    /// Returns a text that tests have in common if they refuse the same, whatever the order of their entries.
    pub(crate) fn meaning(&self) -> String {
        match self {
            Self::Condition { when, require, forbid } => {
                let [when, require, forbid] = [when, require, forbid].map(|all| meaning(all));
                format!("when {when:?} require {require:?} forbid {forbid:?}")
            }
            Self::Same(name, _) => format!("same {name}"),
            Self::Unique(names) => format!("unique {:?}", texts(names)),
        }
    }

    /// Returns all conditions of the test.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let lists: [&[Condition]; 3] = match self {
            Self::Condition { when, require, forbid } => [when, require, forbid],
            Self::Same(..) | Self::Unique(_) => [&[], &[], &[]],
        };
        lists.into_iter().flatten()
    }
}

/// Returns the meanings of conditions that hold together.
pub(crate) fn meaning(conditions: &[Condition]) -> BTreeSet<String> {
    conditions.iter().map(Condition::meaning).collect()
}

fn texts(values: &[Placed]) -> BTreeSet<&str> {
    values.iter().map(|(value, _)| value.as_str()).collect()
}

impl Condition {
    fn meaning(&self) -> String {
        match self {
            Self::Given(names) => format!("given {:?}", texts(names)),
            Self::AnyGiven(names) => format!("any_given {:?}", texts(names)),
            Self::HasForm { parameter, forms } => format!("{}.form {:?}", parameter.0, texts(forms)),
            Self::Is { parameter, values } => format!("{} {:?}", parameter.0, texts(values)),
            Self::AccountIs { property, values } => format!("account.{} {:?}", property.0, texts(values)),
            Self::Compares { parameter, comparison, property } => {
                format!("{}.{} {}", parameter.0, comparison.as_str(), property.0)
            }
            Self::Relates { parameter, relation, operand, .. } => {
                format!("{}.{} {operand}", parameter.0, relation.as_str())
            }
            Self::Not(inner) => format!("not.{}", inner.meaning()),
        }
    }

    /// Returns the parameters that it depends on.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.placed_names().into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the parameters that it depends on, each with its place.
    pub(crate) fn placed_names(&self) -> Vec<(&str, Place)> {
        match self {
            Self::Given(names) | Self::AnyGiven(names) => {
                names.iter().map(|(name, place)| (name.as_str(), *place)).collect()
            }
            Self::Is { parameter, .. } | Self::HasForm { parameter, .. } | Self::Compares { parameter, .. } => {
                vec![(parameter.0.as_str(), parameter.1)]
            }
            Self::Relates { parameter, operand: Operand::Parameter(other), place, .. } => {
                vec![(parameter.0.as_str(), parameter.1), (other.as_str(), *place)]
            }
            Self::Relates { parameter, .. } => vec![(parameter.0.as_str(), parameter.1)],
            Self::AccountIs { .. } => Vec::new(),
            Self::Not(inner) => inner.placed_names(),
        }
    }

    /// Returns the condition that it is or negates.
    fn bare(&self) -> &Self {
        if let Self::Not(inner) = self { inner.bare() } else { self }
    }

    /// Returns the property of the account or the instrument that it depends on.
    pub(crate) fn property(&self) -> Option<&str> {
        match self.bare() {
            Self::AccountIs { property, .. } | Self::Compares { property, .. } => Some(&property.0),
            _ => None,
        }
    }

    /// Returns whether it compares with a property of the instrument that the request names.
    pub(crate) fn is_of_instrument(&self) -> bool {
        matches!(self.bare(), Self::Compares { comparison, .. } if comparison.is_of_instrument())
    }

    /// Returns whether it compares anything with a value that is not fixed in the schema.
    pub(crate) fn compares(&self) -> bool {
        matches!(self.bare(), Self::Compares { .. } | Self::Relates { .. })
    }

    /// Returns whether it depends on the current time.
    pub(crate) fn is_of_time(&self) -> bool {
        matches!(self.bare(), Self::Relates { operand: Operand::Moment { .. }, .. })
    }
}

/// Returns the rules of a family or of one of its `operations`.
pub(super) fn rules(builder: &mut Builder<'_>, raw: &[Spanned<raw::Rule>], operations: &OperationFiles) -> Vec<Rule> {
    raw.iter()
        .filter_map(|raw| {
            let raw = follow(builder, raw, operations)?;
            Some(rule(builder, &raw))
        })
        .collect()
}

/// The operation files of a family.
pub(super) type OperationFiles = [(String, Place, raw::Operation)];

/// Returns whether a file is that of the operation; where it says another name than its own, that alone is the mistake.
pub(super) fn is_named((file, _, raw): &(String, Place, raw::Operation), name: &str) -> bool {
    file == name || raw.operation.as_ref().is_some_and(|own| own.value == name)
}

/// Replaces `as: operation.rule` by the rule that it names; keys beside it win. The list is never taken over.
fn follow(
    builder: &mut Builder<'_>,
    raw: &Spanned<raw::Rule>,
    operations: &OperationFiles,
) -> Option<Spanned<raw::Rule>> {
    let Some(reference) = &raw.r#as else {
        // With an unread `as`, keys may come from the other rule, so none is reported as missing.
        return if builder.to.is_unread(raw.place.file, "as") { None } else { Some(raw.clone()) };
    };
    let (operation, id) = reference.value.split_once('.').unwrap_or((&reference.value, ""));
    let rules = || operations.iter().filter(|one| is_named(one, operation)).flat_map(|(.., raw)| &raw.rules);
    let ids = || rules().filter_map(|rule| rule.id.as_ref()).map(|id| (id.value.as_str(), Some(id.place)));
    let lacks_id = |rule: &Spanned<raw::Rule>| rule.id.is_none() && rule.r#as.is_none();
    let Some(base) = rules().find(|rule| rule.id.as_ref().is_some_and(|known| known.value == id)) else {
        if rules().any(lacks_id) {
            // Reported at the rule without an id, which may be this one.
            return None;
        }
        let help = unknown(id, ids(), || {
            "write `operation.rule` with an operation of this family, such as `place-order.qty-minimum`".to_owned()
        });
        builder.at(reference.place, Code::UndefinedName, format!("unknown rule `{}`", reference.value)).help(help);
        return None;
    };
    if base.r#as.is_some() {
        builder
            .at(reference.place, Code::Circular, format!("the rule `{}` has an `as` of its own", reference.value))
            .related(base.place, "its `as` is here")
            .help("refer to a rule that is written out");
        return None;
    }
    let has_test = |rule: &raw::Rule| {
        rule.require.is_some() || rule.forbid.is_some() || rule.same.is_some() || rule.unique.is_some()
    };
    let lacks_test = base.kind.as_ref().is_some_and(|kind| kind.value == RuleKind::Checked) && !has_test(base);
    if base.kind.is_none() || base.says.is_none() || lacks_test && !has_test(raw) {
        // Reported at the rule itself.
        return None;
    }
    let base = raw::Rule { r#in: None, ..base.value.clone() };
    let value = raw::Rule { r#as: None, ..raw.value.clone().or(base) };
    Some(Spanned { value, place: raw.place })
}

fn rule(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Rule {
    let kind = match &raw.kind {
        Some(kind) => kind.value,
        None => {
            builder.missing("kind", raw.place);
            // If it is missing, a value that passes the checks, so that only the missing key is reported.
            let has_test = raw.require.is_some() || raw.forbid.is_some() || raw.same.is_some() || raw.unique.is_some();
            if has_test { RuleKind::Checked } else { RuleKind::Type }
        }
    };
    Rule {
        id: builder.need(&raw.id, "id", raw.place),
        place: raw.id.as_ref().filter(|id| id.place.file == raw.place.file).map_or(raw.place, |id| id.place),
        written: raw.id.as_ref().map_or(raw.place, |id| id.place),
        at: raw.at.as_ref().map_or_else(String::new, |_| builder.need(&raw.at, "at", raw.place)),
        kind,
        severity: raw.severity.as_ref().map_or(Severity::Refuse, |severity| severity.value),
        severity_place: raw.severity.as_ref().map(|severity| severity.place),
        says: builder.need(&raw.says, "says", raw.place),
        why: raw.why.as_ref().map(|why| why.value.trim().to_owned()),
        within: raw.r#in.as_ref().map(placed_list),
        test: test(builder, raw),
        unsupported: raw.unsupported.iter().flat_map(|names| names.iter().map(placed)).collect(),
    }
}

/// Returns the test of the rule; several tests in one rule are refused.
fn test(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Option<Test> {
    let has_condition = raw.require.is_some() || raw.forbid.is_some();
    let tests = usize::from(has_condition) + usize::from(raw.same.is_some()) + usize::from(raw.unique.is_some());
    if tests > 1 {
        builder
            .at(raw.place, Code::BadRule, "a rule can have only one test")
            .help("write separate rules for `same`, `unique`, and `require` with `forbid`");
    }
    if let Some(when) = raw.when.as_ref().filter(|_| tests > 0 && !has_condition) {
        builder
            .at(when.place, Code::BadRule, "`when` requires `require` or `forbid`")
            .help("add `require` or `forbid`, or remove `when`");
    }
    if let Some(when) = raw.when.as_ref().filter(|when| has_condition && when.is_empty()) {
        let help = "write when the rule applies, or remove `when`: without it, the rule always applies";
        builder.at(when.place, Code::BadRule, "`when` is empty").help(help);
    }
    if let Some(same) = &raw.same {
        return Some(Test::Same(same.value.clone(), same.place));
    }
    if let Some(unique) = &raw.unique {
        return Some(Test::Unique(unique.iter().map(placed).collect()));
    }
    (has_condition || raw.when.is_some()).then(|| Test::Condition {
        when: conditions(raw.when.as_ref()),
        require: conditions(raw.require.as_ref()),
        forbid: conditions(raw.forbid.as_ref()),
    })
}

pub(super) fn conditions(raw: Option<&Spanned<Conditions>>) -> Vec<Condition> {
    let entries = raw.into_iter().flat_map(|raw| raw.iter());
    entries
        .map(|(name, values)| {
            let values = values.iter().map(placed).collect();
            match name.value.strip_prefix("not.") {
                Some(key) => Condition::Not(Box::new(condition(key, name.place, values))),
                None => condition(&name.value, name.place, values),
            }
        })
        .collect()
}

fn condition(key: &str, place: Place, values: Vec<Placed>) -> Condition {
    match key {
        "given" => Condition::Given(values),
        "any_given" => Condition::AnyGiven(values),
        key => worded(key, place, values),
    }
}

/// Returns a condition whose key is a parameter's name with a word before or after it.
fn worded(key: &str, place: Place, values: Vec<Placed>) -> Condition {
    let named = |name: &str| (name.to_owned(), place);
    if let Some(property) = key.strip_prefix("account.") {
        return Condition::AccountIs { property: named(property), values };
    }
    let Some((parameter, word)) = key.rsplit_once('.') else {
        return Condition::Is { parameter: named(key), values };
    };
    if word == "form" {
        return Condition::HasForm { parameter: named(parameter), forms: values };
    }
    if let (Some(relation), [(operand, place)]) = (Relation::parse(word), values.as_slice()) {
        let operand = Operand::parse(operand);
        return Condition::Relates { parameter: named(parameter), relation, operand, place: *place };
    }
    match (Comparison::parse(word), values.as_slice()) {
        (Some(comparison), [property]) => {
            Condition::Compares { parameter: named(parameter), comparison, property: property.clone() }
        }
        _ => Condition::Is { parameter: named(key), values },
    }
}

impl Rule {
    /// Returns a rule that always requires one of several parameters also states a one-of.
    pub(super) fn facts(&self, about: &str) -> Vec<(Place, Fact)> {
        let mut facts = vec![Fact::Rule { about: about.to_owned(), rule: self.id.clone(), kind: self.kind }];
        let prefix = self.within.as_ref().map(|(list, _)| list.item_prefix()).unwrap_or_default();
        if let Some(Test::Condition { when, require, .. }) = &self.test {
            for condition in require.iter().filter(|_| when.is_empty()) {
                if let Condition::AnyGiven(names) = condition {
                    let paths = names.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
                    facts.push(Fact::OneOf { operation: about.to_owned(), paths });
                }
            }
        }
        let facts = facts.into_iter().map(|fact| (self.place, fact));
        let unsupported = self
            .unsupported_paths()
            .map(|(path, place)| (place, Fact::Unsupported { operation: about.to_owned(), path }));
        facts.chain(unsupported).collect()
    }

    pub(super) fn element(&self, of: &str) -> Element {
        let Self { id, place, written, at, kind, severity, severity_place, says, why, within, test, unsupported } =
            self;
        // Whether something enforces it beyond types and the attention of a reader.
        let is_binding = match kind {
            RuleKind::Checked | RuleKind::Limit | RuleKind::Simulated => true,
            RuleKind::Type | RuleKind::Stated | RuleKind::Todo => false,
        };
        let bound = |means: &'static str| Means::Binds { is_binding, verdict: behaviour(means) };
        let alone = |means: &'static str| if is_binding { behaviour(means) } else { documentation("") };
        let within = within.as_ref().map(|(list, _)| format!("in {list}: ")).unwrap_or_default();
        let element = Element::new("rule", path(of, id), [id, id], *place)
            .when(alone("it holds from now on"), alone("it no longer holds"))
            .keys([
                Key::new("kind", kind.as_str(), bound("it is kept by other means")),
                Key::new("severity", severity.as_str(), bound("whether a request that breaks it is refused"))
                    .at(*severity_place),
                Key::new("condition", within.clone() + &maybe(test.as_ref()), bound("it binds other requests"))
                    .same_as(within + &maybe(test.as_ref().map(Test::meaning))),
                Key::new(
                    "unsupported",
                    names(unsupported),
                    behaviour("which parameters are refused by name when read"),
                )
                .at(first(unsupported)),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
                Key::prose("why", &maybe(why.as_ref())),
            ])
            .states(self.facts(of));
        Element { written: *written, ..element }
    }
}
