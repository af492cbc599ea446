//! Changes by a program that mean nothing to anybody: other spacing, line breaks, markup, typography, order of rows,
//! equal lengths of time, synonyms. None may be reported as a change of fact, and nearly all pass.

use crate::turned::sentences;
use crate::{Change, DOCUMENTS, Subject, changed, code, on_all_cores};

/// Words, and others for the same.
const SYNONYMS: &[(&str, &str)] = &[
    ("required", "mandatory"),
    ("optional", "not required"),
    ("at most", "no more than"),
    ("at most", "up to"),
    ("Unix ms", "Unix milliseconds"),
    ("Unix milliseconds", "Unix ms"),
    ("capitalised", "capitalized"),
    ("maximum 100", "at most 100"),
    ("one week", "7 days"),
    ("one week", "a week"),
    ("three months", "3 months"),
    ("3 months", "three months"),
    ("30 days", "720 hours"),
    ("90 days", "2160 hours"),
    ("90-day", "90 day"),
    ("2 hours", "two hours"),
    ("2 hours", "120 minutes"),
    ("1 to 32", "1-32"),
    ("1 to 32", "between 1 and 32"),
    ("one of", "1 of"),
    ("10/s/UID", "10 per second per UID"),
    ("10/s/UID", "10 requests per second per user"),
    ("5/s/UID", "5 per second per user ID"),
    ("20/s/UID", "20/second/UID"),
    ("10 per second", "10/s"),
    ("1/s/IP", "1 call per second per IP"),
    ("at most 20", "at most twenty"),
    ("at most 50", "\u{2264} 50"),
    ("at most 18", "no more than 18"),
    ("required when", "required if"),
    ("default no", "default: no"),
    ("default 100", "default: 100"),
    ("default NO", "default: NO"),
    ("at most one week", "a week at most"),
    ("at most one week", "at most a week"),
    ("at most one week", "at most: one week"),
    ("at most three months", "three months at most"),
    ("at most 30 days", "30 days at most"),
    ("at most 30 days", "max: 30 days"),
    ("at most 30 days", "max. 30 days"),
    ("Rate limit 10/s/UID", "Rate limit: 10/s/UID"),
    ("maximum range 30 days", "maximum range: 30 days"),
    ("default and maximum 100", "default and maximum: 100"),
    ("default 100", "100 by default"),
    ("at most 30 days", "not exceeding 30 days"),
    ("at most 30 days", "<= 30 days"),
    ("at most 20", "must not exceed 20"),
    ("maximum 1000", "maximum 1,000"),
    ("10/s/UID", "10 req/s per UID"),
    ("| yes |", "| Yes |"),
    ("| yes |", "| required |"),
    ("| no |", "| optional |"),
    ("| yes |", "| \u{2713} |"),
    ("buy, sell |", "buy<br>sell |"),
    ("isolated, crossed |", "isolated<br/>crossed |"),
    ("(default), cancel_taker, cancel_maker", "(default)<br>cancel_taker<br>cancel_maker"),
    ("USDT-FUTURES, COIN-FUTURES, USDC-FUTURES |", "USDT-FUTURES<br />COIN-FUTURES<br />USDC-FUTURES |"),
];

fn is_name(word: &str) -> bool {
    let inner = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    (inner || word.contains('_')) && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the words between spaces and punctuation, each with its place.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !c.is_ascii_alphanumeric() && c != '_' && c != '/' && c != '<' && c != '>' && c != '-' {
            found.extend(Some((start, &text[start..at])).filter(|(_, word)| !word.is_empty()));
            start = at + c.len_utf8();
        }
    }
    found
}

