//! The rules that follow from the keys of the schema other than `rules`, and values just outside and inside their
//! bounds.

use super::{Bound, Check, Entry, Leaf, NOW, WindowRule, leaves};
use crate::compiler::model::{
    Access, Case, Choice, ChoiceKind, CodeProof, Enum, EnumValue, Family, Identifier, ListName, Need, Number,
    Operation, Parameter, RuleKind, Severity, Source, Type, Window, formats,
};
use regex_lite::Regex;
use serde_json::{Value, json};
use tradeapi_words::ACCESS_TOLERANCE_MS;

/// Creates entries for one section of a document.
struct Derive {
    section: String,
}

pub(super) fn of_operation<'a>(family: &'a Family, operation: &'a Operation) -> Vec<Entry<'a>> {
    let section = operation.source.as_ref().and_then(|source| source.section());
    let derive = Derive { section: section.unwrap_or(&operation.title).to_owned() };
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for leaf in leaves(family, operation) {
        // A member of several cases of a choice has its rules once.
        let is_new = |entry: &Entry<'_>| !entries.iter().any(|other| other.id == entry.id);
        let new: Vec<_> = derive.of_parameter(family, leaf).into_iter().filter(is_new).collect();
        entries.extend(new);
    }
    for (list, parameter, choice) in operation.choices(family) {
        entries.extend(derive.of_choice(family, list, parameter, choice));
    }
    entries.extend(operation.window.iter().flat_map(|window| derive.of_window(window)));
    entries.extend(derive.of_call(operation));
    entries
}

pub(super) fn of_family(family: &Family) -> Vec<Entry<'_>> {
    let ceilings = family.limits.iter().map(|ceiling| {
        let says = format!("At most {}: {}", ceiling.n, ceiling.doc);
        Derive::at(family, ceiling.source.as_ref()).entry(ceiling.id.clone(), "", RuleKind::Limit, says)
    });
    let unknown = family.errors.iter().filter(|error| error.proof.proves == CodeProof::Unknown).map(|error| {
        let says = format!("Code {} leaves open whether the request took effect.", error.code);
        let derive = Derive::at(family, error.source.as_ref());
        derive.entry(format!("error-{}", error.code), "", RuleKind::Type, says)
    });
    let transitions = family.lifecycle.iter().flat_map(|lifecycle| {
        let derive = Derive::at(family, lifecycle.source.as_ref());
        lifecycle.transitions.iter().map(move |transition| {
            let trigger = transition.trigger.first().map_or("", |trigger| trigger.text.as_str());
            let id = format!("{}-to-{}", slug(trigger), transition.to.as_str());
            let says = format!("By {trigger}: {}.", transition.in_words());
            derive.entry(id, "", RuleKind::Simulated, says)
        })
    });
    ceilings.chain(unknown).chain(transitions).collect()
}

fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

impl Derive {
    /// Creates the place of the section of a source, or for the name of the family.
    fn at(family: &Family, source: Option<&Source>) -> Self {
        let section = source.and_then(|source| source.section());
        Self { section: section.unwrap_or(&family.title).to_owned() }
    }

    fn entry<'a>(&self, id: String, at: &str, kind: RuleKind, says: String) -> Entry<'a> {
        let at = if at.is_empty() { self.section.clone() } else { format!("{}, {at}", self.section) };
        Entry { id, at, kind, severity: Severity::Refuse, says, check: None }
    }

    fn of_parameter<'a>(&self, family: &'a Family, leaf: Leaf<'a>) -> Vec<Entry<'a>> {
        let (parameter, path) = (leaf.parameter, leaf.path());
        let name = if path.is_empty() { "the body".to_owned() } else { path.clone() };
        let id = |kind: &str| if path.is_empty() { kind.to_owned() } else { format!("{path}.{kind}") };
        let mut entries: Vec<Entry<'a>> = bounds(family, parameter)
            .into_iter()
            .map(|(kind, says, bound)| Entry {
                check: Some(Check::Parameter(leaf, bound)),
                ..self.entry(id(kind), &name, RuleKind::Checked, format!("{name} {says}"))
            })
            .collect();
        let mut add = |kind: &str, made: RuleKind, says: String| {
            entries.push(self.entry(id(kind), &name, made, says));
        };
        if let Some((fixed, _)) = &parameter.fixed {
            add("fixed", RuleKind::Type, format!("{name} is always {fixed}."));
        } else if parameter.need == Need::Always {
            add("required", RuleKind::Type, format!("{name} is always sent."));
        }
        if let Some((default, _)) = &parameter.default {
            add("default", RuleKind::Simulated, format!("Without {name}, the exchange takes {default}."));
        }
        if let Some(note) = &parameter.default_note {
            add("default", RuleKind::Simulated, format!("Without {name}: {note}."));
        }
        if let Some(delete) = parameter.kept_unless() {
            let delete = delete.map(|text| format!(", and {text} deletes it")).unwrap_or_default();
            add("keep", RuleKind::Type, format!("Left out, {name} keeps the value{delete}."));
        }
        if !parameter.units.is_empty() {
            let units: Vec<_> = parameter.units.iter().map(|unit| unit.is.as_str()).collect();
            add("unit", RuleKind::Stated, format!("{name} is counted in {}.", units.join(" or ")));
        }
        entries
    }

