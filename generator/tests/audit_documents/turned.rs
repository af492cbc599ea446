//! Changes by a program that turn what every sentence says around: words exchanged for their opposites, negations put
//! in and taken away, other units, other numbers, two parts of a sentence exchanged. None may pass.

use std::ops::Range;

use crate::{Change, DOCUMENTS, Subject, changed, code, on_all_cores};

/// Words that stand for each other's opposites, or for other things of their kind.
const OPPOSITES: &[(&str, &str)] = &[
    ("long", "short"),
    ("buy", "sell"),
    ("open", "close"),
    ("isolated", "crossed"),
    ("taker", "maker"),
    ("limit", "market"),
    ("yes", "no"),
    ("YES", "NO"),
    ("required", "optional"),
    ("required", "forbidden"),
    ("most", "least"),
    ("maximum", "minimum"),
    ("above", "below"),
    ("filled", "live"),
    ("base", "quote"),
    ("take-profit", "stop-loss"),
    ("takeProfit", "stopLoss"),
    ("startTime", "endTime"),
    ("hedge", "one-way"),
    ("larger", "smaller"),
    ("exceeds", "meets"),
    ("before", "after"),
    ("old", "new"),
    ("orderId", "clientOid"),
    ("ignored", "rejected"),
    ("keeps", "deletes"),
    ("keeps", "cancels"),
    ("cancelled", "kept"),
    ("canceled", "filled"),
    ("true", "false"),
    ("success", "failure"),
    ("all", "one"),
    ("spot", "futures"),
    ("only", "never"),
    ("both", "neither"),
    ("first", "last"),
    ("string", "number"),
    ("strings", "numbers"),
    ("wins", "loses"),
    ("and", "or"),
    ("if", "unless"),
    ("when", "unless"),
    ("with", "without"),
    ("may", "must"),
    ("must", "should"),
    ("supported", "ignored"),
    ("trading", "transaction"),
    ("customised", "system"),
    ("initial", "final"),
    ("creation", "update"),
    ("successList", "failureList"),
];

/// Words that are taken away, put in or put elsewhere so that a sentence says the contrary.
const NEGATIONS: &[(&str, &str)] = &[
    ("cannot", "can"),
    ("not ", ""),
    ("no ", ""),
    ("only ", ""),
    ("is ", "is not "),
    ("are ", "are not "),
    ("can ", "cannot "),
    ("may ", "may not "),
    ("must ", "must not "),
    ("required", "not required"),
    ("applies", "does not apply"),
    ("allowed", "not allowed"),
    ("default", "not the default"),
];

/// Units, and others.
const UNITS: &[(&str, &str)] = &[
    ("Unix ms", "Unix seconds"),
    ("Unix milliseconds", "Unix seconds"),
    ("days", "hours"),
    ("months", "weeks"),
    ("week", "month"),
    ("hours", "minutes"),
    ("90-day", "90-hour"),
    ("second", "minute"),
    ("/s", "/min"),
    ("UID", "IP"),
    ("USD", "EUR"),
    ("USDT", "USDC"),
    ("BTC", "ETH"),
    ("coin", "contracts"),
    ("digits", "characters"),
    ("UTC+8", "UTC"),
    ("T+1", "T+2"),
    ("integer", "string"),
];

/// Returns the sentences, cells' rows and items: lines that say something, parted where a sentence ends.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let says = line.chars().any(char::is_alphanumeric) && !line.starts_with('#');
        if says && line.starts_with('|') {
            found.push(start..start + line.trim_end().len());
        } else if says {
            let mut from = 0;
            for (at, _) in line.trim_end().match_indices(". ").chain([(line.trim_end().len(), "")]) {
                found.push(start + from..start + at);
                from = (at + 2).min(line.len());
            }
        }
        start += line.len();
    }
    found.retain(|range| text[range.clone()].chars().any(char::is_alphabetic));
    found
}

/// Returns where a text stands as a word of its own.
fn words(text: &str, range: &Range<usize>, word: &str) -> Vec<usize> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let starts = word.starts_with(char::is_alphanumeric);
    let ends = word.ends_with(char::is_alphanumeric);
    let own = |at: &usize| {
        let (before, after) = (text[..*at].chars().next_back(), text[at + word.len()..].chars().next());
        !(starts && joins(before) || ends && joins(after))
    };
    text[range.clone()].match_indices(word).map(|(at, _)| range.start + at).filter(own).collect()
}

