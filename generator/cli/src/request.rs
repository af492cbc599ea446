//! The request that flags and JSON state.

use std::io::Read;
use std::{fs, io};

use clap::ArgMatches;
use tradeapi_runtime::json::{Json, JsonWriter, Map, read_json};
use tradeapi_runtime::parameters::described::MILLIS;
use tradeapi_runtime::tables::Effect;
use tradeapi_runtime::{Date, IsoTime};

use crate::command::Command;
use crate::options::JSON;
use crate::parameter::{Kind, Parameter};

/// Reads standard input.
const STDIN: &str = "-";

/// The parameters of a request as JSON: those of `--json`, then those of flags, which win, and a client id if there is
/// none.
///
/// # Errors
///
/// Fails if something is not JSON, or cannot be read.
pub(crate) fn assembled(command: &Command, flags: &ArgMatches) -> Result<String, String> {
    let base = match flags.get_one::<String>(JSON) {
        Some(from) => content(from)?,
        None => String::new(),
    };
    let parameters = (command.parameters)();
    if let Some(body) = parameters.iter().find(|parameter| parameter.name.is_empty()) {
        let array = match flags.get_one::<String>(&body.id()) {
            Some(text) => json_of(text)?,
            None if base.is_empty() => "[]".to_owned(),
            None => base,
        };
        refuse_null_in_change(command, &array)?;
        return Ok(minted_items(command, &array));
    }
    let base = if base.trim().is_empty() { "{}" } else { &base };
    let mut members = members_of(base).map_err(|error| format!("--{JSON}: {error}"))?;
    for parameter in &parameters {
        if let Some(value) = stated(parameter, flags)? {
            members.retain(|(name, _)| name != parameter.name);
            members.push((parameter.name.to_owned(), value));
        }
    }
    refuse_null_in_change(command, &object(&members))?;
    with_times(&parameters, &mut members);
    Ok(minted(command, members))
}

/// The same parameters with a client id, if there is none.
///
/// # Errors
///
/// Fails if they are not an object, or an array where that is the body, or if one is `null`.
#[cfg(feature = "mcp")]
pub(crate) fn completed(command: &Command, json: &str) -> Result<String, String> {
    refuse_null(&(command.parameters)(), json)?;
    match (command.parameters)().iter().any(|parameter| parameter.name.is_empty()) {
        true => Ok(minted_items(command, json)),
        false => members_of(json).map(|mut members| {
            with_times(&(command.parameters)(), &mut members);
            minted(command, members)
        }),
    }
}

/// Without a parameter, a change is another one: a cancellation of all orders instead of those of a symbol.
fn refuse_null_in_change(command: &Command, json: &str) -> Result<(), String> {
    match command.meta.effect {
        Effect::Read => Ok(()),
        _ => refuse_null(&(command.parameters)(), json),
    }
}

/// Refuses `null`, except as the value of a parameter that takes it.
fn refuse_null(parameters: &[Parameter], json: &str) -> Result<(), String> {
    let known = Kind::Object(parameters.to_vec());
    match null_within(Some(&known), json, String::new()) {
        Some(path) if path.is_empty() => Err("null is not a request".to_owned()),
        Some(path) => Err(format!("{path}: null is not a value; leave it out, or state a value")),
        None => Ok(()),
    }
}

/// The path to the first `null` in JSON of this kind that is not a value. What is not JSON has none.
fn null_within(kind: Option<&Kind>, json: &str, path: String) -> Option<String> {
    let json = json.trim();
    match json.as_bytes().first() {
        Some(b'{') => {
            let parameters: &[Parameter] = match kind {
                Some(Kind::Object(parameters) | Kind::Objects(parameters)) => parameters,
                _ => &[],
            };
            let members = read_json::<Map<Json>>(json).map(|map| map.entries).unwrap_or_default();
            members.iter().find_map(|(name, value)| {
                let parameter = parameters.iter().find(|parameter| parameter.name == name);
                let takes_null = value.as_str() == "null" && parameter.is_some_and(|parameter| parameter.takes_null);
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let kind = parameter.map(|parameter| &parameter.kind);
                if takes_null { None } else { null_within(kind, value.as_str(), path) }
            })
        }
        Some(b'[') => {
            // A body that is an array is the only parameter, and has no name.
            let kind = match kind {
                Some(Kind::Object(parameters)) => match parameters.as_slice() {
                    [Parameter { name: "", kind, .. }] => Some(kind),
                    _ => None,
                },
                other => other,
            };
            let items = read_json::<Vec<Json>>(json).unwrap_or_default();
            items.iter().enumerate().find_map(|(at, item)| null_within(kind, item.as_str(), format!("{path}[{at}]")))
        }
        _ => (json == "null").then_some(path),
    }
}

fn members_of(json: &str) -> Result<Vec<(String, Json)>, String> {
    read_json::<Map<Json>>(json).map(|map| map.entries).map_err(|error| error.to_string())
}

/// The value that flags state for a parameter.
fn stated(parameter: &Parameter, flags: &ArgMatches) -> Result<Option<Json>, String> {
    let Some(texts) = flags.get_many::<String>(&parameter.id()) else { return Ok(None) };
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let mut out = JsonWriter::new();
    match (&parameter.kind, texts.as_slice()) {
        (Kind::Text(_) | Kind::Truth | Kind::Words(_), [text, ..]) => out.string(text),
        (Kind::List(_), texts) => {
            out.begin_array();
            texts.iter().for_each(|text| out.element().string(text));
            out.end_array();
        }
        (Kind::Json | Kind::Object(_) | Kind::Objects(_), [text, ..]) => {
            out.raw(&json_of(text).map_err(|error| format!("--{}: {error}", parameter.flag))?);
        }
        (_, []) => return Ok(None),
    }
    Json::new(&out.finish()).map(Some).map_err(|error| format!("--{}: {error}", parameter.flag))
}

