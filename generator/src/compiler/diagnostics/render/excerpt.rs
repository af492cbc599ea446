//! The excerpt of a file in which a mistake is shown: cut to a width, and without characters that could control a
//! terminal.

use std::ops::Range;

use crate::compiler::diagnostics::{Place, is_invisible};

/// The number of characters kept before a place and after its beginning. They exceed the width of any screen, because
/// the renderer trims lines, too, and knows the columns only while the beginning of a line is complete.
const BEFORE: usize = 400;
const AFTER: usize = 200;

/// A text of whole lines, and the position of each place in it.
pub(super) struct Excerpt {
    pub(super) first_line: usize,
    pub(super) text: String,
    pub(super) spans: Vec<Range<usize>>,
    /// True if every line is complete at its beginning.
    pub(super) keeps_columns: bool,
}

impl Excerpt {
    /// The lines from the first to the last of the places. A place of several lines is shown on its first line.
    pub(super) fn of(text: &str, places: &[Place]) -> Self {
        let lines: Vec<Line> = places.iter().map(|place| Line::of(text, place)).collect();
        let first = lines.iter().map(|line| line.number).min().unwrap_or(1);
        let last = lines.iter().map(|line| line.number).max().unwrap_or(1);
        let mut excerpt =
            Self { first_line: first, text: String::new(), spans: vec![0..0; lines.len()], keeps_columns: true };
        let mut between = text.lines().skip(first - 1);
        for number in first..=last {
            let content = between.next().unwrap_or_default();
            let here: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].number == number).collect();
            let begin = excerpt.text.len();
            let cut = Cut::of(content, here.first().map_or(0, |index| lines[*index].range.start));
            for index in here {
                let range = &lines[index].range;
                excerpt.spans[index] = begin + cut.shown(range.start)..begin + cut.shown(range.end);
            }
            excerpt.keeps_columns &= cut.bytes.first().is_some_and(|(at, _)| *at == 0);
            excerpt.text.push_str(&cut.text);
            excerpt.text.push('\n');
        }
        excerpt
    }
}

/// The line that a place begins in, and the bytes of the place within it.
struct Line {
    number: usize,
    range: Range<usize>,
}

impl Line {
    fn of(text: &str, place: &Place) -> Self {
        let range = place.range_in(text);
        let begin = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
        Self { number: place.line.max(1) as usize, range: range.start - begin..range.end.min(end) - begin }
    }
}

/// A line as shown.
struct Cut {
    text: String,
    /// For each shown character, its byte offset in the line and in `text`.
    bytes: Vec<(usize, usize)>,
}

impl Cut {
    /// Cuts a line around one of its bytes.
    fn of(line: &str, around: usize) -> Self {
        let middle = line.char_indices().take_while(|(at, _)| *at < around).count();
        let first = middle.saturating_sub(BEFORE);
        let mut cut = Self { text: String::new(), bytes: Vec::new() };
        if first > 0 {
            cut.text.push_str("...");
        }
        let mut rest = line.char_indices().skip(first);
        for (at, c) in rest.by_ref().take(middle - first + AFTER) {
            cut.bytes.push((at, cut.text.len()));
            cut.text.push(if c != '\t' && is_invisible(c) { '\u{fffd}' } else { c });
        }
        cut.bytes.push((rest.next().map_or(line.len(), |(at, _)| at), cut.text.len()));
        if cut.bytes.last().is_some_and(|(at, _)| *at < line.len()) {
            cut.text.push_str("...");
        }
        cut
    }

    /// The offset in `text` of a byte of the line, or the nearest end.
    fn shown(&self, byte: usize) -> usize {
        let index = self.bytes.partition_point(|(at, _)| *at < byte);
        self.bytes.get(index).or(self.bytes.last()).map_or(0, |(_, shown)| *shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, start: u32, end: u32) -> Place {
        Place { line, column: 1, start, end, ..Place::default() }
    }

    #[test]
    fn places_are_shown_on_their_first_line() {
        let text = "a: 1\nb: |\n  x\n  y\nc: 2\n";
        let excerpt = Excerpt::of(text, &[place(2, 8, 18), place(1, 0, 1)]);
        assert_eq!((excerpt.first_line, excerpt.text.as_str()), (1, "a: 1\nb: |\n"));
        assert_eq!(excerpt.spans, [8..9, 0..1]);
    }

    #[test]
    fn long_lines_are_cut_around_the_place_and_shown_without_controls() {
        let text = format!("{}\u{202e}\t{}\u{1b}[31m", "é".repeat(500), "y".repeat(5000));
        let excerpt = Excerpt::of(&text, &[place(1, 1000, 1003)]);
        assert_eq!(excerpt.text.chars().count(), 3 + BEFORE + AFTER + 3 + 1);
        assert!(excerpt.text.starts_with("...éé") && excerpt.text.ends_with("yy...\n"), "{}", excerpt.text);
        assert_eq!(&excerpt.text[excerpt.spans[0].clone()], "\u{fffd}");
    }

    #[test]
    fn places_beyond_the_text_are_shown_at_its_end() {
        let excerpt = Excerpt::of("a", &[place(1, 40, 50)]);
        assert_eq!((excerpt.text.as_str(), excerpt.spans.first()), ("a\n", Some(&(1..1))));
        assert_eq!(Excerpt::of("", &[place(1, 0, 0)]).text, "\n");
    }
}
