//! Conventions of all operations: named lists of values, the code of success, forms of names, error codes and
//! their texts.

use super::super::document::Table;
use super::super::findings::{FactKey, FactKind, Listed, key};
use super::super::text::Span;
use super::columns::type_of_word;
use super::{Reader, pairs, values};

impl<'a> Reader<'a> {
    pub(super) fn conventions(&mut self, table: &Table<'a>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        for (label, rule) in pairs(&table.rows) {
            match label.texts().as_slice() {
                [name, "values"] => self.named_values(name, rule),
                ["Success", ..] => self.success(label, rule),
                [.., "envelope"] => self.envelope(rule),
                [.., "types"] => self.types_of_all(rule),
                _ => {}
            }
        }
    }

    /// Reads the members of every answer: `code (string), msg (string), data`.
    fn envelope(&mut self, rule: Span<'a>) {
        let known = self.claims.last_parts(FactKind::Envelope, [&self.document.id]);
        let mut listed = Vec::new();
        for member in rule.split(&[","]) {
            let (name, note) = member.head_and_note();
            self.found.state(key(FactKind::Envelope, [&self.document.id, name.text]), "", name);
            if let Some(note) = note {
                self.time_unit_in(note, key(FactKind::TimeUnit, [&self.document.id, name.text]));
            }
            listed.push(name.text);
        }
        let is_listed = |known: &str| listed.contains(&known) || self.claims.members_of_others.contains(&known);
        for missing in known.iter().filter(|known| !is_listed(known)) {
            self.found.missing.push((key(FactKind::Envelope, [&self.document.id, missing]), rule.at));
        }
        self.found.read(rule);
    }

    /// Reads `every parameter is a string, except size (number)` as a fact about each exception, and about each other
    /// parameter whose type differs in the schema.
    fn types_of_all(&mut self, rule: Span<'a>) {
        let (general, excepted) = rule.text.split_once("except").unwrap_or((rule.text, ""));
        let Some(general) = Span::new(general, rule.at).texts().into_iter().find_map(type_of_word) else { return };
        let (names, note) = Span::new(excepted, rule.at + rule.text.len() - excepted.len()).head_and_note();
        let other = note.and_then(|note| note.texts().into_iter().find_map(type_of_word));
        let is_scalar = |json: &str| ["string", "number", "boolean"].contains(&json);
        let claimed =
            self.claims.below(FactKind::Type, []).filter_map(|key| Some((key, self.claims.get(key).first()?)));
        for (of, claim) in claimed.filter(|(_, claim)| is_scalar(&claim.value)) {
            let short = of.last().map_or("", |name| name.rsplit('.').next().unwrap_or(name));
            let excepted = names.words().into_iter().find(|name| name.text == short);
            match (excepted, other) {
                (Some(at), Some(json)) => self.found.state(of.clone(), json, at),
                (None, _) if claim.value != general => self.found.state(of.clone(), general, rule),
                _ => {}
            }
        }
        self.found.read(rule);
    }

    fn named_values(&mut self, name: &str, rule: Span<'a>) {
        let known = self.claims.iter().find_map(|(key, _)| match (key.kind, key.names.as_slice()) {
            (FactKind::ParameterValue, [id, owner, _]) if owner == name => {
                Some(self.claims.values(FactKind::ParameterValue, id, owner))
            }
            _ => None,
        });
        if let Some(list) = values::list(rule, &known.unwrap_or_default()) {
            let values = list.values.iter().map(|(value, at)| (value.clone(), at.at)).collect();
            let of = key(FactKind::NamedValues, [&self.document.id, name]);
            self.named_lists.insert(name.to_owned(), Listed { values, of });
            self.found.read(rule);
        }
    }

    /// Returns whether a text before a `>` is a tag that is closed elsewhere, or the type of a list: `<Button`, `List<Bed`.
    fn is_tag_or_type(&self, text: &str) -> bool {
        let Some((before, name)) = text.split_once('<') else { return false };
        let is_type = ["array", "list", "map"].contains(&before.to_lowercase().as_str());
        is_type || self.document.text.contains(&format!("</{name}>"))
    }

    /// Reads how names begin or end: `r<TICKER>USDT`, `_SPBL`.
    pub(super) fn forms(&mut self, text: Span<'a>) {
        for word in text.words() {
            let pattern = match (word.text.find('<'), word.text.find('>')) {
                (Some(open), Some(close)) if open < close && !self.is_tag_or_type(&word.text[..close]) => {
                    format!("{}*{}", &word.text[..open], &word.text[close + 1..])
                }
                _ if word.text.starts_with('_') && word.text.len() > 1 => format!("*{}", word.text),
                _ => continue,
            };
            if pattern.len() > 1 && pattern.chars().all(|c| c.is_ascii_alphanumeric() || "_*-".contains(c)) {
                self.found.state(key(FactKind::Form, [&self.document.id, &pattern]), "", word);
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// Reads the errors of a table.
    pub(super) fn errors(&mut self, table: &Table<'a>, errors: Vec<(Span<'a>, &'a str, &[Span<'a>])>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        for (code, text, cells) in errors {
            cells.iter().for_each(|cell| self.found.read(*cell));
            let of = key(FactKind::Error, [&self.document.id, code.text]);
            self.found.state(of, plain_quotes(text), code);
        }
        let known: Vec<FactKey> = self.claims.below(FactKind::Error, [&self.document.id]).cloned().collect();
        self.found.missing.extend(known.into_iter().map(|error| (error, table.at())));
    }

    /// Drops errors that one table lacks and another one or a sentence has.
    pub(super) fn complete_errors(&mut self) {
        let mut seen: Vec<FactKey> = Vec::new();
        for (error, at) in std::mem::take(&mut self.found.missing) {
            let is_error = error.kind == FactKind::Error;
            if !is_error || self.found.about(&error).next().is_none() && !seen.contains(&error) {
                seen.extend(Some(error.clone()).filter(|_| is_error));
                self.found.missing.push((error, at));
            }
        }
    }

    /// Reads the code of success: `code is 00000 and msg is success`.
    pub(super) fn success(&mut self, label: Span<'a>, rule: Span<'a>) {
        if let Some((code, text)) = error(label, rule, 1) {
            self.found.state(key(FactKind::Error, [&self.document.id, code.text]), text, code);
            self.found.read(rule);
        }
    }
}

