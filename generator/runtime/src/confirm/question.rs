//! A query about one thing, and what its response proves.

use super::absence::{self, AskedAt};
use super::evidence::{self, Evidence, Sent};
use super::places::{self, Sought};
use super::{Queryable, Shown};
use crate::checks::{Violation, Violations};
use crate::error::{Error, ExchangeError, Refusal};
use crate::exchange::is_compound_with;
use crate::json::{Decode, JsonWriter, write_json};
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{CodeProof, Confirm, Severity};
use crate::value::Timestamp;

/// A query about one thing that a request was to change.
pub(super) struct Question<O: Queryable> {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// What identifies the thing: the field of its record, and its text.
    field: &'static str,
    key: String,
    query: O::Query,
    /// The parameters of the query, and of that of the second place.
    json: [String; 2],
    /// Whether the request does several things, of which the queried one is the last.
    is_compound: bool,
}

/// What a response shows of the thing.
pub(super) enum Picked<R> {
    /// Its record, also by names.
    Record(R, Named),
    /// That it is not there.
    Absent,
    /// Neither, and why.
    Nothing(&'static str),
}

/// What a response proves.
pub(super) enum Finding {
    Proof,
    Nothing(&'static str),
    /// The thing does not exist, and never did.
    Absence,
    /// Something older than the request has its id.
    Older,
}

impl<O: Queryable> Question<O> {
    /// The queries for a request: one, or one for each of its items. `None` if the thing has no id.
    pub(super) fn all(operation: &O) -> Vec<Option<Self>> {
        let Some(confirm) = &O::META.confirm else { return Vec::new() };
        let named = Named::of(operation);
        match confirm.list {
            None => vec![Self::of(confirm, named)],
            Some(list) => named.items(list).into_iter().map(|item| Self::of(confirm, item.and(&named))).collect(),
        }
    }

    fn of(confirm: &'static Confirm, named: Named) -> Option<Self> {
        let first = |pairs: &'static [(&'static str, &'static str)]| {
            pairs.iter().find_map(|pair| Some((*pair, named.text(pair.1)?)))
        };
        let asked = first(confirm.ask);
        let (field, key) = first(confirm.fields()).map(|((field, _), key)| (field, key))?;
        if asked.is_none() && !confirm.ask.is_empty() {
            return None;
        }
        let with = confirm.with.iter().map(|parameter| (*parameter, *parameter));
        let with = with.chain(confirm.with_as.iter().copied());
        let of_request = named.renamed(asked.map(|(pair, _)| pair).into_iter().chain(with));
        let json = [confirm.set, confirm.then_set].map(|set| with_values(&of_request, set));
        let query = places::read(&json[0]).ok()?;
        let is_compound = is_compound_with(O::META, &named);
        Some(Self { confirm, named, field, key, query, json, is_compound })
    }

    /// The id of the thing.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Asks listings for what was created at `since` or later only.
    pub(super) fn ask_since(&mut self, since: Timestamp) {
        for (json, parameter) in self.json.iter_mut().zip([self.confirm.since, self.confirm.then_since]) {
            if let Some((parameter, write)) = parameter {
                *json = with_member(json, parameter, &write(since));
            }
        }
        if let Ok(query) = places::read(&self.json[0]) {
            self.query = query;
        }
    }

    /// The time after which the exchange refuses the request, if it says so.
    pub(super) fn expires(&self) -> Option<Timestamp> {
        let (parameter, read) = self.confirm.expires?;
        read(&self.named.text(parameter)?)
    }

    /// What identifies the record of the thing.
    pub(super) fn sought(&self) -> Sought<'_> {
        Sought { field: self.field, key: &self.key }
    }

    /// The parameters of the query, which is asked page by page if it has pages.
    pub(super) fn json(&self) -> &str {
        &self.json[0]
    }

    /// The parameters of the query of the second place.
    pub(super) fn then_json(&self) -> &str {
        &self.json[1]
    }

    pub(super) fn query(&self) -> &O::Query {
        &self.query
    }