    fn of_choice<'a>(
        &self,
        family: &'a Family,
        list: Option<&ListName>,
        parameter: &'a Parameter,
        choice: &'a Choice,
    ) -> Vec<Entry<'a>> {
        let list = list.map(ListName::item_prefix).unwrap_or_default();
        match &choice.kind {
            ChoiceKind::Presence { alternatives, .. } => {
                let names: Vec<_> = alternatives.iter().map(|inner| inner.name.wire.as_str()).collect();
                let (id, names) = (format!("{list}{}.one-of", names.join("-or-")), names.join(" or "));
                let wins = choice.wins().filter(|_| !parameter.wins_unstated);
                let wins = wins.map(|wins| format!(" {wins} wins.")).unwrap_or_default();
                vec![self.entry(id, &names, RuleKind::Type, format!("One of {names} is sent.{wins}"))]
            }
            ChoiceKind::Value { decider, enum_index, .. } => {
                let of_case = |(value, case): (&EnumValue, &'a Case)| {
                    let value = &value.name.wire;
                    let members: Vec<_> = case.parameters.iter().map(|inner| inner.name.wire.as_str()).collect();
                    let with = if members.is_empty() { "nothing more".to_owned() } else { members.join(", ") };
                    let says = format!("{} {value} takes {with}.", decider.wire);
                    self.entry(format!("{list}{}.{value}", decider.wire), &decider.wire, RuleKind::Type, says)
                };
                let mut entries: Vec<_> = choice.cases(family).map(of_case).collect();
                entries.extend(family.enums.get(*enum_index).map(|all| {
                    let says = format!("{} is one of {}.", decider.wire, wires(all).join(", "));
                    self.entry(format!("{list}{}.values", decider.wire), &decider.wire, RuleKind::Type, says)
                }));
                entries
            }
        }
    }

    fn of_window<'a>(&self, window: &'a Window) -> Vec<Entry<'a>> {
        let (from, to) = (&window.from.text, &window.to.text);
        let checked = |kind: &str, rule: WindowRule, says: String| Entry {
            check: Some(Check::Window(window, rule)),
            ..self.entry(format!("window.{kind}"), &format!("{from} and {to}"), RuleKind::Checked, says)
        };
        let mut entries = vec![checked("order", WindowRule::Order, format!("{to} is not before {from}."))];
        if window.both_or_neither.is_set() {
            entries.push(checked("pair", WindowRule::Pair, format!("{from} and {to} are both set or both left out.")));
        }
        if let Some((span, _)) = window.span {
            entries.push(checked("span", WindowRule::Span, format!("At most {span} lie between {from} and {to}.")));
        }
        if let Some((access, _)) = window.access {
            let says = match window.access_is_of_data() {
                true => format!("Only data of the last {access} is there."),
                false => format!("{from} is at most {access} ago."),
            };
            entries.push(checked("access", WindowRule::Access, says));
        }
        if let Some((default, _)) = window.default {
            let says = format!("Without {from} and {to} the exchange takes {default}.");
            entries.push(self.entry("window.default".to_owned(), from, RuleKind::Simulated, says));
        }
        entries
    }

    fn of_call<'a>(&self, operation: &Operation) -> Vec<Entry<'a>> {
        let mut entries = Vec::new();
        for rate in &operation.rates {
            let scope = rate.scope.as_str();
            let class = rate.own_class().map(|class| format!("-{class}")).unwrap_or_default();
            let holds_for = rate.own_class().unwrap_or("everyone");
            let id = match &rate.of_pool {
                None => format!("rate-{}{class}{}", scope.to_lowercase(), rate.window_suffix()),
                Some(of) => {
                    let when = of.when.as_ref().map(|when| format!("-{}", when.to_string().replace(' ', "-")));
                    format!("rate-in-{}{}", of.pool, when.unwrap_or_default())
                }
            };
            let says = format!("{}, for {holds_for}.", rate.in_words());
            entries.push(self.entry(id, "rate limit", RuleKind::Limit, says));
        }
        let says = match operation.access {
            Access::Public => "Needs no credentials.",
            Access::Signed => "Is signed.",
        };
        entries.push(self.entry("access".to_owned(), "", RuleKind::Type, says.to_owned()));
        if let Some(permission) = &operation.permission {
            let says = format!("The key has the permission {permission}; the exchange knows which keys do.");
            entries.push(self.entry("permission".to_owned(), "permission", RuleKind::Stated, says));
        }
        for header in operation.headers.iter().map(|header| &header.text) {
            let says = format!("Takes the header {header}.");
            entries.push(self.entry(format!("header-{}", slug(header)), "headers", RuleKind::Type, says));
        }
        if let Some(history) = operation.history {
            let says = format!("Answers with the last {history}.");
            entries.push(self.entry("history".to_owned(), "", RuleKind::Simulated, says));
        }
        entries
    }
}

