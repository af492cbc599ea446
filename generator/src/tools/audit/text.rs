//! Parts of a document's text with their positions.

use std::ops::Range;

/// A part of a document and the byte at which it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Span<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn part(self, range: Range<usize>) -> Self {
        let at = self.at + range.start;
        Self { text: self.text.get(range).unwrap_or_default(), at }
    }

    pub(super) fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start..start + self.text.trim().len())
    }

    /// Returns a name without the footnote mark after it, as in `size*` or `size[^1]`.
    pub(super) fn without_footnote(self) -> Self {
        if let Some((name, _)) = self.text.split_once("[^").filter(|(_, mark)| mark.ends_with(']')) {
            return self.part(0..name.len());
        }
        self.part(0..self.text.trim_end_matches(['*', '†', '‡', '§', '¹', '²', '³']).len())
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// Returns the parts between separators outside of parentheses.
    pub(super) fn split(self, separators: &[&str]) -> Vec<Self> {
        let mut parts = Vec::new();
        let (mut depth, mut start) = (0usize, 0);
        let bytes = self.text.as_bytes();
        let mut is_mark = [false; 256];
        for first in separators.iter().filter_map(|separator| separator.bytes().next()) {
            is_mark[usize::from(first)] = true;
        }
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte == b'(' {
                depth += 1;
            } else if byte == b')' {
                depth = depth.saturating_sub(1);
            } else if is_mark[usize::from(byte)] && depth == 0 && at >= start {
                let separator = separators.iter().find(|separator| self.text[at..].starts_with(**separator));
                if let Some(separator) = separator {
                    parts.push(self.part(start..at));
                    start = at + separator.len();
                }
            }
            at += 1;
        }
        parts.push(self.part(start..self.text.len()));
        parts.into_iter().map(Self::trim).filter(|part| !part.is_empty()).collect()
    }

    /// Returns the sentences, which end with a full stop before a space or the end.
    pub(super) fn sentences(self) -> Vec<Self> {
        let parts = self.split(&[". ", ".\n"]);
        parts.into_iter().map(|part| part.part(0..part.text.trim_end_matches('.').len())).collect()
    }

    /// Returns the parts between commas, semicolons and parentheses at any depth.
    pub(super) fn clauses(self) -> Vec<Self> {
        let mut clauses = Vec::new();
        let mut start = 0;
        for (at, c) in self.text.char_indices() {
            if matches!(c, ',' | ';' | '(' | ')') || self.text[at..].starts_with(". ") {
                clauses.push(self.part(start..at));
                start = at + c.len_utf8();
            }
        }
        clauses.push(self.part(start..self.text.len()));
        clauses.into_iter().map(Self::trim).filter(|clause| !clause.is_empty()).collect()
    }

    /// Returns the text before the first parenthesis, and the text in it.
    pub(super) fn head_and_note(self) -> (Self, Option<Self>) {
        let Some(open) = self.text.find('(') else { return (self, None) };
        let mut depth = 0usize;
        let close = self.text[open..].char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (c == ')' && depth == 0).then_some(open + at)
        });
        let close = close.unwrap_or(self.text.len());
        (self.part(0..open).trim(), Some(self.part(open + 1..close.max(open + 1)).trim()))
    }

    /// Returns the text before and after the first colon outside of parentheses.
    pub(super) fn label(self) -> Option<(Self, Self)> {
        let label = *self.split(&[":"]).first()?;
        let colon = label.at + label.text.len() - self.at;
        let rest = self.text.get(colon..)?.strip_prefix(':')?;
        Some((label, Self::new(rest, self.at + colon + 1).trim()))
    }

    /// Returns the text after a byte of this span.
    pub(super) fn after(self, at: usize) -> Self {
        self.part(at.saturating_sub(self.at).min(self.text.len())..self.text.len())
    }

    /// Returns the text before a byte of this span.
    pub(super) fn before(self, at: usize) -> Self {
        self.part(0..at.saturating_sub(self.at).min(self.text.len()))
    }

    /// Returns the words, without spaces and punctuation. In a document, which is most of what is read, all white space is
    /// that of ASCII.
    pub(super) fn words(self) -> Vec<Self> {
        let bytes = self.text.as_bytes();
        let mut words = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at <= bytes.len() {
            let is_end = at == bytes.len()
                || bytes[at].is_ascii_whitespace()
                || matches!(bytes[at], b',' | b';' | b':' | b'(' | b')' | b'|' | b'"' | b'`' | b'*');
            if is_end {
                let word = self.text[start..at].trim_end_matches(['.', '!', '?']);
                // `20/s[^1]`; a note itself begins with its mark.
                let mark = word.rfind("[^").filter(|at| *at > 0 && word.ends_with(']'));
                let word = &word[..mark.unwrap_or(word.len())];
                words.extend(Some(self.part(start..start + word.len())).filter(|word| !word.is_empty()));
                start = at + 1;
            }
            at += 1;
        }
        words
    }

    /// Returns the words as text.
    pub(super) fn texts(self) -> Vec<&'a str> {
        self.words().into_iter().map(|word| word.text).collect()
    }

    /// Returns the only word; `None` if there are several.
    pub(super) fn single(self) -> Option<Self> {
        match self.words().as_slice() {
            [word] => Some(*word),
            _ => None,
        }
    }
}

/// Returns whether two ranges overlap.
pub(super) fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