    /// Whether the request creates something with the id.
    pub(super) fn is_of_something_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// The record of the queried thing in a response, which can be to another query.
    pub(super) fn pick(&self, shown: Shown<O::Record>) -> Picked<O::Record> {
        let named = |record: &O::Record| Named::read(&write_json(record));
        match shown {
            Shown::One(record) => match named(&record) {
                fields if self.is_about(&fields) => Picked::Record(record, fields),
                _ => Picked::Nothing("the response is about something else, or empty"),
            },
            Shown::Listed { items, is_whole } => {
                let all = items.into_iter().map(|record| (named(&record), record));
                let mut own = all.filter(|(fields, _)| self.is_about(fields));
                match (own.next(), own.next()) {
                    (Some((fields, record)), None) => Picked::Record(record, fields),
                    (Some(_), Some(_)) => Picked::Nothing("several records have the id"),
                    (None, _) if is_whole => Picked::Absent,
                    (None, _) => Picked::Nothing("it is not among the records, but there may be more"),
                }
            }
        }
    }

    fn is_about(&self, record: &Named) -> bool {
        self.sought().is_in(record)
    }

    /// What a record proves. `has_rival` returns whether another request of the client is about the thing with an id.
    pub(super) fn found(&self, record: &Named, sent: &Sent, has_rival: impl Fn(&str) -> bool) -> Finding {
        // The other request may use its other id.
        let mut ids = self.confirm.fields().iter().filter_map(|(field, _)| record.text(field));
        let sent = &Sent { has_rival: ids.any(|id| has_rival(&id)), ..*sent };
        match evidence::evaluate(self.confirm, &self.named, record, O::Record::FORM, sent) {
            Evidence::Proof => Finding::Proof,
            Evidence::Older => Finding::Older,
            Evidence::Nothing(because) => Finding::Nothing(because),
        }
    }

    /// What an error of the query proves.
    pub(super) fn failed(&self, error: &Error, sent: &Sent, asked: &AskedAt, absent: &[String]) -> Finding {
        let Error::Exchange(error) = error else { return Finding::Nothing("the query got no response") };
        if !is_denial(error, absent) {
            return Finding::Nothing("the query failed with a code that does not mean \"not found\"");
        }
        self.is_absent(sent, asked)
    }

    /// What it proves that the thing is not there.
    pub(super) fn is_absent(&self, sent: &Sent, asked: &AskedAt) -> Finding {
        if self.is_compound {
            return Finding::Nothing("it was not found, but the request does several things and may have done another");
        }
        match absence::proves(self.confirm, sent, asked) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }
}

/// The members of an object, and behind them `set`, whose values are texts.
fn with_values(json: &str, set: &[(&str, &str)]) -> String {
    set.iter().fold(json.to_owned(), |json, (name, value)| with_member(&json, name, &write_json(&(*value).to_owned())))
}

/// The members of an object, and behind them another one.
fn with_member(json: &str, name: &str, value: &str) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    Named::read(json).write(&mut out);
    out.member(name).raw(value);
    out.end_object();
    out.finish()
}

/// Whether a refusal of a query says that the thing is not there.
pub(super) fn is_denial(error: &ExchangeError, absent: &[String]) -> bool {
    error.proves == Some(CodeProof::NoSuchOrder) || absent.iter().any(|known| known == error.code.as_str())
}

/// Refuses a request whose outcome cannot be queried.
pub(super) fn cannot_be_asked<O: Operation>() -> Error {
    let parameter = O::META.confirm.as_ref().map(|confirm| {
        let names: Vec<_> = confirm.fields().iter().map(|(_, parameter)| *parameter).collect();
        names.join(" or ")
    });
    let parameter = parameter.unwrap_or_default();
    let mut violations = Violations::default();
    violations.push(Violation {
        rule: "confirm.id".to_owned(),
        severity: Severity::Refuse,
        given: "no id".to_owned(),
        allowed: format!("{parameter} is needed to query the outcome"),
        source: O::META.source(),
        hint: format!("set {parameter}"),
        parameter,
    });
    Error::Refused(Box::new(Refusal { operation: O::META.id, violations }))
}
