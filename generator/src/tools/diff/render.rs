//! Differences as text: for a terminal, a changelog or a program.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Bump, Change, Class, Diff, Difference};
use crate::tools::list::align;

/// A form of the differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table for a terminal.
    #[default]
    Table,
    /// Markdown for a changelog.
    Markdown,
    /// JSON for a program.
    Json,
}

pub(super) fn render(diff: &Diff, format: Format) -> String {
    match format {
        Format::Table => table(diff),
        Format::Markdown => markdown(diff),
        Format::Json => json(diff),
    }
}

/// The classes that have differences, most serious first.
fn classes(diff: &Diff) -> impl Iterator<Item = Class> {
    Class::ALL.iter().copied().filter(|class| diff.count(*class) > 0)
}

/// The number of differences of each class.
fn counts(diff: &Diff) -> String {
    classes(diff).map(|class| format!("{} {class}", diff.count(class))).collect::<Vec<_>>().join(", ")
}

/// The punctuation of a format: how texts of the schema are quoted, and what separates old and new values.
struct Marks {
    quote: fn(&str) -> String,
    colon: &'static str,
    arrow: &'static str,
}

const TABLE: Marks = Marks { quote: str::to_owned, colon: ":", arrow: "->" };

const MARKDOWN: Marks = Marks { quote: code, colon: "", arrow: "→" };

impl Marks {
    /// Returns how something differs.
    fn change(&self, difference: &Difference) -> String {
        let Change::Changed { what, old, new, prose } = &difference.change else {
            return if difference.change == Change::Added { "new" } else { "removed" }.to_owned();
        };
        let Self { quote, colon, arrow } = self;
        let now = match (prose, old.is_empty(), new.is_empty()) {
            (true, false, false) => "reworded".to_owned(),
            (true, true, _) => "new text".to_owned(),
            (true, ..) => "text removed".to_owned(),
            (false, true, _) => format!("{} now", quote(new)),
            (false, _, true) => format!("{} no longer", quote(old)),
            (false, ..) => format!("{} {arrow} {}", quote(old), quote(new)),
        };
        format!("{what}{colon} {now}")
    }
}

/// The place: `file:line:column`.
fn place(difference: &Difference) -> String {
    let file = difference.file.display().to_string().replace('\\', "/");
    format!("{file}:{}:{}", difference.line, difference.column)
}

/// A block for each class, then the version that is needed.
fn table(diff: &Diff) -> String {
    if diff.bump() == Bump::None {
        return "no differences\n".to_owned();
    }
    let mut out = String::new();
    for class in classes(diff) {
        out.push_str(&format!("{class}\n{}\n", align(diff.of(class).map(table_row).collect())));
    }
    let bump = diff.bump();
    out.push_str(&format!("{}: needs a new {bump} version ({})\n", counts(diff), bump.example()));
    out
}

fn table_row(difference: &Difference) -> [String; 5] {
    [
        format!("  {}", difference.kind),
        difference.subjects.join(", "),
        TABLE.change(difference),
        difference.means.clone(),
        place(difference),
    ]
}

/// A list for each class, under the headings of a changelog.
fn markdown(diff: &Diff) -> String {
    let bump = diff.bump();
    if bump == Bump::None {
        return "Nothing differs.\n".to_owned();
    }
    let mut out = format!("Needs a new **{bump}** version: {}.\n", bump.example());
    for class in classes(diff) {
        out.push_str(&format!("\n### {}\n\n", heading(class)));
        out.extend(diff.of(class).map(markdown_item));
    }
    out
}

fn heading(class: Class) -> &'static str {
    match class {
        Class::Breaking => "Breaking",
        Class::Behaviour => "Behaviour",
        Class::Additive => "Added",
        Class::Documentation => "Documentation",
    }
}

fn markdown_item(difference: &Difference) -> String {
    let subjects: Vec<_> = difference.subjects.iter().map(|subject| code(subject)).collect();
    let means = if difference.means.is_empty() { String::new() } else { format!("; {}", difference.means) };
    let (kind, change, place) = (difference.kind, MARKDOWN.change(difference), code(&place(difference)));
    format!("- {kind} {}: {change}{means} ({place})\n", subjects.join(", "))
}

/// A code span whose fence is longer than any run of backticks in the text.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// The complete JSON output.
#[derive(Serialize)]
struct JsonOutput<'a> {
    bump: Bump,
    counts: BTreeMap<Class, usize>,
    differences: &'a [Difference],
}

/// A single object with the bump, the number of differences of each class, and the differences.
fn json(diff: &Diff) -> String {
    let counts = Class::ALL.iter().map(|class| (*class, diff.count(*class))).collect();
    let answer = JsonOutput { bump: diff.bump(), counts, differences: &diff.differences };
    // Plain data with texts as keys always has a JSON form.
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}