/// The JSON of a flag: itself, or the content of a file after `@`.
fn json_of(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('@').map_or_else(|| Ok(text.to_owned()), content)?;
    Json::new(&text).map(|json| json.as_str().to_owned()).map_err(|error| error.to_string())
}

/// The content of a file, or of standard input.
fn content(from: &str) -> Result<String, String> {
    if from == STDIN {
        let mut text = String::new();
        return io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .map_err(|error| format!("cannot read standard input: {error}"));
    }
    fs::read_to_string(from).map_err(|error| format!("cannot read {from}: {error}"))
}

/// The members with times in milliseconds where a date or a time in ISO 8601 is stated.
fn with_times(parameters: &[Parameter], members: &mut [(String, Json)]) {
    for (name, value) in members {
        let is_time = |one: &&Parameter| one.name == name && matches!(one.kind, Kind::Text(MILLIS));
        let text = parameters.iter().find(is_time).and_then(|_| value.read::<String>().ok());
        if let Some(Ok(millis)) = text.and_then(|text| time_of(&text)).map(|time| Json::new(&time.to_string())) {
            *value = millis;
        }
    }
}

/// The milliseconds of a date, which begins at midnight in UTC, or of a time in ISO 8601.
fn time_of(text: &str) -> Option<u64> {
    let midnight = || text.parse::<Date>().ok()?.midnight();
    let time = text.parse::<IsoTime>().ok().map(IsoTime::timestamp).or_else(midnight)?;
    Some(time.as_millis())
}

/// The object with a client id, which it gets if there is none.
fn minted(command: &Command, mut members: Vec<(String, Json)>) -> String {
    let place = command.mint.and_then(|mint| Some((mint, command.meta.client_id?)));
    match place.map(|(mint, place)| (mint, place.parameter, place.list)) {
        Some((mint, parameter, None)) => add_id(&mut members, parameter, mint),
        Some((mint, parameter, Some(list))) => {
            for (_, items) in members.iter_mut().filter(|(name, _)| name == list) {
                if let Ok(json) = Json::new(&with_ids(items.as_str(), parameter, mint)) {
                    *items = json;
                }
            }
        }
        None => {}
    }
    object(&members)
}

/// The array of a body with client ids.
fn minted_items(command: &Command, array: &str) -> String {
    match command.mint.and_then(|mint| Some((mint, command.meta.client_id?))) {
        Some((mint, place)) => with_ids(array, place.parameter, mint),
        None => array.to_owned(),
    }
}

/// The items with client ids; text that is not a list of objects as it is, for its reader to refuse.
fn with_ids(array: &str, parameter: &str, mint: fn() -> String) -> String {
    let items = match read_json::<Vec<Json>>(array) {
        Ok(items) if array.trim_start().starts_with('[') => items,
        _ => return array.to_owned(),
    };
    let mut out = JsonWriter::new();
    out.begin_array();
    for item in items {
        match item.read::<Map<Json>>() {
            Ok(map) if item.as_str().starts_with('{') => {
                let mut members = map.entries;
                add_id(&mut members, parameter, mint);
                out.element().raw(&object(&members));
            }
            _ => out.element().raw(item.as_str()),
        }
    }
    out.end_array();
    out.finish()
}

fn add_id(members: &mut Vec<(String, Json)>, parameter: &str, mint: fn() -> String) {
    if members.iter().all(|(name, _)| name != parameter) {
        let mut out = JsonWriter::new();
        out.string(&mint());
        members.extend(Json::new(&out.finish()).ok().map(|id| (parameter.to_owned(), id)));
    }
}

fn object(members: &[(String, Json)]) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in members {
        out.member(name).raw(value.as_str());
    }
    out.end_object();
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_get_ids_unless_they_have_one() {
        let mint = || "new".to_owned();
        assert_eq!(with_ids(r#"[{"id":"a"},{},7]"#, "id", mint), r#"[{"id":"a"},{"id":"new"},7]"#);
        assert_eq!(with_ids("{}", "id", mint), "{}");
    }

    #[test]
    fn null_is_refused_except_where_it_is_a_value() {
        let parameter = |name, kind, takes_null| Parameter {
            name,
            flag: String::new(),
            kind,
            required: crate::parameter::Required::No,
            takes_null,
            doc: String::new(),
        };
        let text = || Kind::Text("text");
        let items = Kind::Objects(vec![parameter("a", text(), true), parameter("b", text(), false)]);
        let named = [parameter("edit", text(), true), parameter("items", items.clone(), false)];
        for (json, path) in [
            (r#"{"edit":null,"items":[{"a":null}]}"#, None),
            (r#"{"edit":"null"}"#, None),
            (r#"{"edit":null,"items":null}"#, Some("items")),
            (r#"{"items":[{"a":"1"},{"a":null,"b": null}]}"#, Some("items[1].b")),
            (r#"{"other":{"edit":[1,null]}}"#, Some("other.edit[1]")),
        ] {
            let refused = refuse_null(&named, json).err();
            assert_eq!(
                refused,
                path.map(|path| format!("{path}: null is not a value; leave it out, or state a value"))
            );
        }
        let body = [parameter("", items, false)];
        assert_eq!(refuse_null(&body, r#"[{"a":null}]"#), Ok(()));
        assert!(refuse_null(&body, r#"[{"a":null,"b":null}]"#).is_err_and(|why| why.starts_with("[0].b: ")));
        assert!(refuse_null(&body, "null").is_err());
    }
}
