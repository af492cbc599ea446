//! Parameters and fields: tables of what is sent and what is returned.

use maud::{Markup, html};

use super::pieces::{self, PageContext, sentence};
use super::text::MarkdownPage;
use super::view::{Block, Field, FieldView, ParameterView, Precedence, RuleView, TypeView, ValueView, phrases};
use crate::compiler::model::phrases::PLAIN;

/// The meaning of an empty text for a parameter that may be one.
const BLANK: &str = "An empty text means the same as leaving it out";

/// Returns parameters in their order, with choices drawn as groups.
pub(super) fn blocks(here: PageContext<'_, '_>, rules: &[RuleView<'_>], blocks: &[Block<'_>]) -> Markup {
    html! {
        @for block in blocks {
            @match block {
                Block::One(one) => (parameter(here, rules, one)),
                Block::OneOf { choice, of, wins, parameters } => section.choice {
                    p.head {
                        span.pick { @if of.is_required() { "Exactly one of" } @else { "At most one of" } }
                        @for (index, one) in parameters.iter().enumerate() {
                            @if index > 0 { span.or { "or" } } code { (one.name) }
                        }
                        (pieces::need(of.need, of.need.in_words()))
                    }
                    p.quiet { (sentence(if of.doc.is_empty() { &choice.doc } else { &of.doc }))
                        @match wins {
                            Precedence::Name(name) => { " When several are sent, " code.wins { (name) } " wins." }
                            Precedence::Unstated => " Which one wins when several are sent is not stated.",
                            Precedence::Nothing => {}
                        }
                    }
                    span.unseen.members data-required[of.is_required()] {
                        @for one in parameters { span { (one.path) } }
                    }
                    @for one in parameters { (parameter(here, rules, one)) }
                },
                Block::ByValue { choice, of, decider, cases } => section.choice {
                    p.head { span.pick { "By" } code { (decider.name) } (pieces::need(of.need, of.need.in_words())) }
                    p.quiet { (sentence(if of.doc.is_empty() { &choice.doc } else { &of.doc })) }
                    (parameter(here, rules, decider))
                    @for case in cases {
                        div.case {
                            p.when {
                                code { (decider.name) } " is " code.value { (case.value) }
                                @if !case.doc.is_empty() { span.quiet { (sentence(case.doc)) } }
                            }
                            @if case.parameters.is_empty() { p.quiet.nothing { "Takes nothing more." } }
                            @for one in &case.parameters { (parameter(here, rules, one)) }
                        }
                    }
                },
            }
        }
    }
}

