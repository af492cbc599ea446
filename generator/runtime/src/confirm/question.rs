//! A query about one thing, and what its response proves.

use super::Queryable;
use super::absence::{self, AskedAt};
use super::evidence::{self, Evidence, Sent};
use crate::checks::{CheckContext, CheckPolicy, Violation, Violations};
use crate::error::{Error, Refusal};
use crate::exchange::{Reply, is_compound_with};
use crate::json::{Decode, write_json};
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{CodeProof, Confirm, Severity};

/// A query about one thing that a request was to change.
pub(super) struct Question<O: Queryable> {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// What identifies the thing: the parameter of the query, and its text.
    asked: &'static str,
    key: String,
    query: O::Query,
    /// Whether the request does several things, of which the queried one is the last.
    is_compound: bool,
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
        let (pair, key) = confirm.ask.iter().find_map(|pair| Some((*pair, named.text(pair.1)?)))?;
        let with = confirm.with.iter().map(|parameter| (*parameter, *parameter));
        let json = named.renamed(std::iter::once(pair).chain(with));
        // The request was checked already.
        let policy = &CheckPolicy::nothing();
        let query = O::Query::from_json_in(&json, CheckContext { policy, ..CheckContext::default() }).ok()?;
        let is_compound = is_compound_with(O::META, &named);
        Some(Self { confirm, named, asked: pair.0, key, query, is_compound })
    }

    /// The id of the thing.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn query(&self) -> &O::Query {
        &self.query
    }

    /// Whether the request creates something with the id.
    pub(super) fn is_of_something_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// Whether a record is of the queried thing. A response can be to another query.
    pub(super) fn is_about(&self, record: &Named) -> bool {
        record.text(self.asked).as_ref() == Some(&self.key)
    }

    /// What a record proves. `has_rival` returns whether another request of the client is about the thing with an id.
    pub(super) fn found(&self, reply: &Reply<O::Record>, sent: &Sent, has_rival: impl Fn(&str) -> bool) -> Finding {
        let record = Named::read(&write_json(&reply.data));
        if !self.is_about(&record) {
            return Finding::Nothing("the response is about something else, or empty");
        }
        // The other request may use its other id.
        let mut ids = self.confirm.ask.iter().filter_map(|(field, _)| record.text(field));
        let sent = &Sent { has_rival: ids.any(|id| has_rival(&id)), ..*sent };
        match evidence::evaluate(self.confirm, &self.named, &record, O::Record::FORM, sent) {
            Evidence::Proof => Finding::Proof,
            Evidence::Older => Finding::Older,
            Evidence::Nothing(because) => Finding::Nothing(because),
        }
    }

    /// What an error of the query proves.
    pub(super) fn failed(&self, error: &Error, sent: &Sent, asked: &AskedAt, absent: &[String]) -> Finding {
        let Error::Exchange(error) = error else { return Finding::Nothing("the query got no response") };
        if error.proves != Some(CodeProof::NoSuchOrder) && !absent.iter().any(|known| known == error.code.as_str()) {
            return Finding::Nothing("the query failed with a code that does not mean \"not found\"");
        }
        if self.is_compound {
            return Finding::Nothing("it was not found, but the request does several things and may have done another");
        }
        match absence::proves(self.confirm, sent, asked) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }
}

/// Refuses a request whose outcome cannot be queried.
pub(super) fn cannot_be_asked<O: Operation>() -> Error {
    let parameter = O::META.confirm.as_ref().map(|confirm| {
        let names: Vec<_> = confirm.ask.iter().map(|(_, parameter)| *parameter).collect();
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
