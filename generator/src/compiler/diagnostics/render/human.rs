//! Each mistake underlined in its file, with explanations and help.

use std::collections::BTreeMap;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::excerpt::Excerpt;
use super::total;
use crate::compiler::diagnostics::{Diagnostic, Diagnostics, Place, printable};

pub(super) fn render(all: &Diagnostics, colour: bool) -> String {
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