/// Changes of the whole document.
fn everywhere(text: &str) -> Vec<(&'static str, String)> {
    let lines = |change: &dyn Fn(&str) -> String| text.lines().map(change).collect::<Vec<_>>().join("\n") + "\n";
    let in_rows = |line: &str| line.starts_with('|');
    vec![
        ("a byte-order mark", format!("\u{feff}{text}")),
        ("Windows line ends", text.replace('\n', "\r\n")),
        ("spaces at the ends of lines", lines(&|line| format!("{line} "))),
        ("two spaces", text.replace(", ", ",  ")),
        ("no space behind commas", lines(&|line| line.to_owned()).replace(", ", ",\u{a0}")),
        ("more empty lines", text.replace("\n\n", "\n\n\n\n")),
        ("wide tables", lines(&|line| if in_rows(line) { line.replace(" | ", "    |   ") } else { line.to_owned() })),
        ("long rules of tables", text.replace("|---", "|:--------")),
        ("other marks of lists", text.replace("\n- ", "\n* ")),
        ("another mark of one item", text.replacen("\n- ", "\n* ", 1)),
        (
            "full-width marks",
            text.replace(" (", "\u{ff08}")
                .replace(')', "\u{ff09}")
                .replace(", ", "\u{ff0c}")
                .replace("; ", "\u{ff1b}")
                .replace(": ", "\u{ff1a}"),
        ),
        ("full-width digits", text.replace("| 10/s/UID |", "| \u{ff11}\u{ff10}/s/UID |")),
        ("comments", text.replace("\n\n", "\n\n<!-- reviewed -->\n\n")),
        (
            "lines broken in cells",
            lines(&|line| if in_rows(line) { line.replace(", ", ",<br>") } else { line.to_owned() }),
        ),
        ("columns in another order", lines(&|line| if in_rows(line) { turned(line) } else { line.to_owned() })),
        ("curly apostrophes", text.replace('\'', "\u{2019}")),
        ("long dashes", text.replace(" - ", " \u{2013} ")),
        ("no-break hyphens", text.replace("take-profit", "take\u{2011}profit")),
        ("thin spaces", text.replace("Unix ms", "Unix\u{2009}ms")),
        ("closed headings", lines(&|line| if line.starts_with('#') { format!("{line} ##") } else { line.to_owned() })),
        ("numbered headings", text.replace("\n### ", "\n### 4.2 ")),
        ("headings with numbers in parentheses", text.replace("\n### ", "\n### (4) ")),
        ("headings of sections", text.replace("\n### ", "\n### \u{a7} 4 ")),
        (
            "headings with anchors",
            lines(&|line| if line.starts_with('#') { format!("{line} {{#here}}") } else { line.to_owned() }),
        ),
        ("deeper headings", text.replace("\n### ", "\n#### ")),
        ("one deeper heading", text.replacen("\n### Cancel Order", "\n#### Cancel Order", 1)),
        ("headings of chapters like that of the title", text.replace("\n## ", "\n# ").replace("\n### ", "\n## ")),
        ("a table of contents", with_contents(text, "")),
        ("a chapter with a table of contents", with_contents(text, "## Contents\n\n")),
        ("a mark for a table of contents", text.replacen("\n## ", "\n[TOC]\n\n## ", 1)),
        ("rows that are continued in the next one", lines(&|line| continued(line))),
        ("spaces around slashes", text.replace("/s/", " / s / ").replace("10/s", "10 / s")),
        ("front matter", format!("---\ntitle: Interface\n---\n\n{text}")),
        ("sections in another order", exchanged(text)),
        ("no last line end", text.trim_end().to_owned()),
        (
            "names in backticks",
            lines(&|line| {
                if line.starts_with('#') {
                    return line.to_owned();
                }
                let mut line = line.to_owned();
                let own = line.clone();
                for (at, word) in words(&own).into_iter().rev().filter(|(_, word)| is_name(word)) {
                    line.replace_range(at..at + word.len(), &format!("`{word}`"));
                }
                line
            }),
        ),
        (
            "lines of at most 60 characters",
            lines(&|line| if in_rows(line) || line.starts_with('#') { line.to_owned() } else { broken(line) }),
        ),
    ]
}

/// Returns the text with two adjacent sections of operations exchanged.
fn exchanged(text: &str) -> String {
    let parts: Vec<&str> = text.split("\n### ").collect();
    let [.., before, second, last] = parts.as_slice() else { return text.to_owned() };
    let (last, rest) = last.split_at(last.find("\n## ").unwrap_or(last.len()));
    let first = parts[..parts.len() - 3].join("\n### ");
    format!("{first}\n### {before}\n### {last}\n### {second}{rest}")
}

/// Returns the text with a list of links to its headings before the first chapter.
fn with_contents(text: &str, heading: &str) -> String {
    let links = text
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let link =
        |title: &str| format!("- [{}](#{})\n", title.replace(['<', '>'], ""), title.to_lowercase().replace(' ', "-"));
    let list: String = links.map(link).collect();
    text.replacen("\n## ", &format!("\n{heading}{list}\n## "), 1)
}

/// Returns a long row of a table with the end of its last cell in a row of its own.
fn continued(row: &str) -> String {
    let cells: Vec<&str> = row.split(" | ").collect();
    match cells.last().and_then(|last| last.split_once(", ")) {
        Some((_, rest)) if row.starts_with("| ") && cells.len() > 1 => {
            let first = &row[..row.len() - rest.len()];
            format!("{} |\n|{} {rest}", first.trim_end(), "  |".repeat(cells.len() - 1))
        }
        _ => row.to_owned(),
    }
}

/// Returns a row of a table with its last two cells in the other order.
fn turned(row: &str) -> String {
    let mut cells: Vec<&str> = row.trim_matches('|').split('|').collect();
    if let [.., one, other] = cells.as_mut_slice() {
        std::mem::swap(one, other);
    }
    format!("|{}|", cells.join("|"))
}

/// Returns a paragraph on several lines. What would begin a list there stays where it is.
fn broken(line: &str) -> String {
    let mut text = String::new();
    let mut length = 0;
    let indent = if line.starts_with("- ") {
        "  "
    } else if line.starts_with(|c: char| c.is_ascii_digit()) {
        "   "
    } else {
        ""
    };
    for word in line.split(' ') {
        let starts_nothing = word.starts_with(char::is_alphabetic);
        if length > 60 && starts_nothing {
            text.push('\n');
            text.push_str(indent);
            length = 0;
        } else if !text.is_empty() {
            text.push(' ');
        }
        length += word.len() + 1;
        text.push_str(word);
    }
    text
}

