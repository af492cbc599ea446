//! A parser says where it stopped, in its own words; here these become a cause, a remedy, and the line where the construct
//! begins that it could not finish.

/// What is wrong with the syntax of a file.
pub(super) struct Syntax {
    pub(super) message: &'static str,
    pub(super) help: &'static str,
    /// The line in which the construct begins.
    pub(super) begins: Option<usize>,
}

/// Explains what the parser said when it stopped in a line.
pub(super) fn explain(said: &str, text: &str, line: usize) -> Syntax {
    let lines: Vec<&str> = text.lines().collect();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let unclosed = |marks: &[char]| last_open(&lines, line, marks);
    let (message, help, begins) = if has(&["tab"]) {
        ("a tab in the indentation", "indent with spaces", None)
    } else if has(&["quoted scalar"]) {
        ("a quoted text is not closed", "close the quote", unclosed(&['"', '\'']))
    } else if has(&["flow", "bracket", "unexpected EOF"]) {
        ("a bracket is not closed or not opened", "match every `[` and `{` with `]` and `}`", unclosed(&['[', '{']))
    } else if has(&["simple key", "':'"]) && longest_key(&lines, line) > 1000 {
        ("a key is longer than 1024 characters", "shorten it", None)
    } else if has(&["block mapping", "block collection", "'-' indicator", "simple key", "':'"]) {
        (
            "inconsistent indentation",
            "align the line with the others of its mapping or list",
            wrong_indentation(&lines, line),
        )
    } else if has(&["mapping values"]) {
        (
            "unexpected `: `",
            "put a text that contains `: ` in quotes, or correct the indentation",
            wrong_indentation(&lines, line),
        )
    } else {
        ("unexpected character", "put a text with special characters in quotes", None)
    };
    Syntax { message, help, begins }
}

/// The last line up to this one with more of these marks opened than closed.
fn last_open(lines: &[&str], line: usize, marks: &[char]) -> Option<usize> {
    let closing = |mark: char| match mark {
        '[' => ']',
        '{' => '}',
        quote => quote,
    };
    let is_open = |text: &str| {
        marks.iter().any(|mark| {
            let count = |mark: char| text.chars().filter(|c| *c == mark).count();
            let (opened, closed) = (count(*mark), count(closing(*mark)));
            if *mark == closing(*mark) { opened % 2 == 1 } else { opened > closed }
        })
    };
    (0..line.min(lines.len())).rev().find(|index| is_open(lines[*index])).map(|index| index + 1)
}

/// The last line up to this one that is indented further than the line before, although that one has its value.
fn wrong_indentation(lines: &[&str], line: usize) -> Option<usize> {
    let mut before: Option<&str> = None;
    let mut found = None;
    for (index, text) in lines.iter().enumerate().take(line) {
        let content = text.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let opens = |text: &str| {
            text.ends_with([':', '-', '|', '>', '{', '[', ',']) || text.ends_with(">-") || text.ends_with("|-")
        };
        if before.is_some_and(|before| indentation(text) > indentation(before) && !opens(before.trim())) {
            found = Some(index + 1);
        }
        before = Some(text);
    }
    found
}

/// How far a text is indented; the mark of an item counts as indentation.
fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '-']).len()
}

fn longest_key(lines: &[&str], line: usize) -> usize {
    let around = lines.iter().take(line + 1).skip(line.saturating_sub(2));
    around.map(|text| text.split(": ").next().unwrap_or_default().len()).max().unwrap_or_default()
}
