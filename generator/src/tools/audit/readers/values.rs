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

/// Words of a text that gives examples rather than all values.
const EXAMPLES: [&str; 10] = ["e.g", "eg", "ex", "like", "such", "etc", "example", "examples", "instance", "separated"];

/// Words before a list that is none of values: a condition, or a denial.
const CONDITIONS: [&str; 10] =
    ["when", "unless", "not", "cannot", "except", "without", "only", "required", "than", "with"];

/// The last word of what is listed, as in `product type`.
const KINDS: [&str; 10] =
    ["type", "types", "kind", "kinds", "mode", "modes", "status", "state", "category", "direction"];

/// Words of a phrase about some of what there is, rather than all of it.
const OF_SOME: [&str; 16] = [
    "by",
    "deprecated",
    "for",
    "former",
    "from",
    "if",
    "in",
    "invalid",
    "of",
    "old",
    "on",
    "other",
    "per",
    "removed",
    "to",
    "unsupported",
];

/// The most words of such a phrase: more of them are a sentence.
const LONGEST_KIND: usize = 3;

/// Words about parameters rather than values, unless others are listed beside them: `both or neither`.
const OF_SEVERAL: [&str; 5] = ["both", "neither", "either", "all", "none"];

/// Returns whether a word belongs to the grammar of lists.
pub(super) fn is_grammar(word: &str) -> bool {
    GRAMMAR.contains(&word)
}

/// Returns whether a text gives examples.
pub(super) fn gives_examples(text: Span<'_>) -> bool {
    let texts = text.texts();
    let is_open =
        |word: &&str| EXAMPLES.contains(&word.to_lowercase().as_str()) || ["other", "others", "more"].contains(word);
    texts.iter().any(is_open) || text.text.contains("...") || text.text.contains('…')
}

/// Returns the list of values that the codes of a text are: each follows a separator, and may have a meaning. `None` if
/// any of them is something else.
pub(super) fn of_codes<'a>(text: Span<'a>, codes: &[Span<'a>], siblings: &[String]) -> Option<ValueList<'a>> {
    let is_value = |code: &Span<'_>| is_name(code.text) && !siblings.iter().any(|name| name == code.text);
    if gives_examples(text) || bounds_each(text, codes) || !codes.iter().all(is_value) {
        return None;
    }
    let mut list = ValueList { span: Some(text), ..ValueList::default() };
    let mut behind = text;
    for code in codes {
        let between = behind.before(code.at).trim();
        behind = text.after(code.at + code.text.len());
        if is_default_mark(between) {
            list.default = Some((code.text.to_owned(), *code));
            continue;
        }
        let (is_entry, is_default) = match list.values.last() {
            None => (is_introduction(between), false),
            Some(_) => ends_entry(between),
        };
        if !is_entry || list.has(code.text) {
            return None;
        }
        if is_default {
            list.default = list.values.last().cloned();
        }
        list.values.push((code.text.to_owned(), *code));
    }
    let tail = behind.trim();
    let meaning = tail.text.trim_start_matches([',', ' ']);
    if ["(default)", "by default", "default"].iter().any(|mark| meaning.starts_with(mark)) && list.default.is_none() {
        list.default = list.values.last().cloned();
    }
    let is_ended = tail.is_empty()
        || tail.text.starts_with([',', ';', '.', ':', '(', ')', '-', '='])
        || meaning.starts_with("by default");
    let is_listed = list.default.as_ref().is_none_or(|(default, _)| list.has(default));
    let is_boolean = list.values.iter().all(|(value, _)| ["true", "false"].contains(&value.to_lowercase().as_str()));
    (list.values.len() > 1 && is_ended && is_listed && !is_boolean).then_some(list)
}

/// Returns whether a range follows a code and its colon: such codes are cases, each with values of its own.
fn bounds_each(text: Span<'_>, codes: &[Span<'_>]) -> bool {
    let meaning = |code: &Span<'_>| {
        let behind = text.after(code.at + code.text.len()).trim();
        let meaning = behind.text.strip_prefix(':')?;
        Some(meaning.split([';', '.']).next().unwrap_or(meaning).to_lowercase())
    };
    let is_range = |meaning: String| {
        let begins_number = |rest: &str| rest.trim_start_matches(['`', ' ']).starts_with(|c: char| c.is_ascii_digit());
        meaning.split_once('[').is_some_and(|(_, rest)| begins_number(rest))
    };
    codes.iter().filter_map(meaning).any(is_range)
}

/// Returns whether words before a code say that it is the default: `. Default:`, `, defaults to`.
fn is_default_mark(between: Span<'_>) -> bool {
    let words = between.text.trim_end_matches([':', '=', ' ']).to_lowercase();
    ["default", "default is", "default value", "default value is", "defaults to"]
        .iter()
        .any(|mark| words.ends_with(mark))
}

