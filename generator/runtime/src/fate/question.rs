//! A question about one thing: how it is put, and what an answer to it proves.

use super::absence::{self, AskedAt};
use super::confirmable::Asked;
use super::evidence::{self, Evidence, Sent};
use crate::checks::{CheckContext, CheckPolicy, Violation, Violations};
use crate::error::{Error, Refusal};
use crate::exchange::{Reply, is_compound_with};
use crate::json::write_json;
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{Confirm, Proves, Severity};

/// What is asked about one thing that a request was to change.
pub(super) struct Question<O: Asked> {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// What names the thing: the parameter of the query, and its text.
    asked: &'static str,
    key: String,
    query: O::Query,
    /// Whether the request does several things, of which the one that is asked for is the last.
    is_compound: bool,
}

/// What an answer comes to.
pub(super) enum Finding {
    Proof,
    Nothing(&'static str),
    /// There is no such thing, and never was.
    Absence,
    /// Something that was there before the request has its id.
    Older,
}

impl<O: Asked> Question<O> {
    /// The questions a request gives rise to: one, or one for each of its items. `None` where nothing names the thing.
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
        // What the request was checked for needs no check again.
        let policy = &CheckPolicy::nothing();
        let query = O::Query::from_json_in(&json, CheckContext { policy, ..CheckContext::default() }).ok()?;
        let is_compound = is_compound_with(O::META, &named);
        Some(Self { confirm, named, asked: pair.0, key, query, is_compound })
    }

    /// What the thing is named by.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn query(&self) -> &O::Query {
        &self.query
    }

    /// Whether the request gives its id to something new.
    pub(super) fn is_of_something_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// What a record proves; `has_rival` tells whether another request of the client speaks of the thing with an id.
    pub(super) fn found(&self, reply: &Reply<O::Record>, sent: &Sent, has_rival: impl Fn(&str) -> bool) -> Finding {
        let record = Named::read(&write_json(&reply.data));
        if record.text(self.asked).as_ref() != Some(&self.key) {
            return Finding::Nothing("the answer tells of something else, or of nothing");
        }
        // The other request may have named it by its other id.
        let mut ids = self.confirm.ask.iter().filter_map(|(field, _)| record.text(field));
        let sent = &Sent { has_rival: ids.any(|id| has_rival(&id)), ..*sent };
        match evidence::judge(self.confirm, &self.named, &record, sent) {
            Evidence::Proof => Finding::Proof,
            Evidence::Older => Finding::Older,
            Evidence::Nothing(because) => Finding::Nothing(because),
        }
    }

    /// What an error in place of an answer proves.
    pub(super) fn failed(&self, error: &Error, sent: &Sent, asked: &AskedAt, absent: &[String]) -> Finding {
        let Error::Exchange(error) = error else { return Finding::Nothing("the question has no answer") };
        if error.proves != Some(Proves::NoSuchOrder) && !absent.iter().any(|known| known == error.code.as_str()) {
            return Finding::Nothing("the question is answered with an error that does not say there is no such thing");
        }
        if self.is_compound {
            return Finding::Nothing("it is not there, but the request does several things, and may have done another");
        }
        match absence::proves(self.confirm, sent, asked) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }
}

/// Refuses a request of which nobody could ask what became of it.
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
        given: "nothing to ask by".to_owned(),
        allowed: format!("{parameter} is needed to ask what became of it"),
        source: O::META.source(),
        mend: format!("set {parameter}"),
        parameter,
    });
    Error::Refused(Box::new(Refusal { operation: O::META.id, violations }))
}
