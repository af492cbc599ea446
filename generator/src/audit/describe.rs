//! Facts in words.

use super::findings::Key;

/// What a key is about, as a reader would say it.
pub(super) fn of_key(key: &Key) -> String {
    let parts: Vec<&str> = key.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["endpoint", _] => "endpoint".to_owned(),
        ["rate", _, "default"] => "rate".to_owned(),
        ["rate", _, class] => format!("rate for {class}"),
        ["param", _, name] => format!("parameter {name}"),
        ["type", _, name] => format!("type of {name}"),
        ["paramenum" | "recordenum", _, name, value] => format!("value {value} of {name}"),
        ["paramdefault", _, name] => format!("default of {name}"),
        ["parammax", _, name] => format!("maximum of {name}"),
        ["digits", _, name] => format!("digits of {name}"),
        ["edit", _, name] => format!("leaving out {name}"),
        ["unit", _, name] => format!("unit of {name}"),
        ["length", _, name] => format!("length of {name}"),
        ["alphabet", _, name] => format!("characters of {name}"),
        ["oneof", _, names] => format!("one of {}", names.replace(',', " or ")),
        ["wins", _] => "the one that wins".to_owned(),
        ["window", _, kind] => (*kind).to_owned(),
        ["both", _] => "both times or neither".to_owned(),
        ["respshape", _] => "response".to_owned(),
        ["respfield", _, name] => format!("response field {name}"),
        ["record", id, name] => format!("field {name} of {}", id.rsplit('.').next().unwrap_or(id)),
        ["error", _, code] => format!("error {code}"),
        ["permission", _] => "permission".to_owned(),
        ["headeron", id, header] => format!("header {header} on {}", id.rsplit('.').next().unwrap_or(id)),
        ["header" | "credential", _, name] => format!("header {name}"),
        ["envelope", _, name] => format!("member {name} of every answer"),
        ["state", _, state] => format!("state {state}"),
        ["transition", _, from, trigger, to] => format!("from {from} by {trigger} to {to}"),
        ["whitelisted", _] => "whitelisted".to_owned(),
        ["ceiling", _, id] => format!("ceiling {id}"),
        ["form", _, pattern] => format!("names of the form {pattern}"),
        ["title", _] => "title".to_owned(),
        _ => parts.join(" "),
    }
}

/// What is said of it.
pub(super) fn of_value(key: &Key, value: &str) -> String {
    match key.first().map(String::as_str) {
        Some("param") => match value {
            "yes" => "required".to_owned(),
            "no" => "optional".to_owned(),
            "conditional" => "required under a condition".to_owned(),
            _ => "(required or not: left open)".to_owned(),
        },
        Some("window") => value.to_owned(),
        Some("record" | "respfield") => format!("({value})").replace("()", ""),
        Some("alphabet") => ranges(value),
        _ => value.to_owned(),
    }
}

/// `abcd.` as `.a-d`.
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
