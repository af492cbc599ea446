//! Explains syntax errors. The parser reports where it stopped and why; this module finds the cause, a remedy, and the
//! beginning of the construct that it could not finish.

use granit_parser::ErrorKind;

use super::source::SchemaFile;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};

/// The maximum length of a key in YAML, in characters.
const MAX_KEY: usize = 1024;

/// An explained syntax error.
pub(super) struct Syntax {
    pub(super) message: String,
    pub(super) help: &'static str,
    /// The beginning of the faulty construct, if the parser stopped after it.
    pub(super) begins: Option<Place>,
}

/// Where the parser was when it stopped.
pub(super) struct Stop {
    pub(super) place: Place,
    /// The beginning of the last block that ended before.
    pub(super) last_block: Option<Place>,
}

impl Stop {
    /// Returns the last block, if it is indented further than the place where the parser stopped.
    fn deeper_block(&self) -> Option<Place> {
        self.last_block.filter(|block| block.column > self.place.column)
    }
}

/// The constructs that cause errors, as far as their remedies differ.
enum Construct {
    Tab,
    Quote,
    BehindQuote,
    Escape,
    Bracket,
    BlockText,
    Comment,
    Indentation,
    Colon,
    Character,
}

fn construct(kind: &ErrorKind) -> Construct {
    use ErrorKind as E;
    match kind {
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabAtBlockScalarStart
        | E::TabInPlainScalar => Construct::Tab,
        E::UnclosedQuotedScalar | E::DocumentIndicatorInQuotedScalar | E::InvalidQuotedScalarIndent => Construct::Quote,
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => Construct::BehindQuote,
        E::UnknownQuotedScalarEscape
        | E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => Construct::Escape,
        E::UnclosedFlowCollection { .. }
        | E::MismatchedFlowCollectionEnd { .. }
        | E::MisplacedFlowCollectionEnd
        | E::ExpectedFlowMappingSeparator
        | E::ExpectedFlowSequenceSeparator
        | E::UnexpectedEofFlowSequence
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping
        | E::BlockEntryInFlowCollection
        | E::InvalidFlowScalarIndent
        | E::PlainScalarStartsWithDashFlowIndicator
        | E::FlowMappingValueAdjacentCollection
        | E::InvalidColonPlacement => Construct::Bracket,
        E::ZeroBlockScalarIndent | E::InvalidBlockScalarHeader | E::InvalidBlockScalarIndent => Construct::BlockText,
        E::CommentInterceptedScalar | E::CommentNotSeparated => Construct::Comment,
        E::SimpleKeyExpected
        | E::InvalidSimpleKey
        | E::ExpectedBlockMappingKey
        | E::ExpectedBlockSequenceEntry
        | E::BlockSequenceEntryNotAllowed
        | E::MappingKeyNotAllowed
        | E::InvalidIndentation
        | E::ExpectedNodeContent
        | E::ExpectedDocumentStart
        | E::UnexpectedEofBlockSequence
        | E::UnexpectedEofBlockMapping => Construct::Indentation,
        E::MappingValueNotAllowed => Construct::Colon,
        _ => Construct::Character,
    }
}

