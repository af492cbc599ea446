//! Places in files.

/// A range of bytes in one of the files of a run, with the line and column it starts at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the file in [`Diagnostics::files`](crate::Diagnostics::files).
    pub file: u32,
    /// Line, counted from 1; 0 when the place is the file as a whole.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// First byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Place {
    /// The whole of a file.
    pub(crate) fn of_file(file: u32) -> Self {
        Self { file, ..Self::default() }
    }

    /// The bytes of the place, limited to the text and to whole characters.
    pub(crate) fn range_in(&self, text: &str) -> std::ops::Range<usize> {
        let start = floor(text, self.start as usize);
        start..floor(text, self.end as usize).max(start)
    }

    /// The line and the column of the end, counted like those of the start.
    pub(crate) fn end_in(&self, text: &str) -> (u32, u32) {
        let inside = &text[self.range_in(text)];
        let (mut line, mut column) = (self.line, self.column);
        for c in inside.chars() {
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        (line, column)
    }
}

/// The nearest byte at or before `at` that begins a character.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
