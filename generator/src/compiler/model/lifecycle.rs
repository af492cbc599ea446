//! The states of orders and the transitions between them.

use super::builder::{FamilyBuilder, placed, text_of};
use super::elements::{
    Element, Key, additive, behaviour, breaking, documentation, flag, in_any_order, list, path, source,
};
use super::facts::Fact;
use super::{Alters, Cause, Enum, Family, NameOf, Operation, Placed, Record, Reference, Source, Type};
use crate::compiler::diagnostics::{Code, Place, unknown};
use crate::compiler::load::{Named, Short, Spanned, Text, Texts, raw};
use crate::compiler::words::Effect;

/// The states of an enum and their transitions.
#[derive(Clone, Debug)]
pub(crate) struct Lifecycle {
    pub(crate) enum_index: usize,
    pub(crate) place: Place,
    pub(crate) source: Option<Source>,
    pub(crate) states: Vec<State>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) never: Vec<ExcludedTransition>,
    pub(crate) records: Vec<Tracked>,
}

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) value: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) terminal: bool,
}

/// The word for all states that are not terminal, from which a transition may lead.
pub(crate) const ANY: &str = "any";

/// A change of state.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) place: Place,
    pub(crate) from: Vec<String>,
    pub(crate) trigger: Vec<NameOf<Cause>>,
    pub(crate) to: Next,
    pub(crate) condition: String,
    pub(crate) doc: String,
}

/// The end of a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The state stays, and the change had its effect.
    Unchanged,
    /// The state stays, because the change is rejected.
    Rejected,
    /// This state.
    State(String),
}

/// Transitions that the document rules out, directly and through other states.
#[derive(Clone, Debug)]
pub(crate) struct ExcludedTransition {
    pub(crate) place: Place,
    pub(crate) from: Vec<String>,
    pub(crate) what: Exclusion,
    pub(crate) at: String,
    pub(crate) why: String,
}

/// A transition or a state that is ruled out.
#[derive(Clone, Debug)]
pub(crate) enum Exclusion {
    /// The order becomes one of these states.
    Becoming(Vec<String>),
    /// One of these operations takes effect.
    Operations(Vec<NameOf<Alters>>),
}

/// A record that shows a state, and the meaning of its fields.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    pub(crate) place: Place,
    pub(crate) record: usize,
    pub(crate) id: Option<Placed>,
    pub(crate) client_id: Option<Placed>,
    pub(crate) state: Placed,
    pub(crate) at: Option<Placed>,
}

/// The possibility of an event, as far as the documents state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Possible {
    Yes,
    No,
    Unspecified,
}

impl Next {
    /// The words that stand in place of a state.
    pub(crate) const WORDS: [&str; 2] = ["unchanged", "rejected"];

    fn of(text: String) -> Self {
        match text.as_str() {
            "unchanged" => Self::Unchanged,
            "rejected" => Self::Rejected,
            _ => Self::State(text),
        }
    }

    /// Returns the end as the schema spells it.
    pub(crate) fn as_str(&self) -> &str {
        let [unchanged, rejected] = Self::WORDS;
        match self {
            Self::Unchanged => unchanged,
            Self::Rejected => rejected,
            Self::State(state) => state,
        }
    }

    /// Returns the state that follows, if another one may.
    pub(crate) fn state(&self) -> Option<&str> {
        match self {
            Self::Unchanged | Self::Rejected => None,
            Self::State(state) => Some(state),
        }
    }
}

impl Transition {
    /// Returns whether it leads from all states that are not terminal.
    fn is_from_any(&self) -> bool {
        self.from.iter().any(|from| from == ANY)
    }

    /// Returns the index of the state that follows, if another one may.
    pub(crate) fn next_in(&self, all: &Enum) -> Option<usize> {
        all.index_of(self.to.state()?)
    }

    /// Returns the change in words, without a full stop.
    pub(crate) fn in_words(&self) -> String {
        let from = match self.is_from_any() {
            true => "What has not ended".to_owned(),
            false => format!("What is {}", self.from.join(" or ")),
        };
        match &self.to {
            Next::Unchanged => format!("{from} stays the same"),
            Next::Rejected => format!("{from} stays the same, because the change is rejected"),
            Next::State(state) => format!("{from} becomes {state}"),
        }
    }

    /// Returns whether an operation with this effect causes it.
    pub(crate) fn has_effect(&self, family: &Family, effect: Effect) -> bool {
        self.trigger.iter().any(|cause| family.has_effect(cause, effect))
    }

