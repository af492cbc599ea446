//! Limits and windows of time: the table of limits, which summarizes what the sections of operations state, and the length
//! of windows, how far back they may reach, and their defaults.

use super::super::document::Table;
use super::super::findings::{FactKind, key};
use super::super::measures::{self, decimal, duration, number, range};
use super::super::operations::OperationName;
use super::super::text::Span;
use super::super::wording::{characters, have_same_stem, is_parameter_list, stems};
use super::{Reader, endpoint, pairs};

/// Words of a label that describe the row rather than its operation.
const TOPICS: [&str; 6] = ["time", "span", "window", "windows", "maximum", "range"];

impl<'a> Reader<'a> {
    pub(super) fn limits(&mut self, table: &Table<'a>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        for (label, limit) in pairs(&table.rows) {
            let before = self.found.statements.len();
            if !endpoint::rates(limit).is_empty() {
                self.rate_row(label, limit);
            } else if label.texts().first().is_some_and(|word| have_same_stem(word, "batch")) {
                self.batch_row(limit);
            } else if let Some(name) = self.parameter_named(label) {
                self.parameter_row(&name, limit);
            } else if duration(limit).is_some() {
                let ids = self.operations_of_label(label);
                self.windows_of(limit, Some(label), &ids);
            } else {
                self.ceilings(label, limit);
            }
            if self.found.statements.len() > before {
                self.found.read(label);
            }
        }
    }

    fn rate_row(&mut self, label: Span<'a>, limit: Span<'a>) {
        let of_label = stems(label.text);
        let rates = endpoint::rates(limit);
        let classes: Vec<String> = rates
            .iter()
            .map(|rate| self.class(&of_label.iter().chain(&rate.context).cloned().collect::<Vec<_>>()))
            .collect();
        let named = self.names.list(label);
        let names_none = named.iter().all(|(_, named)| named.is_none());
        let named: Vec<String> = named.into_iter().filter_map(|(_, named)| named?.id).collect();
        let is_of_class = names_none && classes.iter().all(|class| class != "default");
        for (rate, class) in rates.iter().zip(&classes) {
            let with_class = self.claims.below(FactKind::Rate, []).filter(|key| key.name() == Some(class));
            let ids: Vec<String> =
                if is_of_class { with_class.filter_map(|key| key.owner().cloned()).collect() } else { named.clone() };
            // The label of operations for everyone may share a word with a class by accident.
            for id in &ids {
                let class = if is_of_class { class.clone() } else { self.class_of(rate, id) };
                self.found.state(self.claims.rate_key(id, &class, &rate.window), rate.value.clone(), rate.at);
            }
        }
        for id in &named {
            self.batch_maximum(limit, id);
            self.list_maximum(limit, id);
        }
    }

    /// Reads `at most 50 items in orderIdList`.
    fn list_maximum(&mut self, limit: Span<'a>, id: &str) {
        for clause in limit.clauses() {
            if let ["at", "most", n, .., "in", list] = clause.texts().as_slice()
                && let Some(n) = number(n)
            {
                self.found.state(key(FactKind::ParameterMax, [id, list]), n.to_string(), clause);
            }
        }
    }

    /// Reads `20 orders (place, modify, cancel)`.
    fn batch_row(&mut self, limit: Span<'a>) {
        let (head, note) = limit.head_and_note();
        // `20 orders (place), 50 orders (cancel)`
        if let Some((_, rest)) = limit.text.split_once("), ") {
            self.batch_row(limit.after(limit.at + limit.text.len() - rest.len()));
        }
        let Some(n) = head.words().first().and_then(|word| number(word.text)) else { return };
        for verb in note.map(|note| note.split(&[",", " and "])).unwrap_or_default() {
            for named in self.names.with_words(&["batch", verb.text]) {
                let Some(id) = named.id else { continue };
                if let Some(list) = self.list_parameter(&id) {
                    self.found.state(key(FactKind::ParameterMax, [&id, &list]), n.to_string(), limit);
                }
            }
        }
    }

    /// Returns the parameter at the end of a label.
    fn parameter_named(&self, label: Span<'a>) -> Option<String> {
        let last = label.words().last()?.text.to_owned();
        self.claims.below(FactKind::Parameter, []).any(|key| key.last() == Some(&last)).then_some(last)
    }

    fn parameter_row(&mut self, name: &str, limit: Span<'a>) {
        let (general, exceptions) = limit.head_and_note();
        let excepted: Vec<(Vec<String>, Span<'a>)> = exceptions
            .map(|note| note.split(&[";"]))
            .unwrap_or_default()
            .into_iter()
            .map(|part| {
                let is_bound = |word: &Span<'_>| word.text == "default" || decimal(word.text).is_some();
                let label = part.before(part.words().into_iter().find(is_bound).map_or(part.at, |word| word.at)).trim();
                (self.names.list(label).into_iter().filter_map(|(_, named)| named?.id).collect(), part)
            })
            .collect();
        let is_bounded = |kind: FactKind, id: &str| self.claims.has(&key(kind, [id, name]));
        let owners: Vec<String> = self
            .claims
            .below(FactKind::Parameter, [])
            .filter(|key| key.last().is_some_and(|last| last.rsplit('.').next() == Some(name)))
            .filter_map(|key| key.owner().cloned())
            .filter(|id| is_bounded(FactKind::ParameterDefault, id) || is_bounded(FactKind::ParameterMax, id))
            .collect();
        for id in owners {
            let own = excepted.iter().find(|(ids, _)| ids.contains(&id)).map_or(general, |(_, part)| *part);
            self.bounds_of(&id, name, own);
        }
        self.spelling(name, limit);
    }

    fn bounds_of(&mut self, id: &str, name: &str, text: Span<'a>) {
        let words = text.words();
        for (kind, mark) in [(FactKind::ParameterDefault, "default"), (FactKind::ParameterMax, "maximum")] {
            let at = words.iter().position(|word| word.text == mark);
            // `default 100`, `100 by default`
            let is_behind = |at: &usize| *at > 1 && words[at - 1].text == "by";
            let word = at.and_then(|at| words.get(if is_behind(&at) { at - 2 } else { at + 1 }));
            if let Some((word, n)) = word.and_then(|word| Some((word, decimal(word.text)?))) {
                self.found.state(key(kind, [id, name]), n, *word);
            }
        }
    }

    /// Reads `1 to 32 characters from: period, letters` and `digits only, at most 18`.
    fn spelling(&mut self, name: &str, limit: Span<'a>) {
        let texts = limit.texts();
        let most = match texts.as_slice() {
            ["at", "most", n, "characters", ..] => number(n).map(|n| ("1".to_owned(), n.to_string())),
            _ => None,
        };
        if let Some((min, max)) = range(&texts).map(|(min, max, _)| (min, max)).or(most) {
            for family in self.families_with(FactKind::Length, name) {
                self.found.state(key(FactKind::Length, [&family, name]), format!("{min} to {max}"), limit);
            }
        }
        if let Some((_, list)) = limit.label().filter(|(label, _)| label.texts().contains(&"characters")) {
            let mut set: Vec<char> =
                list.split(&[",", " and "]).iter().flat_map(|part| characters(part.text)).collect();
            set.sort_unstable();
            for family in self.families_with(FactKind::Alphabet, name) {
                self.found.state(key(FactKind::Alphabet, [&family, name]), set.iter().collect::<String>(), list);
            }
        }
        if texts.first() == Some(&"digits") {
            let most = texts.iter().position(|word| *word == "most").and_then(|at| texts.get(at + 1));
            if let Some(n) = most.and_then(|n| number(n)) {
                let of_name = |key: &&super::super::findings::FactKey| {
                    key.last().is_some_and(|last| last.rsplit('.').next() == Some(name))
                };
                for of in self.claims.below(FactKind::Digits, []).filter(of_name).cloned().collect::<Vec<_>>() {
                    self.found.state(of, n.to_string(), limit);
                }
            }
        }
    }

    fn families_with(&self, kind: FactKind, name: &str) -> Vec<String> {
        let of_name = self.claims.below(kind, []).filter(|key| key.last().is_some_and(|last| last == name));
        of_name.filter_map(|key| key.owner().cloned()).collect()
    }

    fn operations_of_label(&self, label: Span<'a>) -> Vec<String> {
        let words: Vec<&str> = label.texts().into_iter().filter(|word| !TOPICS.contains(word)).collect();
        let named: Vec<OperationName> = match words.as_slice() {
            [one] if words.len() < label.words().len() => self.names.with_words(&[one]),
            _ => self.names.near(&words.join(" ")).into_iter().collect(),
        };
        named.into_iter().filter_map(|named| named.id).collect()
    }

    /// Reads `400 across all futures pairs; 400 across all spot pairs`.
    fn ceilings(&mut self, label: Span<'a>, limit: Span<'a>) {
        for segment in limit.split(&[";"]) {
            let Some(n) = segment.words().first().and_then(|word| number(word.text)) else { continue };
            let words: Vec<String> = stems(label.text).into_iter().chain(stems(segment.text)).collect();
            let mut ceilings = self.claims.below(FactKind::Ceiling, []);
            let fits = |id: &String| stems(id).iter().all(|part| words.iter().any(|word| have_same_stem(part, word)));
            let of = ceilings.find(|key| key.last().is_some_and(fits)).cloned();
            let of = of.unwrap_or_else(|| key(FactKind::Ceiling, [&self.document.id, segment.text]));
            self.found.state(of, n.to_string(), segment);
        }
    }
}