/// Explains why the parser stopped.
pub(super) fn explain(kind: &ErrorKind, source: &SchemaFile, stop: &Stop) -> Syntax {
    let (lines, line): (Vec<&str>, _) = (source.text.lines().collect(), stop.place.line as usize);
    let marks = Marks::of(source.text.get(..stop.place.start as usize).unwrap_or(&source.text));
    let text_of_line = |line: usize| {
        let text = line.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or_default();
        source.at(line, text.len() - text.trim_start().len() + 1)
    };
    let at = |offset: Option<usize>| offset.map(|offset| source.at_byte(offset));
    let (message, help, begins) = match construct(kind) {
        Construct::Tab => ("a tab in the indentation", "indent with spaces", None),
        Construct::Quote => ("a quoted text is not closed", "close the quote", at(marks.open_quote)),
        Construct::BehindQuote if marks.last_quoted_lines > 1 => {
            ("a quoted text is not closed", "close the quote", at(marks.last_quote))
        }
        Construct::BehindQuote => (
            "unexpected text after a closing quote",
            "put all of the text in quotes; within single quotes, a quote is written twice",
            None,
        ),
        Construct::Escape => (
            "unknown escape in a text in double quotes",
            "write `\\\\` for a backslash, or put the text in single quotes",
            None,
        ),
        Construct::Bracket if is_colon_in_brackets(source, stop, &marks) => {
            let help = match has_two_words(source, stop) {
                true => "separate the entries with `,`, or put a text that contains `: ` in quotes",
                false => "put a text that contains `: ` in quotes",
            };
            ("unexpected `: ` in a text", help, None)
        }
        Construct::Bracket if rest_of(source, stop).starts_with(',') => {
            ("unexpected `,`", "write one `,` between two entries, and none before the first", None)
        }
        Construct::Bracket if marks.open_brackets.last().is_some_and(|open| has_comment(source, *open)) => (
            "a bracket is not closed or not opened",
            "match every `[` and `{` with `]` and `}`; what follows ` #` is a comment, so put a text with it in quotes",
            at(marks.open_brackets.last().copied()),
        ),
        Construct::Bracket => (
            "a bracket is not closed or not opened",
            "match every `[` and `{` with `]` and `}`",
            at(marks.open_brackets.last().copied()),
        ),
        Construct::BlockText => (
            "unexpected text or indentation after `|` or `>`",
            "begin the text on the next line, and indent all of its lines alike",
            None,
        ),
        Construct::Comment => (
            "unexpected comment",
            "write a space before `#`, and no comment between the lines of a text; put a text with `#` in quotes",
            None,
        ),
        Construct::Indentation | Construct::Colon if longest_key(&lines, line) >= MAX_KEY => {
            ("a key is longer than 1024 characters", "shorten it", None)
        }
        Construct::Indentation if is_behind_bracket(source, stop) => {
            ("unexpected text after a closing bracket", "put a text that begins with `{` or `[` in quotes", None)
        }
        Construct::Indentation if lacks_space(&lines, line) => {
            ("no space after `:`", "write `name: value`, with a space before the value", None)
        }
        Construct::Indentation if lacks_colon(&lines, line) => {
            ("a line without `:`", "write `name: value`, or begin an item with `- `", None)
        }
        Construct::Indentation => (
            "inconsistent indentation",
            "align the line with the others of its mapping or list",
            wrong_indentation(&lines, line).map(text_of_line).or_else(|| stop.deeper_block()),
        ),
        Construct::Colon if let Some(item) = item_without_space(&lines, line) => {
            ("no space after `-`", "begin an item with `- `", Some(text_of_line(item)))
        }
        Construct::Colon => (
            "unexpected `: `",
            "put a text that contains `: ` in quotes, or correct the indentation",
            wrong_indentation(&lines, line).or_else(|| text_above(&lines, line)).map(text_of_line),
        ),
        Construct::Character => ("unexpected character", "put a text with special characters in quotes", None),
    };
    let message = match kind {
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => format!("`{open}` is closed with `{close}`"),
        ErrorKind::UnexpectedCharacter { character } => format!("{message} `{character}`"),
        _ => message.to_owned(),
    };
    Syntax { message, help, begins: begins.filter(|begins| begins.line != stop.place.line) }
}

/// A tab or another blank character where YAML takes spaces only.
pub(super) struct OtherSpace {
    pub(super) place: Place,
    pub(super) space: char,
}

impl OtherSpace {
    pub(super) fn report(&self, to: &mut Diagnostics) {
        let is_here = |place: Place| (place.file, place.line) == (self.place.file, self.place.line);
        if to.iter().any(|one| one.code == Code::InvisibleCharacter && one.place.is_some_and(is_here)) {
            return;
        }
        match self.space {
            '\t' => {
                to.at(self.place, Code::BrokenYaml, "invalid YAML: a tab in the indentation").help("indent with spaces")
            }
            space => to
                .at(
                    self.place,
                    Code::InvisibleCharacter,
                    format!("blank character U+{:04X} in place of a space", u32::from(space)),
                )
                .help("write a space, or put a text that needs it in quotes"),
        };
    }
}

