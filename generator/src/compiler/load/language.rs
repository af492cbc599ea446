//! The version of the schema language that a schema is written in.
//!
//! The version changes when a valid schema would be refused or change its meaning. New words change nothing for schemas
//! that do not use them, so they do not change the version.
//!
//! It is read before anything else, because every other mistake in a file of another version would mislead.

use super::source::SchemaFile;
use crate::compiler::diagnostics::{Code, Diagnostics};

/// The version that the generator reads; it also applies to schemas that do not state one.
const VERSION: u64 = 1;

/// Returns whether the schema is of another version, which is reported. Its other content has an unknown meaning and is
/// not read.
pub(super) fn refuses(api: &SchemaFile, to: &mut Diagnostics) -> bool {
    // Read as plain text, because a file of another version may not parse as one of this version.
    let lines = api.text.lines().enumerate();
    let Some((line, value)) = lines.filter_map(|(line, text)| Some((line, text.strip_prefix("language:")?))).next()
    else {
        return false;
    };
    let version: Option<u64> = value.split(" #").next().and_then(|value| value.trim().parse().ok());
    // A value that is not a number is reported when the keys are read.
    let Some(version) = version.filter(|version| *version != VERSION) else { return false };
    let column = 1 + "language:".len() + (value.len() - value.trim_start().len());
    let place = api.at(line + 1, column);
    let message = format!("the schema is of version {version} of the language; this generator reads version {VERSION}");
    let help = if version > VERSION {
        "use a newer tradeapi-gen".to_owned()
    } else {
        format!("unknown version {version}: write `language: {VERSION}`, or leave it out")
    };
    to.at(place, Code::OtherLanguage, message).help(help);
    true
}
