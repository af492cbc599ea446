//! The outcome of a request: how it follows from the result of the call, and how a query confirms it otherwise.

use super::builder::{Builder, FamilyBuilder, placed};
use super::declared::KeyValue as _;
use super::elements::{Element, Key, Means, additive, behaviour, breaking, declared_keys, in_any_order, list, maybe};
use super::{
    Api, CallResult, Compound, Confirm, ConfirmContext, Effect, Family, Item, NameOf, NamesWithin, Operation,
    Parameter, Placed, Query, Record, Repeat, Response, RowOutcome,
};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Named, Spanned, Texts, raw};
use tradeapi_words::Assumptions;

/// The outcome of a request that changes something, for one result of its call.
#[derive(Clone, Debug)]
pub(crate) struct OutcomeRow {
    pub(crate) place: Place,
    pub(crate) when: CallResult,
    pub(crate) outcome: RowOutcome,
    pub(crate) why: String,
}

/// The values of the request that the answer repeats.
#[derive(Clone, Debug)]
pub(crate) struct Echoes {
    pub(crate) place: Place,
    /// Members of the answer, each with the parameters of the request that it may repeat.
    pub(crate) ids: Vec<NamesWithin>,
    /// Members that repeat other values, in the same form.
    pub(crate) also: Vec<NamesWithin>,
    /// Parameters that one of several members repeats, each with these members.
    pub(crate) by_one: Vec<NamesWithin>,
    /// True if it is enough that one id agrees.
    pub(crate) one_is_enough: bool,
}

impl Confirm {
    /// Returns the names of the queries, in the order in which they are sent.
    pub(crate) fn queries(&self) -> impl Iterator<Item = &NameOf<Query>> {
        std::iter::once(&self.by).chain(&self.then)
    }
}

/// Returns whether a wire name belongs to one of these parameters, or to a choice among them.
pub(crate) fn has_parameter(family: &Family, parameters: &[Parameter], wire: &str) -> bool {
    let wires = parameters.iter().flat_map(|parameter| family.wire_parameters(None, parameter));
    wires.filter_map(|wire| wire.parameter()).any(|parameter| parameter.name.wire == wire)
}

impl Operation {
    /// Returns the list of the request whose items have certain parameters, unless the request itself has them.
    pub(crate) fn list_with(&self, has: impl Fn(&[Parameter]) -> bool) -> Option<(&Parameter, &Item)> {
        if has(self.members()) { None } else { self.items().find(|(_, item)| has(&item.parameters)) }
    }

    /// Returns the list of the request whose items are queried one by one.
    pub(crate) fn confirmed_list<'a>(&'a self, family: &Family) -> Option<&'a str> {
        self.confirm.as_ref()?;
        let has_query = |parameters: &[_]| self.queried_by().any(|(own, _)| has_parameter(family, parameters, own));
        self.list_with(has_query).map(|(list, _)| list.name.wire.as_str())
    }

    /// Returns the query that shows whether a request had its effect, and the record that it returns.
    pub(crate) fn first_query<'a>(&self, family: &'a Family) -> Option<(&'a Operation, &'a Record)> {
        let query = family.operations.get(&self.confirm.as_ref()?.by)?;
        let record = query.shown_record(family)?;
        Some((query, family.records.get(record)?))
    }

    /// Returns the queries in the order in which they are sent.
    pub(crate) fn queries<'a>(&self, family: &'a Family) -> impl Iterator<Item = &'a Operation> {
        self.first_query(family).map(|(first, _)| first).into_iter().chain(self.second_query(family))
    }

    /// Returns the query for records that the first one no longer shows.
    pub(crate) fn second_query<'a>(&self, family: &'a Family) -> Option<&'a Operation> {
        family.operations.get(self.confirm.as_ref()?.then.as_ref()?)
    }

    /// Returns the record that an answer contains, alone or in a list.
    pub(crate) fn shown_record(&self, family: &Family) -> Option<usize> {
        match self.response {
            Response::Object { record } if self.listed_field(family).is_none() => Some(record),
            _ => self.listed_record(family),
        }
    }

    /// Returns the parameters with ids; a query takes one of them.
    pub(crate) fn queried_by(&self) -> impl Iterator<Item = &Placed> {
        let confirm = self.confirm.iter();
        confirm
            .flat_map(|confirm| if confirm.ids.is_empty() { &confirm.find } else { &confirm.ids })
            .map(|(_, own)| own)
    }
}

