//! Error codes: which code means success, and what the others prove; the table of outcomes; ceilings and pending
//! amendments, whose codes refuse a request.

use super::{identifiers, repeated};
use crate::compiler::diagnostics::{Code, Diagnostics, Kind, Place, one_of, unknown};
use crate::compiler::model::{
    Api, CallResult, Certainty, CodeProof, CredentialCause, Effect, Family, InFlight, Need, ObservedCode, Operation,
    OutcomeRow, Parameter, Proof, RowOutcome, Type,
};

/// Checks that the code of success is that of the envelope.
pub(super) fn success_is_one(api: &Api, family: &Family, to: &mut Diagnostics) {
    let success = api.envelope.as_ref().and_then(|envelope| envelope.success.as_ref());
    let Some(success) = success.filter(|success| !success.is_empty()) else { return };
    for error in &family.errors {
        let file = to.api_file();
        let is_envelopes = error.code == *success;
        if error.success && !is_envelopes {
            to.at(
                error.place,
                Code::BadResponse,
                format!(
                    "the code `{}` is marked as success, but the envelope in {file} says `{}`",
                    error.code, success
                ),
            )
            .kind(Kind::Success)
            .help("remove `success: true`, or correct the envelope");
        }
        if is_envelopes && !error.success {
            to.at(
                error.place,
                Code::BadResponse,
                format!("the code `{}` means success according to the envelope in {file}", error.code),
            )
            .help("add `success: true`");
        }
    }
}

/// Checks that codes that prove something are refusals, and a cause belongs to refused credentials.
pub(super) fn codes_prove_refusals(api: &Api, family: &Family, to: &mut Diagnostics) {
    let envelopes = api.envelope.as_ref().and_then(|envelope| envelope.success.as_ref());
    for error in &family.errors {
        // Another code of success is reported as such.
        let is_success = error.success && envelopes.is_none_or(|code| *code == error.code);
        if is_success && error.proof.proves != CodeProof::NotDone {
            to.at(error.place, Code::BadOutcome, format!("the code `{}` means success", error.code))
                .help("remove `proves`: a success proves that the request took effect");
        }
        cause_is_of_credentials(&error.code, &error.proof, to);
        alike_is_of_the_request(&error.code, &error.proof, to);
        early_is_of_credentials(&error.code, &error.proof, to);
        if let Some(place) = error.proof.alike.filter(|_| error.success) {
            to.at(
                place,
                Code::BadOutcome,
                format!("the code `{}` means success, and no request is refused with it", error.code),
            )
            .help("remove `alike`");
        }
    }
}

/// Checks that observed codes belong to existing families, and none of them means success.
pub(super) fn observed_codes(api: &Api, to: &mut Diagnostics) {
    for code in &api.codes {
        cause_is_of_credentials(&code.code, &code.proof, to);
        alike_is_of_the_request(&code.code, &code.proof, to);
        early_is_of_credentials(&code.code, &code.proof, to);
        let success = api.envelope.as_ref().and_then(|envelope| envelope.success.as_ref());
        for family in api.families.iter().filter(|family| code.is_of(family) && code.certainty == Certainty::Several) {
            proves_the_same(family, code, to);
        }
        // Where families say another code, the envelope may be wrong, which is reported there.
        let mut others = api.families.iter().flat_map(|family| &family.errors).filter(|error| error.success);
        if success == Some(&code.code) && others.all(|error| error.code == code.code) {
            let help = format!("remove it, or correct the envelope in {}", to.api_file());
            to.at(code.place, Code::BadOutcome, format!("the code `{}` means success", code.code)).help(help);
        }
    }
}

/// Checks that a code proves the same by a document and by several observations. A single one changes nothing.
fn proves_the_same(family: &Family, observed: &ObservedCode, to: &mut Diagnostics) {
    let documented = family.errors.iter().find(|error| error.code == observed.code && !error.success);
    let Some(documented) = documented.filter(|error| error.proof.proves != observed.proof.proves) else { return };
    let [here, there] = [observed.proof.proves, documented.proof.proves].map(|proof| proof.as_str());
    let says =
        format!("the code `{}` proves `{here}` here, and `{there}` in the family `{}`", observed.code, family.name);
    to.at(observed.place, Code::BadOutcome, says)
        .related(documented.place, "its documented meaning is here")
        .help("correct one of them; that of the family holds");
}

