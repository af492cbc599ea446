//! A query about one thing, and what its response proves.

use super::Shown;
use super::absence::{self, QueryTimes};
use super::places::{QueryFuture, Sought};
use super::plan::{AnyRecord, Query, QueryPlan};
use crate::checks::{Violation, Violations};
use crate::client::ClientCore;
use crate::error::{Error, ExchangeError, Refusal};
use crate::evidence::{Evidence, Sent, Target};
use crate::exchange::is_compound_with;
use crate::json::{JsonWriter, write_json};
use crate::operation::DynOperation;
use crate::parameters::Named;
use crate::retry::RetryPolicy;
use crate::tables::{CodeProof, Meta, Severity};
use crate::value::Timestamp;

/// A query about one thing that a request was to change.
pub(super) struct Question {
    plan: &'static QueryPlan,
    target: Target,
    query: Box<dyn Query>,
    /// The parameters of the query, and those of the query of the second place.
    json: [String; 2],
    /// Whether the request does several things, of which the queried one is the last.
    is_compound: bool,
}

/// What a response shows of the thing.
pub(super) enum Picked {
    /// Its record.
    Record(AnyRecord),
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

impl Question {
    /// The queries for a request: one, or one for each of its items. `None` if the thing has no id.
    pub(super) fn all(plan: &'static QueryPlan, operation: &dyn DynOperation) -> Vec<Option<Self>> {
        Self::about(plan, Target::all(operation))
    }

    /// The queries for a request that was stored as this JSON.
    pub(super) fn all_stored(plan: &'static QueryPlan, request: &str) -> Result<Vec<Option<Self>>, Violations> {
        (plan.targets)(request).map(|targets| Self::about(plan, targets))
    }

    fn about(plan: &'static QueryPlan, targets: Vec<Option<Target>>) -> Vec<Option<Self>> {
        targets.into_iter().map(|target| Self::of(plan, target?)).collect()
    }

    fn of(plan: &'static QueryPlan, target: Target) -> Option<Self> {
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
        let query = (plan.read)(&json[0])?;
        let is_compound = is_compound_with(plan.meta, named);
        Some(Self { plan, target, query, json, is_compound })
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
        if let Some(query) = (self.plan.read)(&self.json[0]) {
            self.query = query;
        }
    }

    /// How the operation of the request is queried.
    pub(super) fn plan(&self) -> &'static QueryPlan {
        self.plan
    }

    /// What identifies the record of the thing.
    fn sought(&self) -> Sought<'_> {
        Sought { field: self.target.field(), key: self.target.key() }
    }

    /// Sends the query, page by page if it has pages, and otherwise with retries if there is a policy for them.
    pub(super) fn query_first<'a>(&'a self, client: &'a ClientCore, retry: Option<&'a RetryPolicy>) -> QueryFuture<'a> {
        let pages = (self.plan.first)(client, &self.json[0], self.sought());
        pages.unwrap_or_else(|| self.query.send(client, retry))
    }

    /// Sends the query of the second place, if there is one.
    pub(super) fn query_then<'a>(&'a self, client: &'a ClientCore) -> Option<QueryFuture<'a>> {
        (self.plan.then)(client, &self.json[1], self.sought())
    }

    /// The record of the queried thing in a response, which can be to another query.
    pub(super) fn pick(&self, shown: Shown<AnyRecord>) -> Picked {
        let is_own = |record: &AnyRecord| self.target.is_shown_by(record.fields());
        match shown {
            Shown::One(record) if is_own(&record) => Picked::Record(record),
            Shown::One(_) => Picked::Nothing("the response is about something else, or empty"),
            Shown::Listed { items, is_whole } => {
                let mut own = items.into_iter().filter(is_own);
                match (own.next(), own.next()) {
                    (Some(record), None) => Picked::Record(record),
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
pub(super) fn not_queryable(meta: &'static Meta) -> Error {
    let parameter = meta.confirm.as_ref().map(|confirm| {
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
        source: meta.source(),
        hint: format!("set {parameter}"),
        parameter,
    });
    Error::Refused(Box::new(Refusal::new(meta.id, violations)))
}
