//! The type with a function for each operation of a family. A macro of the runtime declares it together with its
//! blocking form.

use quote::{ToTokens as _, quote};

use super::batches;
use super::code::{self, ident};
use super::docs::Docs;
use super::example;
use super::print::print;
use super::records::response_type;
use super::scope::Scope;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Family, Operation, Probe};

/// The call of the macro, as text because its rows are not Rust items.
pub(super) fn emit(family: &Family) -> String {
    let scope = Scope::new(family);
    let docs = Docs::new(&format!("Operations of the family {}.", family.title.trim_end_matches('.')), "");
    let mut rows = vec![format!("{}    pub struct {};\n", docs.comments("    "), family.rust)];
    rows.extend(family.operations.iter().map(|operation| row(&scope, operation)));
    rows.extend(family.probe.as_ref().and_then(|probe| credentials(&scope, probe)));
    format!("runtime::operations! {{\n{}}}\n", rows.join("\n"))
}

fn row(scope: &Scope<'_>, operation: &Operation) -> String {
    let (function, request) = (&operation.function, &operation.rust.rust);
    let response = response_type(scope, request, &operation.response).to_token_stream().to_string().replace(' ', "");
    let mut docs = Docs::new(&operation.doc, &operation.title);
    docs.markdown(&format!("`{} {}`; see [`{request}`].", operation.method.as_str(), operation.path.text));
    let note = operation.deprecated.as_ref().map(code::deprecation_note);
    let deprecated = note.map(|note| format!("    #[deprecated(note = {note})]\n")).unwrap_or_default();
    let aliases = aliases(&operation.called);
    let items = if batches::has_results(scope.family, operation) { " as items" } else { "" };
    format!("{}{aliases}{deprecated}    fn {function}({request}) -> {response}{items};\n", docs.comments("    "))
}

/// The attribute of [`code::aliases`] as text.
fn aliases(words: &[(String, Place)]) -> String {
    let words: Vec<_> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
    if words.is_empty() { String::new() } else { format!("    #[doc(alias({}))]\n", words.join(", ")) }
}

/// The request that checks whether the credentials are accepted.
fn credentials(scope: &Scope<'_>, probe: &Probe) -> Option<String> {
    let operation = scope.family.operations.named(&probe.operation.0)?;
    let (name, request) = (ident(&operation.rust.rust), example::request(scope, operation, &probe.request.0)?);
    let function = print(quote!(fn function() { let probe: #name = #request; }), &[]);
    let statement = function.lines().filter(|line| line.starts_with(' '));
    Some(statement.map(|line| format!("{line}\n")).collect())
}