fn wires(all: &Enum) -> Vec<&str> {
    all.wires().collect()
}

/// Returns the bounds of a parameter: the last part of the rule's id, its text, and the bound.
fn bounds<'a>(family: &'a Family, parameter: &'a Parameter) -> Vec<(&'static str, String, Bound<'a>)> {
    let mut bounds = Vec::new();
    if family.enum_of(&parameter.shape).is_some() {
        let known: Vec<&str> =
            family.values_of(&parameter.shape, &parameter.only).into_iter().map(|(value, _)| value).collect();
        bounds.push(("values", format!("is one of {}.", known.join(", ")), Bound::Values(known)));
    }
    if let Some(identifier) = family.identifier_of(&parameter.shape).filter(|identifier| identifier.is_constrained()) {
        bounds.push(("shape", format!("has the form of a {}.", identifier.name.wire), Bound::Shape(identifier)));
    }
    if let Some((min, _)) = &parameter.min {
        bounds.push(("min", format!("is at least {min}."), Bound::Min(min)));
    }
    if let Some((max, _)) = &parameter.max {
        bounds.push(("max", format!("is at most {max}."), Bound::Max(max)));
    }
    if let Some((digits, _)) = parameter.digits {
        bounds.push(("digits", format!("has at most {digits} digits."), Bound::Digits(digits)));
    }
    if let Some((places, _)) = parameter.places {
        bounds.push(("places", format!("has at most {places} decimal places."), Bound::Places(places)));
    }
    if let Some((digits, _)) = parameter.significant_digits {
        let says = format!("has at most {digits} significant digits.");
        bounds.push(("significant-digits", says, Bound::SignificantDigits(digits)));
    }
    if let Some(((min, max), _)) = parameter.length {
        bounds.push(("length", format!("has {min} to {max} characters."), Bound::Length(min, max)));
    }
    if let Some((pattern, _)) = &parameter.pattern {
        bounds.push(("pattern", format!("matches {pattern}."), Bound::Pattern(pattern)));
    }
    if let Some(scale) = parameter.shape.single().and_then(Type::scale) {
        bounds.push(("scale", format!("has at most {scale} decimal places."), Bound::Scale(scale)));
    }
    if let Some(delete) = parameter.deletes_with() {
        bounds.push(("edit", format!("is deleted by {delete} and by no other way to write it."), Bound::Edit(delete)));
    }
    if parameter.shape.is_list() {
        let least = parameter.least_items();
        if least > 0 {
            bounds.push(("min-items", format!("has at least {least} items."), Bound::MinItems(least)));
        }
        if let Some((most, _)) = parameter.max_items {
            bounds.push(("max-items", format!("has at most {most} items."), Bound::MaxItems(most)));
        }
    }
    bounds
}

/// A value that no enum has.
const STRANGER: &str = "no-such-value";

/// The two ends of a range, if they are given.
pub(super) type Ends = (Option<i64>, Option<i64>);

/// Returns ranges that only just break a rule about a window, or only just keep it.
pub(super) fn ends_at(window: &Window, rule: WindowRule, breaks: bool) -> Option<Vec<Ends>> {
    let (now, beyond) = (NOW as i64, i64::from(breaks));
    Some(match rule {
        WindowRule::Pair => vec![(Some(now), (!breaks).then_some(now))],
        WindowRule::Order => vec![(Some(now + beyond), Some(now))],
        WindowRule::Span => {
            let from = window.span?.0.shift(now, -1);
            vec![(Some(from), Some(window.span?.0.shift(from, 1) + beyond))]
        }
        WindowRule::Access => {
            let oldest = window.access?.0.shift(now, -1) - ACCESS_TOLERANCE_MS as i64 - beyond;
            let needs_end = window.access_is_of_data() || window.both_or_neither.is_set();
            let at_edge = (Some(oldest), needs_end.then_some(oldest));
            // If the limit applies to the data, an earlier start finds nothing but is allowed.
            let older = oldest - 1;
            let longest = window.span.map_or(now, |(span, _)| span.shift(older, 1).min(now));
            let reaches_back = (Some(older), Some(longest));
            if breaks || !window.access_is_of_data() { vec![at_edge] } else { vec![at_edge, reaches_back] }
        }
    })
}

