//! Calls: an operation with `call` can be sent and signed as one.

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Access, Api, Calls, Credentials, Family, Operation, Part, SignedPart};
use crate::compiler::words::Sends;

/// Returns what `calls` describes is used.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    if !api.is_sound {
        return;
    }
    let has_calls = api.operations().any(|(_, operation)| operation.call.is_some());
    if let Some(place) = api.calls.place.filter(|_| api.is_whole && !has_calls) {
        to.at(place, Code::Unused, "no operation has a `call`")
            .help("add `call: ...` to operations, or remove `calls`");
    }
    let number = signed(api, SignedPart::CallId).filter(|_| api.calls.id.is_none());
    if let Some(part) = number {
        to.at(part.place, Code::MissingKey, "`call_id` is signed, but `calls` has no `id`")
            .help("add `id: ...` to `calls`");
    }
}

/// Checks the calls of a family's operations.
pub(super) fn of_operations(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        can_be_sent(&api.calls, operation, to);
        are_used(api, operation, to);
    }
}

/// The request has room for the name of the call and for its parameters.
fn can_be_sent(calls: &Calls, operation: &Operation, to: &mut Diagnostics) {
    let Some((_, place)) = operation.call.as_ref().filter(|_| calls.method.is_some()) else { return };
    let why = if operation.body.array().is_some() {
        "the body is an array".to_owned()
    } else if calls.params.is_none() {
        return members_are_distinct(calls, operation, to);
    } else if operation.method.has_query() {
        format!("a {} request has no body", operation.method.as_str())
    } else if operation.sends() != Sends::Json {
        "the parameters are not sent as JSON".to_owned()
    } else {
        return;
    };
    to.at(*place, Code::Misplaced, format!("`call` cannot be sent: {why}"))
        .related(operation.path.place, "the method is here")
        .help("use POST with named parameters in JSON, or remove `call`");
}

/// Parameters beside the members of a call have other names than these.
fn members_are_distinct(calls: &Calls, operation: &Operation, to: &mut Diagnostics) {
    for parameter in operation.body.parameters() {
        let name = &parameter.name;
        if calls.members().any(|member| member == name.wire) {
            to.at(name.place, Code::NameCollision, format!("the parameter `{}` is a member of every call", name.wire))
                .help("remove the parameter: `call` sets its value");
        }
    }
}

/// A call whose name is not sent is signed, and the signed number is sent.
fn are_used(api: &Api, operation: &Operation, to: &mut Diagnostics) {
    let is_signed = operation.access == Access::Signed;
    let signed = [SignedPart::Call, SignedPart::CallId].into_iter().find_map(|word| signed(api, word));
    match (&operation.call, signed) {
        (None, Some(part)) if is_signed => {
            to.missing_key(operation.path.place, "missing key `call`")
                .related(part.place, "it is signed")
                .help("add `call: ...`");
        }
        (Some((_, place)), None) if api.calls.method.is_none() => {
            to.at(*place, Code::Unused, "`call` is neither sent nor signed")
                .help("add `method: ...` to `calls`, or `call` to `signed_text`");
        }
        (Some(_) | None, _) => {}
    }
}

/// The part of the credentials that is `word`, or contains it.
fn signed(api: &Api, word: SignedPart) -> Option<&Part> {
    let parts = api.credentials.as_ref().map(Credentials::all_parts).unwrap_or_default();
    parts.into_iter().find(|part| part.has(word))
}
