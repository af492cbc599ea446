//! Examples of an operation, and the form that sends one to a local exchange.

use maud::{Markup, html};

use super::code;
use super::pieces::{capital, sentence};
use super::view::{Access, Credentials, ExampleView, FamilyView, OperationView, Sends, Signature, SignedPart, Site};

/// An example in each language; radio buttons switch between them without scripts.
pub(super) fn shown(site: &Site<'_>, view: &OperationView<'_>, example: &ExampleView<'_>, index: usize) -> Markup {
    let curl = code::curl(site.api, view.operation, example.request);
    let id = |language: &str| format!("example-{index}-{language}");
    let mut languages = vec![("json", "JSON", html! { (code::json(example.request)) })];
    if let Some(calls) = &example.calls {
        languages.push(("rust", "Rust", code::rust(&calls.asynchronous)));
        languages.extend((index == 0).then(|| ("blocking", "Blocking", code::rust(&calls.blocking))));
    }
    if let Some(curl) = curl.filter(|_| index == 0) {
        languages.push(("curl", "curl", html! { (code::CodeText(&curl)) }));
    }
    html! {
        section.example id={ "example-" (index) } aria-labelledby={ "example-" (index) "-title" } {
            h3 id={ "example-" (index) "-title" } { (capital(&sentence(example.about))) }
            fieldset.tabs {
                legend.unseen { "Language" }
                @for (number, (language, title, _)) in languages.iter().enumerate() {
                    input type="radio" name={ "example-" (index) }
                    id=(id(language)) value=(language) class=(language) checked[number == 0];
                    label for=(id(language)) { (title) }
                }
                @for (language, _, shown) in &languages {
                    div.panel.(language) { pre tabindex="0" { code { (shown) } } }
                }
            }
            p.answered { "Answer" }
            div.panel.reply { pre tabindex="0" { code { (code::json(example.response)) } } }
        }
    }
}

/// The form that sends a request to a local exchange. The script shows it if there is one.
pub(super) fn trial(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let operation = view.operation;
    let request = view.examples.first().map(|example| code::plain_json(example.request)).unwrap_or_default();
    let signed = site.api.credentials.as_ref().filter(|_| operation.access == Access::Signed);
    let is_split = operation.beside_body().next().is_some()
        || operation.body.array().is_some() != operation.body.bare_array().is_some();
    if is_split || signed.is_some_and(|credentials| !credentials.is_plain()) {
        // The script puts all parameters in one place, and signs in the plain form only.
        return Markup::default();
    }
    html! {
        form.try #try hidden
            data-method=(operation.method.as_str()) data-path=(operation.path.text)
            data-body=(operation.sends() == Sends::Json)
            data-code=[site.api.envelope.as_ref().and_then(|envelope| envelope.code_member())]
            data-success=[site.api.envelope.as_ref().and_then(|envelope| envelope.success.as_ref())]
            data-signs=[signed.map(signs)] data-encoding=[signed.and_then(Credentials::encoding)]
            data-key=[signed.and_then(|credentials| credentials.header(SignedPart::Key))]
            data-signature=[signed.and_then(|credentials| credentials.header(SignedPart::Signature))]
            data-passphrase=[signed.and_then(|credentials| credentials.header(SignedPart::Passphrase))]
            data-timestamp=[signed.and_then(|credentials| credentials.header(SignedPart::Timestamp))]
            data-signed-query=[signed.map(|credentials| credentials.signed_query().as_str())]
            data-family=(family.name()) {
            h3 #try-title { "Try it" }
            p.quiet { "Sent to the local exchange that serves this page, signed with its key." }
            label for="try-request" { "Request" }
            textarea #try-request rows="10" spellcheck="false" { (request) }
            button type="submit" { "Send" }
            div #try-answer role="status" {}
        }
    }
}

fn signs(credentials: &Credentials) -> String {
    let parts = credentials.signature.iter().flat_map(Signature::parts);
    parts.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
