//! The types of a family: values, identifiers, choices and records, each with where it is used.

use maud::{Markup, html};

use super::address::{Address, Anchors, anchor};
use super::families::uses;
use super::page::{Page, headings};
use super::pieces::{PageContext, sentence};
use super::view::{FamilyView, Site, phrases};
use super::{parameters, pieces};

pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>) -> Page {
    let address = Address::types(family.name());
    let here = PageContext { site, page: &address };
    let of = family.family;
    let mut anchors = Anchors::default();
    let parts = [
        (!of.enums.is_empty(), "enums", "Values"),
        (!of.identifiers.is_empty(), "identifiers", "Identifiers"),
        (!of.choices.is_empty(), "choices", "Choices"),
        (!of.records.is_empty(), "records", "Records"),
    ];
    Page {
        title: format!("{}: types", of.title),
        about: format!("Values, identifiers, choices and records of {}.", of.title),
        main: html! {
            p.crumbs { (here.link(&Address::family(family.name()), &of.title)) }
            h1 { "Types" }
            p.lead { "Values, identifiers, choices and records that the operations share." }
            @if !of.enums.is_empty() { h2 #enums { "Values" } }
            @for one in &of.enums {
                section.entry.enum data-enum=(one.name.wire) id=(anchors.of("type", &one.name.wire)) {
                    h3 {
                        a href={ "#" (anchor("type", &one.name.wire)) } { (one.name.wire) }
                        (here.line(one.name.place))
                    }
                    p { (sentence(&one.doc)) }
                    dl.values { @for value in &one.values { div.value data-value=(value.name.wire) {
                        dt {
                            code { (value.name.wire) }
                            @for (also, _) in &value.also { " " span.quiet { "or " code { (also) } } }
                        }
                        dd {
                            (value.doc)
                            @if !value.dates.are_open() { " " strong { (phrases::dated(&value.dates)) } " " (phrases::dated_by(&value.dates)) }
                            (pieces::deprecated(value.deprecated.as_ref()))
                        }
                    } } }
                    (uses(here, family, &one.name.wire))
                }
            }
            @if !of.identifiers.is_empty() { h2 #identifiers { "Identifiers" } }
            @for one in &of.identifiers {
                section.entry id=(anchors.of("type", &one.name.wire)) {
                    h3 {
                        a href={ "#" (anchor("type", &one.name.wire)) } { (one.name.wire) }
                        (here.line(one.name.place))
                    }
                    p { (sentence(&one.doc)) }
                    p.bounds {
                        @if let Some((min, max)) = one.length { span { (min) " to " (max) " characters" } }
                        @if let Some((alphabet, _)) = &one.alphabet {
                            span { "Characters of " code { "[" (alphabet) "]" } }
                        }
                        @if one.mint.is_some() { span { "The client can make new ones" } }
                        @for form in &one.forms {
                            span { "Form " code { (form.name.wire) } ": " code { (form.pattern.text) }
                                @if let Some(decided) = &form.decided {
                                    ", or " code { (decided.also.text) } " if " (decided.by.0) " of the instrument says so"
                                } }
                        }
                    }
                    (uses(here, family, &one.name.wire))
                }
            }
            @if !of.choices.is_empty() { h2 #choices { "Choices" } }
            @for one in &of.choices {
                section.entry id=(anchors.of("type", &one.name.wire)) {
                    h3 {
                        a href={ "#" (anchor("type", &one.name.wire)) } { (one.name.wire) }
                        (here.line(one.name.place))
                    }
                    p { (sentence(&one.doc)) }
                    (members(family, one))
                    (uses(here, family, &one.name.wire))
                }
            }
            @if !of.records.is_empty() { h2 #records { "Records" } }
            @for one in of.records.iter().filter(|one| !one.is_abstract) {
                section.entry.record id=(anchors.of("type", &one.name.wire)) data-record=(one.name.wire) data-observed[one.is_observed] {
                    h3 {
                        a href={ "#" (anchor("type", &one.name.wire)) } { (one.name.wire) }
                        (here.line(one.name.place))
                    }
                    p {
                        (sentence(&one.doc))
                        @if one.is_observed { " It was observed on the wire and is in no document." }
                    }
                    @if let Some(source) = &one.source { p.quiet { "From " (here.source(source)) "." } }
                    (pieces::cases(here, &family.cases_of(one)))
                    (parameters::fields(here, &family.fields_of(&one.fields)))
                    (uses(here, family, &one.name.wire))
                }
            }
        },
        aside: None,
        headings: headings(&parts),
        family: Some(family.name().to_owned()),
        markdown: None,
        address,
    }
}

fn members(family: &FamilyView<'_>, choice: &super::view::Choice) -> Markup {
    let decider = family.decider_of(choice);
    html! {
        ul {
            @for (value, names) in family.members_of(choice) {
                li {
                    @match decider {
                        Some(decider) => { code { (decider) } " " code { (value) } " takes " }, None => "One of "
                    }
                    @if names.is_empty() { "nothing more" }
                    @for (index, name) in names.iter().enumerate() { @if index > 0 { ", " } code { (name) } }
                }
            }
        }
    }
}
