//! Looks up the values of a request that violations show. Only a request that breaks a rule pays for it.

use super::violation::Violations;
use crate::data::json::{Kind, ReadError, Reader};

/// The number of characters of a value that are shown.
const SHOWN: usize = 80;

/// Fills in the given value of each violation that lacks it.
pub(super) fn fill_in(found: &mut Violations, json: &dyn Fn() -> String) {
    if found.iter().all(|violation| !violation.given.is_empty() || violation.parameter.is_empty()) {
        return;
    }
    let json = json();
    for violation in found.iter_mut().filter(|violation| violation.given.is_empty()) {
        // The client has just written this JSON, so reading it does not fail.
        violation.given = match look_up(&mut Reader::new(&json), &violation.parameter) {
            Ok(Some(value)) => value,
            Ok(None) | Err(_) if violation.parameter.is_empty() => String::new(),
            Ok(None) | Err(_) => "nothing".to_owned(),
        };
    }
}

/// The value at a path such as `orderList[3].price`, as text.
fn look_up(from: &mut Reader<'_>, path: &str) -> Result<Option<String>, ReadError> {
    if path.is_empty() {
        return shown(from);
    }
    if let Some((index, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        return item(from, index.parse().unwrap_or(usize::MAX), rest.trim_start_matches('.'));
    }
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    member(from, name, rest.trim_start_matches('.'))
}

fn member(from: &mut Reader<'_>, wanted: &str, rest: &str) -> Result<Option<String>, ReadError> {
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        if name == wanted {
            return look_up(from, rest);
        }
        from.skip()?;
    }
    Ok(None)
}

fn item(from: &mut Reader<'_>, wanted: usize, rest: &str) -> Result<Option<String>, ReadError> {
    let mut elements = from.array()?;
    while let Some(index) = elements.next(from)? {
        if index == wanted {
            return look_up(from, rest);
        }
        from.skip()?;
    }
    Ok(None)
}

fn shown(from: &mut Reader<'_>) -> Result<Option<String>, ReadError> {
    let text = match from.peek() {
        Kind::Object | Kind::Array => from.raw_value()?.to_owned(),
        _ => from.scalar()?.into_owned(),
    };
    Ok(Some(shortened(&text)))
}

/// `text`, or its beginning.
pub(super) fn shortened(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}
