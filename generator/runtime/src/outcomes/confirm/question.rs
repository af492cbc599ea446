//! A query about one thing, and what its response proves.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::absence::{self, QueryTimes};
use super::places::{AnyRecord, Query, QueryFuture, QueryPlan, RecordId};
use super::{ConfirmPolicy, Shown};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::checks::{Violation, Violations};
use crate::data::error::{Error, ExchangeError, Refusal};
use crate::data::json::write_json;
use crate::data::operation::DynOperation;
use crate::data::tables::{CodeProof, Confirm, Meta, Severity, TimeParameter};
use crate::data::value::Timestamp;
use crate::network::wire::is_compound_with;
use crate::state::evidence::{Evidence, Sent, Target};

/// A query about one thing that a request was to change.
pub(super) struct Question {
    plan: &'static QueryPlan,
    target: Target,
    query: Box<dyn Query>,
    /// The parameters of the query.
    json: String,
    /// The parameters of the query of the second place, which few queries need.
    then_json: OnceLock<String>,
    /// The earliest time of creation that listings are queried for.
    since: Option<Timestamp>,
}

/// One of the places where a record may be, and what the parameters of its query have beside those of the request.
#[derive(Clone, Copy)]
struct Place {
    lacks: &'static [&'static str],
    set: &'static [(&'static str, &'static str)],
    since: Option<TimeParameter>,
}

impl Place {
    fn first(confirm: &Confirm) -> Self {
        Self { lacks: confirm.lacks, set: confirm.set, since: confirm.since }
    }

    fn second(confirm: &Confirm) -> Self {
        Self { lacks: confirm.then_lacks, set: confirm.then_set, since: confirm.then_since }
    }

    /// Returns the parameters of a query of this place, as JSON.
    fn parameters(self, target: &Target, since: Option<Timestamp>) -> String {
        let (confirm, named) = (target.confirm(), target.named());
        let id = confirm.ids.iter().find(|(_, own)| named.text(own).is_some()).copied();
        let mut taken = Vec::from(id.as_slice());
        for parameter in confirm.with {
            taken.push((*parameter, *parameter));
        }
        taken.extend_from_slice(confirm.with_as);
        taken.retain(|(parameter, _)| !self.lacks.contains(parameter));
        let mut set = Vec::new();
        for (name, value) in self.set {
            set.push((*name, write_json(&(*value).to_owned())));
        }
        if let Some(((name, write), since)) = self.since.zip(since) {
            set.push((name, write(since)));
        }
        named.renamed(&taken, &set)
    }
}

/// The result that a response shows of the thing.
pub(super) enum QueryResult {
    /// The record.
    Record(AnyRecord),
    /// The thing is not there.
    Absent,
    /// Neither, and why.
    Nothing(&'static str),
}

/// The proof that a response gives.
pub(super) enum Finding {
    Proof,
    Nothing(&'static str),
    /// The thing does not exist, and never did.
    Absence,
    /// Something older than the request has its id.
    Older,
    /// The order is in a state that the request would have changed.
    Refuted,
    /// The order has ended without the values of the request.
    Ended,
}

impl Question {
    /// Returns the queries for a request: one, or one for each of its items. `None` if the thing has no id.
    pub(super) fn all(plan: &'static QueryPlan, operation: &dyn DynOperation) -> Vec<Option<Self>> {
        Self::about(plan, Target::all(operation))
    }

    /// Returns the queries for a request that was stored as this JSON.
    pub(super) fn all_stored(plan: &'static QueryPlan, request: &str) -> Result<Vec<Option<Self>>, Violations> {
        (plan.targets)(request).map(|targets| Self::about(plan, targets))
    }

    fn about(plan: &'static QueryPlan, targets: Vec<Option<Target>>) -> Vec<Option<Self>> {
        let mut questions = Vec::with_capacity(targets.len());
        for target in targets {
            questions.push(target.and_then(|target| Self::of(plan, target)));
        }
        questions
    }

    fn of(plan: &'static QueryPlan, target: Target) -> Option<Self> {
        let json = Place::first(target.confirm()).parameters(&target, None);
        let query = (plan.read)(&json)?;
        Some(Self { plan, target, query, json, then_json: OnceLock::new(), since: None })
    }

    /// Returns the id of the thing.
    pub(super) fn key(&self) -> &str {
        self.target.key()
    }

    /// Returns what it is about.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Restricts queries of listings to items created at `since` or later.
    pub(super) fn query_since(&mut self, since: Timestamp) {
        self.since = Some(since);
        let place = Place::first(self.target.confirm());
        if place.since.is_some() {
            self.json = place.parameters(&self.target, self.since);
            if let Some(query) = (self.plan.read)(&self.json) {
                self.query = query;
            }
        }
    }

    /// Returns how the operation of the request is queried.
    pub(super) fn plan(&self) -> &'static QueryPlan {
        self.plan
    }

    /// Returns what identifies the record of the thing.
    fn record_id(&self) -> RecordId<'_> {
        RecordId { field: self.target.field(), key: self.target.key() }
    }

