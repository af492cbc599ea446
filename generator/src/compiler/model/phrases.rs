//! Statements of the schema in words, for reports, pages and documentation.

use std::fmt::{self, Display, Formatter};

use super::{
    Alternatives, BesideData, Class, Comparison, Condition, Dates, Deprecated, Family, InFlight, NamesWithin, Need,
    OneOf, Operand, Parameter, Placed, PoolReporting, PoolWeight, Rate, RecordCase, Relation, ResponseValue, Shape,
    Test, Type, Unit, WeightCondition, Window, Worth,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::In;

/// The marks that set texts of the schema off from the words around them.
pub(crate) struct Markup {
    pub(crate) text: fn(&str) -> String,
    /// Names and values of the wire.
    pub(crate) code: fn(&str) -> String,
}

/// Without any markup.
pub(crate) const PLAIN: Markup = Markup { text: str::to_owned, code: str::to_owned };

/// `10/s per UID for copy-trading`.
impl Display for Rate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.of_pool {
            None => write!(f, "{} {}", self.pace(), self.counted())?,
            Some(of) => write!(f, "{of} ({} {})", self.pace(), self.counted_by())?,
        }
        if self.dates.are_open() { Ok(()) } else { write!(f, " {}", self.dates) }
    }
}

/// `20 of request-weight`.
impl Display for PoolReporting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { is_used, count, reset, place: _ } = self;
        write!(f, "{count} reports what {}", if *is_used { "is used" } else { "remains" })?;
        match reset {
            Some((reset, form)) => write!(f, ", and {reset} when it is free ({})", form.as_str().replace('_', " ")),
            None => Ok(()),
        }
    }
}

impl Display for ResponseValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "the header {name}"),
            Self::Body(path) => write!(f, "{path} in the body"),
        }
    }
}

impl Display for PoolWeight {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { pool, weight, when } = self;
        write!(f, "{weight} of {pool}")?;
        when.iter().try_for_each(|when| write!(f, " {when}"))
    }
}

/// `with limit over 100`.
impl Display for WeightCondition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without(name) => write!(f, "without {name}"),
            Self::With(name) => write!(f, "with {name}"),
            Self::Over(name, most) => write!(f, "with {name} over {most}"),
        }
    }
}

impl Rate {
    /// Returns how many calls in which window: `10/s`, `600/1m`.
    pub(crate) fn pace(&self) -> String {
        format!("{}/{}", self.calls, self.every.window())
    }

    /// Returns the pace in words: `10 calls a second`, `600 calls in 1 minute`.
    pub(crate) fn pace_in_words(&self) -> String {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        format!("{} {calls} {}", self.calls, self.every.window_in_words())
    }

    /// Returns the window for names that distinguish rates, such as `-1m`; empty if it is a second.
    pub(crate) fn window_suffix(&self) -> String {
        if self.every.window() == "s" { String::new() } else { format!("-{}", self.every.window()) }
    }

    /// Returns how calls are counted, and whose: `per UID for copy-trading`, or `in request-weight`. An operation has
    /// one rate for each of these and each window.
    pub(crate) fn counted(&self) -> String {
        self.of_pool.as_ref().map_or_else(
            || self.counted_by(),
            |of| {
                let when = of.when.as_ref().map(|when| format!(" {when}"));
                format!("in {}{}", of.pool, when.unwrap_or_default())
            },
        )
    }

    /// Returns the rate for readers: `10 calls a second per UID`; for a pool, with the weight of a call.
    pub(crate) fn in_words(&self) -> String {
        let rate = format!("{} per {}", self.pace_in_words(), self.scope.as_str());
        match &self.of_pool {
            None => rate,
            Some(of) => format!("{of}, {rate} of all its operations"),
        }
    }

    /// Returns the rate as a cell of a table: `10/s per UID for copy-trading`, or the weight of a call in a pool.
    pub(crate) fn in_short(&self) -> String {
        self.of_pool.as_ref().map_or_else(|| self.to_string(), PoolWeight::to_string)
    }

    fn counted_by(&self) -> String {
        let class = self.own_class().map(|class| format!(" for {class}")).unwrap_or_default();
        format!("per {}{class}", self.scope.as_str())
    }
}

/// `2 amendment(s) at a time of one orderId`.
impl Display for InFlight {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { per, n: (n, _), place: _ } = self;
        write!(f, "{n} amendment(s) at a time of one {}", per.0)
    }
}

/// Returns the form of a value, with words for its type: `list of Order`.
pub(crate) fn shape<'a>(shape: &'a Shape, word: impl Fn(Type) -> &'a str) -> String {
    match shape {
        Shape::One(ty) => word(*ty).to_owned(),
        Shape::List(ty) => format!("list of {}", word(*ty)),
        Shape::Map(ty) => format!("map to {}", word(*ty)),
        Shape::Items(item) => format!("list of {}", item.rust),
        Shape::Object(object) => object.rust.clone(),
    }
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(&PLAIN))
    }
}