/// Returns whether a character looks like a space and is none to YAML, such as the no-break space.
pub(super) fn is_other_space(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii()
}

/// Finds the blank character that is no space before the content of a line, or between its key and value; of the line
/// where a reader stopped, or of the lines shortly before.
pub(super) fn other_space(source: &SchemaFile, line: usize) -> Option<OtherSpace> {
    let lines: Vec<&str> = source.text.lines().collect();
    let near = (line.saturating_sub(3)..lines.len().min(line)).rev();
    near.filter_map(|index| lines.get(index).map(|text| (index, *text))).find_map(|(index, text)| {
        let content = text.len() - text.trim_start().len();
        let indentation = text[..content].char_indices().find(|(_, c)| *c != ' ');
        let behind = |(at, c): &(usize, char)| is_other_space(*c) && text[..*at].trim_end().ends_with([':', '-']);
        let (at, space) = indentation.or_else(|| text.char_indices().find(behind))?;
        let column = text[..at].chars().count() + 1;
        Some(OtherSpace { place: source.at(index + 1, column), space })
    })
}

/// Returns whether the parser stopped at a text behind a closing bracket on its line.
fn is_behind_bracket(source: &SchemaFile, stop: &Stop) -> bool {
    let before = source.text.get(..stop.place.start as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_end().ends_with([']', '}'])
}

/// Returns what follows the place where the parser stopped.
fn rest_of<'a>(source: &'a SchemaFile, stop: &Stop) -> &'a str {
    source.text.get(stop.place.start as usize..).unwrap_or_default()
}

/// Returns whether the parser stopped at the second `: ` of an entry within brackets that opened on the same line.
fn is_colon_in_brackets(source: &SchemaFile, stop: &Stop, marks: &Marks) -> bool {
    let stopped = stop.place.start as usize;
    let is_same_line = |open: &usize| source.text.get(*open..stopped).is_some_and(|between| !between.contains('\n'));
    rest_of(source, stop).starts_with(": ") && marks.open_brackets.last().is_some_and(is_same_line)
}

/// Returns whether the value before the place where the parser stopped has a second word, which may be meant as a key.
fn has_two_words(source: &SchemaFile, stop: &Stop) -> bool {
    let before = source.text.get(..stop.place.start as usize).unwrap_or_default();
    let entry = before.rsplit([',', '{', '[', '\n']).next().unwrap_or_default();
    entry.split_once(": ").is_some_and(|(_, value)| value.trim().contains(' '))
}

/// Returns whether a comment follows a bracket on its line.
fn has_comment(source: &SchemaFile, open: usize) -> bool {
    let line = source.text.get(open..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.contains(" #")
}

/// The quotes and brackets of a text that are part of its structure.
#[derive(Default)]
struct Marks {
    open_brackets: Vec<usize>,
    open_quote: Option<usize>,
    /// The beginning of the last quoted text that was closed, and its number of lines.
    last_quote: Option<usize>,
    last_quoted_lines: usize,
}

impl Marks {
    /// Quotes and brackets count where a value can begin; within brackets, brackets always count.
    fn of(text: &str) -> Self {
        let mut marks = Self::default();
        let mut before = '\n';
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let begins_value = matches!(before, '\n' | ':' | '-' | ',' | '[' | '{' | '?');
            let is_bracketed = !marks.open_brackets.is_empty();
            match c {
                '#' if text[..at].ends_with([' ', '\n']) || at == 0 => {
                    while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                    continue;
                }
                '"' | '\'' if begins_value => marks.quoted(at, c, &mut chars, text),
                '[' | '{' if begins_value || is_bracketed => marks.open_brackets.push(at),
                ']' | '}' if is_bracketed => drop(marks.open_brackets.pop()),
                _ => {}
            }
            // A newline counts as the beginning of a value, even though a plain text may continue on the next line.
            if !matches!(c, ' ' | '\t') {
                before = c;
            }
        }
        marks
    }

    fn quoted(
        &mut self,
        at: usize,
        quote: char,
        chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
        text: &str,
    ) {
        while let Some((end, c)) = chars.next() {
            if c == '\\' && quote == '"' {
                chars.next();
            } else if c == quote && chars.next_if(|(_, next)| quote == '\'' && *next == '\'').is_none() {
                self.last_quote = Some(at);
                self.last_quoted_lines = text[at..end].lines().count();
                return;
            }
        }
        self.open_quote = Some(at);
    }
}