/// Returns every change of one sentence.
fn turned(text: &str, document: usize, sentence: &Range<usize>) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    let mut add = |at: usize, length: usize, to: &str| {
        found.push(Change { document, at: at..at + length, to: to.to_owned() });
    };
    let both = OPPOSITES.iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    for (from, to) in both.chain(NEGATIONS.iter().map(|(from, to)| (from, to))).chain(UNITS.iter().map(|(a, b)| (a, b)))
    {
        for at in words(text, sentence, from) {
            add(at, from.len(), to);
        }
    }
    let own = &text[sentence.clone()];
    let mut from = None;
    for (at, c) in own.char_indices().chain([(own.len(), ' ')]) {
        match (from, c.is_ascii_digit()) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                let digits = &own[start..at];
                let next = digits.parse::<u64>().map_or(String::new(), |n| (n + 1).to_string());
                add(sentence.start + start, digits.len(), &next);
                from = None;
            }
            _ => {}
        }
    }
    // `a x; b y` becomes `b x; a y`.
    for mark in ["; ", ", ", ": ", " | "] {
        let parts: Vec<&str> = own.split(mark).collect();
        let [first, second, ..] = parts.as_slice() else { continue };
        let word = |part: &str| {
            part.trim_start_matches(['|', ' ', '-', '(']).split([' ', '(', ')', '.']).next().unwrap_or_default().len()
        };
        let first_at = first.len() - first.trim_start_matches(['|', ' ', '-', '(']).len();
        let a = &first[first_at..first_at + word(first)];
        let b = &second[..word(second)];
        let second_at = first.len() + mark.len();
        if !a.is_empty() && !b.is_empty() && a != b {
            let between = &own[first_at + a.len()..second_at];
            add(sentence.start + first_at, a.len() + between.len() + b.len(), &format!("{b}{between}{a}"));
        }
    }
    let is_the_same = |change: &Change| text[change.at.clone()] == change.to;
    found.retain(|change| !is_the_same(change));
    if found.is_empty() {
        found.push(Change { document, at: sentence.end..sentence.end, to: " or not".to_owned() });
    }
    found
}

/// Changes that are made at once: no two on a line, so that each is reported by itself.
fn batches(subject: &Subject) -> Vec<Vec<Change>> {
    let mut batches: Vec<Vec<Change>> = Vec::new();
    for (document, text) in subject.texts.iter().enumerate() {
        let mut lines: Vec<Vec<Change>> = Vec::new();
        let mut line_end = 0;
        for (nth, sentence) in sentences(text).iter().enumerate() {
            if lines.is_empty() || text[line_end..sentence.start].contains('\n') {
                lines.push(Vec::new());
            }
            line_end = sentence.end;
            let all = turned(text, document, sentence);
            let first = nth % ONE_OF.min(all.len());
            lines.last_mut().unwrap().extend(all.into_iter().skip(first).step_by(ONE_OF));
        }
        let most = lines.iter().map(Vec::len).max().unwrap_or(0);
        batches.extend((0..most).map(|nth| lines.iter().filter_map(|line| line.get(nth).cloned()).collect()));
    }
    batches
}

/// One change of a sentence in so many, by turns, so that every sentence and every kind of change is tried.
const ONE_OF: usize = 2;

/// Returns what the audit says of changes made at once: for each, whether it is reported at its line as one of fact, or
/// of words.
fn reported(subject: &Subject, batch: &[Change]) -> Vec<u8> {
    let Some(document) = batch.first().map(|change| change.document) else { return Vec::new() };
    let text = &subject.texts[document];
    let report = subject.audit(document, &changed(text, &batch.iter().collect::<Vec<_>>())).to_string();
    let (facts, words) = report.split_once("words to review:\n").unwrap_or((&report, ""));
    let of_change = |change: &Change| {
        let line = format!("  {}.md:{}: ", DOCUMENTS[document], text[..change.at.start].matches('\n').count() + 1);
        match (facts.contains(&line), words.contains(&line)) {
            (true, _) => 1,
            (false, true) => 3,
            // Elsewhere, or not at all.
            (false, false) => code(&subject.audit(document, &changed(text, &[change]))),
        }
    };
    batch.iter().map(of_change).collect()
}

#[test]
fn no_change_that_reverses_a_sentence_passes() {
    let Some(subject) = Subject::read() else { return };
    let batches = batches(&subject);
    let codes =
        on_all_cores(&batches, |batch| batch.iter().cloned().zip(reported(&subject, batch)).collect::<Vec<_>>());
    let codes: Vec<(Change, u8)> = codes.into_iter().flatten().collect();
    let count = |wanted: u8| codes.iter().filter(|(_, code)| *code == wanted).count();
    let silent = codes.iter().filter(|(_, code)| *code == 0);
    let silent: Vec<String> = silent.map(|(change, _)| change.shown(&subject)).collect();
    eprintln!("{} changes: {} of fact, {} of words, {} silent", codes.len(), count(1), count(3), silent.len());
    assert!(codes.len() >= 500, "{} changes", codes.len());
    assert!(silent.is_empty(), "{} of {} pass:\n{}", silent.len(), codes.len(), silent.join("\n"));
}