impl Window {
    /// Returns the window in words, such as `start to end: at most 30 days apart; send both or neither`.
    pub(crate) fn in_words(&self, markup: &Markup) -> String {
        // `access_of` is read by `access_is_of_data`.
        let Self { from, to, span, access, access_of: _, default, both_or_neither, days, place: _ } = self;
        let goes_back = if self.access_is_of_data() { "data of the last" } else { "beginning within the last" };
        let bounds = [
            span.map(|(length, _)| format!("at most {length} apart")),
            access.map(|(length, _)| format!("{goes_back} {length}")),
            default.map(|(length, _)| format!("{length} by default")),
            both_or_neither.is_set().then(|| "send both or neither".to_owned()),
            days.map(|(zone, _)| format!("days of {zone}")),
        ];
        let bounds: Vec<_> = bounds.into_iter().flatten().collect();
        let range = format!("{} to {}", (markup.code)(&from.text), (markup.code)(&to.text));
        if bounds.is_empty() { range } else { format!("{range}: {}", bounds.join("; ")) }
    }
}

/// `when side is buy; require price given`.
impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition { when, require, forbid } => {
                let parts = [("when", when), ("require", require), ("forbid", forbid)].into_iter();
                let parts = parts.filter(|(_, all)| !all.is_empty());
                let parts = parts.map(|(word, all)| format!("{word} {}", all_of(all)));
                f.write_str(&parts.collect::<Vec<_>>().join("; "))
            }
            Self::Same(name, _) => write!(f, "{name} is the same in all"),
            Self::Unique(names) => write!(f, "{} is different in all", texts(names, " and ")),
        }
    }
}

/// `side is buy or sell`.
impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(names) => write!(f, "{} given", texts(names, " and ")),
            Self::AnyGiven(names) => write!(f, "{} given", texts(names, " or ")),
            Self::HasForm { parameter, forms } => write!(f, "{} of the form {}", parameter.0, texts(forms, " or ")),
            Self::Is { parameter, values } => write!(f, "{} is {}", parameter.0, texts(values, " or ")),
            Self::AccountIs { property, values } => {
                write!(f, "the account's {} is {}", property.0, texts(values, " or "))
            }
            Self::Compares { parameter, comparison, property } => {
                let whose = if comparison.is_of_instrument() { "the instrument's" } else { "the account's" };
                write!(f, "{} is {} {whose} {}", parameter.0, comparison.in_words(), property.0)
            }
            Self::Relates { parameter, relation, operand, .. } => {
                write!(f, "{} is {} {operand}", parameter.0, relation.in_words())
            }
            Self::Not(inner) => write!(f, "not ({inner})"),
        }
    }
}

impl Comparison {
    fn in_words(self) -> &'static str {
        match self {
            Self::Among => "among",
            Self::NotBefore => "not before",
            Self::MultipleOf => "a multiple of",
            Self::Places => "of no more decimal places than",
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
        }
    }
}

impl Relation {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Above => "above",
            Self::NotBelow => "not below",
            Self::NotAbove => "not above",
        }
    }
}

/// `0.5`, `triggerPrice`, `30 days ago`.
impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(text) | Self::Parameter(text) => f.write_str(text),
            Self::Moment { length: None, .. } => f.write_str("now"),
            Self::Moment { length: Some(length), is_ahead } => {
                write!(f, "{length} {}", if *is_ahead { "ahead" } else { "ago" })
            }
        }
    }
}

impl Need {
    /// Returns the need in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Always => "required",
            Self::Conditional => "required under a condition",
            Self::Unstated => "not stated whether required",
            Self::No => "optional",
        }
    }

    /// Returns the need in a table, below the heading "required".
    pub(crate) fn in_table(self) -> &'static str {
        match self {
            Self::Always => "yes",
            Self::Conditional => "conditionally",
            Self::Unstated => "not stated",
            Self::No => "no",
        }
    }

    /// Returns what has to be said of it beside the parameter; empty if its position shows whether it is required.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Conditional => "Conditionally required; see the rules.",
            Self::Unstated => "The document does not say whether it is required.",
            Self::Always | Self::No => "",
        }
    }

    /// Returns the need in a fact.
    pub(crate) fn as_fact(self) -> &'static str {
        match self {
            Self::Always => "yes",
            Self::Conditional | Self::Unstated | Self::No => self.as_str(),
        }
    }
}

/// Returns where a parameter travels apart from the others, as a sentence.
pub(crate) fn apart(place: In) -> &'static str {
    match place {
        In::Header => "Sent as a header.",
        In::Query => "Sent in the query, beside the body.",
    }
}

