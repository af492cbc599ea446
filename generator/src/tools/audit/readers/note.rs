//! Notes about parameters: the last column of their table, or the text in parentheses after their names.

use super::super::findings::{Basis, FactKey, FactKind, Listed, key};
use super::super::measures::{decimal, number, time_unit, unit_of_word};
use super::super::text::Span;
use super::super::wording;
use super::{Reader, needs, values};

/// Words with which a text may name a value that is not allowed.
const DENIALS: [&str; 7] = ["not", "longer", "without", "except", "removed", "deprecated", "unsupported"];

/// Words with which a text begins a case, to which alone the rest applies.
const CASES: [&str; 8] = ["for", "if", "when", "in", "on", "under", "unless", "with"];

/// Words in place of a default that say that there is none.
const NOTHING: [&str; 5] = ["empty", "none", "nothing", "null", "unset"];

/// Parameters that share a note.
pub(super) struct NotedParameters<'a, 'b> {
    pub(super) id: &'b str,
    /// Their names in the schema, including their list, each with its place.
    pub(super) names: &'b [(String, Span<'a>)],
    pub(super) note: Span<'a>,
    /// True if the title of its column announces bounds or values.
    pub(super) is_limit: bool,
}

/// Statements of a note that can be used only when the whole list of parameters is known.
#[derive(Debug, Default)]
pub(super) struct Deferred<'a> {
    pub(super) need: Option<(&'static str, Span<'a>)>,
    /// One of these is required.
    pub(super) one_of: Option<(Vec<String>, Span<'a>)>,
    /// All of these are required.
    pub(super) all_of: Vec<String>,
    /// This parameter wins over the others of the group.
    pub(super) wins: Option<(String, Span<'a>)>,
    /// The parameters of a list's items.
    pub(super) items: Vec<Span<'a>>,
    /// True if what must be sent is said in words that no reader knows.
    pub(super) is_unread: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn note(&mut self, noted: &NotedParameters<'a, '_>) -> Deferred<'a> {
        let mut said = Deferred::default();
        self.values_of(noted);
        self.units_of(noted);
        if let Some(says) = noted
            .note
            .texts()
            .iter()
            .any(|word| word.eq_ignore_ascii_case("deprecated"))
            .then(|| wording::deprecated(noted.note.text))
            .flatten()
        {
            for (name, at) in noted.names {
                let mut values = self.claims.values(FactKind::ParameterValue, noted.id, name);
                let of = key(FactKind::ParameterValue, [noted.id, name]);
                let read = self.found.statements.iter().filter(|statement| statement.key.starts_with(&of));
                values.extend(read.filter_map(|statement| statement.key.last().cloned()));
                if !wording::deprecates_value(noted.note.text, &values) {
                    self.found.state(key(FactKind::Deprecated, [noted.id, name]), says.clone(), *at);
                }
            }
        }
        self.windows_of_note(noted.note, noted.id);
        let is_by_case = self.is_by_case(noted.note);
        if !is_by_case && !values::gives_examples(noted.note) {
            self.interval(noted);
        }
        for clause in noted.note.clauses().into_iter().flat_map(without_mark) {
            let words = needs::plain(&clause.words());
            let mut texts: Vec<&str> = words.iter().map(|word| word.text).collect();
            // A clause may begin a sentence.
            let first = texts.first().map(|first| first.to_lowercase()).unwrap_or_default();
            if let Some(word) = texts.first_mut() {
                *word = &first;
            }
            let understood = self.need(clause, &texts, &mut said)
                | (!is_by_case && self.bounds(noted, clause, &texts))
                | self.length(noted, clause, &texts)
                | self.reference(noted, clause, &texts)
                | choice(clause, &words, &texts, self.is_whole_choice(noted.note, clause), &mut said)
                | self.edit(noted, clause, &texts);
            if let Some((name, _)) = noted.names.first().filter(|_| is_about_paging(&texts)) {
                self.found.nexts.push((noted.id.to_owned(), name.clone()));
            }
            if understood {
                self.found.read(clause);
            }
            said.is_unread |= !understood && needs::are_hinted_at(&texts);
        }
        said
    }

    fn need(&mut self, clause: Span<'a>, texts: &[&str], said: &mut Deferred<'a>) -> bool {
        let need = match texts {
            ["required"] | ["always", "required"] | ["required", "always"] => "yes",
            ["both", "required"] | ["both", "are", "required"] => "yes",
            ["required", ..] => "conditional",
            ["both", "optional"] | ["both", "are", "optional"] => "no",
            ["optional", ..] | ["omit", ..] | ["default", ..] | ["defaults", ..] => "no",
            _ if clause.text.ends_with(" default") => "no",
            _ => return false,
        };
        if said.need.is_none_or(|(known, _)| known == "no") {
            said.need = Some((need, clause));
        }
        true
    }

    /// Reads `as above`, `rules as in Place Order`.
    fn reference(&mut self, noted: &NotedParameters<'a, '_>, clause: Span<'a>, texts: &[&str]) -> bool {
        match texts {
            ["as", "above"] => {
                for (name, _) in noted.names {
                    self.values_as_above(noted.id, name);
                }
                true
            }
            ["rules", "as", "in", ..] | ["as", "in", ..] => {
                let phrase = clause.text.split_once("as in ").map_or("", |(_, phrase)| phrase);
                let Some(of) = self.names.at_start(phrase).and_then(|named| named.id) else { return false };
                for (name, _) in noted.names {
                    self.as_in(&of, noted.id, name);
                }
                true
            }
            _ => false,
        }
    }

    /// Returns whether a clause is all of what a note says about a choice, if it says something: no case comes before it, as
    /// in `linear: a or b is required`, and it does not end a longer list.
    fn is_whole_choice(&self, note: Span<'a>, clause: Span<'a>) -> bool {
        let sentence = note.split(&[". ", ";"]).into_iter().find(|part| part.range().contains(&clause.at));
        let before = sentence.map(|sentence| sentence.before(clause.at).trim()).unwrap_or(clause.before(clause.at));
        let begins_case =
            |part: Span<'_>| part.texts().first().is_some_and(|word| CASES.contains(&word.to_lowercase().as_str()));
        let is_listed =
            |part: &Span<'_>| part.texts().last().is_some_and(|word| self.siblings.iter().any(|name| name == word));
        let is_cut = before.split(&[","]).last().is_some_and(is_listed) && before.text.ends_with(',');
        clause.label().is_none()
            && !before.text.ends_with(':')
            && !begins_case(before)
            && !begins_case(clause)
            && !is_cut
    }

    /// Copies all statements about the parameter with the same name in another operation.
    fn as_in(&mut self, of: &str, id: &str, name: &str) {
        let short = name.rsplit('.').next().unwrap_or(name);
        let same = |key: &FactKey| {
            let is_here = key.owner().is_some_and(|owner| owner == of) && key.name().is_some_and(|name| name == short);
            key.kind.is_of_parameter() && is_here
        };
        let above: Vec<_> = self.found.statements.iter().filter(|statement| same(&statement.key)).cloned().collect();
        for statement in above {
            let mut of_this = statement.key.clone();
            of_this.names.splice(..2, [id.to_owned(), name.to_owned()]);
            let force = statement.referred();
            self.found.state_with(of_this, statement.value, statement.at, force);
        }
    }

    fn values_as_above(&mut self, id: &str, name: &str) {
        if let Some(above) = self.found.lists.get(name).cloned() {
            self.values_from(key(FactKind::ParameterValue, [id, name]), &above, true);
        }
    }

    /// Copies the values of another list. If the document refers to the list, it is complete; if only its name is the
    /// same, it may apply here, too.
    pub(super) fn values_from(&mut self, of: FactKey, above: &Listed, is_pointed_at: bool) {
        for (value, at) in &above.values {
            let force = if is_pointed_at { Basis::By(above.of.with(value)) } else { Basis::Namesake };
            self.found.state_with(of.with(value), "", *at, force);
        }
    }

    fn values_of(&mut self, noted: &NotedParameters<'a, '_>) {
        for (name, _) in noted.names {
            let of = key(FactKind::ParameterValue, [noted.id, name]);
            let known = self.claims.values(FactKind::ParameterValue, noted.id, name);
            let Some(list) = self.values_in(noted.note, &of, &known) else {
                self.only_default(noted, name);
                continue;
            };
            if let Some((default, at)) = list.default {
                self.found.state(key(FactKind::ParameterDefault, [noted.id, name]), default, at);
            }
            self.default_of(noted, name, &list.values.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>());
        }
    }

    /// Reads a list of values. Values that only the schema has are missing.
    pub(super) fn values_in(
        &mut self,
        text: Span<'a>,
        of: &FactKey,
        known: &[String],
    ) -> Option<values::ValueList<'a>> {
        if let Some(named) = self.named_list(text) {
            self.values_from(of.clone(), &named, true);
            self.missing_values(of, known, &named);
            self.listed(of, &named);
            return None;
        }
        let list = self.list_in(text, known)?;
        // A value that the text names outside of the list was not understood, so the changed words are reviewed.
        let words = text.texts();
        let denies = words.iter().any(|word| DENIALS.contains(&word.to_ascii_lowercase().as_str()));
        let is_stated = |value: &&String| denies || list.has(value) || !words.contains(&value.as_str());
        let known: Vec<String> = known.iter().filter(is_stated).cloned().collect();
        self.state_values(of, &list, &known);
        Some(list)
    }

    /// Notes the values in the schema that a list elsewhere lacks.
    pub(super) fn missing_values(&mut self, of: &FactKey, known: &[String], list: &Listed) {
        let Some((_, at)) = list.values.first() else { return };
        let gone = known.iter().filter(|known| list.values.iter().all(|(value, _)| value != *known));
        self.found.missing.extend(gone.map(|value| (of.with(value), *at)));
    }

    /// Returns the list of values in a text. Where a document marks values as code, only codes are values of a new
    /// parameter.
    fn list_in(&self, text: Span<'a>, known: &[String]) -> Option<values::ValueList<'a>> {
        let of_codes = values::of_codes(text, &self.document.codes_in(text), &self.siblings);
        if known.is_empty() && self.document.has_codes() {
            return of_codes;
        }
        // Codes may also be names within a list that has no marks.
        let of_codes = of_codes.filter(|list| !known.is_empty() && known.iter().all(|value| list.has(value)));
        of_codes.or_else(|| values::list(text, known))
    }

    pub(super) fn state_values(&mut self, of: &FactKey, list: &values::ValueList<'a>, known: &[String]) {
        for (value, at) in &list.values {
            self.found.state(of.with(value), "", *at);
        }
        let Some(span) = list.span else { return };
        for value in known.iter().filter(|known| list.values.iter().all(|(value, _)| value != *known)) {
            self.found.missing.push((of.with(value), span.at));
        }
        let values = list.values.iter().map(|(value, at)| (value.clone(), at.at)).collect();
        self.listed(of, &Listed { values, of: of.clone() });
    }

    fn listed(&mut self, of: &FactKey, list: &Listed) {
        let name = of.last().map_or("", |name| name.rsplit('.').next().unwrap_or(name));
        self.found.lists.insert(name.to_owned(), Listed { of: of.clone(), ..list.clone() });
    }

    /// Returns a list to which the document gave a name: `category values`.
    fn named_list(&self, text: Span<'a>) -> Option<Listed> {
        let clause = *text.clauses().first()?;
        let words = clause.texts();
        let [.., name, "values"] = words.as_slice() else { return None };
        self.named_lists.get(*name).filter(|_| words.len() == 2 || words.starts_with(&["one", "of"])).cloned()
    }

    /// Reads `default NO`, `limit defaults to gtc`, `default returns orders with status live`.
    fn default_of(&mut self, noted: &NotedParameters<'a, '_>, name: &str, values: &[String]) {
        for clause in noted.note.clauses() {
            let words = clause.words();
            if let [value, "by", "default"] = clause.texts().as_slice()
                && values.iter().any(|known| known == value)
            {
                self.found.state(key(FactKind::ParameterDefault, [noted.id, name]), *value, clause);
                continue;
            }
            // A clause may begin a sentence.
            let is_default = |word: &Span<'_>| ["default", "Default", "defaults", "Defaults"].contains(&word.text);
            let from = words.iter().position(is_default);
            let says = |word: &Span<'_>| word.text.eq_ignore_ascii_case("defaults");
            let is_a_default = from == Some(0) && words.len() > 1 || words.iter().any(says);
            let Some(from) = from.filter(|_| is_a_default) else { continue };
            // `no (default: what no does)` was already read with the values; `default: no` was not.
            if clause.text.starts_with("default:") && words.len() > 2 {
                continue;
            }
            if let Some(value) = words.iter().skip(from + 1).find(|word| values.iter().any(|value| value == word.text))
            {
                self.found.state(key(FactKind::ParameterDefault, [noted.id, name]), value.text, clause);
            } else if let [_, only] = words.as_slice() {
                let only = decimal(only.text).unwrap_or_else(|| only.text.to_owned());
                self.found.state(key(FactKind::ParameterDefault, [noted.id, name]), only, clause);
            }
        }
    }

    /// Returns whether a note bounds each of several cases by itself: codes with a colon that are no list of values.
    fn is_by_case(&self, note: Span<'a>) -> bool {
        let codes = self.document.codes_in(note);
        let is_case = |code: &Span<'a>| note.after(code.at + code.text.len()).text.trim_start().starts_with(':');
        codes.iter().any(is_case) && values::of_codes(note, &codes, &self.siblings).is_none()
    }

    /// Reads `default BTCUSDT` of a parameter without a list of values. A number is read as a bound.
    fn only_default(&mut self, noted: &NotedParameters<'a, '_>, name: &str) {
        if self.is_by_case(noted.note) {
            return;
        }
        for clause in noted.note.clauses() {
            if let ["default", only] | ["defaults", "to", only] = clause.texts().as_slice()
                && decimal(only).is_none()
                && (!NOTHING.contains(only) || clause.text.contains('`'))
            {
                self.found.state(key(FactKind::ParameterDefault, [noted.id, name]), *only, clause);
            }
        }
    }

    fn units_of(&mut self, noted: &NotedParameters<'a, '_>) {
        for (name, _) in noted.names {
            self.unit_in(noted.note, key(FactKind::Unit, [noted.id, name]));
            self.time_unit_in(noted.note, key(FactKind::TimeUnit, [noted.id, name]));
        }
    }

    /// Reads a unit if the schema states one, too, or if `in` or `unit` precedes it.
    pub(super) fn unit_in(&mut self, text: Span<'a>, of: FactKey) {
        let texts = text.texts();
        // `Unix timestamp in ms` is the unit of a time.
        if self.claims.has(&FactKey { kind: FactKind::TimeUnit, names: of.names.clone() }) {
            return;
        }
        if self.claims.has(&of) || texts.iter().any(|word| ["in", "unit"].contains(word)) {
            self.units_in(text, of);
        }
    }

    /// Reads the unit of a time, if the value is a time in the schema.
    pub(super) fn time_unit_in(&mut self, text: Span<'a>, of: FactKey) {
        if let Some((unit, at)) = time_unit(text).filter(|_| self.claims.has(&of)) {
            self.found.state(of, unit, at);
        }
    }

    /// Reads the units in a text, out of those in the schema.
    pub(super) fn units_in(&mut self, text: Span<'a>, of: FactKey) {
        let mut named = std::collections::BTreeSet::new();
        let mut rest = text;
        while let Some((at, unit)) = self.first_unit(rest) {
            let span = Span::new(&rest.text[at..at + unit.len()], rest.at + at);
            self.found.read(span);
            rest = rest.after(span.at + unit.len());
            named.insert(unit);
        }
        let has_time = |of: &FactKey| self.claims.get(of).iter().any(|claim| unit_of_word(&claim.value).is_some());
        if named.is_empty()
            && has_time(&of)
            && let Some((unit, at)) = another_unit_of_time(text)
        {
            self.found.state(of, unit, at);
            return;
        }
        // A text without a unit may leave it open; the unit in the schema is then stated elsewhere.
        if !named.is_empty() {
            let value = named.into_iter().collect::<Vec<_>>().join(" or ");
            self.found.state_with(of, value, text.at, Basis::Stated);
        }
    }

    fn first_unit(&self, text: Span<'_>) -> Option<(usize, String)> {
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '/');
        let whole = |at: usize, unit: &str| {
            is_edge(text.text[..at].chars().next_back()) && is_edge(text.text[at + unit.len()..].chars().next())
        };
        let found = self.claims.units.iter().flat_map(|unit| {
            text.text.match_indices(unit.as_str()).filter(|(at, _)| whole(*at, unit)).map(|(at, _)| (at, unit.clone()))
        });
        found.min_by_key(|(at, unit)| (*at, std::cmp::Reverse(unit.len())))
    }

    /// Reads `blank keeps the price`, `0 deletes it`, `blank deletes it`.
    fn edit(&mut self, noted: &NotedParameters<'a, '_>, clause: Span<'a>, texts: &[&str]) -> bool {
        match texts {
            ["blank" | "empty", "keeps", ..] => {}
            ["blank" | "empty", "cancels" | "deletes" | "clears" | "removes", ..] => {
                for (name, _) in noted.names {
                    self.found.state(key(FactKind::Edit, [noted.id, name]), "deletes", clause);
                }
                return true;
            }
            _ => return false,
        }
        let deletes = noted.note.clauses().into_iter().find_map(|clause| match clause.texts().as_slice() {
            [text, "deletes" | "cancels", ..] => Some(((*text).to_owned(), clause)),
            _ => None,
        });
        let value = deletes.as_ref().map_or("keeps".to_owned(), |(text, _)| format!("keeps, {text} deletes"));
        for (name, _) in noted.names {
            self.found.state(key(FactKind::Edit, [noted.id, name]), value.clone(), clause);
        }
        if let Some((_, clause)) = deletes {
            self.found.read(clause);
        }
        true
    }
}

