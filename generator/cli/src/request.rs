//! The request that flags and JSON state.

use std::io::Read;
use std::{fs, io};

use clap::ArgMatches;
use tradeapi_runtime::Timestamp;
use tradeapi_runtime::json::{Json, JsonWriter, Map, read_json};
use tradeapi_runtime::tables::Effect;

use crate::command::Command;
use crate::options::JSON;
use crate::parameter::{Kind, Parameter};
use crate::times;

/// Reads standard input.
const STDIN: &str = "-";

/// Returns the parameters of a request as JSON: those of `--json`, then those of flags, which win, and a client id if
/// there is none.
///
/// # Errors
///
/// Fails if something is not JSON or cannot be read, or if a range of time cannot be meant.
pub(crate) fn assembled(command: &Command, flags: &ArgMatches) -> Result<String, String> {
    let base = flags.get_one::<String>(JSON).map(|from| stated_content(from)).transpose()?;
    let parameters = (command.parameters)();
    if let Some(body) = parameters.iter().find(|parameter| parameter.name.is_empty()) {
        let array = match flags.get_one::<String>(&body.id()) {
            Some(text) => json_of(text)?,
            None => base.unwrap_or_else(|| "[]".to_owned()),
        };
        refuse_missing(command, &array)?;
        return Ok(minted_items(command, &array));
    }
    let base = base.unwrap_or_else(|| "{}".to_owned());
    let mut members = members_of(&base).map_err(|error| format!("--{JSON}: {error}"))?;
    for parameter in &parameters {
        if let Some(value) = stated(parameter, flags)? {
            members.retain(|(name, _)| name != parameter.name);
            members.push((parameter.name.to_owned(), value));
        }
    }
    refuse_missing(command, &object(&members))?;
    times::in_millis(command, &mut members, Timestamp::now())?;
    Ok(minted(command, members))
}

/// Returns the same parameters with a client id, if there is none.
///
/// # Errors
///
/// Fails if they are not an object, or an array where that is the body, or if one is `null`.
#[cfg(feature = "mcp")]
pub(crate) fn completed(command: &Command, json: &str) -> Result<String, String> {
    let widens = matches!(command.meta.effect, Effect::Cancel | Effect::Close);
    refuse(&(command.parameters)(), json, widens)?;
    match (command.parameters)().iter().any(|parameter| parameter.name.is_empty()) {
        true => Ok(minted_items(command, json)),
        false => {
            let mut members = members_of(json)?;
            times::in_millis(command, &mut members, Timestamp::now())?;
            Ok(minted(command, members))
        }
    }
}

/// Refuses values that may be missing by mistake: without a parameter, a change is another one, such as a cancellation of
/// all orders instead of those of a symbol. A read without one shows more, and changes nothing.
fn refuse_missing(command: &Command, json: &str) -> Result<(), String> {
    match command.meta.effect {
        Effect::Read => Ok(()),
        effect => refuse(&(command.parameters)(), json, matches!(effect, Effect::Cancel | Effect::Close)),
    }
}

/// Refuses `null`, except as the value of a parameter that takes it; and empty texts, which some documents take for
/// parameters that are left out, where that means more of what is there.
fn refuse(parameters: &[Parameter], json: &str, with_empty: bool) -> Result<(), String> {
    let mut refused = None;
    each_value(Some(&Kind::Object(parameters.to_vec())), None, json, String::new(), &mut |path, of, value| {
        let (what, is_taken) = match value {
            "null" => ("null", of.is_some_and(|parameter| parameter.takes_null)),
            r#""""# if with_empty => ("an empty text", of.is_some_and(|parameter| parameter.takes_blank)),
            _ => return,
        };
        if !is_taken && refused.is_none() {
            refused = Some(match path {
                "" => format!("{what} is not a request"),
                _ => format!("{path}: {what} is not a value; leave it out, or state a value"),
            });
        }
    });
    refused.map_or(Ok(()), Err)
}

/// Returns what is odd about a change, although no rule forbids it: numbers below zero.
pub(crate) fn oddities(command: &Command, json: &str) -> Vec<String> {
    let mut oddities = Vec::new();
    if command.meta.effect != Effect::Read {
        let all = Kind::Object((command.parameters)());
        each_value(Some(&all), None, json, String::new(), &mut |path, of, value| {
            let number = value.trim_matches('"');
            if of.is_some_and(|parameter| parameter.kind.is_decimal()) && number.starts_with('-') {
                oddities.push(format!("{path} is negative: {number}"));
            }
        });
    }
    oddities
}

/// Takes a value, the path to it, and its parameter.
type See<'a> = dyn FnMut(&str, Option<&Parameter>, &str) + 'a;

