//! The parameters of an operation: a table, or a sentence such as `Parameters: a (required), b, c (one required)`.

use std::collections::BTreeSet;

use super::super::document::{Block, Document, Section, Table, label_of};
use super::super::findings::{Basis, FactKey, FactKind, key};
use super::super::named::short;
use super::super::text::Span;
use super::super::wording::{is_name, parameter_prefix};
use super::columns::{Columns, need_above};
use super::note::{Deferred, NotedParameters, is_about_several};
use super::{HadName, Reader, needs};
use crate::compiler::diagnostics::nearest;

/// A parameter in the list that is being read.
struct ListedParameter<'a> {
    at: Span<'a>,
    /// The need according to its column in a table.
    need: Option<&'static str>,
    /// The need according to the words above its table, if neither its row nor its note states one.
    need_above: Option<&'static str>,
    note: Option<Span<'a>>,
    /// Cells of other columns, which are read like notes.
    more: Vec<Span<'a>>,
    /// The cell with its type, in a table.
    json: Option<Span<'a>>,
    /// True if the words behind its name require one of its group: `orderId or clientOid must be sent`.
    is_one_of: bool,
    /// A later note in the sentence, whose unit holds for all times before it.
    times: Option<Span<'a>>,
    /// The group of the parameter; parameters of one group share their note.
    group: usize,
}

/// The need of a parameter that no mark and no note states.
enum OpenNeed {
    Is(&'static str),
    /// The one that follows from the marks of the others.
    ByMarks,
}

/// Sentences that say that an operation has no parameters.
const NO_PARAMETERS: [&str; 5] = [
    "no parameters",
    "no parameters required",
    "no parameters are required",
    "no request parameters",
    "there are no parameters",
];

/// Returns whether the text in the place of a list says that it is empty.
pub(super) fn is_none(list: Span<'_>) -> bool {
    ["none", "n/a", "nil", "no parameters"].contains(&list.text.trim_end_matches('.').to_lowercase().as_str())
}

/// More groups than any item of a list or any table has.
const GROUPS: usize = 1000;

impl<'a> Reader<'a> {
    pub(super) fn parameters(&mut self, section: &'a Section, id: &str) {
        let mut has_list = false;
        let tables = section.labelled_tables(self.document).into_iter();
        let of_requests = tables.filter(|(label, _)| !label.is_some_and(|label| self.document.is_about_answers(label)));
        let before = self.found.missing.len();
        let is_of_several = |table: &Table<'a>| operation_column(table).is_some();
        let has_others = section.tables(self.document).any(|table| is_of_several(&table));
        let of_requests = of_requests.map(|(label, table)| (label, self.own_column(self.own_rows(table, id), id)));
        let of_requests = of_requests.filter(|(_, table)| !table.rows.is_empty());
        let with_columns = of_requests
            .filter_map(|(label, table)| Some((label, Columns::labelled(self.document, &table, label)?, table)));
        let lists: Vec<_> =
            with_columns.map(|(label, columns, table)| (need_above(label), label, columns, table)).collect();
        let has_need = |need: &Option<&str>, columns: &Columns| columns.need().is_some() || need.is_some();
        let has_needs = lists.iter().any(|(need, _, columns, _)| has_need(need, columns));
        // A list may be parted into several tables.
        let mut seen: Vec<ListedParameter<'a>> = Vec::new();
        let mut last = None;
        for (nth, (need, label, columns, table)) in lists.into_iter().enumerate() {
            // Beside a table with a column of needs, one without is about something else, such as weights.
            if has_need(&need, &columns) || !has_needs {
                last = Some(table.at());
                self.found.read.extend(label.filter(|label| self.document.is_about_requests(*label)).map(Span::range));
                seen.extend(
                    self.listed_in(id, &columns, &table, need)
                        .into_iter()
                        .map(|one| ListedParameter { group: nth * GROUPS + one.group, ..one }),
                );
            }
        }
        if let Some(last) = last {
            has_list = true;
            self.parameter_list(id, "", last, &seen, OpenNeed::ByMarks);
        }
        has_list |= self.listed_below(section, id);
        for text in section.texts(self.document) {
            for sentence in text.sentences() {
                let labelled = sentence.label().filter(|(_, list)| !list.is_empty());
                let list =
                    labelled.and_then(|(label, list)| Some((label, list, parameter_prefix(label.head_and_note().0)?)));
                let is_alone = NO_PARAMETERS.contains(&sentence.text.trim().to_lowercase().as_str());
                if is_alone || list.as_ref().is_some_and(|(_, list, _)| is_none(*list)) {
                    self.found.read(sentence);
                    has_list = true;
                    self.found.without_parameters.insert(id.to_owned());
                    self.parameter_list(id, "", sentence.at, &[], OpenNeed::Is("no"));
                    continue;
                }
                let Some((label, list, prefix)) = list else { continue };
                has_list = true;
                let open_need = if label.text.contains("none marked required") { "no" } else { "unstated" };
                if prefix == "[]." {
                    self.found.state(key(FactKind::Parameter, [id, "[]"]), "yes", label);
                }
                self.found.read(label);
                self.parameter_list(id, &prefix, list.at, &sentence_entries(list), OpenNeed::Is(open_need));
            }
            self.one_of_in_prose(text, id);
        }
        if has_others {
            self.complete(section, before);
        }
        let endpoint = key(FactKind::Endpoint, [id]);
        if !has_list && self.found.about(&endpoint).next().is_none() {
            // Nothing but the heading is left.
            self.found.missing.push((endpoint, section.at.start));
        } else if !has_list {
            self.missing_parameters(id, "", section.at.start, &[]);
        }
    }