fn parameter(here: PageContext<'_, '_>, rules: &[RuleView<'_>], one: &ParameterView<'_>) -> Markup {
    html! {
        div.parameter id=(one.anchor) data-path=(one.path) {
            p.name {
                a href={ "#" (one.anchor) } { code { (if one.name == "[]" { "the body" } else { one.name }) } }
                (here.ty(&one.ty))
                (pieces::need(one.need, &one.need_in_words))
                (here.line(one.place))
            }
            @if !one.doc.trim().is_empty() { p { (sentence(one.doc)) } }
            (pieces::deprecated(one.deprecated))
            (bounds(one))
            (pieces::units(one.units))
            (pieces::values(&one.values))
            (rules_about(rules, one))
            @if !one.items.is_empty() { div.items { p.quiet { "Each item:" } (blocks(here, rules, &one.items)) } }
        }
    }
}

/// Returns the default, the bounds and the values of a parameter.
fn bounds(one: &ParameterView<'_>) -> Markup {
    let has_bounds = one.default.is_some() || one.default_note.is_some() || one.edit.is_some() || one.may_be_blank;
    html! {
        @if has_bounds || !one.max.is_empty() || !one.bounds.is_empty() {
            p.bounds {
                @if let Some(default) = one.default { span { "Default " code.default { (default) } } }
                @if let Some(note) = one.default_note { span { "Default: " (note) } }
                @for max in &one.max { span { "At most " code.max { (max) } } }
                @for bound in &one.bounds { span { (pieces::capital(bound)) } }
                @match one.edit {
                    Some(Some(delete)) => span { "Left out, the value stays; " code { (delete) } " deletes it" },
                    Some(None) => span { "Left out, the value stays" },
                    None => {}
                }
                @if one.may_be_blank { span { (BLANK) } }
            }
        }
    }
}

/// Returns the written rules about a parameter; only the first ones if there are many.
fn rules_about(rules: &[RuleView<'_>], one: &ParameterView<'_>) -> Markup {
    const FEW: usize = 3;
    let rules_about = one.rules.iter().filter_map(|index| rules.get(*index)).filter(|rule| rule.is_written);
    let rules_about: Vec<_> = rules_about.collect();
    let (first, more) = rules_about.split_at(if rules_about.len() > FEW + 1 { FEW } else { rules_about.len() });
    let list = |rules: &[&RuleView<'_>]| {
        html! {
            @for rule in rules {
                li.(rule.kind.as_str()) { a href={ "#" (rule.anchor) } { (sentence(&rule.says)) } }
            }
        }
    };
    html! {
        @if !first.is_empty() { ul.rules_about { (list(first)) } }
        @if !more.is_empty() {
            details.folded { summary { (pieces::count(more.len(), "more rule")) } ul.rules_about { (list(more)) } }
        }
    }
}

/// Returns the fields of an answer in a table. Their values, and the fields of nested records, are shown with the
/// types.
pub(super) fn fields_in_short(here: PageContext<'_, '_>, all: &[FieldView<'_>]) -> Markup {
    html! {
        @if !all.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Fields of the answer" { table.answer {
                thead { tr { th scope="col" { "Field" } th scope="col" { "Type" } th scope="col" { "Meaning" } } }
                tbody { @for one in all {
                    tr {
                        th scope="row" { code { (one.field.name.wire) } }
                        td {
                            (here.ty(&one.ty))
                            @if one.field.may_be_null { " " small { "or null" } }
                        }
                        td {
                            (sentence(one.doc))
                            @if !one.field.units.is_empty() { " " span.quiet { (phrases::unit_sentence(&one.field.units, &PLAIN)) } }
                            @if let Some(only) = &one.field.comes_only {
                                " " span.quiet { "Comes only " (sentence(only)) }
                            }
                            (beside(one.field))
                            (pieces::deprecated(one.field.deprecated.as_ref()))
                        }
                    }
                } }
            } }
        }
    }
}