/// The digits that the code of an error in a sentence has at least; the status of HTTP has as many.
const DIGITS: usize = 3;

/// Returns the codes of a table of errors, their texts, and the cells of each: of situations and responses, or with a
/// column of codes and one of messages.
pub(super) fn errors_in<'a, 'b>(table: &'b Table<'a>) -> Option<Vec<(Span<'a>, &'a str, &'b [Span<'a>])>> {
    if table.column("situation").is_some() && table.column("response").is_some() {
        let error = |row: &'b Vec<Span<'a>>| {
            let (code, text) = error(*row.first()?, *row.get(1)?, DIGITS)?;
            Some((code, text, row.get(..2)?))
        };
        return Some(table.rows.iter().filter_map(error).collect());
    }
    let is_status = table.column("status").is_some() || table.column("http").is_some();
    let code = table.column("code").filter(|_| !is_status)?;
    let text = ["message", "msg", "error", "description", "meaning"].iter().find_map(|word| table.column(word))?;
    let is_code = |cell: &Span<'a>| {
        let digits = cell.text.strip_prefix('-').unwrap_or(cell.text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let row = |row: &'b Vec<Span<'a>>| {
        let code = row.get(code).copied().and_then(Span::single).filter(is_code)?;
        Some((code, row.get(text)?.trim().text, row.as_slice()))
    };
    let rows: Vec<_> = table.rows.iter().filter_map(row).collect();
    (!rows.is_empty() && text != code).then_some(rows)
}

fn plain_quotes(text: &str) -> String {
    text.trim_matches(['`', '"']).to_owned()
}

/// Returns the code in a text, with at least this many digits, and its message.
fn error<'a>(situation: Span<'a>, response: Span<'a>, digits: usize) -> Option<(Span<'a>, &'a str)> {
    let words = response.words();
    let is_code = |word: &Span<'a>| word.text.len() >= digits && word.text.chars().all(|c| c.is_ascii_digit());
    // The status of HTTP may stand before it.
    let announced = words.iter().position(|word| ["code", "show", "shows"].contains(&word.text))?;
    let code = *words[announced..].iter().find(|word| is_code(word))?;
    let after = response.after(code.at + code.text.len());
    if let Some(clause) = after.clauses().into_iter().find_map(message) {
        return Some((code, clause));
    }
    // Such as `24056 with a not-existing message`.
    let texts = after.texts();
    if let ["with", "a" | "an", .., "message"] = texts.as_slice() {
        let (first, last) = (after.words()[2], *after.words().last()?);
        return Some((code, after.after(first.at).before(last.at).trim().text));
    }
    Some((code, situation.text))
}

/// Returns the text after `msg` or `msg is`.
fn message<'a>(clause: Span<'a>) -> Option<&'a str> {
    let words = clause.words();
    let at = words.iter().position(|word| word.text == "msg")?;
    let next = words.get(at + 1)?;
    let first = if next.text == "is" { words.get(at + 2)? } else { next };
    Some(clause.after(first.at).text)
}
