//! The version of the schema language that a schema is written in.
//!
//! A version changes when a schema that was right would be refused or would mean something else. Words that are added
//! change nothing for schemas that do not use them, so they do not change the version either.

use super::source::Source;
use crate::diagnostics::{Code, Diagnostics};

/// The version that is read; a schema without a version is written in the first.
const VERSION: u64 = 1;

/// Reports a schema of another version. Nothing else is read of it then, because its meaning is unknown.
pub(super) fn refuses(api: &Source, to: &mut Diagnostics) -> bool {
    // As text, because a file of another version may be no file of this one.
    let lines = api.text.lines().enumerate();
    let Some((line, value)) = lines.filter_map(|(line, text)| Some((line, text.strip_prefix("language:")?))).next()
    else {
        return false;
    };
    let version: Option<u64> = value.split(" #").next().and_then(|value| value.trim().parse().ok());
    // What is not a number is reported where keys are read.
    let Some(version) = version.filter(|version| *version != VERSION) else { return false };
    let column = 1 + "language:".len() + (value.len() - value.trim_start().len());
    let place = api.at(line + 1, column);
    let message = format!("the schema is of version {version} of the language; this generator reads version {VERSION}");
    let help = if version > VERSION {
        "use a newer tradeapi-gen".to_owned()
    } else {
        format!("there is no version {version}: write `language: {VERSION}`, or leave it out")
    };
    to.at(place, Code::OtherLanguage, message).help(help);
    true
}