    /// Sends the query, page by page if it has pages, and otherwise with retries if there is a policy for them.
    pub(super) fn query_first<'a>(&'a self, client: &'a ClientCore, retry: Option<&'a RetryPolicy>) -> QueryFuture<'a> {
        let pages = (self.plan.first)(client, &self.json, self.record_id());
        pages.unwrap_or_else(|| self.query.send(client, retry))
    }

    /// Sends the query of the second place, if there is one.
    pub(super) fn query_then<'a>(&'a self, client: &'a ClientCore) -> Option<QueryFuture<'a>> {
        let second = || Place::second(self.target.confirm()).parameters(&self.target, self.since);
        (self.plan.then)(client, self.then_json.get_or_init(second), self.record_id())
    }

    /// Returns the record of the queried thing in a response, which can be to another query.
    pub(super) fn pick(&self, shown: Shown<AnyRecord>) -> QueryResult {
        let is_own = |record: &AnyRecord| self.target.is_shown_by(record.fields());
        match shown {
            Shown::One(record) if is_own(&record) => QueryResult::Record(record),
            Shown::One(_) => QueryResult::Nothing("the response is about something else, or empty"),
            Shown::Listed { items, is_whole } => {
                let mut own = items.into_iter().filter(is_own);
                match (own.next(), own.next()) {
                    (Some(record), None) => QueryResult::Record(record),
                    (Some(_), Some(_)) => QueryResult::Nothing("several records have the id"),
                    (None, _) if is_whole => QueryResult::Absent,
                    (None, _) => QueryResult::Nothing("it is not among the records, but there may be more"),
                }
            }
        }
    }

    /// Returns what an error of the query proves.
    pub(super) fn failed(&self, error: &Error, sent: &Sent, times: &QueryTimes, policy: &ConfirmPolicy) -> Finding {
        let error = match error {
            Error::Exchange(error) => error,
            Error::Transport(_) | Error::Unknown(_) => return Finding::Nothing("the query got no response"),
            Error::Unreadable(_) => return Finding::Nothing("the response to the query cannot be read"),
            Error::Refused(_)
            | Error::Unsigned(_)
            | Error::Limited(_)
            | Error::LimiterFailed(_)
            | Error::NotStored(_)
            | Error::NotAmendable(_)
            | Error::OverBudget(_) => return Finding::Nothing("the query was not sent"),
        };
        if !is_denial(error, &policy.absent) {
            return Finding::Nothing("the query failed with a code that does not mean \"not found\"");
        }
        self.is_absent(sent, times, policy)
    }

    /// Returns what the absence of the thing proves.
    pub(super) fn is_absent(&self, sent: &Sent, times: &QueryTimes, policy: &ConfirmPolicy) -> Finding {
        // Of the several things that the request does, the queried one is the last.
        if is_compound_with(self.plan.meta, self.target.named()) {
            return Finding::Nothing("it was not found, but the request does several things and may have done another");
        }
        match absence::proves(self.target.confirm(), sent, times, policy) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }

    /// Returns what follows from the evidence of a record.
    pub(super) fn is_shown(
        &self,
        evidence: Evidence,
        sent: &Sent,
        times: impl FnOnce() -> QueryTimes,
        policy: &ConfirmPolicy,
    ) -> Finding {
        match evidence {
            Evidence::Proof => Finding::Proof,
            Evidence::Older => Finding::Older,
            Evidence::Refuted => Finding::Refuted,
            Evidence::Open => match absence::has_arrived(sent, &times(), policy) {
                Ok(_) => Finding::Refuted,
                Err(_) => Finding::Nothing("the order is still open, and the request may still arrive"),
            },
            Evidence::Ended if !is_compound_with(self.plan.meta, self.target.named()) => Finding::Ended,
            Evidence::Ended => Finding::Nothing("the order has ended, and the request may have ended it"),
            Evidence::Another(because) | Evidence::Ambiguous(because) | Evidence::Nothing(because) => {
                Finding::Nothing(because)
            }
        }
    }

    /// Returns the state of the order in a record.
    pub(super) fn state_in(&self, record: &AnyRecord) -> Option<String> {
        let ends = self.target.confirm().ends?;
        record.fields().text(ends.field).map(Cow::into_owned)
    }
}

/// Returns whether a refusal of a query means that the thing does not exist.
pub(super) fn is_denial(error: &ExchangeError, absent: &[String]) -> bool {
    error.proves == Some(CodeProof::NoSuchOrder) || absent.iter().any(|known| known == error.code.as_str())
}

/// Refuses a request whose outcome cannot be queried.
pub(super) fn not_queryable(meta: &'static Meta) -> Error {
    let mut parameter = String::new();
    for (_, name) in meta.confirm.as_ref().map_or(&[][..], |confirm| confirm.fields()) {
        let separator = if parameter.is_empty() { "" } else { " or " };
        parameter.extend([separator, name]);
    }
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