/// Returns the fields of a record.
pub(super) fn fields(here: PageContext<'_, '_>, all: &[FieldView<'_>]) -> Markup {
    html! {
        @if !all.is_empty() {
            div.fields {
                @for one in all {
                    div.field {
                        p.name {
                            code { (one.field.name.wire) }
                            (here.ty(&one.ty))
                            @if one.field.may_be_null { span.tag { "or null" } }
                            @if let Some(only) = &one.field.comes_only { span.tag { "comes only " (only) } }
                        }
                        (pieces::deprecated(one.field.deprecated.as_ref()))
                        @if !one.doc.trim().is_empty() { p { (sentence(one.doc)) } }
                        (pieces::units(&one.field.units))
                        (value_list(one))
                        (beside(one.field))
                    }
                }
            }
        }
    }
}

/// Returns the only value of a field, and who has seen it if no document has it.
fn beside(field: &Field) -> Markup {
    html! {
        @if let Some((value, _)) = &field.fixed { " " span.quiet { "Always " code { (value) } "." } }
        @if !field.sources.is_empty() { " " span.quiet { (phrases::observed(&field.sources)) } }
    }
}

/// Returns the values of a field, whose meanings are shown with their type.
fn value_list(one: &FieldView<'_>) -> Markup {
    html! {
        @if !one.values.is_empty() { p.listed { @for value in &one.values { code { (value.wire) } " " } } }
    }
}

/// Writes parameters as Markdown.
pub(super) fn blocks_as_text(out: &mut MarkdownPage, depth: usize, blocks: &[Block<'_>]) {
    for block in blocks {
        match block {
            Block::One(one) => parameter_as_text(out, depth, one),
            Block::OneOf { of, wins, parameters, .. } => {
                let names: Vec<_> = parameters.iter().map(|one| one.name).collect();
                let wins = match wins {
                    Precedence::Name(name) => format!("; when several are sent, {name} wins"),
                    Precedence::Unstated => "; which one wins is not stated".to_owned(),
                    Precedence::Nothing => String::new(),
                };
                out.item(depth, &format!("one of {} ({}){wins}", names.join(", "), of.need.in_words()));
                parameters.iter().for_each(|one| parameter_as_text(out, depth + 1, one));
            }
            Block::ByValue { decider, cases, .. } => {
                parameter_as_text(out, depth, decider);
                for case in cases {
                    let nothing = if case.parameters.is_empty() { "nothing more" } else { "" };
                    out.item(depth + 1, &format!("with {} {}: {nothing}", decider.name, case.value));
                    case.parameters.iter().for_each(|one| parameter_as_text(out, depth + 2, one));
                }
            }
        }
    }
}

fn parameter_as_text(out: &mut MarkdownPage, depth: usize, one: &ParameterView<'_>) {
    let ParameterView {
        anchor: _,
        path,
        name: _,
        ty,
        need: _,
        need_in_words,
        doc,
        default,
        default_note,
        max,
        bounds,
        values,
        edit,
        may_be_blank,
        units,
        deprecated,
        items,
        place: _,
        rules: _,
    } = one;
    let parts = [
        format!("{need_in_words}, {}.", type_in_words(ty)),
        sentence(doc),
        deprecated.map(phrases::deprecated).map(|text| sentence(&text)).unwrap_or_default(),
        phrases::default_sentence(*default),
        default_note.map(|note| format!("Default: {}", sentence(note))).unwrap_or_default(),
        max.iter().map(|max| format!("At most {max}.")).collect(),
        sentence(&bounds.join(", ")),
        phrases::edit_sentence(*edit),
        if *may_be_blank { format!("{BLANK}.") } else { String::new() },
        phrases::unit_sentence(units, &PLAIN),
        listed(values),
    ];
    out.named(depth, path, &phrases::joined(&parts, " "));
    blocks_as_text(out, depth + 1, items);
}

/// Writes fields as Markdown.
pub(super) fn fields_as_text(out: &mut MarkdownPage, depth: usize, all: &[FieldView<'_>]) {
    for FieldView { field, ty, doc, values, fields } in all {
        let Field {
            name,
            shape: _,
            may_be_null,
            comes_only,
            sources,
            deprecated,
            only: _,
            fixed,
            units,
            as_text: _,
            doc: _,
        } = field;
        let parts = [
            format!("{}{}.", type_in_words(ty), if *may_be_null { ", or null" } else { "" }),
            comes_only.as_ref().map(|only| format!("Comes only {}", sentence(only))).unwrap_or_default(),
            deprecated.as_ref().map(|one| sentence(&phrases::deprecated(one))).unwrap_or_default(),
            sentence(doc),
            fixed.as_ref().map(|(value, _)| format!("Always {value}.")).unwrap_or_default(),
            phrases::unit_sentence(units, &PLAIN),
            listed(values),
            phrases::observed(sources),
        ];
        out.named(depth, &name.wire, &phrases::joined(&parts, " "));
        fields_as_text(out, depth + 1, fields);
    }
}

/// Returns the values of an enum in a sentence.
fn listed(values: &[ValueView<'_>]) -> String {
    let values: Vec<_> = values.iter().map(|value| value.wire).collect();
    if values.is_empty() { String::new() } else { format!("Values: {}.", values.join(", ")) }
}

fn type_in_words(ty: &TypeView<'_>) -> String {
    let list = if ty.is_list { "list of " } else { "" };
    let json = if ty.json == ty.name { String::new() } else { format!(" ({})", ty.json) };
    format!("{list}{}{json}", ty.name)
}