/// Returns the name under which a parameter is sent that has another one in requests, as a sentence.
pub(crate) fn sent_as(name: &str) -> String {
    format!("Its name there is {name}.")
}

/// Returns what tells one of several records from the others, as a sentence.
pub(crate) fn told_by(one_of: &OneOf, case: &RecordCase, markup: &Markup) -> String {
    let words: Vec<_> = case.told_by.iter().map(|(word, _)| (markup.code)(word)).collect();
    match (&one_of.decider, words.join(" or ")) {
        (_, words) if words.is_empty() => "Any record that no other fits.".to_owned(),
        (Some((decider, _)), words) => format!("With the {} {words}.", (markup.code)(decider)),
        (None, words) => format!("With the member {words}."),
    }
}

impl BesideData {
    /// Returns what an answer has beside its data, as sentences.
    pub(crate) fn in_words(&self, family: &Family) -> Vec<String> {
        let name = |(index, _): (usize, Place)| family.type_name(Type::Record(index)).to_owned();
        let refusal = self.refusal.map(|record| format!("Refused with: {}", name(record)));
        let headers = self.headers.map(|record| format!("Headers of the answer: {}", name(record)));
        let form = self.form.map(|(form, _)| format!("The answer is {}, not JSON", form.as_str()));
        form.into_iter().chain(refusal).chain(headers).collect()
    }
}

/// Returns the default as a sentence; empty if there is none.
pub(crate) fn default_sentence(default: Option<&str>) -> String {
    default.map(|default| format!("Default: {}.", default.trim_end_matches('.'))).unwrap_or_default()
}

/// Returns what leaving a parameter out means for a value that exists, and the text that deletes it; empty if it is not
/// about a value that exists.
pub(crate) fn edit_sentence(delete: Option<Option<&str>>) -> String {
    match delete {
        Some(Some(delete)) => format!("Left out, the value stays; {delete} deletes it."),
        Some(None) => "Left out, the value stays.".to_owned(),
        None => String::new(),
    }
}

/// Returns a text that ends like a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// Returns the parts that are not empty, joined by `between`.
pub(crate) fn joined(parts: &[String], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(between)
}

/// Returns the sources that have seen what no document describes, as a sentence; empty for what a document describes.
pub(crate) fn observed(sources: &[Placed]) -> String {
    let names: Vec<_> = sources.iter().map(|(source, _)| source.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("Observed, in no document: {}.", names.join(", ")) }
}

/// Returns the days on which the exchange knows something, as a sentence; empty for what has no dates.
pub(crate) fn dated(dates: &Dates) -> String {
    match (dates.from, dates.until) {
        (None, None) => String::new(),
        (None, Some((until, _))) => format!("Until {until}."),
        (Some((from, _)), None) => format!("From {from}."),
        (Some((from, _)), Some((until, _))) => format!("From {from} until {until}."),
    }
}

/// Returns who states those days, as a sentence; empty where those who have seen the fact do.
pub(crate) fn dated_by(dates: &Dates) -> String {
    let names: Vec<_> = dates.by.iter().map(|(source, _)| source.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("These days are stated by {}.", names.join(", ")) }
}

impl Class {
    /// Returns who is in it, since when, and who has seen it.
    pub(crate) fn in_words(&self) -> String {
        let dates = [dated(&self.dates), dated_by(&self.dates)];
        joined(&[self.doc.clone(), joined(&dates, " "), observed(&self.sources)], " ")
    }
}

/// Returns conditions that must hold together.
pub(crate) fn all_of(conditions: &[Condition]) -> String {
    conditions.iter().map(Condition::to_string).collect::<Vec<_>>().join(" and ")
}