    /// Returns the operations that a cell names.
    fn operations_in(&self, cell: Span<'a>) -> Vec<String> {
        let named = self.names.list(cell).into_iter().filter(|(part, _)| self.names.is_exact(*part));
        named.filter_map(|(_, named)| named?.id).collect()
    }

    /// Returns the rows of a table with a column of operations that are about one of them, and any other table as it is.
    fn own_rows(&self, table: Table<'a>, id: &str) -> Table<'a> {
        let Some(column) = operation_column(&table) else { return table };
        let without = |cells: Vec<Span<'a>>| {
            cells.into_iter().enumerate().filter(|(at, _)| *at != column).map(|(_, cell)| cell).collect()
        };
        let is_own = |row: &Vec<Span<'a>>| self.operations_in(row[column]).iter().any(|own| own == id);
        Table { rows: table.rows.into_iter().filter(is_own).map(without).collect(), head: without(table.head) }
    }

    /// Reads a table with parameters of several operations outside of their sections. What it lacks stands in these.
    pub(super) fn parameters_of_several(&mut self, table: &Table<'a>) -> bool {
        let Some(column) = operation_column(table) else { return false };
        let ids: BTreeSet<String> = table.rows.iter().flat_map(|row| self.operations_in(row[column])).collect();
        let mut is_read = false;
        for id in ids {
            let own = self.own_rows(Table { head: table.head.clone(), rows: table.rows.clone() }, &id);
            let Some(columns) = Columns::labelled(self.document, &own, None).filter(|own| own.need().is_some()) else {
                return false;
            };
            let (seen, before) = (self.listed_in(&id, &columns, &own, None), self.found.missing.len());
            self.parameter_list(&id, "", own.at(), &seen, OpenNeed::ByMarks);
            self.found.missing.truncate(before);
            is_read = true;
        }
        is_read
    }

    /// Returns the parameters in the rows of a table.
    fn listed_in(
        &mut self,
        id: &str,
        columns: &Columns,
        table: &Table<'a>,
        need_above: Option<&'static str>,
    ) -> Vec<ListedParameter<'a>> {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        self.types_of(id, columns, &table.rows);
        let listed = columns.cells(self.document, &table.rows).map(|cells| ListedParameter {
            at: cells.name,
            need: cells.need,
            need_above,
            note: cells.note,
            more: cells.more,
            json: cells.json,
            is_one_of: false,
            times: None,
            group: cells.row,
        });
        listed.collect()
    }