/// Returns values just outside or just inside a bound.
pub(super) fn values_at(family: &Family, parameter: &Parameter, bound: &Bound<'_>, breaks: bool) -> Vec<Value> {
    let beyond = i128::from(breaks);
    let number = |text: String| {
        let is_text = parameter.as_text || parameter.shape.single() != Some(Type::Integer);
        let bare = text.parse::<u64>().ok().filter(|_| !is_text);
        vec![bare.map_or(json!(text), |number| json!(number))]
    };
    let wire = |bound: &str| parameter.shape.single().map_or_else(|| bound.to_owned(), |ty| ty.wire_of_value(bound));
    let moved = |bound: &str, by| Number::parse(&wire(bound)).and_then(|at| at.moved(by)).map_or_else(Vec::new, number);
    match bound {
        Bound::Values(known) if breaks => {
            let all = family.enum_of(&parameter.shape);
            let others = all.into_iter().flat_map(|all| all.wires()).filter(|wire| !known.contains(wire));
            others.chain([STRANGER]).map(|value| json!(value)).collect()
        }
        Bound::Values(known) => known.iter().map(|value| json!(value)).collect(),
        Bound::Shape(identifier) => texts_at(identifier, breaks),
        Bound::Min(min) => moved(min, -beyond),
        Bound::Max(max) => moved(max, beyond),
        Bound::Scale(_) => {
            let least = parameter.min.as_ref().map_or_else(|| "1".to_owned(), |(min, _)| wire(min));
            number(if breaks { format!("{least}.5") } else { least })
        }
        Bound::Places(most) => {
            let whole = parameter.min.as_ref().map_or("1", |(min, _)| min.split('.').next().unwrap_or("1"));
            let places = *most as usize + usize::from(breaks);
            number(if places == 0 { whole.to_owned() } else { format!("{whole}.{}1", "0".repeat(places - 1)) })
        }
        Bound::SignificantDigits(most) => {
            let digits = "1".repeat(*most as usize + usize::from(breaks));
            let in_places = |places: usize| format!("{}.{}", &digits[..1], &digits[1..places + 1]);
            let fits = parameter.places.is_none_or(|(places, _)| digits.len() - 1 <= places as usize);
            number(if digits.len() > 1 && fits { in_places(digits.len() - 1) } else { digits.clone() })
        }
        Bound::Digits(most) => number("9".repeat(*most as usize + usize::from(breaks))),
        Bound::Length(least, most) => {
            let (shorter, longer) = (least.saturating_sub(1), most + 1);
            let lengths = if breaks { [shorter, longer] } else { [(*least).max(1), *most] };
            lengths.into_iter().filter(|n| *n > 0).map(|n| json!("a".repeat(n as usize))).collect()
        }
        Bound::Pattern(pattern) => {
            let length = parameter.length.map_or(1, |((least, _), _)| least.max(1)) as usize;
            let strangers = ["~", "a", "0", "-"].into_iter().map(|text| text.repeat(length));
            let is_stranger = |text: &String| Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text));
            strangers.filter(is_stranger).take(1).map(|text| json!(text)).collect()
        }
        Bound::Edit(delete) if breaks => vec![json!(format!("{delete}.0"))],
        Bound::Edit(delete) => vec![json!(delete), json!(format!("{delete}.5"))],
        Bound::MinItems(_) | Bound::MaxItems(_) => Vec::new(),
    }
}

/// Returns texts just outside or just inside the constraints of an identifier, for each length and each character at
/// the edge.
fn texts_at(identifier: &Identifier, breaks: bool) -> Vec<Value> {
    let alphabet = identifier.alphabet.as_ref().map(|(alphabet, _)| alphabet.as_str());
    let pieces: Vec<(char, char)> = alphabet.and_then(|alphabet| formats::ranges(alphabet).ok()).unwrap_or_default();
    let is_of = |c: char| pieces.is_empty() || pieces.iter().any(|(first, last)| (*first..=*last).contains(&c));
    let letter = pieces.iter().map(|(first, _)| *first).find(char::is_ascii_alphanumeric).unwrap_or('a');
    let (least, most) = identifier.length.unwrap_or((1, 64));
    let of_length = |n: u32| letter.to_string().repeat(n as usize);
    let padded = |c: char| format!("{}{c}", of_length(least.max(2) - 1));
    let mut texts = Vec::new();
    if breaks {
        texts.extend(identifier.length.map(|_| of_length(most + 1)));
        texts.extend((least > 1).then(|| of_length(least - 1)));
        texts.extend((' '..='~').filter(|c| !is_of(*c)).map(padded));
    } else {
        texts.extend(identifier.length.map(|_| of_length(most)));
        texts.push(of_length(least));
        texts.extend(pieces.iter().flat_map(|(first, last)| [padded(*first), padded(*last)]));
    }
    texts.into_iter().map(|text| json!(text)).collect()
}