/// Returns the units of a quantity, each with its condition; empty if none is stated.
pub(crate) fn units(units: &[Unit], markup: &Markup) -> String {
    let is_alone = units.len() == 1;
    let condition = |((name, _), values): &NamesWithin| {
        let values: Vec<_> = values.iter().map(|(value, _)| (markup.code)(value)).collect();
        format!("{} is {}", (markup.code)(name), values.join(" or "))
    };
    let part = |Unit { when, is, place: _ }: &Unit| {
        let is = (markup.text)(is);
        match when.iter().map(condition).collect::<Vec<_>>().as_slice() {
            [] if is_alone => is,
            [] => format!("otherwise {is}"),
            when => format!("{is} when {}", when.join(" and ")),
        }
    };
    units.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// Returns the units as a sentence; empty if none is stated.
pub(crate) fn unit_sentence(units: &[Unit], markup: &Markup) -> String {
    if units.is_empty() { String::new() } else { format!("Unit: {}.", self::units(units, markup)) }
}

/// Returns the most that orders are worth.
pub(crate) fn worth(worth: &Worth, markup: &Markup) -> String {
    let Worth { r#in: _, quantity, price, at_price, known_when, reduces, only_reduces, place: _ } = worth;
    if only_reduces.is_set() {
        return "nothing, because it opens and enlarges no position".to_owned();
    }
    let named = |name: &Option<Placed>| name.as_ref().map(|(name, _)| (markup.code)(name)).unwrap_or_default();
    let mut parts = vec![named(quantity)];
    if price.is_some() {
        if !at_price.is_empty() {
            parts.push(format!("at {}{}", named(price), alternatives(at_price, markup)));
        }
        parts.push(format!("otherwise at {} or the last price, whichever is higher", named(price)));
    } else {
        parts.push("at the last price".to_owned());
    }
    if !known_when.is_empty() {
        parts.push(format!("known only{}", alternatives(known_when, markup)));
    }
    if !reduces.is_empty() {
        parts.push(format!("nothing{}", alternatives(reduces, markup)));
    }
    parts.join("; ")
}

/// Returns the condition that one of several sets of values holds, with what all sets have in common stated once; empty
/// if one of them always holds.
fn alternatives(sets: &Alternatives, markup: &Markup) -> String {
    if sets.iter().any(Vec::is_empty) {
        return String::new();
    }
    let condition = |((name, _), values): &NamesWithin| {
        let values: Vec<_> = values.iter().map(|(value, _)| (markup.code)(value)).collect();
        let name = (markup.code)(name);
        if values.is_empty() { format!("{name} is left out") } else { format!("{name} is {}", any_of(&values)) }
    };
    let sets: Vec<Vec<_>> = sets.iter().map(|set| set.iter().map(condition).collect()).collect();
    let is_common = |one: &&String| sets.iter().all(|set| set.contains(one));
    let common: Vec<_> = sets.iter().take(1).flatten().filter(is_common).cloned().collect();
    let own = |set: &Vec<String>| set.iter().filter(|one| !is_common(one)).cloned().collect::<Vec<_>>().join(" and ");
    let own: Vec<_> = sets.iter().map(own).filter(|own| !own.is_empty()).collect();
    match (common.join(" and "), own.as_slice()) {
        (common, []) => format!(" when {common}"),
        (common, own) if common.is_empty() => format!(" when {}", own.join(", or when ")),
        (common, own) => format!(" when {common}, and either {}", own.join(", or ")),
    }
}

/// Returns `a`, `a or b`, or `a, b or c`.
fn any_of(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Returns the bounds of a parameter: `from 1 to 100`, `1 to 20 items`, `at most 10 digits`, `2 to 32 characters`.
pub(crate) fn bounds(parameter: &Parameter, markup: &Markup) -> Vec<String> {
    let (min, max) = (&parameter.min, &parameter.max);
    let fixed = parameter.fixed.as_ref().map(|(fixed, _)| format!("always {}", (markup.code)(fixed)));
    let value = match (min, max) {
        (Some((min, _)), Some((max, _))) => Some(format!("from {min} to {max}")),
        (Some((min, _)), None) => Some(format!("at least {min}")),
        (None, Some((max, _))) => Some(format!("at most {max}")),
        (None, None) => None,
    };
    let items = match (parameter.min_items, parameter.max_items) {
        (Some((min, _)), Some((max, _))) => Some(format!("{min} to {max} items")),
        (Some((min, _)), None) => Some(format!("at least {min} items")),
        (None, Some((max, _))) => Some(format!("at most {max} items")),
        (None, None) => None,
    };
    let digits = parameter.digits.map(|(digits, _)| format!("at most {digits} digits"));
    let length = parameter.length.map(|((min, max), _)| match min {
        0 | 1 => format!("at most {max} characters"),
        min => format!("{min} to {max} characters"),
    });
    let pattern = parameter.pattern.as_ref().map(|(pattern, _)| format!("matching {}", (markup.code)(pattern)));
    let places = parameter.places.map(|(places, _)| format!("at most {places} decimal places"));
    let significant = parameter.significant_digits.map(|(digits, _)| format!("at most {digits} significant digits"));
    [fixed, value, items, digits, places, significant, length, pattern].into_iter().flatten().collect()
}

fn texts(texts: &[Placed], between: &str) -> String {
    texts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(between)
}

/// `since v3; use Batch Order`; empty if the document says no more.
impl Display for Deprecated {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let since = self.since.as_ref().map(|(since, _)| format!("since {since}"));
        let instead = self.r#use.as_ref().map(|(instead, _)| format!("use {instead}"));
        f.write_str(&[since, instead].into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

/// Returns a sentence such as `Deprecated since v3; use Batch Order`.
pub(crate) fn deprecated(deprecated: &Deprecated) -> String {
    let says = deprecated.to_string();
    let mark = if deprecated.since.is_some() { " " } else { "; " };
    if says.is_empty() { "Deprecated".to_owned() } else { format!("Deprecated{mark}{says}") }
}