/// Returns the last line up to this one that is indented further than the line before, although that line is complete.
fn wrong_indentation(lines: &[&str], line: usize) -> Option<usize> {
    let mut before: Option<&str> = None;
    let mut found = None;
    let stop = lines.get(line.saturating_sub(1)).map_or(0, |stop| indentation(stop));
    for (index, text) in lines.iter().enumerate().take(line) {
        let content = text.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let opens = |text: &str| {
            text.ends_with([':', '-', '|', '>', '{', '[', ',']) || text.ends_with(">-") || text.ends_with("|-")
        };
        // The first line of a file sets the indentation of all of it.
        if before.is_none() && indentation(text) > stop {
            found = Some(index + 1);
        }
        if before.is_some_and(|before| indentation(text) > indentation(before) && !opens(before.trim())) {
            found = Some(index + 1);
        }
        before = Some(text);
    }
    found
}

/// Returns the line up to this one, at most two above, that begins an item without a space after its mark.
fn item_without_space(lines: &[&str], line: usize) -> Option<usize> {
    let is_item = |text: &str| {
        let item = text.trim_start().strip_prefix('-');
        item.is_some_and(|item| item.starts_with(char::is_alphabetic) && item.contains(": "))
    };
    (line.saturating_sub(2).max(1)..=line).find(|line| lines.get(line - 1).is_some_and(|text| is_item(text)))
}

/// Returns the first of the lines directly above this one that have no key: a text begins there and continues to this
/// line.
fn text_above(lines: &[&str], line: usize) -> Option<usize> {
    let is_text = |text: &&&str| {
        let text = text.trim();
        !text.is_empty() && !text.contains(": ") && !text.ends_with(':') && !text.starts_with(['#', '-'])
    };
    let above = lines.get(..line.saturating_sub(1))?.iter().rev().take_while(is_text).count();
    (above > 0).then(|| line - above)
}

/// Returns the indentation of a line, including the mark of an item.
fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '-']).len()
}

/// Returns whether a line has a name and a value with only `:` between them.
fn lacks_space(lines: &[&str], line: usize) -> bool {
    let text = line.checked_sub(1).and_then(|index| lines.get(index)).map_or("", |text| text.trim());
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    !text.contains(": ") && text.split_once(':').is_some_and(|(name, value)| is_name(name) && !value.is_empty())
}

/// Returns whether a line is as far to the left as the one before, and has neither a name nor the mark of an item.
fn lacks_colon(lines: &[&str], line: usize) -> bool {
    let text = |line: Option<usize>| line.and_then(|index| lines.get(index)).copied().unwrap_or_default();
    let (before, text) = (text(line.checked_sub(2)), text(line.checked_sub(1)));
    let content = text.trim();
    let is_plain = content.chars().next().is_some_and(char::is_alphanumeric);
    is_plain && !content.contains(": ") && !content.ends_with(':') && indentation(text) == indentation(before)
}

fn longest_key(lines: &[&str], line: usize) -> usize {
    let around = lines.iter().take(line + 1).skip(line.saturating_sub(2));
    around.map(|text| text.split(": ").next().unwrap_or_default().len()).max().unwrap_or_default()
}
