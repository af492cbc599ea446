//! Sections that have been renamed since the schema was written.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Claims;
use super::compare::{Discrepancy, DiscrepancyKind};
use super::document::{Block, Document, Section};
use super::marks;
use super::readers::endpoint;
use super::wording;
use crate::compiler::diagnostics::Place;
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
    document.index();
}

/// Restores the spelling of the schema in headings that differ from it only in case or by a number before them.
pub(super) fn restore(api: &Api, document: &mut Document) {
    let bare = |heading: &str| {
        heading.trim_start_matches(|c: char| c.is_ascii_digit() || "().\u{a7} ".contains(c)).to_lowercase()
    };
    for reviewed in api.reviewed.iter().filter(|reviewed| reviewed.document == document.id) {
        let heading = wording::canonical(&reviewed.section.0);
        if document.section(&heading).is_some() {
            continue;
        }
        if let Some(section) = document.sections.iter_mut().find(|section| bare(&section.heading) == bare(&heading)) {
            section.heading = heading;
        }
    }
    document.index();
}

/// Finds renamed sections by their endpoint, or by their text, of which at least half is unchanged; reports each once.
pub(super) fn rename(api: &Api, claims: &Claims<'_>, document: &mut Document) -> Vec<Discrepancy> {
    let mut differences = Vec::new();
    let recorded: Vec<_> = api.reviewed.iter().filter(|reviewed| reviewed.document == document.id).collect();
    let mut name = |document: &mut Document, old: &str, start: usize, place| {
        let new = document.sections.iter().find(|section| section.at.start == start);
        let says = format!("section `{}`", new.map_or("", |section| &section.heading));
        let records = recorded.iter().filter(|reviewed| wording::is_alike(&reviewed.section.0, old));
        let mut places: Vec<Place> = std::iter::once(place).chain(records.map(|reviewed| reviewed.section.1)).collect();
        places.dedup();
        differences.extend(places.into_iter().map(|place| Discrepancy {
            kind: DiscrepancyKind::Changed,
            at: start,
            says: Some(says.clone()),
            place: Some(place),
            has: Some(format!("section `{old}`")),
            elsewhere: None,
        }));
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
    for reviewed in &recorded {
        if document.section(&reviewed.section.0).is_some() {
            continue;
        }
        let claimed = recorded.iter().filter_map(|other| document.section(&other.section.0));
        let claimed: BTreeSet<usize> = claimed.map(|section| section.at.start).collect();
        let unclaimed: Vec<&Section> =
            document.sections.iter().filter(|section| !claimed.contains(&section.at.start)).collect();
        let shared = unclaimed.iter().map(|section| (marks::shared(document, section, &reviewed.digest.0), *section));
        let same_text = shared.filter(|(shared, _)| *shared > 0).max_by_key(|(shared, _)| *shared);
        // The first heading is the title of the document, whatever it says.
        let title = document.title().filter(|first| unclaimed.iter().any(|section| section.at == first.at));
        let title = title
            .filter(|_| api.documents.iter().any(|known| known.id == document.id && known.title == reviewed.section.0));
        if let Some(start) = title.or(same_text.map(|(_, section)| section)).map(|section| section.at.start) {
            name(document, &reviewed.section.0, start, reviewed.section.1);
        }
    }
    differences.extend(references(claims, document));
    differences
}

/// Returns the rules and open questions that name a section by its former heading, for each heading and file as one
/// difference.
fn references(claims: &Claims<'_>, document: &Document) -> Vec<Discrepancy> {
    let rules = claims.rules.iter().flat_map(|rule| rule.at.split(';').map(|at| (at.trim(), rule.place)));
    let questions =
        claims.not_shown.iter().flat_map(|(_, entry)| entry.at.iter().map(|(at, place)| (at.as_str(), *place)));
    let mut found: BTreeMap<(usize, u32), (Place, usize)> = BTreeMap::new();
    for (at, place) in rules.chain(questions) {
        let names = |old: &str| at.strip_prefix(old).is_some_and(|rest| rest.is_empty() || rest.starts_with(','));
        if let Some(nth) = document.renamed.iter().position(|(old, _)| names(old)) {
            let of_file = found.entry((nth, place.file)).or_insert((place, 0));
            *of_file = (of_file.0.min(place), of_file.1 + 1);
        }
    }
    let difference = |((nth, _), (place, count)): ((usize, u32), (Place, usize))| {
        let (old, start) = &document.renamed[nth];
        let new = document.sections.iter().find(|section| section.at.start == *start);
        Discrepancy {
            kind: DiscrepancyKind::Changed,
            at: *start,
            says: Some(format!("section `{}`", new.map_or("", |section| &section.heading))),
            place: Some(place),
            has: Some(format!("`{old}` in `at` of {count} rules and open questions from here on")),
            elsewhere: None,
        }
    };
    found.into_iter().map(difference).collect()
}
