//! The outcomes that an answer shows, the queries that confirm the rest, and the transitions of states.

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::pieces::{self, PageContext, sentence, to_do};
use super::text::MarkdownPage;
use super::view::{CodeOutcome, Confirm, Effect, ExcludedTransition, FamilyView, OperationView, Site, Transition};

/// Returns what each code and each result of a call shows, and how the rest is confirmed.
pub(super) fn codes(here: PageContext<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    html! {
        h2 #outcome { "Outcome" }
        p { "What an answer with a code shows about this request. A call that ends without an answer is in "
            (here.link(&Address::concept("unknown-outcomes"), "Unknown outcomes")) "." }
        @if !family.family.errors.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Codes" { table.codes {
                thead {
                    tr {
                        th scope="col" { "Code" } th scope="col" { "This request" }
                        th scope="col" { "Meaning, and what to do" }
                    }
                }
                tbody { @for error in &family.family.errors {
                    @let verdict = view.verdict(error);
                    tr id=(anchor("code", &error.code)) {
                        th scope="row" {
                            @let code = anchor(&format!("code-{}", family.name()), &error.code);
                            a href=(Address::errors().at(code).from(here.page)) { code { (error.code) } }
                        }
                        td { (pieces::verdict(verdict)) }
                        td {
                            strong { (sentence(&error.text)) } " " @if verdict != CodeOutcome::Nothing { (sentence(&error.doc)) }
                            @let advice = to_do(verdict, error.proof.proves);
                            @if !advice.is_empty() { " " span.quiet { (advice) } }
                        }
                    }
                } }
            } }
        }
        (unlisted(here, family, view))
        @if let Some(confirm) = &view.operation.confirm { (confirmation(here, family, confirm)) }
    }
}

