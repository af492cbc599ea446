//! A query about one thing, and what its response proves.

use super::absence::{self, QueryTimes};
use super::places::{self, Sought};
use super::{Queryable, Shown};
use crate::checks::{Violation, Violations};
use crate::error::{Error, ExchangeError, Refusal};
use crate::evidence::{Evidence, Sent, Target};
use crate::exchange::is_compound_with;
use crate::json::{Decode, JsonWriter, write_json};
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{CodeProof, Severity};
use crate::value::Timestamp;

/// A query about one thing that a request was to change.
pub(super) struct Question<O: Queryable> {
    target: Target,
    query: O::Query,
    /// The parameters of the query, and those of the query of the second place.
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
        Target::all(operation).into_iter().map(|target| Self::of(target?)).collect()
    }

    fn of(target: Target) -> Option<Self> {
        let (confirm, named) = (target.confirm(), target.named());
        let id = confirm.ids.iter().find(|(_, own)| named.text(own).is_some()).copied();
        let with = confirm.with.iter().map(|parameter| (*parameter, *parameter));
        let with = with.chain(confirm.with_as.iter().copied());
        let of_request: Vec<_> = id.into_iter().chain(with).collect();
        let places = [(confirm.lacks, confirm.set), (confirm.then_lacks, confirm.then_set)];
        let json = places.map(|(lacks, set)| {
            let taken = of_request.iter().filter(|(parameter, _)| !lacks.contains(parameter));
            with_values(&named.renamed(taken.copied()), set)
        });
        let query = places::read(&json[0]).ok()?;
        let is_compound = is_compound_with(O::META, named);
        Some(Self { target, query, json, is_compound })
    }

    /// The id of the thing.
    pub(super) fn key(&self) -> &str {
        self.target.key()
    }

    /// What it is about.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Restricts queries of listings to what was created at `since` or later.
    pub(super) fn query_since(&mut self, since: Timestamp) {
        let confirm = self.target.confirm();
        for (json, parameter) in self.json.iter_mut().zip([confirm.since, confirm.then_since]) {
            if let Some((parameter, write)) = parameter {
                *json = with_member(json, parameter, &write(since));
            }
        }
        if let Ok(query) = places::read(&self.json[0]) {
            self.query = query;
        }
    }

    /// What identifies the record of the thing.
    pub(super) fn sought(&self) -> Sought<'_> {
        Sought { field: self.target.field(), key: self.target.key() }
    }

    /// The parameters of the query, which is sent page by page if it has pages.
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

    /// The record of the queried thing in a response, which can be to another query.
    pub(super) fn pick(&self, shown: Shown<O::Record>) -> Picked<O::Record> {
        let named = |record: &O::Record| Named::of_record(&write_json(record), O::Record::FORM);
        match shown {
            Shown::One(record) => match named(&record) {
                fields if self.target.is_shown_by(&fields) => Picked::Record(record, fields),
                _ => Picked::Nothing("the response is about something else, or empty"),
            },
            Shown::Listed { items, is_whole } => {
                let all = items.into_iter().map(|record| (named(&record), record));
                let mut own = all.filter(|(fields, _)| self.target.is_shown_by(fields));
                match (own.next(), own.next()) {
                    (Some((fields, record)), None) => Picked::Record(record, fields),
                    (Some(_), Some(_)) => Picked::Nothing("several records have the id"),
                    (None, _) if is_whole => Picked::Absent,
                    (None, _) => Picked::Nothing("it is not among the records, but there may be more"),
                }
            }
        }
    }

    /// What an error of the query proves.
    pub(super) fn failed(&self, error: &Error, sent: &Sent, times: &QueryTimes, absent: &[String]) -> Finding {
        let Error::Exchange(error) = error else { return Finding::Nothing("the query got no response") };
        if !is_denial(error, absent) {
            return Finding::Nothing("the query failed with a code that does not mean \"not found\"");
        }
        self.is_absent(sent, times)
    }

    /// What the absence of the thing proves.
    pub(super) fn is_absent(&self, sent: &Sent, times: &QueryTimes) -> Finding {
        if self.is_compound {
            return Finding::Nothing("it was not found, but the request does several things and may have done another");
        }
        match absence::proves(self.target.confirm(), sent, times) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }
}

/// The members of an object, followed by `set`, whose values are texts.
fn with_values(json: &str, set: &[(&str, &str)]) -> String {
    set.iter().fold(json.to_owned(), |json, (name, value)| with_member(&json, name, &write_json(&(*value).to_owned())))
}

/// The members of an object, followed by another one.
fn with_member(json: &str, name: &str, value: &str) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    Named::read(json).write(&mut out);
    out.member(name).raw(value);
    out.end_object();
    out.finish()
}

impl From<Evidence> for Finding {
    fn from(evidence: Evidence) -> Self {
        match evidence {
            Evidence::Proof => Self::Proof,
            Evidence::Older => Self::Older,
            Evidence::Another(because) | Evidence::Nothing(because) => Self::Nothing(because),
        }
    }
}

/// Whether a refusal of a query means that the thing does not exist.
pub(super) fn is_denial(error: &ExchangeError, absent: &[String]) -> bool {
    error.proves == Some(CodeProof::NoSuchOrder) || absent.iter().any(|known| known == error.code.as_str())
}

/// Refuses a request whose outcome cannot be queried.
pub(super) fn not_queryable<O: Operation>() -> Error {
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
    Error::Refused(Box::new(Refusal::new(O::META.id, violations)))
}
