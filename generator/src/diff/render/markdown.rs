//! Markdown for a changelog.

use super::{Diff, Difference, Marks, classes, place};
use crate::diff::{Bump, Class};

const MARKS: Marks = Marks { quote: code, colon: "", arrow: "→" };

/// A list for each class, under the headings of a changelog.
pub(super) fn render(diff: &Diff) -> String {
    let bump = diff.bump();
    if bump == Bump::None {
        return "Nothing differs.\n".to_owned();
    }
    let mut out = format!("Deserves a new **{bump}** version: {}.\n", bump.example());
    for class in classes(diff) {
        out.push_str(&format!("\n### {}\n\n", heading(class)));
        out.extend(diff.of(class).map(item));
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

fn item(difference: &Difference) -> String {
    let subjects: Vec<_> = difference.subjects.iter().map(|subject| code(subject)).collect();
    let means = if difference.means.is_empty() { String::new() } else { format!("; {}", difference.means) };
    let (kind, change, place) = (difference.kind, MARKS.change(difference), code(&place(difference)));
    format!("- {kind} {}: {change}{means} ({place})\n", subjects.join(", "))
}

/// A span of code; its fence is longer than any run of backticks in the text.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}