/// Returns the codes that no document lists, grouped by their meaning for the operation.
fn unlisted(here: PageContext<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let groups = view.observed(here.site.api, family.family);
    let link = || here.link(&Address::errors().at("observed"), "Errors");
    html! {
        @if !groups.is_empty() {
            h3 #unlisted { "Codes that no document lists" }
            @if view.operation.effect == Effect::Read {
                p { "More codes have been observed; they are in " (link()) ". This operation changes nothing, whatever the code." }
            } @else {
                p.quiet { "Observed by others; the sources are in " (link()) "." }
                ul.groups {
                    @for (verdict, proves, codes) in &groups {
                        li {
                            (pieces::verdict(*verdict)) " " span { (pieces::proves(*proves)) " " (to_do(*verdict, *proves)) }
                            details.folded {
                                summary { (pieces::count(codes.len(), "code")) }
                                p.codes-of { (codes.join(" ")) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A part of a sentence.
enum Word<'a> {
    Text(String),
    Name(&'a str),
    /// A query by its name.
    Query(&'a str),
}

fn confirmation(here: PageContext<'_, '_>, family: &FamilyView<'_>, confirm: &Confirm) -> Markup {
    html! {
        div.notice {
            h3 #confirm { "When the outcome is unknown" }
            p {
                @for word in confirmed(confirm) {
                    @match word {
                        Word::Text(text) => (text),
                        Word::Name(name) => code { (name) },
                        Word::Query(name) => (here.trigger(family, name)),
                    }
                }
            }
        }
    }
}

/// Returns how the outcome of a request is confirmed.
fn confirmed(confirm: &Confirm) -> Vec<Word<'_>> {
    let text = |text: &str| Word::Text(text.to_owned());
    let by_id = !confirm.ids.is_empty();
    let ids = if by_id { &confirm.ids } else { &confirm.find };
    let mut words = vec![text(if by_id { "Query " } else { "Look in " }), Word::Query(&confirm.by.text), text(" for ")];
    for (index, ((field, _), (own, _))) in ids.iter().enumerate() {
        words.extend((index > 0).then(|| text(" or ")));
        words.push(Word::Name(field));
        if field != own {
            words.extend([text(" (the "), Word::Name(own), text(" of the request)")]);
        }
    }
    words.push(text(". "));
    if let Some(then) = &confirm.then {
        words.extend([text("What it does not show may be in "), Word::Query(&then.text), text(". ")]);
    }
    for (index, ((field, _), (parameter, _))) in confirm.matches.iter().enumerate() {
        words.push(text(if index == 0 { "It was done when " } else { " and " }));
        words.extend([Word::Name(field), text(" is the "), Word::Name(parameter), text(" of the request")]);
    }
    if !confirm.matches.is_empty() {
        words.push(text(". "));
    }
    if !confirm.agrees.is_empty() {
        let agrees = pieces::count(confirm.agrees.len(), "parameter");
        words.push(Word::Text(format!("The record belongs to the request only if it agrees in {agrees}. ")));
    }
    if let Some((kept, _)) = confirm.kept {
        words.push(Word::Text(format!("A record is kept for {kept}. ")));
    }
    words.push(text("Until then, do not send the request again."));
    words
}

/// Returns the sentences about `confirm` as plain text.
fn confirmation_as_text(confirm: &Confirm) -> String {
    let text = |word: Word<'_>| match word {
        Word::Text(text) => text,
        Word::Name(name) | Word::Query(name) => name.to_owned(),
    };
    confirmed(confirm).into_iter().map(text).collect()
}

/// Returns the transitions that an operation triggers, and the states that it never changes.
fn changes<'f>(
    family: &'f FamilyView<'_>,
    view: &OperationView<'_>,
) -> Option<(Vec<&'f Transition>, Vec<&'f ExcludedTransition>)> {
    let lifecycle = family.family.lifecycle.as_ref()?;
    let caused: Vec<_> = lifecycle.transitions.iter().filter(|one| one.is_caused_by(view.operation)).collect();
    let never: Vec<_> = lifecycle.never.iter().filter(|one| one.what.is_of(view.operation)).collect();
    (!caused.is_empty() || !never.is_empty()).then_some((caused, never))
}

/// Returns the state transitions that the operation triggers.
pub(super) fn states(here: PageContext<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let Some((caused, never)) = changes(family, view) else { return html! {} };
    html! {
        h2 #states { "States" }
        ul {
            @for one in caused {
                li {
                    (one.in_words()) ". " (sentence(&one.condition))
                    " " (sentence(&one.doc))
                }
            }
            @for one in never {
                li { "Never takes effect on " code { (one.from.join(", ")) } ". " (sentence(&one.why)) }
            }
        }
        p { (here.link(&Address::lifecycle(family.name()), "The whole life cycle")) }
    }
}

/// Writes what codes show, how the rest is confirmed, and the transitions of states, as Markdown.
pub(super) fn as_text(out: &mut MarkdownPage, site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) {
    out.heading(2, "Outcome by code");
    for error in &family.family.errors {
        let verdict = view.verdict(error);
        let doc = if verdict == CodeOutcome::Nothing { String::new() } else { sentence(&error.doc) };
        let shown = format!("{}.", pieces::verdict_in_words(verdict).1);
        let parts = [&sentence(&error.text), &doc, &shown, to_do(verdict, error.proof.proves)];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        out.entry(&error.code, &parts.join(" "));
    }
    let groups = view.observed(site.api, family.family);
    if !groups.is_empty() && view.operation.effect != Effect::Read {
        out.heading(2, "Codes that no document lists");
        for (verdict, proves, codes) in groups {
            let shown = format!("{} {}", pieces::proves(proves), to_do(verdict, proves));
            out.entry(pieces::verdict_in_words(verdict).1, &format!("{shown} {}", codes.join(" ")));
        }
    }
    if let Some(confirm) = &view.operation.confirm {
        out.heading(2, "When the outcome is unknown");
        out.prose(&confirmation_as_text(confirm));
    }
    let Some((caused, never)) = changes(family, view) else { return };
    out.heading(2, "States");
    for one in caused {
        let why = format!("{} {}", sentence(&one.condition), sentence(&one.doc));
        out.item(0, &format!("{}. {why}", one.in_words()));
    }
    for one in never {
        out.item(0, &format!("Never takes effect on {}. {}", one.from.join(", "), sentence(&one.why)));
    }
}