/// Returns whether words may stand before a list of values: none, or words that end with a mark.
fn is_introduction(words: Span<'_>) -> bool {
    let last = words.split(&[",", ";", ". ", ":"]).last().map(|last| last.texts()).unwrap_or_default();
    let is_condition = last.iter().any(|word| CONDITIONS.contains(&word.to_lowercase().as_str()));
    let announces =
        matches!(last.as_slice(), [.., "one", "of"] | [.., "values" | "value" | "enum" | "either"] | [.., "be"]);
    let is_kind = last.len() <= LONGEST_KIND
        && last.last().is_some_and(|word| KINDS.contains(&word.to_lowercase().as_str()))
        && words.text.ends_with(char::is_alphabetic)
        && !last.iter().any(|word| OF_SOME.contains(&word.to_lowercase().as_str()));
    words.is_empty() || !is_condition && (announces || is_kind || words.text.ends_with([':', ',', ';', '.', '(']))
}

/// Returns whether the words between two values are a separator, possibly after a meaning of the first, and whether
/// they say that the first is the default.
fn ends_entry(between: Span<'_>) -> (bool, bool) {
    let text = between.text.trim_end_matches(" or").trim_end_matches(" and");
    let text = if ["or", "and"].contains(&text) { "," } else { text };
    let meaning = text.trim_end_matches([',', ';', '.', '/', '|', ' ']);
    let is_separated = meaning.len() < text.len() || text.len() < between.text.len();
    let is_meaning = meaning.is_empty() || meaning.starts_with([':', '(', '-', '=']);
    let is_closed = meaning.matches(['(', '[']).count() == meaning.matches([')', ']']).count();
    (is_separated && is_meaning && is_closed, meaning.trim_start_matches([':', '(', '-', ' ']).starts_with("default"))
}

/// Returns the list of values in a text. `known` holds the values in the schema, if there are any.
pub(super) fn list<'a>(text: Span<'a>, known: &[String]) -> Option<ValueList<'a>> {
    if gives_examples(text) {
        return None;
    }
    if known.is_empty()
        && let Some(list) = of_labels(text)
    {
        return list;
    }
    let parts = text.split(&[";", ". "]).into_iter().flat_map(|segment| segment.split(&[":"]).into_iter().enumerate());
    let lists = parts.filter_map(|(nth, part)| {
        let part = part.before(part.text.find(" as in ").map_or(usize::MAX, |at| part.at + at));
        // Any text may follow a colon, so a list there must contain a known value.
        read_part(part, known).filter(|(hits, _)| nth == 0 || *hits > 0 || known.is_empty())
    });
    let list = lists.max_by_key(|(hits, list)| (*hits, list.values.len())).map(|(_, list)| list)?;
    (!known.is_empty() || is_whole(&list, text)).then_some(list)
}

/// Returns a list without marks in which each value has its meaning: `P: planted, S: sprouted`. `None` if the text has
/// fewer than two colons; without a list if a part of it has no value.
fn of_labels(text: Span<'_>) -> Option<Option<ValueList<'_>>> {
    if text.text.matches(": ").count() < 2 {
        return None;
    }
    let values = text.split(&[",", ";"]).into_iter().map(|entry| {
        let (label, _) = entry.label()?;
        label.single().filter(|label| is_name(label.text)).map(|label| (label.text.to_owned(), label))
    });
    let values: Option<Vec<_>> = values.collect();
    let is_of_values = |(value, _): &(String, Span<'_>)| !GRAMMAR.contains(&value.to_lowercase().as_str());
    let values = values.filter(|values| values.iter().all(is_of_values));
    Some(values.map(|values| ValueList { values, default: None, span: Some(text) }))
}

/// Returns whether a list that the schema does not have is one: its words do not begin a sentence, and its default is one
/// of them.
fn is_whole(list: &ValueList<'_>, text: Span<'_>) -> bool {
    let is_prose = |value: &str| {
        let mut letters = value.chars();
        letters.next().is_some_and(char::is_uppercase) && value.len() > 1 && letters.all(char::is_lowercase)
    };
    let words = text.words();
    let stated = words.windows(2).find(|pair| ["default", "defaults"].contains(&pair[0].text)).map(|pair| pair[1].text);
    let is_listed = |default: &str| list.has(default) || !text.text.contains(&format!("default: {default}"));
    !list.values.iter().any(|(value, _)| is_prose(value)) && stated.is_none_or(is_listed)
}

/// Returns a list whose entries may be followed by their meanings: `P purchase, S sale`.
pub(super) fn with_meanings<'a>(text: Span<'a>, known: &[String]) -> ValueList<'a> {
    if let Some(list) = list(text, known) {
        return list;
    }
    let firsts = text.split(&[","]).into_iter().filter_map(|entry| entry.words().first().copied());
    let values: Vec<_> = firsts.map(|word| (word.text.to_owned(), word)).collect();
    // Without a known value or codes, these are words of a sentence.
    let is_code = |value: &str| !value.contains(char::is_lowercase);
    let is_list =
        values.iter().any(|(value, _)| known.contains(value)) || values.iter().all(|(value, _)| is_code(value));
    ValueList { values: if is_list { values } else { Vec::new() }, default: None, span: Some(text) }
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
    let is_about_several = hits == 0 && list.values.iter().all(|(value, _)| OF_SEVERAL.contains(&value.as_str()));
    (is_list && !is_about_several).then_some((hits, list))
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
