//! The inputs that the exchange takes although the documents do not describe them: two names of an order, of which the
//! orderId counts, and, if it is tolerant, parameters that no document lists and values in other letters.

use std::collections::BTreeMap;

use std::borrow::Cow;

use tradeapi::Violations;
use tradeapi::runtime::checks::Violation;
use tradeapi::runtime::json::{JsonWriter, Kind, ReadError, Reader, read_json};
use tradeapi::runtime::tables::Effect;

use crate::state::core::Core;
use crate::state::words::{Family, Force, Line};

/// The depth of requests: a list of objects in an object.
const DEPTH: u32 = 4;

/// A change to a parameter that lets its request be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    /// A parameter of another name is left out.
    Unknown,
    /// An empty text is left out.
    Empty,
    /// The clientOid is left out, because there is an orderId.
    Outranked,
    /// The value is written in small letters.
    Lower,
    /// The value is written in capitals.
    Upper,
    /// The value is written as the exchange lists it.
    Listed(&'static str),
    /// The parameter is missing, and set to its documented default.
    Default(&'static str),
}

/// The symbol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol<'a> {
    Listed(&'static str),
    /// The exchange lists no such pair in the business line of the request, or in any if it names none.
    Unknown(&'a str),
}

/// The names of pairs and coins in a request.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    /// The symbol of the whole request. Those of the items of a batch are looked up by each item.
    pub(crate) symbol: Option<Symbol<'a>>,
    /// The changes that write names as the exchange lists them, if it is tolerant.
    pub(crate) repairs: Repairs,
}

impl<'a> Names<'a> {
    /// Looks up the names in a request.
    pub(crate) fn of(core: &Core, family: Family, parameters: &'a str, is_query: bool) -> Self {
        let mut names = Self::default();
        if is_query {
            let pairs = parameters.split('&').filter_map(|pair| pair.split_once('='));
            names.look_up(core, family, "", &pairs.collect::<Vec<_>>());
        } else {
            // What cannot be read has no names, and is refused for that.
            let _ = names.look_into(core, family, &mut Reader::new(parameters), "", DEPTH);
        }
        names
    }

    fn look_into(
        &mut self,
        core: &Core,
        family: Family,
        from: &mut Reader<'a>,
        path: &str,
        depth: u32,
    ) -> Result<(), ReadError> {
        match from.peek() {
            Kind::Object if depth > 0 => {
                let mut found: Vec<(Cow<'_, str>, &'a str)> = Vec::new();
                let mut members = from.object(&[])?;
                while let Some(name) = members.next_name(from)? {
                    found.push((name, from.raw_value()?));
                }
                let texts = found.iter().map(|(name, json)| (name.as_ref(), json.trim_matches('"')));
                self.look_up(core, family, path, &texts.collect::<Vec<_>>());
                for (name, json) in &found {
                    if json.starts_with(['[', '{']) {
                        self.look_into(core, family, &mut Reader::new(json), &member(path, name), depth - 1)?;
                    }
                }
            }
            Kind::Array if depth > 0 => {
                let mut elements = from.array()?;
                let mut index = 0_usize;
                while elements.next(from)?.is_some() {
                    self.look_into(core, family, from, &format!("{path}[{index}]"), depth - 1)?;
                    index += 1;
                }
            }
            _ => _ = from.raw_value()?,
        }
        Ok(())
    }

    /// Looks up the names in one set of parameters.
    fn look_up(&mut self, core: &Core, family: Family, path: &str, parameters: &[(&str, &'a str)]) {
        let of = |wanted: &str| parameters.iter().find(|(name, text)| *name == wanted && !text.is_empty());
        let line = of("category").or_else(|| of("productType"));
        let line = line.and_then(|(_, text)| Line::of(&text.to_ascii_uppercase()));
        if let Some((_, text)) = of("symbol") {
            let listed = core.listed_symbol(family, line, text);
            if let Some(listed) = listed.filter(|listed| listed != text) {
                self.repairs.0.insert(member(path, "symbol"), Repair::Listed(listed));
            }
            if path.is_empty() {
                self.symbol = Some(listed.map_or(Symbol::Unknown(text), Symbol::Listed));
            }
        }
        for name in ["coin", "marginCoin"] {
            let listed = of(name).and_then(|(_, text)| core.listed_coin(text).filter(|listed| listed != text));
            if let Some(listed) = listed {
                self.repairs.0.insert(member(path, name), Repair::Listed(listed));
            }
        }
    }
}

/// Returns the path of a member of what is at a path.
fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The changes to a request, by the paths of its parameters.
#[derive(Debug, Default)]
pub(crate) struct Repairs(BTreeMap<String, Repair>);

impl Repairs {
    /// Returns whether nothing is changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what lets a request with this effect be read that has these violations. Returns whether there is anything
    /// new.
    pub(crate) fn add(&mut self, violations: &Violations, effect: Effect, is_tolerant: bool) -> bool {
        let before = self.0.len();
        let mut is_changed = false;
        for violation in violations.iter() {
            match kind_of(violation) {
                "one-of" => {
                    self.0.entry(sibling(&violation.parameter, "clientOid")).or_insert(Repair::Outranked);
                }
                "unknown-parameter" if is_tolerant => {
                    // Also where it was a coin or a symbol in small letters.
                    let repair = self.0.insert(violation.parameter.clone(), Repair::Unknown);
                    is_changed |= repair.is_some_and(|repair| repair != Repair::Unknown);
                }
                "empty" if is_tolerant && may_leave_out(effect, &violation.parameter) => {
                    self.0.insert(violation.parameter.clone(), Repair::Empty);
                }
                "values" if is_tolerant => {
                    let repair = self.0.get(&violation.parameter).copied();
                    let next = if repair == Some(Repair::Lower) { Repair::Upper } else { Repair::Lower };
                    is_changed |= repair == Some(Repair::Lower);
                    if repair != Some(Repair::Upper) {
                        self.0.insert(violation.parameter.clone(), next);
                    }
                }
                "required" if is_tolerant && violation.parameter == "force" => {
                    self.0.entry(violation.parameter.clone()).or_insert(Repair::Default(Force::Gtc.as_str()));
                }
                _ => {}
            }
        }
        is_changed || self.0.len() > before
    }

    /// Drops the spellings of values that are not understood in any letters, so that a refusal quotes what was sent.
    /// Returns whether there are any.
    pub(crate) fn drop_spellings(&mut self, violations: &Violations) -> bool {
        let before = self.0.len();
        for violation in violations.iter() {
            if matches!(self.0.get(&violation.parameter), Some(Repair::Lower | Repair::Upper)) {
                self.0.remove(&violation.parameter);
            }
        }
        self.0.len() < before
    }

    /// Returns the names of the parameters that are left out because nobody knows them.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = &str> {
        let unknown = self.0.iter().filter(|(_, repair)| **repair == Repair::Unknown);
        unknown.map(|(path, _)| path.rsplit('.').next().unwrap_or(path))
    }

    /// Returns the parameters with the changes; `None` if they cannot be read.
    pub(crate) fn apply(&self, parameters: &str, is_query: bool) -> Option<String> {
        if is_query {
            return Some(self.apply_to_query(parameters));
        }
        let mut out = JsonWriter::new();
        self.copy(&mut Reader::new(parameters), &mut out, "", DEPTH).ok()?;
        Some(out.finish())
    }

    fn apply_to_query(&self, query: &str) -> String {
        let has_id = query.split('&').any(|pair| pair.strip_prefix("orderId=").is_some_and(|id| !id.is_empty()));
        let pairs = query.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some(match self.0.get(name) {
                Some(Repair::Unknown | Repair::Empty) => return None,
                Some(Repair::Outranked) if has_id => return None,
                Some(Repair::Lower) => format!("{name}={}", value.to_ascii_lowercase()),
                Some(Repair::Upper) => format!("{name}={}", value.to_ascii_uppercase()),
                Some(Repair::Listed(listed)) => format!("{name}={listed}"),
                Some(Repair::Outranked | Repair::Default(_)) | None => pair.to_owned(),
            })
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Copies a JSON value with the changes. Values nested deeper than any request are copied unchanged.
    fn copy(&self, from: &mut Reader<'_>, out: &mut JsonWriter, path: &str, depth: u32) -> Result<(), ReadError> {
        match from.peek() {
            _ if depth == 0 => out.raw(from.raw_value()?),
            Kind::Object => {
                let mut found = Vec::new();
                let mut members = from.object(&[])?;
                while let Some(name) = members.next_name(from)? {
                    found.push((name, from.raw_value()?));
                }
                let is_given = |json: &str| !matches!(json, "null" | r#""""#);
                let has_id = found.iter().any(|(name, json)| name == "orderId" && is_given(json));
                out.begin_object();
                for (name, json) in &found {
                    let path = member(path, name);
                    match self.0.get(&path) {
                        Some(Repair::Unknown | Repair::Empty) => {}
                        Some(Repair::Outranked) if has_id => {}
                        Some(Repair::Lower) => out.member(name).string(&text_of(json).to_ascii_lowercase()),
                        Some(Repair::Upper) => out.member(name).string(&text_of(json).to_ascii_uppercase()),
                        Some(Repair::Listed(listed)) => out.member(name).string(listed),
                        Some(Repair::Outranked | Repair::Default(_)) | None => {
                            self.copy(&mut Reader::new(json), out.member(name), &path, depth - 1)?;
                        }
                    }
                }
                for (at, repair) in &self.0 {
                    // Only a parameter of the whole request is missing so far.
                    if let (Repair::Default(value), true) = (repair, path.is_empty()) {
                        out.member(at).string(value);
                    }
                }
                out.end_object();
            }
            Kind::Array => {
                out.begin_array();
                let mut elements = from.array()?;
                let mut index = 0_usize;
                while elements.next(from)?.is_some() {
                    self.copy(from, out.element(), &format!("{path}[{index}]"), depth - 1)?;
                    index += 1;
                }
                out.end_array();
            }
            _ => out.raw(from.raw_value()?),
        }
        Ok(())
    }
}

/// Returns the last word of a rule's id, which names the kind of rules that come with every parameter.
fn kind_of(violation: &Violation) -> &str {
    violation.rule.rsplit('.').next().unwrap_or_default()
}

/// Returns whether an empty text may mean that a parameter is left out: an order of which something is left out does no
/// more, and what is required is then missing. A cancellation would concern more, unless the other id names its order.
fn may_leave_out(effect: Effect, path: &str) -> bool {
    match effect {
        Effect::Create | Effect::Amend => true,
        Effect::Cancel => matches!(path.rsplit('.').next(), Some("orderId" | "clientOid")),
        Effect::Read | Effect::Close => false,
    }
}

/// Returns the path of another parameter beside one.
fn sibling(path: &str, name: &str) -> String {
    path.rsplit_once('.').map_or_else(|| name.to_owned(), |(place, _)| format!("{place}.{name}"))
}

fn text_of(json: &str) -> String {
    read_json(json).unwrap_or_default()
}
