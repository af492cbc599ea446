//! Mistakes as text: for people, for logs, for programs.

mod excerpt;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use self::excerpt::Excerpt;
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

/// The number of mistakes in words.
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

/// The excerpt of the mistake's file with all places in it, then those of other files.
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

/// A place: lines and columns count from 1, bytes from 0; the end is exclusive.
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
