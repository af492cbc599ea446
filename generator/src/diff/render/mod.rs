//! Differences as text: for a terminal, a changelog, a program.

mod json;
mod markdown;
mod table;

use super::{Change, Class, Diff, Difference};

/// How differences are written.
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
        Format::Table => table::render(diff),
        Format::Markdown => markdown::render(diff),
        Format::Json => json::render(diff),
    }
}

/// The classes that there are differences of, the weightiest first.
fn classes(diff: &Diff) -> impl Iterator<Item = Class> {
    Class::ALL.into_iter().filter(|class| diff.count(*class) > 0)
}

/// How many differences there are of each class.
fn counts(diff: &Diff) -> String {
    classes(diff).map(|class| format!("{} {class}", diff.count(class))).collect::<Vec<_>>().join(", ")
}

/// The marks of a text: what sets apart what the schema says, and what stands between that and what is said of it.
struct Marks {
    quote: fn(&str) -> String,
    colon: &'static str,
    arrow: &'static str,
}

impl Marks {
    /// How something differs.
    fn change(&self, difference: &Difference) -> String {
        let Change::Changed { what, old, new, prose } = &difference.change else {
            return if difference.change == Change::Added { "new" } else { "gone" }.to_owned();
        };
        let Self { quote, colon, arrow } = self;
        let now = match (prose, old.is_empty(), new.is_empty()) {
            (true, false, false) => "other words".to_owned(),
            (true, true, _) => "now said".to_owned(),
            (true, ..) => "no longer said".to_owned(),
            (false, true, _) => format!("{} now", quote(new)),
            (false, _, true) => format!("{} no longer", quote(old)),
            (false, ..) => format!("{} {arrow} {}", quote(old), quote(new)),
        };
        format!("{what}{colon} {now}")
    }
}

/// Where it stands: `file:line:column`.
fn place(difference: &Difference) -> String {
    let file = difference.file.display().to_string().replace('\\', "/");
    format!("{file}:{}:{}", difference.line, difference.column)
}