/// When an absence proves that a request was not done, in milliseconds after its signature. The bounds that depend on a
/// window are `None` where each request has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) after: Option<u64>,
    pub(crate) until: Option<u64>,
    /// The time for which a record is shown at least.
    pub(crate) kept: u64,
}

impl Absence {
    /// Returns when an absence is a proof with the usual assumptions, or why it never is.
    pub(crate) fn of(api: &Api, confirm: &Confirm) -> Result<Self, &'static str> {
        let assumed = Assumptions::DEFAULT;
        let milliseconds = |length: std::time::Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let Some((kept, _)) = confirm.kept else {
            return Err("It is not documented how long a record is kept.");
        };
        let kept = kept.at_least_milliseconds();
        let window = api.credentials.as_ref().and_then(|credentials| credentials.window?.milliseconds());
        let after = window.map(|window| window + milliseconds(assumed.visible_after(std::time::Duration::ZERO)));
        let until = window.and_then(|window| kept.checked_sub(window + milliseconds(assumed.clock_error)));
        match (after, until) {
            (None, _) if confirm.expires.is_none() => Err("It is not known how long a request can be in flight."),
            (Some(after), until) if until.is_none_or(|until| until <= after) => {
                Err("A record may be deleted before every machine shows it.")
            }
            (after, until) => Ok(Self { after, until, kept }),
        }
    }
}

/// The states of an order by which its cancellation, or an amendment, is judged.
pub(crate) struct Ends<'a> {
    pub(crate) field: &'a str,
    /// The final states in which the operation leaves the order.
    pub(crate) left_in: Vec<&'a str>,
    /// The other final states.
    pub(crate) others: Vec<&'a str>,
    /// The states that are not final.
    pub(crate) open: Vec<&'a str>,
}

impl Operation {
    /// Returns the states in the record that confirms a cancellation or an amendment, if the lifecycle has them.
    pub(crate) fn ends<'a>(&self, family: &'a Family) -> Option<Ends<'a>> {
        let confirm = self.confirm.as_ref()?;
        let lifecycle = family.lifecycle.as_ref()?;
        let record = family.operations.get(&confirm.by)?.shown_record(family)?;
        let tracked = lifecycle.records.iter().find(|tracked| tracked.record == record)?;
        let all = lifecycle.states_of(family);
        let own = lifecycle.transitions.iter().filter(|transition| transition.is_caused_by(self));
        let left_in: Vec<_> = own.filter_map(|own| own.next_in(all)).collect();
        let states = |is_meant: &dyn Fn(usize, bool) -> bool| {
            let meant =
                all.wires().enumerate().filter(|(index, _)| is_meant(*index, lifecycle.is_terminal(all, *index)));
            meant.map(|(_, state)| state).collect()
        };
        let is_left = |index| left_in.contains(&index);
        let ends = Ends {
            field: &tracked.state.0,
            left_in: states(&|index, is_final| is_final && is_left(index)),
            others: states(&|index, is_final| is_final && !is_left(index)),
            open: states(&|_, is_final| !is_final),
        };
        match self.effect {
            Effect::Cancel => Some(ends).filter(|ends| !ends.left_in.is_empty()),
            Effect::Amend => Some(ends).filter(|ends| ends.left_in.is_empty() && !confirm.matches.is_empty()),
            Effect::Create | Effect::Close | Effect::Read => None,
        }
    }
}