    /// Returns the columns and rows of a table of several operations that are about one of them, and any other table as
    /// it is: each operation has a column of needs, in which a dash stands for what it does not have.
    fn own_column(&self, table: Table<'a>, id: &str) -> Table<'a> {
        let of_cell = |cell: &Span<'a>| <[String; 1]>::try_from(self.operations_in(*cell)).ok().map(|[id]| id);
        let owners: Vec<Option<String>> = table.head.iter().map(of_cell).collect();
        let own = owners.iter().position(|owner| owner.as_deref() == Some(id));
        let Some(own) = own.filter(|_| owners.iter().flatten().count() > 1) else { return table };
        let is_kept = |at: &usize| *at == own || owners.get(*at).is_none_or(Option::is_none);
        let kept = |cells: Vec<Span<'a>>| {
            cells.into_iter().enumerate().filter(|(at, _)| is_kept(at)).map(|(_, cell)| cell).collect()
        };
        let has = |row: &Vec<Span<'a>>| {
            row.get(own).is_some_and(|cell| cell.text.chars().any(|c| c.is_alphanumeric() || "✓✔√✅".contains(c)))
        };
        Table { rows: table.rows.into_iter().filter(has).map(kept).collect(), head: kept(table.head) }
    }

    /// Reads a list with an item for each parameter: below `Parameters:`, or with a need in each item.
    fn listed_below(&mut self, section: &'a Section, id: &str) -> bool {
        let (mut has_list, mut above) = (false, None);
        for (block, below) in section.blocks.iter().zip(1..) {
            let Block::Text(range) = block else { continue };
            above = label_of(self.document.span(range).trim()).or(above);
            let Some(last) = self.document.span(range).trim().sentences().last().copied() else { continue };
            let items = section.blocks[below..].iter().map_while(|block| match block {
                Block::Item { text, .. } => Some(self.document.span(text).trim()),
                Block::Text(_) | Block::Table { .. } => None,
            });
            let items: Vec<Span<'a>> = items.collect();
            let has_need = |item: &Span<'a>| {
                let need = item.label().and_then(|(head, _)| head.head_and_note().1);
                need.is_some_and(|need| self.document.need_of(need.text).is_some())
            };
            let labelled = last.label().filter(|(_, list)| list.is_empty());
            let labelled = labelled.and_then(|(label, _)| Some((label, parameter_prefix(label.head_and_note().0)?)));
            let is_of_answer = above.is_some_and(|above| self.document.is_about_answers(above));
            let is_marked = || !is_of_answer && items.iter().all(has_need);
            let marked = || items.first().filter(|_| is_marked()).map(|first| (*first, String::new()));
            let Some((label, prefix)) = labelled.or_else(marked) else { continue };
            if let Some(Block::Text(range)) = section.blocks.get(below)
                && let none = self.document.span(range).trim()
                && is_none(none)
            {
                self.found.read(label);
                self.found.read(none);
                self.found.without_parameters.insert(id.to_owned());
                has_list = true;
            }
            let mut seen = Vec::new();
            for (nth, item) in items.iter().copied().enumerate() {
                let entries =
                    item_entry(self.document, item).map_or_else(|| sentence_entries(item), |entry| vec![entry]);
                seen.extend(
                    entries.into_iter().map(|entry| ListedParameter { group: nth * GROUPS + entry.group, ..entry }),
                );
            }
            if !seen.is_empty() {
                has_list = true;
                self.found.read(label);
                self.parameter_list(id, &prefix, label.at, &seen, OpenNeed::Is("unstated"));
            }
        }
        has_list
    }

    fn parameter_list(&mut self, id: &str, prefix: &str, at: usize, seen: &[ListedParameter<'a>], open_need: OpenNeed) {
        let names = self.renamed(id, prefix, seen);
        self.siblings = names.iter().map(|(_, at)| at.text.to_owned()).collect();
        let listed: Vec<FactKey> = names.iter().map(|(name, _)| key(FactKind::Parameter, [id, name])).collect();
        let mut needs: Vec<Option<&'static str>> = seen.iter().map(|seen| seen.need).collect();
        let mut given = vec![false; seen.len()];
        // The words of a cell say it, and no reader knows them.
        let mut unread: Vec<bool> = needs.iter().map(|need| *need == Some("open")).collect();
        let mut items = Vec::new();
        let mut group_start = 0;
        while let Some(first) = seen.get(group_start) {
            let count = seen.iter().skip(group_start).take_while(|seen| seen.group == first.group).count();
            let group = group_start..group_start + count;
            group_start = group.end;
            let in_group = &names[group.clone()];
            in_group.iter().for_each(|(_, at)| self.found.read(*at));
            if let Some(note) = first.note {
                let mut said = self.note(&NotedParameters { id, names: in_group, note, is_limit: false });
                // `either a or b`, `either a or b (required)`
                let is_either = self.document.text[..in_group[0].1.at].trim_end().ends_with("either")
                    || seen[group.clone()].iter().any(|seen| seen.is_one_of);
                if let Some((_, at)) = said.need.take_if(|(need, _)| is_either && *need == "yes") {
                    said.one_of = Some((Vec::new(), at));
                } else if is_either && said.need.is_none() && said.one_of.is_none() {
                    said.one_of = Some((Vec::new(), in_group[0].1));
                }
                items.extend(said.items.iter().map(|item| (in_group[0].0.clone(), *item)));
                if let Some((need, _)) = said.need {
                    for need_of in needs[group.clone()].iter_mut().filter(|need| need.is_none()) {
                        *need_of = Some(need);
                    }
                }
                self.choice(id, prefix, &said, &names, group.clone(), &mut needs);
                given[group.clone()].iter_mut().for_each(|given| *given = note.text.contains("as in"));
                // `orderId or clientOid, one of which is required` does not say which, as far as is known.
                let names_none = said.one_of.as_ref().is_some_and(|(named, _)| named.is_empty()) && group.len() == 1;
                unread[group.clone()].iter_mut().for_each(|unread| *unread |= said.is_unread || names_none);
            } else if group.len() > 1 && first.is_one_of {
                let said = Deferred { one_of: Some((Vec::new(), in_group[0].1)), ..Deferred::default() };
                self.choice(id, prefix, &said, &names, group.clone(), &mut needs);
            }
            for cell in &first.more {
                self.note(&NotedParameters { id, names: in_group, note: *cell, is_limit: true });
            }
            for (name, _) in in_group {
                if let Some(times) = first.times.filter(|_| first.note.is_none()) {
                    self.time_unit_in(times, key(FactKind::TimeUnit, [id, name]));
                }
                self.values_by_name(id, (name, first.at), first.note, first.json);
                self.values_of_namesake(id, name);
            }
        }
        let open_need = match open_need {
            OpenNeed::Is(need) => need,
            OpenNeed::ByMarks => {
                // Where only those of one kind are marked, the others may be of the other.
                let marked = |need: &str| needs.contains(&Some(need));
                if marked("no") != marked("yes") {
                    unread.iter_mut().zip(&needs).for_each(|(unread, need)| *unread |= need.is_none());
                    "open"
                } else {
                    "unstated"
                }
            }
        };
        let pattern = seen.iter().filter_map(|seen| self.pattern(seen.note?)).next();
        for (index, (name, at)) in names.iter().enumerate() {
            let brought = given[index] || self.need_as_in(pattern.as_deref(), id, name, needs[index]);
            if !(brought && needs[index].is_none()) {
                let stated = needs[index].or(seen[index].need_above);
                let need = stated.unwrap_or(open_need);
                let is_open = stated.is_none_or(|need| need == "open");
                let own = key(FactKind::Parameter, [id, name]);
                let is_unread = is_open && unread[index] && self.claims.has(&own);
                self.found.state_with(own, need, at.at, if is_unread { Basis::Unread } else { Basis::Stated });
            }
        }
        let unread = names.iter().zip(&unread).filter(|(_, is_unread)| **is_unread).map(|(name, _)| name);
        self.unread_choices(id, &unread.collect::<Vec<_>>());
        if let Some(of) = &pattern {
            self.one_of_as_in(of, id, prefix, &names);
        }
        self.item_parameters(id, &items);
        self.missing_parameters(id, prefix, at, &listed);
    }

    /// Notes that unknown words may say which of these parameters exclude each other, and which of them wins.
    fn unread_choices(&mut self, id: &str, names: &[&Placed<'a>]) {
        let (claims, of) = (self.claims, |kind| key(kind, [id]));
        let choices = claims.below(FactKind::OneOf, [id]).map(|key| (key, key.last().cloned().unwrap_or_default()));
        let winner = claims.get(&of(FactKind::Wins)).first().map(|claim| claim.value.clone());
        let wins = of(FactKind::Wins);
        for (key, members) in choices.chain(winner.map(|winner| (&wins, winner))) {
            let place = names.iter().find(|(name, _)| members.split(',').any(|member| member == name));
            if let Some((_, at)) = place.filter(|_| self.found.about(key).next().is_none()) {
                self.found.state_with(key.clone(), members, at.at, Basis::Unread);
            }
        }
    }

    /// Reads the parameters of a list's items: `items a and b`. Each gets the list as its prefix.
    fn item_parameters(&mut self, id: &str, items: &[Placed<'a>]) {
        let Some((list, first)) = items.first() else { return };
        let prefix = format!("{list}[].");
        let places: Vec<Span<'a>> = items.iter().map(|(_, at)| *at).collect();
        let (names, renamed) = paired(self.had_name, &self.parameters_of(id, &prefix), &places, &prefix);
        for (old, at) in renamed {
            self.found.renamed.push((key(FactKind::Parameter, [id, &old]), format!("{prefix}{}", at.text), at.at));
        }
        for (name, at) in &names {
            self.found.state(key(FactKind::Parameter, [id, name]), "unstated", *at);
        }
        let listed: Vec<FactKey> = names.iter().map(|(name, _)| key(FactKind::Parameter, [id, name])).collect();
        self.missing_parameters(id, &prefix, first.at, &listed);
    }

    /// Returns the operation that a note refers to by `as in`.
    fn pattern(&self, note: Span<'a>) -> Option<String> {
        self.names.at_start(note.text.split_once("as in ")?.1)?.id
    }

    /// Copies the need of a parameter from another operation, unless it is stated here.
    fn need_as_in(&mut self, of: Option<&str>, id: &str, name: &str, need: Option<&str>) -> bool {
        let short = name.rsplit('.').next().unwrap_or(name);
        let Some(of) = of.filter(|_| need.is_none()).map(|of| key(FactKind::Parameter, [of, short])) else {
            return false;
        };
        let above = self.found.about(&of).last().cloned();
        if let Some(above) = &above {
            let force = above.referred();
            self.found.state_with(key(FactKind::Parameter, [id, name]), above.value.clone(), above.at, force);
        }
        above.is_some()
    }

    /// Copies the groups with one required parameter from another operation, if all their parameters are listed here.
    fn one_of_as_in(&mut self, of: &str, id: &str, prefix: &str, names: &[(String, Span<'a>)]) {
        let full = |key: &FactKey| {
            let members: Vec<String> = key.name()?.split(',').map(|name| format!("{prefix}{name}")).collect();
            let all = members.iter().all(|member| names.iter().any(|(name, _)| name == member));
            all.then(|| members.join(","))
        };
        let above =
            self.found.statements.iter().filter(|statement| statement.key.starts_with(&key(FactKind::OneOf, [of])));
        let above: Vec<_> = above.filter_map(|statement| Some((full(&statement.key)?, statement.clone()))).collect();
        for (members, statement) in above {
            let force = statement.referred();
            self.found.state_with(key(FactKind::OneOf, [id, &members]), "", statement.at, force);
        }
    }

    /// States that one parameter of a group is required, and which of them wins.
    fn choice(
        &mut self,
        id: &str,
        prefix: &str,
        said: &Deferred<'a>,
        names: &[(String, Span<'a>)],
        group: std::ops::Range<usize>,
        needs: &mut [Option<&'static str>],
    ) {
        let full = |name: &String| format!("{prefix}{name}");
        let place_of = |name: &String| names.iter().position(|(known, _)| *known == full(name));
        if let Some((named, at)) = &said.one_of {
            let members: Vec<usize> =
                if named.is_empty() { group.clone().collect() } else { named.iter().filter_map(place_of).collect() };
            for member in &members {
                if needs[*member].is_none_or(|need| need == "no") {
                    needs[*member] = Some("conditional");
                }
            }
            if members.len() > 1 && (named.is_empty() || members.len() == named.len()) {
                let list: Vec<&str> = members.iter().map(|member| names[*member].0.as_str()).collect();
                self.found.state(key(FactKind::OneOf, [id, &list.join(",")]), "", *at);
            }
        }
        for member in said.all_of.iter().filter_map(place_of) {
            needs[member] = Some("yes");
        }
        if let Some((winner, at)) = &said.wins {
            self.found.state(key(FactKind::Wins, [id]), full(winner), *at);
        }
    }

    /// Reads `The text says a or b is required, yet …; if both, a wins`, which applies to listed parameters.
    fn one_of_in_prose(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences().into_iter().filter(|sentence| sentence.label().is_none()) {
            let words = sentence.words();
            for window in words.windows(5) {
                let [a, or, b, is, required] = window else { continue };
                if (or.text, is.text, required.text) != ("or", "is", "required") {
                    continue;
                }
                let known = [a, b].map(|name| key(FactKind::Parameter, [id, name.text]));
                let listed: Vec<bool> = known.iter().map(|key| self.found.about(key).next().is_some()).collect();
                self.found.read(sentence);
                for (key, _) in known.iter().zip(&listed).filter(|(_, listed)| **listed) {
                    let all = &mut self.found.statements;
                    all.retain(|statement| statement.key != *key);
                    self.found.state_with(key.clone(), "conditional", a.at, Basis::Stated);
                }
                if listed == [true, true] {
                    self.found.state(key(FactKind::OneOf, [id, &format!("{},{}", a.text, b.text)]), "", *a);
                    if let Some(at) = words.iter().position(|word| word.text == "wins").filter(|at| *at > 0) {
                        self.found.state(key(FactKind::Wins, [id]), words[at - 1].text, words[at - 1]);
                    }
                }
            }
        }
    }

    /// Copies the values of the last list for the same name to a parameter without values.
    fn values_of_namesake(&mut self, id: &str, name: &str) {
        let of = key(FactKind::ParameterValue, [id, name]);
        let has_own = self.found.statements.iter().any(|statement| statement.key.starts_with(&of));
        let short = name.rsplit('.').next().unwrap_or(name);
        if let Some(above) = self.found.lists.get(short).cloned().filter(|_| !has_own) {
            self.values_from(of, &above, false);
        }
    }

    /// Returns the names in the schema. A new name stands for the only one that is missing, or for the most similar of
    /// them.
    fn renamed(&mut self, id: &str, prefix: &str, seen: &[ListedParameter<'a>]) -> Vec<(String, Span<'a>)> {
        let known = self.parameters_of(id, prefix);
        let places: Vec<Span<'a>> = seen.iter().map(|seen| seen.at).collect();
        let (names, renamed) = paired(self.had_name, &known, &places, prefix);
        for (old, at) in renamed {
            self.found.renamed.push((key(FactKind::Parameter, [id, &old]), format!("{prefix}{}", at.text), at.at));
        }
        names
    }

    /// Returns the parameters of a list in the schema.
    fn parameters_of(&self, id: &str, prefix: &str) -> Vec<String> {
        let names = self.claims.last_parts(FactKind::Parameter, [id]);
        let is_in = |name: &String| name.strip_prefix(prefix).is_some_and(|rest| !rest.contains("[]"));
        names.into_iter().filter(is_in).collect()
    }

    fn missing_parameters(&mut self, id: &str, prefix: &str, at: usize, listed: &[FactKey]) {
        for name in self.parameters_of(id, prefix) {
            let missing = key(FactKind::Parameter, [id, &name]);
            if !listed.contains(&missing) {
                self.found.missing.push((missing, at));
            }
        }
    }
}

/// Returns the column of a table that names the operation of each row.
fn operation_column(table: &Table<'_>) -> Option<usize> {
    let column = table.column("operation").or_else(|| table.column("endpoint"))?;
    table.rows.iter().all(|row| row.len() > column).then_some(column)
}

/// A name in the schema, and its place in the document.
pub(super) type Placed<'a> = (String, Span<'a>);

/// Returns the names of a list in the schema, and those of them that have another name in the document: a similar one, or
/// the only new one in words that are otherwise unchanged.
pub(super) fn paired<'a>(
    had_name: &HadName<'_>,
    known: &[String],
    seen: &[Span<'a>],
    prefix: &str,
) -> (Vec<Placed<'a>>, Vec<Placed<'a>>) {
    let full = |seen: &Span<'_>| format!("{prefix}{}", seen.text);
    let missing: Vec<&String> = known.iter().filter(|name| seen.iter().all(|seen| full(seen) != **name)).collect();
    let new = seen.iter().filter(|seen| !known.contains(&full(seen))).count();
    let mut renamed: Vec<Placed<'a>> = Vec::new();
    let mut names = Vec::new();
    for at in seen {
        let name = full(at);
        let free =
            missing.iter().map(|name| name.as_str()).filter(|missing| renamed.iter().all(|(old, _)| old != missing));
        let old = if known.contains(&name) {
            None
        } else if let ([only], 1) = (missing.as_slice(), new)
            && had_name(*at, short(only))
        {
            Some(only.as_str())
        } else {
            nearest(&name, free)
        };
        match old.map(str::to_owned) {
            Some(old) => {
                renamed.push((old.clone(), *at));
                names.push((old, *at));
            }
            None => names.push((name, *at)),
        }
    }
    (names, renamed)
}

/// Returns the parameter of an item that begins with its name and a colon, possibly with words in parentheses between
/// them: `size (required): one of 1, 2`. All that follows the name is its note.
fn item_entry<'a>(document: &Document, item: Span<'a>) -> Option<ListedParameter<'a>> {
    let (name, need) = item.label()?.0.head_and_note();
    let name = name.single().filter(|name| is_name(name.text))?;
    let rest = item.after(name.at + name.text.len());
    let note = rest.after(rest.at + rest.text.find(|c: char| !" (:`".contains(c))?);
    Some(ListedParameter {
        at: name,
        need: need.and_then(|need| document.need_of(need.text)),
        need_above: None,
        note: Some(note),
        more: Vec::new(),
        json: None,
        times: None,
        is_one_of: false,
        group: 0,
    })
}

/// Returns the entries of a sentence. Semicolons separate groups; without them, each name is a group, and a note about
/// several names applies to the preceding names that have no note of their own.
fn sentence_entries<'a>(list: Span<'a>) -> Vec<ListedParameter<'a>> {
    let groups = list.split(&[";"]);
    let has_groups = groups.len() > 1;
    let mut seen: Vec<ListedParameter<'a>> = Vec::new();
    let mut group = 0;
    for part in &groups {
        for entry in if has_groups { vec![*part] } else { part.split(&[","]) } {
            group += 1;
            let first_of_group = seen.len();
            let is_of_one = entry.text.starts_with("one of ");
            for piece in entry.split(&[",", " and ", " or "]) {
                let (head, note) = piece.head_and_note();
                let mut words = head.words().into_iter().skip_while(|word| match word.text {
                    "one" | "of" => is_of_one,
                    other => ["either", "both"].contains(&other),
                });
                let Some(name) = words.next().filter(|name| is_name(name.text)) else { continue };
                let is_required =
                    needs::plain(&words.collect::<Vec<_>>()).iter().map(|word| word.text).eq(["required"]);
                let is_one_of = is_of_one || is_required && entry.text.contains(" or ");
                seen.push(ListedParameter {
                    at: name,
                    need: None,
                    need_above: None,
                    note,
                    more: Vec::new(),
                    json: None,
                    times: None,
                    is_one_of,
                    group,
                });
            }
            let Some(note) = seen.last().and_then(|last| last.note) else { continue };
            if seen[first_of_group..].iter().filter(|seen| seen.note.is_some()).count() == 1 {
                seen[first_of_group..].iter_mut().for_each(|seen| seen.note = Some(note));
            } else {
                separate(&mut seen[first_of_group..], &mut group);
            }
            if !has_groups && is_about_several(note) {
                let current = group;
                for before in seen[..first_of_group].iter_mut().rev().take_while(|seen| seen.note.is_none()) {
                    before.note = Some(note);
                    before.group = current;
                }
            }
            for before in seen[..first_of_group].iter_mut().rev().take_while(|seen| seen.note.is_none()) {
                before.times = Some(note);
            }
        }
    }
    seen
}

/// Splits a group whose entries have notes of their own.
fn separate(seen: &mut [ListedParameter<'_>], group: &mut usize) {
    for seen in seen {
        *group += 1;
        seen.group = *group;
    }
}
