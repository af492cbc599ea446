//! Text files that other programs wrote: without the byte-order mark that some of them put first, and refused if they are
//! in another encoding or damaged.

use std::io::{Error, Result};
use std::path::Path;

/// Returns the text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path)?;
    if let Some(what) = utf_16(&bytes) {
        return Err(Error::other(format!("the file is {what}; save it as UTF-8")));
    }
    let text =
        String::from_utf8(bytes).map_err(|error| Error::other(format!("{}; save it as UTF-8", error.utf8_error())))?;
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count() + 1;
        return Err(Error::other(format!("the file has a NUL byte in line {line}, so it is damaged or no text")));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns the encoding of a text with two bytes for each ASCII character, which some editors on Windows write.
pub(crate) fn utf_16(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] => Some("UTF-16 (little endian)"),
        [0xfe, 0xff, ..] => Some("UTF-16 (big endian)"),
        [first, 0, second, 0, ..] if *first > 0 && *second > 0 => Some("UTF-16 (little endian)"),
        [0, first, 0, second, ..] if *first > 0 && *second > 0 => Some("UTF-16 (big endian)"),
        _ => None,
    }
}