/// The last words of the ids of checked rules that follow from keys other than `rules`.
const WORDS_OF_KEYS: &[&str] = &[
    "required",
    "empty",
    "unknown-parameter",
    "one-of",
    "values",
    "shape",
    "min",
    "max",
    "digits",
    "scale",
    "edit",
    "min-items",
    "max-items",
    "window.order",
    "window.pair",
    "window.span",
    "window.access",
];

/// Refusals: their codes, statuses and rules exist, and each rule has one refusal.
pub(super) fn refusals(api: &Api, to: &mut Diagnostics) {
    for refusal in &api.refusals {
        let statuses = 400..=599;
        if let Some((status, place)) = refusal.status.filter(|(status, _)| !statuses.contains(status)) {
            to.at(place, Code::BadNumber, format!("expected a status from 400 to 599, found {status}"))
                .help("write the HTTP status of the refusal, or leave it out");
        }
        if !api.is_whole {
            continue;
        }
        if let Some((code, place)) = &refusal.code {
            code_is_known(api, code, *place, None, to);
        }
        for (family, (code, place)) in &refusal.codes {
            if let Some(family) = api.family(family) {
                code_is_known(api, code, *place, Some(family), to);
            }
        }
        for (rule, place) in &refusal.rules {
            rule_is_known(api, rule, *place, to);
        }
    }
    let rules: Vec<_> = api.refusals.iter().flat_map(|refusal| &refusal.rules).collect();
    for ((_, first), (rule, place)) in repeated(&rules, |one, other| one.0 == other.0) {
        to.at(*place, Code::DefinedTwice, format!("duplicate refusal for the rule `{rule}`"))
            .related(*first, "first refused here")
            .help("remove one of them");
    }
}

/// Checks that the code is documented or observed, in the given family or in any, and not that of success.
pub(super) fn code_is_known(api: &Api, code: &str, place: Place, of: Option<&Family>, to: &mut Diagnostics) {
    let families = || api.families.iter().filter(|family| of.is_none_or(|of| of.name == family.name));
    // A code with an unknown family may belong to this one.
    let is_of_unknown = |observed: &ObservedCode| observed.families.iter().any(|name| api.family(name).is_none());
    let is_of_it =
        |observed: &&ObservedCode| families().any(|family| observed.is_of(family)) || is_of_unknown(observed);
    let documented = families().flat_map(|family| &family.errors).filter(|error| !error.success);
    let known = documented.map(|error| (error.code.as_str(), Some(error.place)));
    let observed = api.codes.iter().filter(is_of_it).map(|observed| (observed.code.as_str(), Some(observed.place)));
    let known: Vec<_> = known.chain(observed).collect();
    if !known.iter().any(|(known, _)| *known == code) {
        let whose = of.map(|family| format!(" of the family `{}`", family.name)).unwrap_or_default();
        let says = format!("unknown code `{code}`{whose}");
        if api.codes.is_empty() {
            to.at(place, Code::UndefinedName, says).kind(Kind::ObservedCode).help(
                "add it with its sources to codes.yaml, which is missing or has no codes, or to `errors` of its family",
            );
            return;
        }
        let help = unknown(code, known, || {
            "use a code of the family's `errors` or of `codes`, or add it there with its source".to_owned()
        });
        to.at(place, Code::UndefinedName, says).help(help);
    }
}

