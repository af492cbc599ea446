//! Facts in words.

use super::findings::{FactKey, FactKind};

/// Returns a fact in words.
pub(super) fn statement(key: &FactKey, value: &str) -> String {
    format!("{} {}", of_key(key), of_value(key, value)).trim().to_owned()
}

/// Returns the subject of a key in words.
pub(super) fn of_key(key: &FactKey) -> String {
    let names: Vec<&str> = key.names.iter().map(String::as_str).collect();
    match (key.kind, names.as_slice()) {
        (FactKind::Endpoint, [_]) => "endpoint".to_owned(),
        (FactKind::Rate, [_, "default"]) => "rate".to_owned(),
        (FactKind::Rate, [_, "default", window]) => format!("rate in {window}"),
        (FactKind::Rate, [_, class]) => format!("rate for {class}"),
        (FactKind::Rate, [_, class, window]) => format!("rate for {class} in {window}"),
        (FactKind::Parameter, [_, name]) => format!("parameter {name}"),
        (FactKind::Type, [_, name]) => format!("type of {name}"),
        (FactKind::ParameterValue | FactKind::RecordValue, [_, name, value]) => format!("value {value} of {name}"),
        (FactKind::ParameterDefault, [_, name]) => format!("default of {name}"),
        (FactKind::ParameterMax, [_, name]) => format!("maximum of {name}"),
        (FactKind::ParameterMin, [_, name]) => format!("minimum of {name}"),
        (FactKind::Deprecated, [_]) => "deprecated".to_owned(),
        (FactKind::Deprecated, [_, name]) => format!("deprecated {name}"),
        (FactKind::Digits, [_, name]) => format!("digits of {name}"),
        (FactKind::Edit, [_, name]) => format!("leaving out {name}"),
        (FactKind::Unit, [_, name]) => format!("unit of {name}"),
        (FactKind::TimeUnit, [_, name]) => format!("{name} in"),
        (FactKind::Length, [_, name]) => format!("length of {name}"),
        (FactKind::Alphabet, [_, name]) => format!("characters of {name}"),
        (FactKind::OneOf, [_, names]) => format!("one of {}", names.replace(',', " or ")),
        (FactKind::Unsupported, [_, name]) => format!("{name} is not supported"),
        (FactKind::Wins, [_]) => "the one that wins".to_owned(),
        (FactKind::Window, [_, kind]) => (*kind).to_owned(),
        (FactKind::Both, [_]) => "both times or neither".to_owned(),
        (FactKind::ResponseShape, [_]) => "response".to_owned(),
        (FactKind::ResponseField, [_, name]) => format!("response field {name}"),
        (FactKind::RecordField, [id, name]) => format!("field {name} of {}", id.rsplit('.').next().unwrap_or(id)),
        (FactKind::RecordCase, [id, case]) => format!("case {case} of {}", id.rsplit('.').next().unwrap_or(id)),
        (FactKind::Error, [_, code]) => format!("error {code}"),
        (FactKind::Permission, [_]) => "permission".to_owned(),
        (FactKind::HeaderOn, [id, header]) => format!("header {header} on {}", id.rsplit('.').next().unwrap_or(id)),
        (FactKind::Header | FactKind::Credential, [_, name]) => format!("header {name}"),
        (FactKind::Envelope, [_, name]) => format!("member {name} of every answer"),
        (FactKind::State, [_, state]) => format!("state {state}"),
        (FactKind::Transition, [_, from, trigger, to]) => format!("from {from} by {trigger} to {to}"),
        (FactKind::Weight, [_, pool]) => format!("weight in {pool}"),
        (FactKind::Whitelisted, [_]) => "whitelisted".to_owned(),
        (FactKind::Ceiling, [_, id]) => format!("ceiling {id}"),
        (FactKind::Form, [_, pattern]) => format!("names of the form {pattern}"),
        (FactKind::Title, [_]) => "title".to_owned(),
        _ => key.to_string(),
    }
}

/// Returns the value of a fact in words.
pub(super) fn of_value(key: &FactKey, value: &str) -> String {
    match key.kind {
        FactKind::Parameter => match value {
            "yes" => "required".to_owned(),
            "no" => "optional".to_owned(),
            "conditional" => "required under a condition".to_owned(),
            _ => "(required or not: left open)".to_owned(),
        },
        FactKind::Window => value.to_owned(),
        FactKind::RecordField | FactKind::ResponseField => format!("({value})").replace("()", ""),
        FactKind::RecordCase => format!("by {}", value.replace(',', " or ")),
        FactKind::Alphabet => ranges(value),
        _ => value.to_owned(),
    }
}

/// Returns `abcd.` as `.a-d`.
fn ranges(characters: &str) -> String {
    let mut text = String::new();
    let mut run: Option<(char, char)> = None;
    let close = |run: Option<(char, char)>, text: &mut String| match run {
        Some((first, last)) if u32::from(last) - u32::from(first) > 1 => text.extend([first, '-', last]),
        Some((first, last)) if first != last => text.extend([first, last]),
        Some((first, _)) => text.push(first),
        None => {}
    };
    for c in characters.chars() {
        match run {
            Some((first, last)) if u32::from(c) == u32::from(last) + 1 => run = Some((first, c)),
            _ => {
                close(run, &mut text);
                run = Some((c, c));
            }
        }
    }
    close(run, &mut text);
    text
}
