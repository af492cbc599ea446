//! A question about one thing: how it is put, and what an answer to it proves.

use super::absence::{self, Times};
use super::confirmable::Asked;
use crate::checks::{CheckContext, CheckPolicy, Violation, Violations};
use crate::error::{Error, Refusal};
use crate::exchange::Reply;
use crate::json::write_json;
use crate::operation::Operation;
use crate::parameters::Named;
use crate::tables::{Confirm, Severity};
use crate::value::Decimal;

/// What is asked about one thing that a request was to change.
pub(super) struct Question<O: Asked> {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// What names the thing: the parameter of the query, and its text.
    asked: &'static str,
    key: String,
    query: O::Query,
}

/// What an answer comes to.
pub(super) enum Finding {
    Proof,
    Nothing(&'static str),
    Absence,
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
        Some(Self { confirm, named, asked: pair.0, key, query })
    }

    /// What the thing is named by.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn query(&self) -> &O::Query {
        &self.query
    }

    /// What was found, judged.
    pub(super) fn found(&self, reply: &Reply<O::Record>, times: &Times) -> Finding {
        let record = Named::read(&write_json(&reply.data));
        if record.text(self.asked).as_ref() != Some(&self.key) {
            return Finding::Nothing("the answer tells of something else, or of nothing");
        }
        if self.confirm.created.is_some_and(|field| times.is_older(record.text(field))) {
            return Finding::Nothing("something older has the same id");
        }
        let mut wanted = self.confirm.matches.iter().filter_map(|(field, parameter)| {
            Some(is_same(&record.text(field).unwrap_or_default(), &self.named.text(parameter)?))
        });
        if self.confirm.matches.is_empty() {
            return Finding::Proof;
        }
        match (wanted.next(), wanted.all(|is_same| is_same)) {
            (Some(true), true) => Finding::Proof,
            (None, _) => Finding::Nothing("nothing that the request changes can be compared"),
            _ => Finding::Nothing("it is not, or not yet, as the request wants it"),
        }
    }

    /// What an error in place of an answer proves.
    pub(super) fn failed(&self, error: &Error, times: &Times, absent: &[String]) -> Finding {
        let Error::Exchange(error) = error else { return Finding::Nothing("the question has no answer") };
        let code = error.code.as_str();
        if !self.confirm.absent.contains(&code) && !absent.iter().any(|known| known == code) {
            return Finding::Nothing("the question is answered with an error that does not say there is no such thing");
        }
        match absence::proves(self.confirm, times, error.request_time) {
            Ok(()) => Finding::Absence,
            Err(why) => Finding::Nothing(why),
        }
    }
}

/// Whether two texts are the same, or the same number.
fn is_same(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<Decimal>().ok();
    one == other || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
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
