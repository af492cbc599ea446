//! The lifecycle of `family.yaml` -> states, transitions, and the records that show them.

use super::{FamilyBuilder, placed, text_of};
use crate::compiler::diagnostics::{Code, unknown};
use crate::compiler::load::{Named, Short, Spanned, Text, Texts, raw};
use crate::compiler::model::{
    Enum, ExcludedTransition, Exclusion, Lifecycle, NameOf, State, Tracked, Transition, Type,
};

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
            states: states(&raw.states),
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

    fn transition(&mut self, all: &Enum, raw: &Spanned<raw::Transition>) -> Transition {
        self.builder.need_keys(&[("from", !raw.from.is_empty()), ("trigger", !raw.trigger.is_empty())], raw.place);
        raw.from.iter().for_each(|from| self.is_state(all, from, &["any"]));
        match &raw.to {
            Some(state) => self.is_state(all, state, &["unchanged", "rejected"]),
            None => self.builder.missing("to", raw.place),
        }
        Transition {
            place: raw.place,
            from: texts(&raw.from),
            trigger: raw.trigger.iter().map(placed).map(NameOf::new).collect(),
            to: text_of(&raw.to),
            condition: text_of(&raw.condition),
            doc: text_of(&raw.doc),
        }
    }

    fn never(&mut self, all: &Enum, raw: &Spanned<raw::ExcludedTransition>) -> Option<ExcludedTransition> {
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
            false => Exclusion::Becoming(texts(&raw.to)),
            true => Exclusion::Operations(raw.trigger.iter().map(placed).map(NameOf::new).collect()),
        };
        Some(ExcludedTransition { place: raw.place, from: texts(&raw.from), what, at: text_of(&raw.at), why })
    }

    fn all_tracked(&mut self, raw: &Spanned<raw::Lifecycle>) -> Vec<Tracked> {
        let tracked: Vec<_> = raw.records.iter().filter_map(|raw| self.tracked(raw)).collect();
        if tracked.len() < raw.records.len() {
            self.builder.to.note_unread(raw.place.file, "records");
        }
        tracked
    }

    fn tracked(&mut self, raw: &Spanned<raw::Tracked>) -> Option<Tracked> {
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

fn states(raw: &Named<Short<raw::State>>) -> Vec<State> {
    let state = |(name, state): &(Text, Short<raw::State>)| State {
        value: name.value.clone(),
        place: name.place,
        doc: text_of(&state.doc),
        terminal: state.terminal.unwrap_or(false),
    };
    raw.iter().map(state).collect()
}

fn texts(texts: &Texts) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}
