//! Error codes and their texts.

use super::super::document::Table;
use super::super::findings::{FactKey, FactKind, key};
use super::super::text::Span;
use super::{Reader, pairs};

impl<'a> Reader<'a> {
    pub(super) fn errors(&mut self, table: &Table<'a>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        let mut listed: Vec<FactKey> = Vec::new();
        for (situation, response) in pairs(&table.rows) {
            if let Some((code, text)) = error(situation, response, 3) {
                self.found.read(situation);
                let of = key(FactKind::Error, [&self.document.id, code.text]);
                self.found.state(of.clone(), plain_quotes(text), code);
                self.found.read(response);
                listed.push(of);
            }
        }
        let known: Vec<FactKey> = self.claims.below(FactKind::Error, [&self.document.id]).cloned().collect();
        for error in known {
            let is_stated = self.found.about(&error).next().is_some();
            if !listed.contains(&error) && !is_stated {
                self.found.missing.push((error, table.at()));
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

fn plain_quotes(text: &str) -> String {
    text.trim_matches(['`', '"']).to_owned()
}

/// The code in a text, with at least this many digits, and its message.
fn error<'a>(situation: Span<'a>, response: Span<'a>, digits: usize) -> Option<(Span<'a>, &'a str)> {
    let words = response.words();
    let is_code = |word: &Span<'a>| word.text.len() >= digits && word.text.chars().all(|c| c.is_ascii_digit());
    let at = words.iter().position(is_code)?;
    let code = words[at];
    let before: Vec<&str> = words[..at].iter().map(|word| word.text).collect();
    if !before.iter().any(|word| ["code", "show", "shows"].contains(word)) {
        return None;
    }
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

/// The text after `msg` or `msg is`.
fn message<'a>(clause: Span<'a>) -> Option<&'a str> {
    let words = clause.words();
    let at = words.iter().position(|word| word.text == "msg")?;
    let next = words.get(at + 1)?;
    let first = if next.text == "is" { words.get(at + 2)? } else { next };
    Some(clause.after(first.at).text)
}