/// Calls `see` with each value in JSON of this kind that is neither an object nor a list. What is not JSON has none.
fn each_value(kind: Option<&Kind>, of: Option<&Parameter>, json: &str, path: String, see: &mut See<'_>) {
    let json = json.trim();
    match json.as_bytes().first() {
        Some(b'{') => {
            let parameters: &[Parameter] = match kind {
                Some(Kind::Object(parameters) | Kind::Objects(parameters)) => parameters,
                _ => &[],
            };
            let members = read_json::<Map<Json>>(json).map(|map| map.entries).unwrap_or_default();
            for (name, value) in &members {
                let parameter = parameters.iter().find(|parameter| parameter.name == name);
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                each_value(parameter.map(|parameter| &parameter.kind), parameter, value.as_str(), path, see);
            }
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
            for (at, item) in items.iter().enumerate() {
                each_value(kind, of, item.as_str(), format!("{path}[{at}]"), see);
            }
        }
        _ => see(&path, of, json),
    }
}

fn members_of(json: &str) -> Result<Vec<(String, Json)>, String> {
    read_json::<Map<Json>>(json).map(|map| map.entries).map_err(|error| error.to_string())
}

/// Returns the value that flags state for a parameter.
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

/// Returns the JSON of a flag: itself, or the content of a file after `@`.
fn json_of(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('@').map_or_else(|| Ok(text.to_owned()), content)?;
    Json::new(&text).map(|json| json.as_str().to_owned()).map_err(|error| error.to_string())
}

/// Returns the content of a file, or of standard input, without the byte-order mark with which some programs begin it.
fn content(from: &str) -> Result<String, String> {
    let mut text = String::new();
    let read = match from {
        STDIN => io::stdin().read_to_string(&mut text),
        _ => fs::File::open(from).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.map_err(|error| format!("cannot read {}: {error}", name_of(from)))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the content of a file that states a request. An empty one states none: the program that was to write it has
/// failed.
fn stated_content(from: &str) -> Result<String, String> {
    let text = content(from)?;
    match text.trim() {
        "" => Err(format!("--{JSON}: {} is empty; {{}} states that there are no parameters", name_of(from))),
        _ => Ok(text),
    }
}

fn name_of(from: &str) -> &str {
    if from == STDIN { "standard input" } else { from }
}

/// Returns the object with a client id, which it gets if there is none.
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

/// Returns the array of a body with client ids.
fn minted_items(command: &Command, array: &str) -> String {
    match command.mint.and_then(|mint| Some((mint, command.meta.client_id?))) {
        Some((mint, place)) => with_ids(array, place.parameter, mint),
        None => array.to_owned(),
    }
}

/// Returns the items with client ids; text that is not a list of objects as it is, for its reader to refuse.
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

    fn parameter(name: &'static str, kind: Kind, takes_null: bool, takes_blank: bool) -> Parameter {
        let required = crate::parameter::Required::No;
        Parameter { name, flag: String::new(), kind, required, takes_null, takes_blank, doc: String::new() }
    }

    #[test]
    fn null_and_empty_texts_are_refused_except_where_they_are_values() {
        let text = || Kind::Text("text");
        let items = Kind::Objects(vec![parameter("a", text(), true, true), parameter("b", text(), false, false)]);
        let named = [parameter("edit", text(), true, true), parameter("items", items.clone(), false, false)];
        for (json, path) in [
            (r#"{"edit":null,"items":[{"a":null}]}"#, None),
            (r#"{"edit":"null"}"#, None),
            (r#"{"edit":null,"items":null}"#, Some("items")),
            (r#"{"items":[{"a":"1"},{"a":null,"b": null}]}"#, Some("items[1].b")),
            (r#"{"other":{"edit":[1,null]}}"#, Some("other.edit[1]")),
        ] {
            let refused = |what: &str| {
                path.map_or(Ok(()), |path| {
                    Err(format!("{path}: {what} is not a value; leave it out, or state a value"))
                })
            };
            assert_eq!(refuse(&named, json, false), refused("null"));
            let empty = json.replace(r#""null""#, r#""text""#).replace("null", r#""""#);
            assert_eq!(refuse(&named, &empty, true), refused("an empty text"));
            assert_eq!(refuse(&named, &empty, false), Ok(()));
        }
        let body = [parameter("", items, false, false)];
        assert_eq!(refuse(&body, r#"[{"a":null}]"#, false), Ok(()));
        let second = refuse(&body, r#"[{"a":null,"b":null}]"#, false);
        assert!(second.is_err_and(|why| why.starts_with("[0].b: ")));
        assert!(refuse(&body, "null", false).is_err());
    }
}