    /// Returns whether an operation causes it.
    pub(crate) fn is_caused_by(&self, operation: &Operation) -> bool {
        self.trigger.iter().any(|cause| operation.is(cause))
    }
}

impl Exclusion {
    /// Returns whether it rules out that an operation takes effect.
    pub(crate) fn is_of(&self, operation: &Operation) -> bool {
        matches!(self, Self::Operations(names) if names.iter().any(|name| operation.is(name)))
    }
}

impl Family {
    /// Returns whether a name stands for an operation with this effect.
    fn has_effect(&self, name: &Reference, effect: Effect) -> bool {
        name.number.and_then(|number| self.effects.get(number)) == Some(&effect)
    }

    /// Returns the records that show a state.
    pub(crate) fn tracked_records(&self) -> impl Iterator<Item = &Record> {
        let tracked = self.lifecycle.iter().flat_map(|lifecycle| &lifecycle.records);
        tracked.filter_map(|tracked| self.records.get(tracked.record))
    }
}

impl Lifecycle {
    /// Returns the enum whose values are the states.
    pub(crate) fn states_of<'a>(&self, family: &'a Family) -> &'a Enum {
        &family.enums[self.enum_index]
    }

    /// Returns the state that describes a value of the enum.
    pub(crate) fn state(&self, all: &Enum, index: usize) -> Option<&State> {
        self.states.iter().find(|state| all.index_of(&state.value) == Some(index))
    }

    pub(crate) fn is_terminal(&self, all: &Enum, index: usize) -> bool {
        self.state(all, index).is_some_and(|state| state.terminal)
    }

    /// Returns whether a transition starts from a state.
    pub(crate) fn starts_from(&self, all: &Enum, transition: &Transition, index: usize) -> bool {
        let is_any = transition.is_from_any() && !self.is_terminal(all, index);
        is_any || names_state(all, &transition.from, index)
    }

    /// Returns whether one state can become another: `Yes` if a documented transition leads there, `No` if the
    /// documents exclude it, also through other states.
    pub(crate) fn can_become(&self, all: &Enum, from: usize, to: usize) -> Possible {
        if from == to {
            return Possible::Yes;
        }
        let is_ruled_out = self.never.iter().any(|never| {
            matches!(&never.what, Exclusion::Becoming(states) if names_state(all, states, to))
                && names_state(all, &never.from, from)
        });
        if self.is_terminal(all, from) || is_ruled_out {
            return Possible::No;
        }
        let leads = |transition: &&Transition| transition.next_in(all) == Some(to);
        let is_shown = self.transitions.iter().filter(leads).any(|one| self.starts_from(all, one, from));
        if is_shown { Possible::Yes } else { Possible::Unspecified }
    }

    /// Returns whether an operation with this effect takes effect in a state.
    pub(crate) fn takes(&self, family: &Family, effect: Effect, index: usize) -> Possible {
        let all = self.states_of(family);
        let is_ruled_out = self.never.iter().any(|never| {
            matches!(&never.what, Exclusion::Operations(names) if names.iter().any(|name| family.has_effect(name, effect)))
                && names_state(all, &never.from, index)
        });
        let shown = || {
            let starting = self.transitions.iter().filter(|one| self.starts_from(all, one, index));
            starting.filter(|one| one.has_effect(family, effect))
        };
        if self.is_terminal(all, index) || is_ruled_out {
            Possible::No
        } else if shown().any(|transition| transition.to != Next::Rejected) {
            Possible::Yes
        } else if shown().next().is_some() {
            Possible::No
        } else {
            Possible::Unspecified
        }
    }
}

