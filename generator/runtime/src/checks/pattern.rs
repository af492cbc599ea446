//! Regular expressions, each compiled once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use regex_lite::Regex;

/// Those that were used so far. The generator has compiled each of them.
static COMPILED: Mutex<Option<HashMap<&'static str, Option<Regex>>>> = Mutex::new(None);

/// Whether a text matches a pattern.
pub(super) fn matches(pattern: &'static str, text: &str) -> bool {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = compiled.get_or_insert_default();
    let found = compiled.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
    found.as_ref().is_none_or(|found| found.is_match(text))
}
