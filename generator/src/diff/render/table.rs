//! A table for a terminal.

use super::{Diff, Difference, Marks, classes, counts, place};
use crate::diff::Bump;
use crate::list::align;

const MARKS: Marks = Marks { quote: str::to_owned, colon: ":", arrow: "->" };

/// A block for each class, then what it comes to.
pub(super) fn render(diff: &Diff) -> String {
    if diff.bump() == Bump::None {
        return "no differences\n".to_owned();
    }
    let mut out = String::new();
    for class in classes(diff) {
        out.push_str(&format!("{class}\n{}\n", align(diff.of(class).map(row).collect())));
    }
    let bump = diff.bump();
    out.push_str(&format!("{}: deserves a new {bump} version ({})\n", counts(diff), bump.example()));
    out
}

fn row(difference: &Difference) -> [String; 5] {
    [
        format!("  {}", difference.kind),
        difference.subjects.join(", "),
        MARKS.change(difference),
        difference.means.clone(),
        place(difference),
    ]
}