/// Changes of one place.
fn somewhere(text: &str, document: usize) -> Vec<Change> {
    let mut found = Vec::new();
    let mut add = |at: usize, length: usize, to: &str| {
        found.push(Change { document, at: at..at + length, to: to.to_owned() });
    };
    for (from, to) in SYNONYMS {
        let own = |at: &usize| {
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
            !joins(text[..*at].chars().next_back()) && !joins(text[at + from.len()..].chars().next())
        };
        for at in text.match_indices(from).map(|(at, _)| at).filter(own) {
            add(at, from.len(), to);
        }
    }
    for (nth, sentence) in sentences(text).into_iter().enumerate() {
        let own = &text[sentence.clone()];
        let all = words(own);
        let is_table = own.starts_with('|');
        let Some((at, word)) = all.iter().filter(|(_, word)| !word.starts_with(['<', '/', '_', '-'])).nth(nth % 3 + 1)
        else {
            continue;
        };
        if word.contains('<') {
            continue;
        }
        match nth % 3 {
            0 => add(sentence.start + at, word.len(), &format!("**{word}**")),
            1 => add(sentence.start + at, word.len(), &format!("`{word}`")),
            _ if is_table => add(sentence.start + at, word.len(), &format!(" {word}  ")),
            _ if word.starts_with(char::is_alphabetic) && text[..sentence.start + at].ends_with(' ') => {
                add(sentence.start + at - 1, 1 + word.len(), &format!("\n   {word}"));
            }
            _ => {}
        }
    }
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    let mut start = 0;
    for (nth, pair) in rows.windows(2).enumerate() {
        let is_body = |row: &str| {
            row.starts_with("| ") && rows[..nth].iter().rev().take_while(|row| row.starts_with('|')).count() > 1
        };
        let is_item = |row: &str| row.starts_with("- ");
        if is_body(pair[0]) && pair[1].starts_with("| ") || is_item(pair[0]) && is_item(pair[1]) {
            add(start, pair[0].len() + pair[1].len(), &format!("{}{}", pair[1], pair[0]));
        }
        start += pair[0].len();
    }
    found
}

/// Changes that can be made at once, because none touches the line of another.
fn apart(changes: Vec<Change>, text: &str) -> Vec<Vec<Change>> {
    let mut batches: Vec<Vec<Change>> = Vec::new();
    let lines = |change: &Change| {
        let end = text[change.at.end..].find('\n').map_or(text.len(), |end| change.at.end + end);
        text[..change.at.start].rfind('\n').unwrap_or(0)..end
    };
    for change in changes {
        let own = lines(&change);
        let touches = |other: &Change| lines(other).start < own.end && own.start < lines(other).end;
        match batches.iter_mut().find(|batch| !batch.iter().any(touches)) {
            Some(batch) => batch.push(change),
            None => batches.push(vec![change]),
        }
    }
    batches
}

/// Returns the changes that are reported, each with its code: where a batch has some, its halves are tried.
fn reported(subject: &Subject, changes: &[Change]) -> Vec<(String, u8)> {
    let Some(document) = changes.first().map(|change| change.document) else { return Vec::new() };
    let text = changed(&subject.texts[document], &changes.iter().collect::<Vec<_>>());
    match (code(&subject.audit(document, &text)), changes) {
        (0, _) => Vec::new(),
        (code, [change]) => vec![(change.shown(subject), code)],
        _ => {
            let (first, second) = changes.split_at(changes.len() / 2);
            [reported(subject, first), reported(subject, second)].concat()
        }
    }
}

#[test]
fn changes_without_meaning_are_no_changes_of_fact() {
    let Some(subject) = Subject::read() else { return };
    let (mut codes, mut batches, mut count) = (Vec::new(), Vec::new(), 0);
    for (document, text) in subject.texts.iter().enumerate() {
        codes.extend(on_all_cores(&everywhere(text), |(how, text)| {
            (format!("{}: {how}", DOCUMENTS[document]), code(&subject.audit(document, text)))
        }));
        let changes = somewhere(text, document);
        count += changes.len();
        batches.extend(apart(changes, text));
    }
    count += codes.len();
    codes.extend(on_all_cores(&batches, |batch| reported(&subject, batch)).into_iter().flatten());
    let of_code = |wanted: u8| -> Vec<&str> {
        codes.iter().filter(|(_, code)| *code == wanted).map(|(change, _)| change.as_str()).collect()
    };
    let (facts, words) = (of_code(1), of_code(3));
    eprintln!("{count} changes: {} of fact, {} of words", facts.len(), words.len());
    assert!(count >= 500, "{count} changes");
    assert!(facts.is_empty(), "{} of {count} are called changes of fact:\n{}", facts.len(), facts.join("\n"));
    assert!(words.len() * 20 <= count, "{} of {count} wait for review:\n{}", words.len(), words.join("\n"));
}
