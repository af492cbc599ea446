//! A query about one thing, and what its response shows.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::inquiry::QueryAnswer;
use super::places::{AnyRecord, Query, QueryFuture, QueryPlan, RecordId};
use super::{ConfirmPolicy, Shown};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::checks::{Violation, Violations};
use crate::data::error::{Error, ExchangeError, Refusal};
use crate::data::json::{Form, write_json};
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{CodeProof, Confirm, Meta, Severity, TimeParameter};
use crate::data::value::Timestamp;
use crate::network::wire::{Reply, is_compound_with};
use crate::state::evidence::{Seen, Target};

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
    pub(super) fn pick(&self, shown: Shown<AnyRecord>) -> Seen<AnyRecord> {
        let is_own = |record: &AnyRecord| self.target.is_shown_by(record.fields());
        match shown {
            Shown::One(record) if is_own(&record) => Seen::Record(record),
            Shown::One(_) => Seen::Nothing("the response is about something else, or empty"),
            Shown::Listed { items, is_whole } => {
                let mut own = items.into_iter().filter(is_own);
                match (own.next(), own.next()) {
                    (Some(record), None) => Seen::Record(record),
                    (Some(_), Some(_)) => Seen::Nothing("several records have the id"),
                    (None, _) if is_whole => Seen::Absent,
                    (None, _) => Seen::Nothing("it is not among the records, but there may be more"),
                }
            }
        }
    }

    /// Returns what an answer shows of the thing.
    pub(super) fn seen<'a>(&self, answer: &'a QueryAnswer, policy: &ConfirmPolicy) -> Seen<(&'a Named, Form)> {
        let error = match answer {
            Ok(Reply { data: Seen::Record(record), .. }) => return Seen::Record((record.fields(), record.form())),
            Ok(Reply { data: Seen::Absent, .. }) => return Seen::Absent,
            Ok(Reply { data: Seen::Nothing(why), .. }) => return Seen::Nothing(why),
            Err(error) => error,
        };
        Seen::Nothing(match error {
            Error::Exchange(error) if is_denial(error, &policy.absent) => return Seen::Absent,
            Error::Exchange(_) => "the query failed with a code that does not mean \"not found\"",
            Error::Transport(_) | Error::Unknown(_) => "the query got no response",
            Error::Unreadable(_) => "the response to the query cannot be read",
            Error::Refused(_)
            | Error::Unsigned(_)
            | Error::Limited(_)
            | Error::LimiterFailed(_)
            | Error::NotStored(_)
            | Error::NotAmendable(_)
            | Error::OverBudget(_) => "the query was not sent",
        })
    }

    /// Returns whether the request does several things, of which the queried one is the last.
    pub(super) fn is_compound(&self) -> bool {
        is_compound_with(self.plan.meta, self.target.named())
    }

    /// Returns the state of the order in a record.
    pub(super) fn state_in(&self, answer: &QueryAnswer) -> Option<String> {
        let (ends, Ok(Reply { data: Seen::Record(record), .. })) = (self.target.confirm().ends?, answer) else {
            return None;
        };
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
