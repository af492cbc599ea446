//! Sections that have been renamed since the schema was written.

use super::claims::Claims;
use super::compare::{Discrepancy, DiscrepancyKind};
use super::document::{Block, Document, Section};
use super::marks;
use super::readers::endpoint;
use super::wording;
use crate::compiler::model::Api;

/// Joins the parts of an operation below its heading to one section, unless the schema names one of them. The heading of
/// each part becomes a text before its blocks.
pub(super) fn fold(api: &Api, document: &mut Document) {
    let records = api.families.iter().flat_map(|family| &family.records).filter_map(|record| record.source.as_ref());
    let records = records.filter(|source| source.document() == document.id);
    let mut named: Vec<String> = records.filter_map(|source| source.section()).map(str::to_owned).collect();
    let reviewed = api.reviewed.iter().filter(|reviewed| reviewed.document == document.id);
    named.extend(reviewed.map(|reviewed| wording::canonical(&reviewed.section.0)));
    let last_part = |section: &Section| {
        endpoint::find(document, section).map(|(_, path)| path.text.rsplit('/').next().unwrap_or_default().to_owned())
    };
    let paths: Vec<Option<String>> = document.sections.iter().map(last_part).collect();
    let (mut folded, mut at) = (Vec::new(), 0);
    while let Some(section) = document.sections.get(at) {
        let below = document.sections[at + 1..].iter().take_while(|below| below.level > section.level).count();
        let parts = at + 1..at + 1 + below;
        let mut own: Vec<&String> = paths[at..parts.end].iter().flatten().collect();
        own.dedup();
        let has_address = |part: usize| {
            let of_part = &document.sections[part];
            paths[part].is_some() && of_part.level == section.level + 1 && endpoint::is_label(&of_part.heading)
        };
        let is_operation = own.len() == 1 && (paths[at].is_some() || parts.clone().any(has_address));
        let is_named = document.sections[parts.clone()].iter().any(|part| named.contains(&part.heading));
        if is_operation && !is_named {
            folded.push(parts.clone());
            at = parts.end;
        } else {
            at += 1;
        }
    }
    for parts in folded.into_iter().rev() {
        let own = parts.start - 1;
        for part in document.sections.drain(parts).collect::<Vec<_>>() {
            let section = &mut document.sections[own];
            section.body.end = part.body.end;
            section.blocks.push(Block::Text(part.at));
            section.blocks.extend(part.blocks);
        }
    }
}

/// Restores the spelling of the schema in headings that differ from it only in case or by a number before them.
pub(super) fn restore(api: &Api, document: &mut Document) {
    let bare =
        |heading: &str| heading.trim_start_matches(|c: char| c.is_ascii_digit() || ".) ".contains(c)).to_lowercase();
    for reviewed in api.reviewed.iter().filter(|reviewed| reviewed.document == document.id) {
        let heading = wording::canonical(&reviewed.section.0);
        if document.section(&heading).is_some() {
            continue;
        }
        if let Some(section) = document.sections.iter_mut().find(|section| bare(&section.heading) == bare(&heading)) {
            section.heading = heading;
        }
    }
}

/// Finds renamed sections by their endpoint, by their unchanged text, or because one disappeared and one appeared;
/// reports each once.
pub(super) fn rename(api: &Api, claims: &Claims<'_>, document: &mut Document) -> Vec<Discrepancy> {
    let mut differences = Vec::new();
    let mut name = |document: &mut Document, old: &str, start: usize, place| {
        let new = document.sections.iter().find(|section| section.at.start == start);
        let says = format!("section `{}`", new.map_or("", |section| &section.heading));
        differences.push(Discrepancy {
            kind: DiscrepancyKind::Changed,
            at: start,
            says: Some(says),
            place: Some(place),
            has: Some(format!("section `{old}`")),
            elsewhere: None,
        });
        document.renamed.push((old.to_owned(), start));
    };
    for known in &claims.operations {
        let Some(source) = known.operation.source.as_ref().filter(|_| document.section(known.heading).is_none()) else {
            continue;
        };
        let same_path = |section: &&Section| {
            endpoint::find(document, section)
                .is_some_and(|(_, path)| endpoint::template(path) == known.operation.path.text)
        };
        if let Some(start) = document.sections.iter().find(same_path).map(|section| section.at.start) {
            name(document, known.heading, start, source.place);
        }
    }
    let recorded: Vec<_> = api.reviewed.iter().filter(|reviewed| reviewed.document == document.id).collect();
    for reviewed in &recorded {
        if document.section(&reviewed.section.0).is_some() {
            continue;
        }
        let unclaimed: Vec<&Section> =
            document.sections.iter().filter(|section| !is_claimed(document, &recorded, section)).collect();
        let same_text = unclaimed.iter().find(|section| marks::is_same(document, section, &reviewed.digest.0));
        // The first heading is the title of the document, whatever it says.
        let title = document.title().filter(|first| unclaimed.iter().any(|section| section.at == first.at));
        let title = title
            .filter(|_| api.documents.iter().any(|known| known.id == document.id && known.title == reviewed.section.0));
        let found = title.or(same_text.copied()).map(|section| (section.at.start, title.is_some()));
        match found {
            // A changed title is reported elsewhere as one difference.
            Some((start, true)) => document.renamed.push((reviewed.section.0.clone(), start)),
            Some((start, false)) => name(document, &reviewed.section.0, start, reviewed.section.1),
            None => {}
        }
    }
    differences
}

fn is_claimed(document: &Document, recorded: &[&crate::compiler::model::Reviewed], section: &Section) -> bool {
    recorded.iter().any(|reviewed| document.is_section(&reviewed.section.0, section))
}
