//! Parts that several pages share.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::address::{Address, anchor};
use super::code;
use super::view::RuleTest;
use super::view::{
    Case, CodeOutcome, CodeProof, Deprecated, Effect, FamilyView, Need, RuleKind, RuleView, Site, Source, Statements,
    TypeView, Unit, ValueView, phrases,
};
use crate::compiler::diagnostics::Place;
pub(super) use crate::compiler::model::phrases::sentence;

/// Returns the records of which an answer is one.
pub(super) fn cases(here: PageContext<'_, '_>, all: &[(TypeView<'_>, String)]) -> Markup {
    html! {
        @if !all.is_empty() {
            p { "It is one of these:" }
            ul.cases { @for (ty, told_by) in all { li { (here.ty(ty)) " " (told_by) } } }
        }
    }
}

/// The kinds of rules with their meanings, in the order of the pages.
pub(super) const KINDS: [(RuleKind, &str, &str); 5] = [
    (RuleKind::Checked, "Checked before sending", "A request that breaks one of these is refused before it is sent."),
    (RuleKind::Type, "Kept by types", "A request that breaks one of these cannot be written."),
    (RuleKind::Limit, "Kept by the limiter", "Calls wait until the limit has room for them."),
    (RuleKind::Simulated, "What the exchange does", "Nothing to follow: this describes what happens to a request."),
    (RuleKind::Stated, "Stated", "The caller keeps these; nothing can check them before sending."),
];

/// The page that is being drawn, from which links are made.
#[derive(Clone, Copy)]
pub(super) struct PageContext<'p, 'a> {
    pub(super) site: &'p Site<'a>,
    pub(super) page: &'p Address,
}

/// Returns a text with a capital letter, to begin a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns a word of the schema language in plain English.
pub(super) fn in_words(word: &str) -> String {
    word.replace(['_', '-'], " ")
}

/// Returns a number with a noun: `1 rule`, `2 rules`.
pub(super) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") }
}

impl PageContext<'_, '_> {
    pub(super) fn link(&self, address: &Address, text: impl maud::Render) -> Markup {
        html! { a href=(address.from(self.page)) { (text) } }
    }

    /// Returns a link to a line of the schema.
    pub(super) fn line(&self, place: Place) -> Markup {
        match self.site.link_to(place) {
            None => html! {},
            Some((file, line)) => {
                let address = Address::source(file, line as usize);
                html! { a.line href=(address.from(self.page)) { (file.rsplit('/').next().unwrap_or(file)) ":" (line) } }
            }
        }
    }

    /// Returns the document and the section of a statement.
    pub(super) fn source(&self, source: &Source) -> Markup {
        html! {
            (self.site.api.document_title(source.document()))
            @if let Some(section) = source.section() { ", section " q { (section) } }
        }
    }

    pub(super) fn ty(&self, ty: &TypeView<'_>) -> Markup {
        html! {
            span.type {
                @if ty.is_list { "list of " }
                @match &ty.address {
                    Some(address) => (self.link(address, ty.name)),
                    None => (ty.name),
                }
                @if ty.json != ty.name { " " small { (ty.json) } }
            }
        }
    }

    /// Returns a trigger: a link if it is an operation, otherwise plain text.
    pub(super) fn trigger(&self, family: &FamilyView<'_>, name: &str) -> Markup {
        match family.operation(name) {
            Some(view) => html! { a href=(view.address.from(self.page)) { code { (name) } } },
            None => html! { (name) },
        }
    }

    /// Returns rules by kind, each with its place, its line and its proof.
    pub(super) fn rules(&self, rules: &[RuleView<'_>]) -> Markup {
        html! {
            @for (kind, title, meaning) in KINDS {
                @let of_kind: Vec<_> = rules.iter().filter(|rule| rule.kind == kind).collect();
                @if !of_kind.is_empty() {
                    section.rules data-kind=(kind.as_str()) {
                        h3 id={ "rules-" (kind.as_str()) } { (title) " " span.number { (of_kind.len()) } }
                        p.quiet { (meaning) }
                        @let (written, derived): (Vec<_>, Vec<_>) = of_kind.into_iter().partition(|rule| rule.is_written);
                        @for rule in written { (self.rule(rule)) }
                        @if !derived.is_empty() {
                            details.derived {
                                summary {
                                    (count(derived.len(), "rule")) " that follow" @if derived.len() == 1 { "s" }
                                    " from parameters, windows and limits"
                                }
                                ul { @for rule in derived { (self.derived(rule)) } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns a rule that the schema writes out.
    fn rule(&self, rule: &RuleView<'_>) -> Markup {
        html! {
            div.rule id=(rule.anchor) {
                p.says { (sentence(&rule.says)) @if rule.warns { " " span.tag.warn { "warns only" } } }
                @if let Some(why) = rule.why { p.quiet { (sentence(why)) } }
                @if !rule.test.is_empty() { p.test { code { (rule.test) } } }
                @for names in &rule.one_of {
                    p.one-of {
                        "One of " @for (index, name) in names.iter().enumerate() {
                            @if index > 0 { ", " } code { (name) }
                        }
                        " is sent."
                    }
                }
                @if !rule.unsupported.is_empty() {
                    p.unsupported {
                        "Not supported here: " @for (index, path) in rule.unsupported.iter().enumerate() {
                            @if index > 0 { ", " } code { (path) }
                        }
                        "."
                    }
                }
                p.place {
                    a.id href={ "#" (rule.anchor) } { (rule.id) }
                    (self.at(rule))
                    (self.line(rule.place))
                    @if let Some(test) = rule.test_of { (shown_by(test)) }
                }
                (proof(rule))
            }
        }
    }

    /// Returns the places of a rule in the document, with links to their lines if the site has the documents.
    fn at(&self, rule: &RuleView<'_>) -> Markup {
        html! {
            span.at {
                @for (index, (at, line)) in self.site.lines_of(rule).enumerate() {
                    @if index > 0 { "; " }
                    @match line {
                        Some((id, line)) => (self.link(&Address::document(id).at(format!("line-{line}")), at)),
                        None => (at),
                    }
                }
            }
        }
    }

    /// Returns a rule that follows from a parameter, a window or a limit, in a short form.
    fn derived(&self, rule: &RuleView<'_>) -> Markup {
        html! {
            li id=(rule.anchor) {
                (sentence(&rule.says)) " " a.id href={ "#" (rule.anchor) } { (rule.id) } " " (self.line(rule.place))
                @for (id, line) in self.site.lines_of(rule).filter_map(|(_, line)| line) {
                    " " a.line href=(Address::document(id).at(format!("line-{line}")).from(self.page)) { (id) ":" (line) }
                }
                @if let Some(test) = rule.test_of { " " (shown_by(test)) }
                (differs(rule))
            }
        }
    }

    /// Shows contradictions, gaps and observations.
    pub(super) fn statements(&self, statements: &Statements) -> Markup {
        let Statements { rules: _, not_shown, contradictions, observed } = statements;
        html! {
            @if !contradictions.is_empty() {
                h2 #contradictions { "Where the documents contradict themselves" }
                @for one in contradictions {
                    div.contradiction id=(anchor("contradiction", &one.id)) {
                        ul.readings { @for reading in &one.readings { li { (reading) } } }
                        p { strong { "Chosen: " } (sentence(&one.chosen)) " " (sentence(&one.why)) }
                        p.place {
                            a.id href={ "#" (anchor("contradiction", &one.id)) } { (one.id) } (self.line(one.place))
                        }
                    }
                }
            }
            @if !not_shown.is_empty() {
                h2 #not-shown { "Not shown in the documents" }
                ul.gaps {
                    @for open in not_shown {
                        li {
                            span.says { (open.says.0) }
                            @if !open.at.is_empty() {
                                span.quiet { " The document says so itself: " (open.at.iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>().join(", ")) "." }
                            }
                            " " (self.line(open.place))
                        }
                    }
                }
            }
            @if !observed.is_empty() {
                h2 #observed { "Observed on the wire, in no document" }
                ul.seen {
                    @for seen in observed {
                        li id=(anchor("observed", &seen.id)) {
                            span.says { (seen.says) } span.quiet { " Seen by: " (seen.sources.join(", ")) "." }
                            " " (self.line(seen.place))
                        }
                    }
                }
            }
        }
    }
}

/// Returns a request that a rule refuses, and the most similar one that it accepts.
pub(super) fn example_cases<'a>(rule: &RuleView<'a>) -> Option<(&'a Case, &'a Case)> {
    let refused = *rule.refused.first()?;
    let one = code::parsed(&refused.request);
    let distance = |case: &&&Case| code::patch(&one, &code::parsed(&case.request)).to_string().len();
    Some((refused, *rule.accepted.iter().min_by_key(distance)?))
}

/// Returns a link to the test that demonstrates a rule.
fn shown_by(test: &RuleTest) -> Markup {
    html! { span.shown-by { "Shown by " code { (test.name) } ", " (test.file) ":" (test.line) } }
}

/// Returns the relevant part of a request that a rule about a parameter refuses, and of one that it accepts.
fn differs(rule: &RuleView<'_>) -> Markup {
    let Some((refused, accepted)) = example_cases(rule) else { return html! {} };
    let (one, other) = (code::parsed(&refused.request), code::parsed(&accepted.request));
    html! {
        p {
            strong.bad { @if rule.warns { "Warned of" } @else { "Refused" } } (changed(&code::patch(&other, &one), ""))
            (account_of(refused)) ", " strong.good { "accepted" } (changed(&code::patch(&one, &other), "")) (account_of(accepted))
        }
    }
}

/// Returns a request that a rule refuses, and the change that makes it acceptable.
fn proof(rule: &RuleView<'_>) -> Markup {
    let Some((refused, accepted)) = example_cases(rule) else { return html! {} };
    let (one, other) = (code::parsed(&refused.request), code::parsed(&accepted.request));
    html! {
        details.proof {
            summary {
                "Proof: " (count(rule.refused.len(), "request"))
                @if rule.warns { " warned of, " } @else { " refused, " }
                (rule.accepted.len()) " accepted"
            }
            div {
                strong.bad { @if rule.warns { "Warned of" } @else { "Refused" } }
                pre.request { code { (code::CodeText(code::spaced_json(&code::brief(&one)))) } }
                (account_of(refused))
            }
            div { strong.good { "Accepted" } (changed(&code::patch(&one, &other), " the same")) (account_of(accepted)) }
        }
    }
}

/// Returns the changes of a merge patch to the value called `of`.
fn changed(patch: &Value, of: &str) -> Markup {
    let members = match code::brief(patch) {
        Value::Object(members) => members,
        whole => return html! { " " code { (code::CodeText(code::spaced_json(&whole))) } },
    };
    let (without, with): (Map<_, _>, Map<_, _>) = members.into_iter().partition(|(_, value)| value.is_null());
    html! {
        (of)
        @if !with.is_empty() { " with " code { (code::CodeText(code::spaced_json(&Value::Object(with)))) } }
        @for (index, name) in without.keys().enumerate() {
            @if index > 0 { ", " } @else { " without " } code { (name) }
        }
    }
}

fn account_of(case: &Case) -> Markup {
    html! { @if case.account != "{}" { span.quiet { ", with the account " code { (code::CodeText(&case.account)) } } } }
}

/// Returns whether something is required, in words and by colour.
pub(super) fn need(need: Need, words: &str) -> Markup {
    html! { span.need.(need.as_str()) { (words) } }
}

/// Returns the values of an enum with what they mean.
pub(super) fn values(values: &[ValueView<'_>]) -> Markup {
    html! {
        @if !values.is_empty() {
            dl.values {
                @for value in values { div { dt { code { (value.wire) } } dd { (value.doc) } } }
            }
        }
    }
}

pub(super) fn units(units: &[Unit]) -> Markup {
    html! {
        @if !units.is_empty() {
            div.units {
                span.label { "Unit" }
                @if let [only] = units { @if only.when.is_empty() { " " (only.is) } @else { (unit_rows(units)) } }
                @else { (unit_rows(units)) }
            }
        }
    }
}

fn unit_rows(units: &[Unit]) -> Markup {
    html! {
        ul {
            @for unit in units {
                li {
                    strong { (unit.is) }
                    @if unit.when.is_empty() { " otherwise" }
                    @else {
                        " when "
                        @for (index, ((name, _), values)) in unit.when.iter().enumerate() {
                            @if index > 0 { " and " }
                            code { (name) } " is "
                            @for (index, (value, _)) in values.iter().enumerate() {
                                @if index > 0 { " or " } code { (value) }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn deprecated(deprecated: Option<&Deprecated>) -> Markup {
    html! {
        @if let Some(deprecated) = deprecated {
            p.notice.warn data-says=(deprecated) { strong { (sentence(&phrases::deprecated(deprecated))) } }
        }
    }
}

/// Returns the outcome of a request that gets this answer: a class for its colour, and two words.
pub(super) fn verdict_in_words(verdict: CodeOutcome) -> (&'static str, &'static str) {
    match verdict {
        CodeOutcome::Done => ("good", "Done"),
        CodeOutcome::NotDone => ("good", "Not done"),
        CodeOutcome::Unknown => ("bad", "Unknown"),
        CodeOutcome::UnknownWhenCompound => ("bad", "Partly unknown"),
        CodeOutcome::Nothing => ("quiet", "Changes nothing"),
    }
}

pub(super) fn verdict(verdict: CodeOutcome) -> Markup {
    let (class, text) = verdict_in_words(verdict);
    html! { span.verdict.(class) { (text) } }
}

/// Returns what a code proves, in a sentence that applies to any operation.
pub(super) fn proves(proves: CodeProof) -> &'static str {
    match proves {
        CodeProof::NotDone => "The request is refused.",
        CodeProof::Unknown => "It is unknown whether the request had its effect.",
        CodeProof::NoSuchOrder => "What the request names does not exist.",
        CodeProof::DuplicateId => "The id is in use already: something with it may exist.",
        CodeProof::Timestamp => "The timestamp was refused, and the request with it.",
        CodeProof::Credentials => "The credentials were refused, and the request with them.",
        CodeProof::Rate => "The request exceeded a rate limit and was refused.",
    }
}

/// Returns how to react to a code with this verdict, in a sentence.
pub(super) fn to_do(verdict: CodeOutcome, proves: CodeProof) -> &'static str {
    match (verdict, proves) {
        (CodeOutcome::Done | CodeOutcome::Nothing, _) => "",
        (CodeOutcome::Unknown, CodeProof::DuplicateId) => "Query what has this id before anything else.",
        (CodeOutcome::Unknown, _) => "Do not send it again before a query shows its outcome.",
        (CodeOutcome::UnknownWhenCompound, _) => {
            "When the request does several things, a part may be done: do not send it again before a query shows which."
        }
        (CodeOutcome::NotDone, CodeProof::NoSuchOrder) => "Look at what the request names; there is nothing to repeat.",
        (CodeOutcome::NotDone, CodeProof::Timestamp) => "Correct the clock, and send it again.",
        (CodeOutcome::NotDone, CodeProof::Credentials) => "Correct the credentials, and send it again.",
        (CodeOutcome::NotDone, CodeProof::Rate) => "Wait, and send it again.",
        (CodeOutcome::NotDone, CodeProof::NotDone | CodeProof::Unknown | CodeProof::DuplicateId) => {
            "Correct what it names, and send the request again."
        }
    }
}

/// Returns the effect of a repeat, unless the schema says more.
pub(super) fn effect(effect: Effect) -> (&'static str, &'static str) {
    match effect {
        Effect::Read => ("Reads", "It changes nothing, so it may be repeated."),
        Effect::Create => ("Creates", "A repeat may make another one: learn the outcome of the first call before."),
        Effect::Amend => {
            ("Amends", "A repeat may amend what has changed since: learn the outcome of the first call before.")
        }
        Effect::Cancel => {
            ("Cancels", "A repeat may cancel what was made since: learn the outcome of the first call before.")
        }
        Effect::Close => {
            ("Closes", "A repeat may close what was opened since: learn the outcome of the first call before.")
        }
    }
}