fn rule_is_known(api: &Api, rule: &str, place: Place, to: &mut Diagnostics) {
    if WORDS_OF_KEYS.contains(&rule) || !api.rules_with_id(rule).is_empty() {
        return;
    }
    let of_operations = api.operations().flat_map(|(_, operation)| &operation.statements.rules);
    let of_families = api.families.iter().flat_map(|family| &family.statements.rules);
    let ids = of_operations.chain(of_families).map(|rule| (rule.id.as_str(), Some(rule.written)));
    let ids =
        ids.chain(api.families.iter().flat_map(|family| &family.limits).map(|one| (one.id.as_str(), Some(one.place))));
    let ids: Vec<_> = ids.chain(WORDS_OF_KEYS.iter().map(|word| (*word, None))).collect();
    let is_twice = |one: &(&str, Option<Place>)| ids.iter().any(|other| other.0 == one.0 && other.1 != one.1);
    let in_family =
        |place: Option<Place>| place.is_some_and(|place| api.families.iter().any(|one| one.place.file == place.file));
    if ids.iter().any(|one| one.0.is_empty() || in_family(one.1) && is_twice(one)) {
        // A rule without an id of its own is reported, and may be this one.
        return;
    }
    let help = unknown(rule, ids, || "use the id of a rule, as `tradeapi-gen rules` prints it".to_owned());
    to.at(place, Code::UndefinedName, format!("unknown rule `{rule}`")).help(help.of_api());
}

fn cause_is_of_credentials(code: &str, proof: &Proof, to: &mut Diagnostics) {
    let Some(place) = proof.cause_place else { return };
    let (why, help) = match (proof.proves, proof.cause) {
        (CodeProof::Credentials, _) => return,
        (CodeProof::Timestamp, Some(CredentialCause::Clock)) => return,
        (CodeProof::Timestamp, _) => {
            ("proves that the timestamp was rejected, so its cause can only be `clock`", "remove `cause`")
        }
        (
            CodeProof::NotDone | CodeProof::Unknown | CodeProof::NoSuchOrder | CodeProof::DuplicateId | CodeProof::Rate,
            _,
        ) => (
            "has a `cause` but does not prove that the credentials were rejected",
            "write `proves: credentials`, or remove `cause`",
        ),
    };
    to.at(place, Code::BadOutcome, format!("`{code}` {why}")).help(help);
}

/// Checks that only a refusal of credentials can come before the signature is looked at.
fn early_is_of_credentials(code: &str, proof: &Proof, to: &mut Diagnostics) {
    let Some(place) = proof.before_signature.filter(|_| proof.proves != CodeProof::Credentials) else { return };
    to.at(place, Code::BadOutcome, format!("`{code}` does not refuse credentials"))
        .help("remove `before_signature`, or state `proves: credentials`");
}

/// Checks that a code with which every copy of a request is refused depends on the request alone: neither on what an
/// earlier copy did, nor on when one arrives.
fn alike_is_of_the_request(code: &str, proof: &Proof, to: &mut Diagnostics) {
    let Some(place) = proof.alike else { return };
    let why = match proof.proves {
        CodeProof::NotDone | CodeProof::Credentials => return,
        CodeProof::Unknown => "proves nothing",
        CodeProof::NoSuchOrder | CodeProof::DuplicateId => "depends on what an earlier copy did",
        CodeProof::Timestamp | CodeProof::Rate => "depends on when the request arrives",
    };
    to.at(place, Code::BadOutcome, format!("`{code}` {why}, so copies of a request are not refused alike"))
        .help("remove `alike`");
}

/// Checks `outcomes`. Without rows, the outcome of a request that may have been sent is unknown unless the answer is
/// clear.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    for (index, row) in api.outcomes.iter().enumerate() {
        if let Some(first) = api.outcomes.iter().take(index).find(|first| first.when == row.when) {
            to.at(row.place, Code::DefinedTwice, format!("duplicate outcome for `{}`", row.when.as_str()))
                .related(first.place, "first defined here")
                .help("remove one of them");
        }
        if let Some((wrong, help)) = against_reason(row) {
            to.at(row.place, Code::BadOutcome, format!("`{}` {wrong}", row.when.as_str())).help(help);
        }
    }
    let Some(first) = api.outcomes.first().filter(|_| api.is_sound) else { return };
    let has_row = |when: &CallResult| api.outcomes.iter().any(|row| row.when == *when);
    let missing: Vec<_> = CallResult::ALL.iter().filter(|when| !has_row(when)).map(|when| when.as_str()).collect();
    // A row that is there twice is probably the missing one.
    let twice = api.outcomes.len() - (CallResult::ALL.len() - missing.len());
    if missing.len() > twice {
        to.at(first.place, Code::BadOutcome, "missing outcomes")
            .help(format!("add a row for each of: {}", missing.join(", ")));
    }
}