/// Returns the parts of a clause: a need in brackets before it, as in `[Optional] The price.`, and the rest.
fn without_mark<'a>(clause: Span<'a>) -> Vec<Span<'a>> {
    let mark = clause.text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(mark, _)| mark);
    match mark.filter(|mark| mark.chars().all(char::is_alphabetic)) {
        Some(mark) => vec![Span::new(mark, clause.at + 1), clause.after(clause.at + mark.len() + 2).trim()],
        None => vec![clause],
    }
}

/// Returns whether a note is about paging: `page before this tradeId`, `data before this ID`, `omit on first query`.
fn is_about_paging(texts: &[&str]) -> bool {
    matches!(texts, ["page" | "data", "before" | "after", "this", ..] | ["omit", "on", "first" | "the", ..])
}

/// Reads `one required`, `one of a or b must be present`, `a wins if both are given`.
/// The parameter that wins is stated for the case that both are sent; the choice itself is read if it is `whole`.
fn choice<'a>(clause: Span<'a>, words: &[Span<'a>], texts: &[&str], whole: bool, said: &mut Deferred<'a>) -> bool {
    if let Some(at) = texts.iter().position(|word| *word == "wins").filter(|at| *at > 0) {
        said.wins = words.get(at - 1).map(|word| (word.text.to_owned(), *word));
    }
    let one = texts.iter().position(|word| number(word) == Some(1));
    let binds = whole && binds(texts);
    if let ["both", a, "and", b, ..] = texts
        && binds
    {
        said.all_of = vec![(*a).to_owned(), (*b).to_owned()];
    }
    // `a or b must be sent`
    if let ([a, ..], [_, "or", b, "required", ..]) = (words, texts)
        && whole
    {
        said.one_of = Some((vec![a.text.to_owned(), (*b).to_owned()], clause));
        return true;
    }
    if let Some(one) = one.filter(|_| binds) {
        let named = match texts.get(one + 1..) {
            Some(["of", a, "or" | "and", b, ..]) => vec![(*a).to_owned(), (*b).to_owned()],
            _ => Vec::new(),
        };
        said.one_of = Some((named, clause));
    }
    if let Some(at) = texts.iter().position(|word| *word == "items").filter(|at| at + 1 < texts.len()) {
        // `items a and b`, but not `items per page`.
        let is_joined = texts[at + 1..].iter().skip(1).step_by(2).all(|word| ["and", "or"].contains(word));
        said.items = words[at + 1..].iter().step_by(2).filter(|_| is_joined).copied().collect();
    } else if said.items.last().is_some_and(|last| clause.at <= last.range().end + ", ".len()) {
        // `items a, b and c`
        let names = words.iter().filter(|word| !["and", "or"].contains(&word.text));
        let is_listed = names.clone().all(|name| wording::is_name(name.text) && !values::is_grammar(name.text));
        said.items.extend(names.filter(|_| is_listed));
        return is_listed;
    }
    said.wins.is_some() || one.is_some_and(|_| binds) || !said.items.is_empty() || !said.all_of.is_empty()
}

/// Returns whether words require something.
fn binds(texts: &[&str]) -> bool {
    ["required", "present", "given", "them", "two"].iter().any(|word| texts.contains(word))
}

/// Returns whether a note concerns more parameters than the one before it.
pub(super) fn is_about_several(note: Span<'_>) -> bool {
    let is_of_several = |clause: Span<'_>| {
        let words = needs::plain(&clause.words());
        let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
        let is_one = texts.iter().take(3).any(|word| number(word) == Some(1)) && binds(&texts);
        is_one || texts.first() == Some(&"both") && !texts.contains(&"and")
    };
    let words = note.texts();
    note.text.contains("as in ")
        || needs::plain(&note.words()).iter().any(|word| word.text == "wins")
        || words.contains(&"them")
        || note.clauses().into_iter().any(is_of_several)
}

/// Returns a unit of time without a number before it, as in `valid window in seconds`.
fn another_unit_of_time(text: Span<'_>) -> Option<(&'static str, Span<'_>)> {
    let words = text.words();
    let is_unit = |pair: &[Span<'_>]| decimal(pair[0].text).is_none();
    words.windows(2).filter(|pair| is_unit(pair)).find_map(|pair| Some((unit_of_word(pair[1].text)?, pair[1])))
}