/// Returns whether a value of the enum is among these states, in any of its spellings.
fn names_state(all: &Enum, states: &[String], index: usize) -> bool {
    states.iter().any(|state| all.index_of(state) == Some(index))
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn lifecycle(&mut self, enums: &[Enum]) -> Option<Lifecycle> {
        let raw = self.family.family.lifecycle.as_ref()?;
        let Some(name) = &raw.r#enum else {
            self.builder.missing("enum", raw.place);
            return None;
        };
        let Type::Enum(enum_index) = self.resolve(name) else {
            self.builder.to.note_unread(raw.place.file, "lifecycle");
            if self.names.get(&name.value).is_some() {
                self.at(name.place, Code::BadLifecycle, format!("expected an enum, found `{}`", name.value))
                    .help("name the enum whose values are the states");
            }
            return None;
        };
        let all = enums.get(enum_index)?;
        if self.is_of_another_enum(enums, all, name, &raw.states) {
            return None;
        }
        for (state, _) in raw.states.iter() {
            self.is_state(all, state, &[]);
        }
        let never: Vec<_> = raw.never.iter().filter_map(|never| self.never(all, never)).collect();
        Some(Lifecycle {
            enum_index,
            place: name.place,
            source: self.builder.source(&raw.source),
            states: all_states(&raw.states),
            transitions: raw.transitions.iter().map(|raw| self.transition(all, raw)).collect(),
            never,
            records: self.all_tracked(raw),
        })
    }

    /// Reports an enum of which no state is a value, as one mistake: all that the lifecycle says would be wrong.
    fn is_of_another_enum(
        &mut self,
        enums: &[Enum],
        all: &Enum,
        name: &Text,
        states: &Named<Short<raw::State>>,
    ) -> bool {
        let has = |one: &Enum| states.iter().all(|(state, _)| one.index_of(&state.value).is_some());
        let has_none = states.iter().all(|(state, _)| all.index_of(&state.value).is_none());
        if states.len() < 2 || !has_none {
            return false;
        }
        let help = match enums.iter().find(|one| has(one)) {
            Some(meant) => format!("name `{}`, which has all of them as values", meant.name.wire),
            None => "name the enum whose values are the states".to_owned(),
        };
        self.builder.to.note_unread(name.place.file, "lifecycle");
        self.at(name.place, Code::BadLifecycle, format!("no state is a value of `{}`", all.name.wire)).help(help);
        true
    }

    /// Reports a text that is neither a value of the enum nor one of these words.
    fn is_state(&mut self, all: &Enum, text: &Text, words: &[&str]) {
        if all.index_of(&text.value).is_none() && !words.contains(&text.value.as_str()) {
            let known = all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place)));
            let help = unknown(&text.value, known, || format!("the states are the values of `{}`", all.name.wire));
            self.at(text.place, Code::BadLifecycle, format!("`{}` has no value `{}`", all.name.wire, text.value))
                .help(help);
        }
    }

    pub(super) fn transition(&mut self, all: &Enum, raw: &Spanned<raw::Transition>) -> Transition {
        self.builder.need_keys(&[("from", !raw.from.is_empty()), ("trigger", !raw.trigger.is_empty())], raw.place);
        raw.from.iter().for_each(|from| self.is_state(all, from, &[ANY]));
        match &raw.to {
            Some(state) => self.is_state(all, state, &Next::WORDS),
            None => self.builder.missing("to", raw.place),
        }
        Transition {
            place: raw.place,
            from: plain_texts(&raw.from),
            trigger: raw.trigger.iter().map(placed).map(NameOf::new).collect(),
            to: Next::of(text_of(&raw.to)),
            condition: text_of(&raw.condition),
            doc: text_of(&raw.doc),
        }
    }

    pub(super) fn never(&mut self, all: &Enum, raw: &Spanned<raw::ExcludedTransition>) -> Option<ExcludedTransition> {
        if raw.from.is_empty() {
            self.builder.missing("from", raw.place);
        }
        raw.from.iter().chain(raw.to.iter()).for_each(|state| self.is_state(all, state, &[]));
        let why = self.builder.need(&raw.why, "why", raw.place);
        if raw.to.is_empty() == raw.trigger.is_empty() {
            self.at(raw.place, Code::BadLifecycle, "expected either `to` or `trigger`")
                .help("list the states it never becomes, or the operations that never take effect");
            return None;
        }
        let what = match raw.to.is_empty() {
            false => Exclusion::Becoming(plain_texts(&raw.to)),
            true => Exclusion::Operations(raw.trigger.iter().map(placed).map(NameOf::new).collect()),
        };
        Some(ExcludedTransition { place: raw.place, from: plain_texts(&raw.from), what, at: text_of(&raw.at), why })
    }

    fn all_tracked(&mut self, raw: &Spanned<raw::Lifecycle>) -> Vec<Tracked> {
        let tracked: Vec<_> = raw.records.iter().filter_map(|raw| self.tracked(raw)).collect();
        if tracked.len() < raw.records.len() {
            self.builder.to.note_unread(raw.place.file, "records");
        }
        tracked
    }

    pub(super) fn tracked(&mut self, raw: &Spanned<raw::Tracked>) -> Option<Tracked> {
        let has_id = raw.id.is_some() || raw.client_id.is_some();
        let keys = [("record", raw.record.is_some()), ("state", raw.state.is_some()), ("id", has_id)];
        self.builder.need_keys(&keys, raw.place);
        let (name, state) = (raw.record.as_ref()?, raw.state.as_ref()?);
        Some(Tracked {
            place: name.place,
            record: self.resolve_record(name)?,
            id: raw.id.as_ref().map(placed),
            client_id: raw.client_id.as_ref().map(placed),
            state: placed(state),
            at: raw.at.as_ref().map(placed),
        })
    }
}