impl Builder<'_> {
    pub(super) fn outcome_row(&mut self, raw: &Spanned<raw::OutcomeRow>) -> Option<OutcomeRow> {
        let why = self.need(&raw.why, "why", raw.place);
        self.need_keys(&[("when", raw.when.is_some()), ("outcome", raw.outcome.is_some())], raw.place);
        let when = raw.when.as_ref()?;
        // If the outcome is missing, a value that passes the checks, so that only the missing key is reported.
        let fitting = match when.value {
            CallResult::Success => RowOutcome::Done,
            when if when.may_be_sent() => RowOutcome::Unknown,
            _ => RowOutcome::NotDone,
        };
        let outcome = raw.outcome.as_ref().map_or(fitting, |outcome| outcome.value);
        Some(OutcomeRow { place: when.place, when: when.value, outcome, why })
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn confirm(&mut self, raw: &Option<Confirm>) -> Option<Confirm> {
        let confirm = raw.as_ref()?;
        if confirm.ids.is_empty() && confirm.find.is_empty() {
            self.builder.missing("ids", confirm.place);
        }
        Some(confirm.clone())
    }

    pub(super) fn echoes(&mut self, raw: &raw::Operation) -> Option<Echoes> {
        if let (Some(first), Some(second)) = (&raw.echoes, &raw.echoes_one_of) {
            self.at(second.place, Code::Misplaced, "`echoes` and `echoes_one_of` exclude each other")
                .related(first.place, "`echoes` is here")
                .help("keep `echoes` if every id must agree, or `echoes_one_of` if one is enough");
        }
        let ids = raw.echoes.as_ref().or(raw.echoes_one_of.as_ref());
        let first = ids.or(raw.echoes_also.as_ref()).or(raw.echoed_by.as_ref())?;
        let all = |key: Option<&Spanned<Named<Texts>>>| key.map(|key| all_names(key)).unwrap_or_default();
        Some(Echoes {
            place: first.place,
            ids: all(ids),
            also: all(raw.echoes_also.as_ref()),
            by_one: all(raw.echoed_by.as_ref()),
            one_is_enough: raw.echoes.is_none() && raw.echoes_one_of.is_some(),
        })
    }

    pub(super) fn repeat(&mut self, raw: &Option<Repeat>) -> Option<Repeat> {
        let repeat = raw.as_ref()?;
        if let Some((_, place)) = repeat.kept.filter(|_| repeat.by_key.is_none()) {
            self.refuse_keys(&[("kept", Some(place))], "requires `by_key`");
        }
        Some(repeat.clone())
    }
}

fn all_names(raw: &Named<Texts>) -> Vec<NamesWithin> {
    raw.iter().map(|(one, others)| (placed(one), others.iter().map(placed).collect())).collect()
}

impl OutcomeRow {
    pub(super) fn element(&self) -> Element {
        let Self { place, when, outcome, why } = self;
        let meaning = || behaviour("which outcome a call with this result has");
        Element::new("outcome", when.as_str(), [when.as_str(); 2], *place)
            .when(meaning(), meaning())
            .keys([Key::new("outcome", outcome.as_str(), meaning()), Key::prose("why", why)])
    }
}

impl Confirm {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let types = operation.first_query(family);
        let types = types.map(|(query, record)| format!("{} {}", query.rust.rust, record.name.rust));
        let by = |ConfirmContext::Query| Means::Rust {
            name: types.clone(),
            other: breaking("the query and the record that it returns have other types"),
            same: behaviour("another operation is queried"),
        };
        Element::new("confirmation", &operation.id, ["confirmation", "confirmation"], self.place)
            .when(additive("it can be confirmed"), breaking("it can no longer be confirmed"))
            .keys(declared_keys(self, by))
    }
}

pub(super) fn several(all: &[NamesWithin]) -> String {
    let words = all.iter().map(|((one, _), others)| {
        let others: Vec<_> = others.iter().map(|(other, _)| other.as_str()).collect();
        format!("{one}: {}", others.join(" or "))
    });
    list(words)
}

pub(super) fn echoes_key(echoes: Option<&Echoes>) -> Key {
    let said = |several: &dyn Fn(&[NamesWithin]) -> String| {
        maybe(echoes.map(|Echoes { place: _, ids, also, by_one, one_is_enough }| {
            let one_of = if *one_is_enough { "one of " } else { "" };
            let more = |word: &str, all: &[NamesWithin]| match all {
                [] => String::new(),
                _ => format!("; {word} {}", several(all)),
            };
            format!("{one_of}{}{}{}", several(ids), more("also", also), more("by one", by_one))
        }))
    };
    let unordered = |all: &[NamesWithin]| {
        in_any_order(all.iter().map(|((one, _), others)| format!("{one}: {:?}", others.same_as())))
    };
    let means = behaviour("which ids match an answer to its request");
    Key::new("echoes", said(&several), means).same_as(said(&unordered)).at(echoes.map(|echoes| echoes.place)).said()
}

/// Returns when it has several effects; the reason is a separate text.
pub(super) fn compound_key(compound: Option<&Compound>) -> Key {
    let words = compound.map(|Compound { place: _, when, why: _ }| match when {
        Some(((name, _), (value, _))) => format!("when {name} is {value}"),
        None => "always".to_owned(),
    });
    let means = behaviour("which refusals prove that nothing was done");
    Key::new("compound", maybe(words), means).at(compound.map(|compound| compound.place)).said()
}
