//! Finds the operations that phrases of a document refer to.

use super::claims::{Claims, KnownOperation};
use super::document::{Document, Section};
use super::text::Span;
use super::wording::{likeness, stems};

/// The minimum similarity of a phrase to the name of an operation.
const ALIKE: usize = 600;

/// An operation that the schema does not have, and that is read as if it did.
pub(super) struct Drafted<'a> {
    pub(super) id: String,
    pub(super) section: &'a Section,
}

/// The operations that phrases can refer to: those of the schema, and those that only the document has.
pub(super) struct Names {
    entries: Vec<KnownName>,
}

struct KnownName {
    /// The id; `None` for an operation that the schema does not have.
    id: Option<String>,
    heading: String,
    words: [Vec<String>; 2],
}

/// An operation that a phrase refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperationName {
    pub(super) id: Option<String>,
    pub(super) heading: String,
}

impl Names {
    /// Collects the names; those of `drafted` are read as if the schema had them.
    pub(super) fn of(claims: &Claims<'_>, document: &Document, new_headings: &[&str], drafted: &[Drafted<'_>]) -> Self {
        let known = claims.operations.iter().map(|known| KnownName {
            id: Some(known.operation.id.clone()),
            heading: known.heading.to_owned(),
            words: [stems(known.heading), stems(&known.operation.name)],
        });
        let now =
            |known: &KnownOperation<'_>| document.section(known.heading).filter(|own| own.heading != known.heading);
        let renamed =
            claims.operations.iter().filter_map(|known| Some((known, now(known)?))).map(|(known, section)| {
                let (id, heading) = (Some(known.operation.id.clone()), section.heading.clone());
                KnownName { id, words: [stems(&heading), Vec::new()], heading }
            });
        let drafted = drafted.iter().map(|Drafted { id, section }| KnownName {
            id: Some(id.clone()),
            heading: section.heading.clone(),
            words: [stems(&section.heading), stems(id.rsplit('.').next().unwrap_or(id))],
        });
        let new = new_headings.iter().filter(|heading| document.section(heading).is_some()).map(|heading| KnownName {
            id: None,
            heading: (*heading).to_owned(),
            words: [stems(heading), Vec::new()],
        });
        Self { entries: known.chain(renamed).chain(drafted).chain(new).collect() }
    }

    /// Returns the operations in a list such as `Place Order, Batch Cancel and fills`; `None` for an entry that is not
    /// an operation.
    pub(super) fn list<'a>(&self, list: Span<'a>) -> Vec<(Span<'a>, Option<OperationName>)> {
        let mut found = Vec::new();
        for part in list.split(&[",", ";"]) {
            let part = without_first(part, "and");
            // Two headings are meant, although another one may have the words of both.
            let both = part.split(&[" and "]);
            if both.len() > 1 && both.iter().all(|one| self.has_heading(one.text)) {
                found.extend(both.into_iter().map(|one| (one, self.exact(one))));
                continue;
            }
            match self.exact(part.head_and_note().0) {
                Some(named) => found.push((part, Some(named))),
                None => found.extend(self.joined(part)),
            }
        }
        self.settle(&mut found);
        found
    }

    /// Returns the operations in `A and B`, where A may lack the last words of B: `Place and Cancel Reality Order`.
    fn joined<'a>(&self, part: Span<'a>) -> Vec<(Span<'a>, Option<OperationName>)> {
        let parts = part.split(&[" and "]);
        let Some(last) = parts.last().filter(|_| parts.len() > 1) else {
            return vec![(part, self.near(part.text))];
        };
        let tail = last.text.split_once(' ').map_or("", |(_, tail)| tail);
        let full = |part: &Span<'a>| {
            let text = format!("{} {tail}", part.text);
            self.exact(*part).or_else(|| self.same_words(&text)).or_else(|| self.near(part.text))
        };
        parts.iter().map(|part| (*part, if part == last { self.near(part.text) } else { full(part) })).collect()
    }

    fn exact(&self, phrase: Span<'_>) -> Option<OperationName> {
        self.same_words(phrase.text)
    }

    /// Returns whether a phrase is the name of an operation, rather than similar to one.
    pub(super) fn is_exact(&self, phrase: Span<'_>) -> bool {
        self.exact(phrase).is_some()
    }

    fn has_heading(&self, text: &str) -> bool {
        self.entries.iter().any(|entry| entry.is_headed(text))
    }

    /// Returns the operation with this heading, or otherwise one with the same words.
    fn same_words(&self, text: &str) -> Option<OperationName> {
        let words = stems(text);
        let same_heading = self.entries.iter().find(|entry| entry.is_headed(text));
        let same_words =
            || self.entries.iter().find(|entry| entry.words.iter().any(|own| likeness(own, &words) == 1000));
        same_heading.or_else(same_words).map(KnownName::named)
    }

    /// Returns the operation that a phrase is most similar to.
    pub(super) fn near(&self, text: &str) -> Option<OperationName> {
        let words = stems(text);
        let score = |entry: &KnownName| entry.words.iter().map(|own| likeness(own, &words)).max().unwrap_or(0);
        let best = self.entries.iter().map(score).max().filter(|best| *best >= ALIKE)?;
        let mut nearest = self.entries.iter().filter(|entry| score(entry) == best);
        let first = nearest.next()?;
        // If two are equally similar, `settle` may distinguish them.
        let heading =
            nearest.next().map_or(first.heading.clone(), |other| format!("{}|{}", first.heading, other.heading));
        Some(OperationName { heading, ..first.named() })
    }

    /// Resolves entries that are equally similar to two operations: they refer to the operation that no other entry
    /// names.
    fn settle(&self, found: &mut [(Span<'_>, Option<OperationName>)]) {
        let sure: Vec<String> =
            found.iter().filter_map(|(_, named)| named.as_ref()).map(|named| named.heading.clone()).collect();
        for named in found.iter_mut().filter_map(|(_, named)| named.as_mut()) {
            let Some((a, b)) = named.heading.split_once('|') else { continue };
            let chosen = if sure.iter().any(|heading| heading == a) { b } else { a };
            if let Some(entry) = self.entries.iter().find(|entry| entry.heading == chosen) {
                *named = entry.named();
            }
        }
    }

    /// Returns the operation with the longest heading that the phrase starts with.
    pub(super) fn at_start(&self, phrase: &str) -> Option<OperationName> {
        let phrase = phrase.trim().to_lowercase();
        let starts = self.entries.iter().filter(|entry| phrase.starts_with(&entry.heading.to_lowercase()));
        starts.max_by_key(|entry| entry.heading.len()).map(KnownName::named)
    }

    /// Returns the operations all of whose words occur in a phrase.
    pub(super) fn with_words(&self, words: &[&str]) -> Vec<OperationName> {
        let has = |entry: &KnownName| {
            entry
                .words
                .iter()
                .any(|own| words.iter().all(|word| own.iter().any(|own| super::wording::have_same_stem(own, word))))
        };
        self.entries.iter().filter(|entry| has(entry)).map(KnownName::named).collect()
    }
}

impl KnownName {
    fn is_headed(&self, text: &str) -> bool {
        self.heading.eq_ignore_ascii_case(text.trim())
    }

    fn named(&self) -> OperationName {
        OperationName { id: self.id.clone(), heading: self.heading.clone() }
    }
}

fn without_first<'a>(span: Span<'a>, word: &str) -> Span<'a> {
    match span.words().as_slice() {
        [first, second, ..] if first.text == word => span.after(second.at),
        _ => span,
    }
}