fn all_states(raw: &Named<Short<raw::State>>) -> Vec<State> {
    let state = |(name, state): &(Text, Short<raw::State>)| State {
        value: name.value.clone(),
        place: name.place,
        doc: text_of(&state.doc),
        terminal: state.terminal.unwrap_or(false),
    };
    raw.iter().map(state).collect()
}

fn plain_texts(texts: &Texts) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

impl Lifecycle {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { enum_index, place, source: from, states, transitions, never, records } = self;
        let of = Type::Enum(*enum_index);
        let states_of = Key::new("enum", family.type_name(of), breaking("another enum has the states"));
        Element::new("lifecycle", &family.name, ["lifecycle", "lifecycle"], *place)
            .when(
                additive("`LIFECYCLE`, and functions of the enum that use it"),
                breaking("`LIFECYCLE` and the functions of the enum that use it are removed"),
            )
            .keys([states_of.same_as(family.type_rust(of)), source(from.as_ref())])
            .holds(states.iter().map(|state| state.element(&family.name)))
            .holds(transitions.iter().map(|transition| transition.element(&family.name)))
            .holds(never.iter().map(|never| never.element(&family.name)))
            .holds(records.iter().map(|tracked| tracked.element(family)))
    }
}

impl State {
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { value, place, doc, terminal } = self;
        Element::new("state", path(family, value), [value, value], *place)
            .when(behaviour("the exchange shows it"), behaviour("the exchange no longer shows it"))
            .keys([
                Key::new("terminal", flag(*terminal), behaviour("whether another state follows it")),
                Key::prose("doc", doc),
            ])
            .states([(*place, Fact::State { family: family.to_owned(), state: value.clone() })])
    }
}

/// Returns the texts of names.
fn texts<K>(names: &[NameOf<K>]) -> impl Iterator<Item = &str> {
    names.iter().map(|name| name.text.as_str())
}

impl Transition {
    /// Returns one fact for each state and trigger.
    pub(super) fn facts(&self, family: &str) -> Vec<(Place, Fact)> {
        let fact = |from: &String, trigger: &Reference| {
            let to = if self.to == Next::Unchanged { from } else { self.to.as_str() };
            let (from, trigger, to) = (from.clone(), trigger.text.clone(), to.to_owned());
            (self.place, Fact::Transition { family: family.to_owned(), from, trigger, to })
        };
        let by_each = |from| self.trigger.iter().map(move |trigger| fact(from, trigger));
        self.from.iter().flat_map(by_each).collect()
    }

    /// Returns the element; a transition has no name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, trigger, to, condition, doc } = self;
        let to = to.as_str();
        let name = format!("{} -> {to} by {}", list(from), list(texts(trigger)));
        let same = format!("{} -> {to} by {}", in_any_order(from), in_any_order(texts(trigger)));
        Element::new("transition", path(family, &name), [&same, &same], *place)
            .when(behaviour("it happens"), behaviour("it no longer happens"))
            .keys([Key::new("condition", condition, behaviour("when it happens")), Key::prose("doc", doc)])
            .states(self.facts(family))
    }
}

impl ExcludedTransition {
    /// Returns an element without a name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, what, at, why } = self;
        let (name, same) = match what {
            Exclusion::Becoming(states) => (
                format!("{} -> {}", list(from), list(states)),
                format!("{} -> {}", in_any_order(from), in_any_order(states)),
            ),
            Exclusion::Operations(operations) => (
                format!("{} by {}", list(from), list(texts(operations))),
                format!("{} by {}", in_any_order(from), in_any_order(texts(operations))),
            ),
        };
        Element::new("never", path(family, &name), [&same, &same], *place)
            .when(behaviour("it is ruled out"), behaviour("it is no longer ruled out"))
            .keys([Key::new("at", at, documentation("")), Key::prose("why", why)])
    }
}

impl Tracked {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { place, record, id, client_id, state, at } = self;
        let of = Type::Record(*record);
        let (name, rust) = (family.type_name(of), family.type_rust(of));
        let field = |name, field: Option<&Placed>| Key::placed(name, field, behaviour("another field has it"));
        Element::new("tracked record", path(&family.name, name), [name, rust], *place)
            .when(additive("it implements `HasState`"), breaking("it no longer implements `HasState`"))
            .keys([
                field("id", id.as_ref()),
                field("client_id", client_id.as_ref()),
                field("state", Some(state)),
                field("at", at.as_ref()),
            ])
    }
}