fn against_reason(row: &OutcomeRow) -> Option<(&'static str, &'static str)> {
    match (row.when, row.outcome) {
        (when, outcome) if !when.may_be_sent() && outcome != RowOutcome::NotDone => {
            Some(("ends before anything is sent, so its outcome is `not_done`", "write `outcome: not_done`"))
        }
        (CallResult::Success, outcome) if outcome != RowOutcome::Done => {
            Some(("means that the request took effect", "write `outcome: done`"))
        }
        (when, RowOutcome::Done) if when != CallResult::Success => {
            Some(("does not show that the request took effect", "write `not_done` or `unknown`"))
        }
        (CallResult::ItemUnaccounted, outcome) if outcome != RowOutcome::Unknown => {
            Some(("means that the answer does not mention the item", "write `outcome: unknown`"))
        }
        (CallResult::ListedCode | CallResult::ObservedCode | CallResult::TooManyRequests, RowOutcome::ByCode) => None,
        (_, RowOutcome::ByCode) => {
            Some(("has no code, so its outcome cannot be `by_code`", "write `not_done` or `unknown`"))
        }
        _ => None,
    }
}

/// Checks that the values that a ceiling counts belong to the enum.
pub(super) fn ceilings(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for over in family.limits.iter().filter_map(|ceiling| ceiling.over.as_ref()) {
        let Some(of) = family.enums.get(over.enum_index) else { continue };
        for (value, place) in &over.values {
            if let Some(fault) = identifiers::find_enum_fault(of, value) {
                fault.report(to, *place, Code::BadValue, "`over`");
            }
        }
    }
}

/// Checks that `in_flight` belongs to an operation that amends orders, and names the parameter that identifies the
/// order.
pub(super) fn in_flight(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(in_flight) = &operation.in_flight else { continue };
        if operation.effect != Effect::Amend {
            to.at(in_flight.n.1, Code::Misplaced, "`in_flight` requires an operation with `effect: amend`")
                .help("remove it");
        }
        if in_flight.n.0 == 0 || u32::try_from(in_flight.n.0).is_err() {
            to.at(
                in_flight.n.1,
                Code::BadNumber,
                format!("expected a number from 1 to {}, found {}", u32::MAX, in_flight.n.0),
            )
            .help("write how many amendments may be pending");
        }
        names_what_is_meant(family, operation, in_flight, to);
    }
}

/// Returns the parameters that may identify the amended order: those of the request and of its items.
fn candidates(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    operation.members().iter().chain(operation.items().flat_map(|(_, item)| &item.parameters))
}

fn names_what_is_meant(family: &Family, operation: &Operation, in_flight: &InFlight, to: &mut Diagnostics) {
    let (name, place) = &in_flight.per;
    let Some(parameter) = candidates(operation).find(|parameter| parameter.name.wire == *name) else {
        let known = candidates(operation).map(|one| (one.name.wire.as_str(), Some(one.name.place)));
        to.at(*place, Code::UndefinedName, format!("`{}` has no parameter `{name}`", operation.name))
            .help(one_of(name, known));
        return;
    };
    let has_alternatives = || family.choice_of(parameter).is_some_and(|choice| choice.alternatives().is_some());
    let identifies = parameter.shape.is_one(Type::is_text) || has_alternatives();
    let is_always = parameter.need == Need::Always || parameter.shape.is_undefined();
    if !identifies || !is_always {
        to.at(*place, Code::Misplaced, format!("`{name}` does not always identify what is amended"))
            .related(parameter.name.place, "the parameter is here")
            .help("name a required identifier, or a required choice of which one alternative is sent");
    }
}
