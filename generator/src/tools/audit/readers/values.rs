//! Lists of values: `ioc, fok, gtc (default), post_only`.

use super::super::text::Span;
use super::super::wording::is_name;

/// A list of values with its default.
#[derive(Debug, Default)]
pub(super) struct ValueList<'a> {
    pub(super) values: Vec<(String, Span<'a>)>,
    pub(super) default: Option<(String, Span<'a>)>,
    pub(super) span: Option<Span<'a>>,
}

impl ValueList<'_> {
    pub(super) fn has(&self, value: &str) -> bool {
        self.values.iter().any(|(listed, _)| listed == value)
    }
}

/// Words that occur in lists of such documents and are not values.
const GRAMMAR: [&str; 19] = [
    "required",
    "optional",
    "conditional",
    "capitalised",
    "capitalized",
    "string",
    "strings",
    "number",
    "numbers",
    "integer",
    "boolean",
    "array",
    "object",
    "objects",
    "filter",
    "none marked",
    "default",
    "maximum",
    "minimum",
];

/// The list of values in a text. `known` holds the values in the schema, if there are any.
pub(super) fn list<'a>(text: Span<'a>, known: &[String]) -> Option<ValueList<'a>> {
    let parts = text.split(&[";", ". "]).into_iter().flat_map(|segment| segment.split(&[":"]).into_iter().enumerate());
    let lists = parts.filter_map(|(nth, part)| {
        let part = part.before(part.text.find(" as in ").map_or(usize::MAX, |at| part.at + at));
        // Any text may follow a colon, so a list there must contain a known value.
        read_part(part, known).filter(|(hits, _)| nth == 0 || *hits > 0 || known.is_empty())
    });
    lists.max_by_key(|(hits, list)| (*hits, list.values.len())).map(|(_, list)| list)
}

/// A list whose entries may be followed by their meanings: `P purchase, S sale`.
pub(super) fn with_meanings<'a>(text: Span<'a>, known: &[String]) -> ValueList<'a> {
    if let Some(list) = list(text, known) {
        return list;
    }
    let firsts = text.split(&[","]).into_iter().filter_map(|entry| entry.words().first().copied());
    ValueList { values: firsts.map(|word| (word.text.to_owned(), word)).collect(), default: None, span: Some(text) }
}

fn read_part<'a>(part: Span<'a>, known: &[String]) -> Option<(usize, ValueList<'a>)> {
    // A slash separates alternatives only where values are expected.
    let entries =
        if known.is_empty() { part.split(&[",", " or ", " and "]) } else { part.split(&[",", " or ", " and ", "/"]) };
    let mut list = ValueList { span: Some(part), ..ValueList::default() };
    let mut entries_that_are_none = 0;
    for entry in entries {
        match value(entry, known) {
            Some((value, at, is_default)) => {
                if let Some(default) = is_default {
                    list.default = Some((default.unwrap_or_else(|| value.clone()), at));
                }
                list.values.push((value, at));
            }
            None if entry.single().is_some_and(|word| GRAMMAR.contains(&word.text)) => {}
            None => entries_that_are_none += 1,
        }
    }
    let hits = list.values.iter().filter(|(value, _)| known.contains(value)).count();
    let count = list.values.len();
    let is_list = match (hits, known.is_empty()) {
        (0, true) => count >= 2 && entries_that_are_none == 0,
        (0, false) => {
            entries_that_are_none == 0 && (count >= 2 || list.values.iter().any(|(value, _)| value.contains('_')))
        }
        (hits, _) => entries_that_are_none == 0 || hits > entries_that_are_none,
    };
    (is_list && count > 0).then_some((hits, list))
}

/// A value with its place, and the default that the entry states, if any: this value or another one.
type Entry<'a> = (String, Span<'a>, Option<Option<String>>);

fn value<'a>(entry: Span<'a>, known: &[String]) -> Option<Entry<'a>> {
    let (head, note) = entry.head_and_note();
    let mut words = head.words();
    if let Some(values) = words.iter().position(|word| word.text == "values").filter(|at| at + 1 < words.len()) {
        words.drain(..=values);
    }
    let mut default = None;
    if words.len() > 1 && words.last().is_some_and(|word| word.text == "default") {
        words.pop();
        default = Some(None);
    }
    if let Some(note) = note {
        let texts = note.texts();
        match texts.as_slice() {
            ["default"] => default = Some(None),
            ["default", ..] if note.text.starts_with("default:") || note.text.starts_with("default,") => {
                default = Some(None)
            }
            ["default", other] => default = Some(Some((*other).to_owned())),
            _ => {}
        }
    }
    let text = words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let at = *words.first()?;
    let is_value = match words.as_slice() {
        [word] => is_name(word.text) && !GRAMMAR.contains(&word.text),
        _ => known.contains(&text),
    };
    is_value.then_some((text, at, default))
}
