//! The queries for the effect of a request.

use crate::data::value::Timestamp;

/// The parameter with the client id of what a request creates.
#[derive(Clone, Copy, Debug)]
pub struct ClientId {
    /// The name.
    pub parameter: &'static str,
    /// The list whose items have it; `None` if the request itself has it, `[]` if the body is the list.
    pub list: Option<&'static str>,
}

/// The queries that find out whether a request, or an item of it, had its effect. Pairs name first what is queried or
/// read, then the parameter of the request that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Confirm {
    /// The parameters that identify the target of the query. The first one that the request has is enough, and the
    /// record must carry it.
    pub ids: &'static [(&'static str, &'static str)],
    /// The fields of the record with these ids, if the query names them differently or does not take them. Empty if the
    /// fields have the names of the query's parameters.
    pub find: &'static [(&'static str, &'static str)],
    /// Parameters that the query takes over from the request.
    pub with: &'static [&'static str],
    /// Parameters that the query takes over from the request under other names.
    pub with_as: &'static [(&'static str, &'static str)],
    /// The names that the query of the first place does not take, but the query of the second one does.
    pub lacks: &'static [&'static str],
    /// The names that the query of the second place does not take.
    pub then_lacks: &'static [&'static str],
    /// Parameters of the query that are always sent, with their values.
    pub set: &'static [(&'static str, &'static str)],
    /// The same for the query of the second place.
    pub then_set: &'static [(&'static str, &'static str)],
    /// The parameter of a listing with the earliest time of creation, and how a time is written there as JSON.
    pub since: Option<TimeParameter>,
    /// The same for the second place.
    pub then_since: Option<TimeParameter>,
    /// The list whose items are queried one by one.
    pub list: Option<&'static str>,
    /// Fields that have the values of the request once it had its effect. Empty if the existence of the record is the
    /// effect.
    pub matches: &'static [(&'static str, &'static str)],
    /// Parameters of the request, each with the fields of which one has to agree with it if the record has any of them:
    /// otherwise the record is of another request with the same id.
    pub agrees: &'static [(&'static str, &'static [&'static str])],
    /// The field with the creation time. An older record is of something else with the same id.
    pub created: Option<&'static str>,
    /// One of these is in each request that creates something. Empty if every request creates something.
    pub creates_with: &'static [&'static str],
    /// The field with the time of the last change. A state from before the request proves nothing.
    pub changed: Option<&'static str>,
    /// Fields, and the values with which only such a request can have made the last change: with another value, that
    /// may have been a fill or the end.
    pub changed_while: &'static [(&'static str, &'static [&'static str])],
    /// The states of an order by which a request is judged that cancels or changes it: an end is final. `None` for a
    /// request that creates something, and where no document lists the states.
    pub ends: Option<Ends>,
    /// The parameter of the request with the time after which the exchange refuses it, and how its text is read.
    pub expires: Option<Deadline>,
    /// The minimum time for which it can be queried, in milliseconds, in any state. `None`: the documents do not specify it,
    /// so absence proves nothing.
    pub kept_ms: Option<u64>,
}

/// The states of an order, as the record shows them.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The field with the state.
    pub field: &'static str,
    /// The final states in which the request leaves the order; empty if it does not end the order.
    pub left_in: &'static [&'static str],
    /// The other final states.
    pub others: &'static [&'static str],
    /// The states that are not final.
    pub open: &'static [&'static str],
}

/// A parameter that takes a time, and how it is written.
pub type TimeParameter = (&'static str, fn(Timestamp) -> String);

/// A parameter with the time after which a request is refused, and how it is read.
pub type Deadline = (&'static str, fn(&str) -> Option<Timestamp>);

impl Confirm {
    /// Returns whether a request creates something. `is_given` returns whether it has a parameter.
    pub(crate) fn creates(&self, is_given: impl Fn(&str) -> bool) -> bool {
        let with = self.creates_with;
        self.created.is_some() && (with.is_empty() || with.iter().any(|parameter| is_given(parameter)))
    }

    /// Returns whether a request cancels an order.
    pub(crate) fn cancels(&self) -> bool {
        self.ends.is_some_and(|ends| !ends.left_in.is_empty())
    }

    /// Returns the fields of the record with the ids, each with the parameter of the request.
    pub(crate) fn fields(&self) -> &'static [(&'static str, &'static str)] {
        if self.find.is_empty() { self.ids } else { self.find }
    }

    /// An empty table, for the fields that a literal leaves out.
    pub const DEFAULT: Self = Self {
        ids: &[],
        find: &[],
        with: &[],
        with_as: &[],
        lacks: &[],
        then_lacks: &[],
        set: &[],
        then_set: &[],
        since: None,
        then_since: None,
        list: None,
        matches: &[],
        agrees: &[],
        created: None,
        creates_with: &[],
        changed: None,
        changed_while: &[],
        ends: None,
        expires: None,
        kept_ms: None,
    };
}

/// The values of its request that a response repeats, which show that it belongs to this request.
#[derive(Clone, Copy, Debug)]
pub struct Echoes {
    /// The ids that it repeats. If the request has one of them, only a response that repeats one is its response.
    pub ids: &'static [Echo],
    /// Other values that it repeats: one that differs shows another request, and one that agrees proves nothing.
    pub also: &'static [Echo],
    /// Values that one of several members repeats, each with its members: a response in which none of those that it has
    /// agrees shows another request, and one that agrees proves nothing.
    pub by_one: &'static [&'static [Echo]],
    /// True if one id that agrees is enough, because the document does not say which ids a response repeats.
    pub one_is_enough: bool,
}

/// A value that an answer repeats.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The member of the answer.
    pub member: &'static str,
    /// The parameters of the request that it may repeat.
    pub of: &'static [&'static str],
}

/// A request that does several things; one may be done although another is refused.
#[derive(Clone, Copy, Debug)]
pub struct Compound {
    /// A parameter, and the value with which the request does several things; `None` when it always does.
    pub when: Option<(&'static str, &'static str)>,
    /// A description of the effect.
    pub why: &'static str,
}
