//! Mistakes as text: for people, for logs, for programs. The excerpt of the file is cut to a width, and has no characters
//! that could control a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Place};
use crate::compiler::json::Value;

/// The form in which mistakes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Each mistake underlined in its file, with explanations and help.
    Human {
        /// True if to use the escape sequences that colour a terminal.
        colour: bool,
    },
    /// One line for each mistake, followed by one for each explanation and for the help.
    Short,
    /// One object per line, for editors and annotations.
    Json,
}

pub(super) fn render(all: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human { colour } => human(all, colour),
        Format::Short => short(all),
        Format::Json => json(all),
    }
}

/// Returns the number of mistakes in words.
fn total(all: &Diagnostics) -> String {
    let count = all.len();
    format!("{count} mistake{}", if count == 1 { "" } else { "s" })
}

/// Makes a text of the input safe to print: it must not control a terminal, begin a new line, or fill the screen.
pub(crate) fn printable(text: &str) -> String {
    const LONGEST_NAME: usize = 100;
    let mut shown = String::with_capacity(text.len().min(4096));
    let mut length_of_name = None;
    for c in text.chars() {
        length_of_name = match length_of_name {
            _ if c == '`' => {
                if length_of_name.is_none() {
                    Some(0)
                } else {
                    None
                }
            }
            length => length.map(|length: usize| length + 1),
        };
        match length_of_name {
            Some(length) if length > LONGEST_NAME + 1 => {}
            Some(length) if length == LONGEST_NAME + 1 => shown.push_str("..."),
            _ => shown.push(if is_invisible(c) { '\u{fffd}' } else { c }),
        }
    }
    shown
}

/// Returns whether it is a control character, has no width, or changes the text direction.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn human(all: &Diagnostics, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for item in all.iter() {
        out.push_str(&renderer.render(&[group(all, item)]));
        out.push_str("\n\n");
    }
    let first = all.iter().next().map(|item| format!("; run `tradeapi-gen explain {}` for more", item.code));
    out + &total(all) + &first.unwrap_or_default()
}

fn group<'a>(all: &'a Diagnostics, item: &'a Diagnostic) -> Group<'a> {
    let title = Level::ERROR.primary_title(printable(&item.message)).id(item.code.as_str());
    let group = Group::with_title(title).elements(shown(all, item));
    match &item.help {
        Some(help) => group.element(Level::HELP.message(printable(help))),
        None => group,
    }
}

/// Returns the excerpt of the mistake's file with all places in it, then those of other files.
fn shown<'a>(all: &'a Diagnostics, item: &'a Diagnostic) -> Vec<Element<'a>> {
    let Some(primary) = item.place else { return Vec::new() };
    let mut files: BTreeMap<(bool, u32), Vec<(Place, &str)>> = BTreeMap::new();
    files.entry((false, primary.file)).or_default().push((primary, ""));
    for (place, why) in &item.related {
        files.entry((place.file != primary.file, place.file)).or_default().push((*place, why));
    }
    files.into_iter().flat_map(|((is_other, _), places)| of_file(all, !is_other, &places)).collect()
}

fn of_file<'a>(all: &'a Diagnostics, is_primary: bool, places: &[(Place, &'a str)]) -> Vec<Element<'a>> {
    let Some((first, _)) = places.first() else { return Vec::new() };
    let path = all.path(first);
    let text = all.text(first.file).unwrap_or_default();
    if first.line == 0 || text.is_empty() {
        return vec![Origin::path(path).into()];
    }
    let excerpt = Excerpt::of(text, &places.iter().map(|(place, _)| *place).collect::<Vec<_>>());
    let annotations = places.iter().zip(excerpt.spans).enumerate().map(|(index, ((_, why), span))| {
        let is_mistake = is_primary && index == 0;
        let kind = if is_mistake { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation: Annotation<'a> = kind.span(span);
        if why.is_empty() { annotation } else { annotation.label(printable(why)) }
    });
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line).annotations(annotations);
    if excerpt.keeps_columns {
        return vec![snippet.path(path).into()];
    }
    vec![Origin::path(path).line(first.line as usize).char_column(first.column as usize).into(), snippet.into()]
}

fn json(all: &Diagnostics) -> String {
    let lines: Vec<_> = all.iter().map(|item| escaped(&object(all, item).to_string())).collect();
    lines.join("\n")
}

/// Escapes what JSON allows unescaped and a terminal would obey: DEL and most invisible characters.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_invisible(c) {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

fn object(all: &Diagnostics, item: &Diagnostic) -> Value {
    let fix = item.fix.as_ref().map(|fix| with(all, &fix.place, ("text", &fix.text)));
    let related = item.related.iter().map(|(place, why)| with(all, place, ("message", why)));
    let place = item.place.map(|place| at(all, &place)).unwrap_or_default();
    Value::object(place.into_iter().chain([
        ("severity", "error".into()),
        ("code", item.code.as_str().into()),
        ("message", item.message.as_str().into()),
        ("help", item.help.as_deref().into()),
        ("fix", fix.into()),
        ("related", Value::list(related)),
    ]))
}

/// Returns a place: lines and columns count from 1, bytes from 0; the end is exclusive.
fn at(all: &Diagnostics, place: &Place) -> Vec<(&'static str, Value)> {
    let file = all.files().get(place.file as usize).map(|file| file.to_string_lossy());
    let mut members = vec![("file", file.as_deref().into())];
    if place.line > 0 {
        let (end_line, end_column) = place.end_in(all.text(place.file).unwrap_or_default());
        let numbers = [
            ("line", place.line),
            ("column", place.column),
            ("end_line", end_line),
            ("end_column", end_column),
            ("start", place.start),
            ("end", place.end),
        ];
        members.extend(numbers.map(|(name, number)| (name, number.into())));
    }
    members
}

fn with(all: &Diagnostics, place: &Place, (name, text): (&'static str, &str)) -> Value {
    Value::object(at(all, place).into_iter().chain([(name, text.into())]))
}

fn short(all: &Diagnostics) -> String {
    let mut out = String::new();
    for item in all.iter() {
        if let Some(place) = &item.place {
            let _ = write!(out, "{}: ", place_text(all, place));
        }
        let _ = writeln!(out, "error[{}]: {}", item.code, printable(&item.message));
        for (place, why) in &item.related {
            let _ = writeln!(out, "  {}: {}", place_text(all, place), printable(why));
        }
        if let Some(help) = &item.help {
            let _ = writeln!(out, "  help: {}", printable(help));
        }
    }
    out + &total(all)
}

fn place_text(all: &Diagnostics, place: &Place) -> String {
    let file = all.path(place);
    if place.line == 0 {
        return file;
    }
    format!("{file}:{}:{}", place.line, place.column)
}

/// The number of characters kept before a place and after its beginning. They exceed the width of any screen, because
/// the renderer trims lines, too, and knows the columns only while the beginning of a line is complete.
const BEFORE: usize = 400;
const AFTER: usize = 200;

/// A text of whole lines, and the position of each place in it.
struct Excerpt {
    first_line: usize,
    text: String,
    spans: Vec<Range<usize>>,
    /// True if every line is complete at its beginning.
    keeps_columns: bool,
}

impl Excerpt {
    /// Returns the lines from the first to the last of the places. A place of several lines is shown on its first line.
    fn of(text: &str, places: &[Place]) -> Self {
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

    /// Returns the offset in `text` of a byte of the line, or the nearest end.
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