/// Returns the subject of a clause with a length of time: `span`, `access` or `default`.
pub(super) fn kind_of_window(clause: Span<'_>) -> Option<&'static str> {
    let texts = clause.texts();
    let has = |word: &str| texts.iter().any(|text| have_same_stem(text, word));
    if texts.iter().any(|text| ["default", "defaults"].contains(text)) {
        Some("default")
    } else if has("access") || has("last") {
        Some("access")
    } else if has("span") || has("range") || has("covers") {
        Some("span")
    } else if has("window") || has("within") {
        Some("access")
    } else {
        None
    }
}

impl<'a> Reader<'a> {
    /// Reads the windows of operations in a text.
    pub(super) fn windows(&mut self, text: Span<'a>, ids: &[String]) {
        self.windows_of(text, None, ids);
    }

    /// Reads the windows in the note of a parameter. One of the bounds of a query has a length, and not a range of them.
    pub(super) fn windows_of_note(&mut self, note: Span<'a>, id: &str) {
        let lengths: Vec<Span<'a>> = note.clauses().into_iter().filter(|clause| duration(*clause).is_some()).collect();
        let is_range = |clause: &Span<'a>| measures::range(&clause.texts()).is_some();
        let is_window = |clause: &Span<'a>| kind_of_window(*clause).is_some_and(|kind| kind != "default");
        if lengths.iter().any(is_window) && !lengths.iter().any(is_range) {
            lengths.into_iter().for_each(|clause| self.windows(clause, &[id.to_owned()]));
        }
    }

    /// Reads windows, with a label that may state the kind of window.
    pub(super) fn windows_of(&mut self, text: Span<'a>, label: Option<Span<'a>>, ids: &[String]) {
        let is_floor = |clause: &Span<'a>| clause.text.contains("at least");
        for clause in text
            .clauses()
            .into_iter()
            .flat_map(|clause| clause.split(&[" and default "]))
            .filter(|clause| !is_floor(clause))
        {
            if let (Some((length, _)), Some(kind)) =
                (duration(clause), kind_of_window(clause).or(label.and_then(kind_of_window)))
            {
                for id in ids {
                    self.found.state(key(FactKind::Window, [id, kind]), length.to_string(), clause);
                }
            }
        }
    }

    pub(super) fn windows_outside_parameters(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let is_list = sentence.label().is_some_and(|(label, _)| is_parameter_list(label));
            let speaks_of_data =
                sentence.texts().iter().any(|word| ["data", "fills", "orders", "default"].contains(word));
            // `When orders within a day exceed ..` is a threshold.
            let is_condition = sentence.texts().first().is_some_and(|word| word.eq_ignore_ascii_case("when"));
            if !is_list && speaks_of_data && !is_condition && self.is_read(id) {
                self.windows(sentence, &[id.to_owned()]);
            }
            if sentence.text.contains("both set or both blank") {
                let clause = sentence.clauses().into_iter().find(|clause| clause.text.contains("both blank"));
                self.found.state(key(FactKind::Both, [id]), "", clause.unwrap_or(sentence));
            }
        }
    }
}
