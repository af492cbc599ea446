//! Permissions and headers.

use super::super::document::Table;
use super::super::findings::{FactKey, FactKind, key};
use super::super::text::Span;
use super::{Reader, pairs};

/// A header of HTTP itself, which every such request has.
const OF_HTTP: &str = "Content-Type";

impl<'a> Reader<'a> {
    pub(super) fn permissions(&mut self, table: &Table<'a>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        let mut listed: Vec<FactKey> = Vec::new();
        for (permission, operations) in pairs(&table.rows) {
            self.found.read(permission);
            for (at, named) in self.names.list(operations) {
                let Some(id) = named.and_then(|named| named.id) else { continue };
                let of = key(FactKind::Permission, [&id]);
                self.found.state(of.clone(), permission.text, at);
                listed.push(of);
            }
        }
        self.missing_keys(FactKind::Permission, None, &listed, table.at());
    }

    /// Reads `Permission for the batch operations: trade`.
    pub(super) fn permission_in_prose(&mut self, text: Span<'a>) {
        for sentence in text.sentences() {
            let Some((label, permission)) = sentence.label() else { continue };
            let ["Permission" | "Permissions", "for" | "of", ..] = label.texts().as_slice() else { continue };
            let is_open = permission.text.eq_ignore_ascii_case("not shown");
            let Some(list) = label.words().get(2).map(|first| label.after(first.at)).filter(|_| !is_open) else {
                continue;
            };
            for (at, named) in self.names.list(list) {
                let Some(id) = named.and_then(|named| named.id) else { continue };
                self.found.state(key(FactKind::Permission, [&id]), permission.text, at);
                self.found.read(sentence);
            }
        }
    }

    pub(super) fn header_table(&mut self, table: &Table<'a>) {
        self.found.read.extend(table.head.iter().map(|cell| cell.range()));
        let document = self.document.id.clone();
        let mut listed: Vec<FactKey> = Vec::new();
        for (name, meaning) in pairs(&table.rows) {
            if name.text == OF_HTTP {
                self.found.read(name);
                continue;
            }
            let credential = key(FactKind::Credential, [&document, name.text]);
            let other = key(FactKind::Header, [&document, name.text]);
            let of = if self.claims.has(&other) { other } else { credential };
            self.found.state(of.clone(), "", name);
            listed.push(of);
            self.sent_on(name.text, meaning);
            self.time_unit_in(meaning, key(FactKind::TimeUnit, [&document, name.text]));
        }
        self.missing_keys(FactKind::Credential, Some(&document), &listed, table.at());
    }

    /// Finds keys of a kind that a complete list lacks.
    fn missing_below(&mut self, known: Vec<FactKey>, listed: &[FactKey], at: usize) {
        for known in known {
            if !listed.contains(&known) {
                self.found.missing.push((known, at));
            }
        }
    }

    fn missing_keys(&mut self, kind: FactKind, owner: Option<&str>, listed: &[FactKey], at: usize) {
        let of_owner = |key: &&FactKey| owner.is_none_or(|owner| key.owner().is_some_and(|known| known == owner));
        let known = self.claims.below(kind, []).filter(of_owner).cloned().collect();
        self.missing_below(known, listed, at);
    }

    pub(super) fn headers_of_operation(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            if let Some(name) = header_name(sentence) {
                self.found.state(key(FactKind::HeaderOn, [id, name.text]), "", name);
                self.found.read(sentence);
            }
        }
    }

    pub(super) fn headers_elsewhere(&mut self, text: Span<'a>) {
        for sentence in text.sentences() {
            if let Some(name) = header_name(sentence) {
                self.sent_on(name.text, sentence);
            }
        }
    }

    /// Reads the complete list of operations that send a header: `… on Place Order and Batch Order`.
    fn sent_on(&mut self, header: &str, text: Span<'a>) {
        let Some(on) = text.words().into_iter().find(|word| word.text == "on") else { return };
        let list = text.after(on.at + on.text.len()).trim();
        let mut listed: Vec<FactKey> = Vec::new();
        for (at, named) in self.names.list(list) {
            let Some(id) = named.and_then(|named| named.id) else { continue };
            let of = key(FactKind::HeaderOn, [&id, header]);
            self.found.state(of.clone(), "", at);
            listed.push(of);
        }
        if listed.is_empty() {
            return;
        }
        let carries = |key: &&FactKey| key.last().is_some_and(|name| name == header);
        let known = self.claims.below(FactKind::HeaderOn, []).filter(carries).cloned().collect();
        self.missing_below(known, &listed, list.at);
    }
}

/// Returns the header that a sentence is about.
fn header_name<'a>(sentence: Span<'a>) -> Option<Span<'a>> {
    let words = sentence.words();
    let speaks = words.iter().any(|word| word.text.eq_ignore_ascii_case("header"));
    let is_name = |word: &&Span<'a>| {
        word.text.contains('-') && word.text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
    };
    words.iter().find(is_name).copied().filter(|_| speaks)
}
