//! JSON for a program.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Diff, Difference};
use crate::diff::{Bump, Class};

/// The whole answer.
#[derive(Serialize)]
struct Answer<'a> {
    bump: Bump,
    counts: BTreeMap<Class, usize>,
    differences: &'a [Difference],
}

/// One object: the bump, how many differences there are of each class, and the differences.
pub(super) fn render(diff: &Diff) -> String {
    let counts = Class::ALL.into_iter().map(|class| (class, diff.count(class))).collect();
    let answer = Answer { bump: diff.bump(), counts, differences: &diff.differences };
    // Plain data with texts as keys always has a JSON form.
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}
