//! The states of a lifecycle and the transitions between them.

use super::super::document::Table;
use super::super::findings::{FactKey, FactKind, key};
use super::super::text::Span;
use super::super::wording::{have_same_stem, stems};
use super::{Reader, values};

/// The states of a row, and the words of its trigger.
type Row = (Vec<String>, Vec<String>);

impl<'a> Reader<'a> {
    fn lifecycle(&self) -> Option<String> {
        let family = self.claims.families.iter().find(|family| family.lifecycle.is_some())?;
        Some(family.name.clone())
    }

    /// Reads `Order states: live, filled, cancelled`.
    pub(super) fn states(&mut self, text: Span<'a>) {
        let Some(family) = self.lifecycle() else { return };
        for sentence in text.sentences() {
            let Some((label, list)) = sentence.label() else { continue };
            if !label.texts().contains(&"states") {
                continue;
            }
            let known = self.claims.last_parts(FactKind::State, [&family]);
            if let Some(list) = values::list(list, &known) {
                self.state_values(&key(FactKind::State, [&family]), &list, &known);
                self.found.read(sentence);
            }
        }
    }

    pub(super) fn transitions(&mut self, table: &Table<'a>) {
        let Some(family) = self.lifecycle() else { return };
        let columns = ["state", "trigger", "next"].map(|word| {
            table.head.iter().position(|cell| {
                let words = cell.texts();
                words.first().is_some_and(|first| have_same_stem(first, word))
            })
        });
        let [Some(state), Some(trigger), Some(next)] = columns else { return };
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        let states = self.claims.last_parts(FactKind::State, [&family]);
        let mut listed: Vec<FactKey> = Vec::new();
        let rows: Vec<Row> = table
            .rows
            .iter()
            .filter_map(|row| Some((from_states(*row.get(state)?, &states, &[]), stems(row.get(trigger)?.text))))
            .collect();
        for row in &table.rows {
            let (Some(from), Some(trigger), Some(to)) = (row.get(state), row.get(trigger), row.get(next)) else {
                continue;
            };
            let from_states = from_states(*from, &states, &rows);
            let triggers = self.triggers(*trigger);
            let to_state = to_state(*to, &states);
            for from_state in &from_states {
                for of in &triggers {
                    let to = if to_state == "unchanged" { from_state } else { &to_state };
                    let transition = key(FactKind::Transition, [&family, from_state, of, to]);
                    self.found.state(transition.clone(), "", *from);
                    listed.push(transition);
                }
            }
            self.found.read(*trigger);
            self.found.read(*to);
        }
        for known in self.claims.below(FactKind::Transition, [&family]).cloned().collect::<Vec<_>>() {
            if !listed.contains(&known) {
                self.found.missing.push((known, table.at()));
            }
        }
    }

    /// Returns the operations in a cell, by name; other triggers in the document's words.
    fn triggers(&self, cell: Span<'a>) -> Vec<String> {
        let name = |id: &str| id.rsplit('.').next().unwrap_or(id).to_owned();
        if let Some(named) = self.names.at_start(cell.text).filter(|_| cell.split(&[","]).len() == 1) {
            return named.id.map(|id| name(&id)).into_iter().collect();
        }
        let named = self.names.list(cell);
        let of_this = |(part, named): &(Span<'a>, Option<super::super::operations::OperationName>)| match named {
            Some(named) => named.id.as_ref().map(|id| name(id)),
            None => Some(part.text.to_owned()),
        };
        named.iter().filter_map(of_this).collect()
    }
}

fn from_states(cell: Span<'_>, states: &[String], rows: &[Row]) -> Vec<String> {
    let words = cell.head_and_note().0.texts();
    if let ["any", of] = words.as_slice() {
        // `any modifiable` stands for the states from which another row modifies.
        let modifies =
            |(states, trigger): &&Row| !states.is_empty() && trigger.iter().any(|word| have_same_stem(word, of));
        return rows.iter().find(modifies).map(|(states, _)| states.clone()).unwrap_or_default();
    }
    let parts = cell.split(&[",", " or ", " and "]);
    let name = |part: &Span<'_>| part.head_and_note().0.text.to_owned();
    let known = |part: &String| part == "any" || states.contains(part) || !part.contains(' ');
    parts.iter().map(name).filter(known).collect()
}

/// Returns the first state in a cell, `unchanged`, or the words of the cell.
fn to_state(cell: Span<'_>, states: &[String]) -> String {
    let words = cell.texts();
    if words.first() == Some(&"unchanged") {
        return "unchanged".to_owned();
    }
    let exact = words.iter().find_map(|word| states.iter().find(|state| state == word));
    let alike =
        || words.iter().find_map(|word| states.iter().find(|state| have_same_stem(state, word) && state.len() > 4));
    exact.or_else(alike).cloned().unwrap_or_else(|| cell.text.to_owned())
}
