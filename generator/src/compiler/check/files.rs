//! The files beside the emitted code that the schema names: example programs, and chapters of the guide.

use super::names::is_snake_case;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::Api;

/// The name of a program is a valid file name.
pub(super) fn programs(api: &Api, to: &mut Diagnostics) {
    for program in &api.examples {
        is_snake_case("program", &program.name, program.place, to);
    }
}

/// The name of a chapter is a valid file name, and leads to that of a module.
pub(super) fn chapters(api: &Api, to: &mut Diagnostics) {
    for chapter in &api.guide {
        let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_lowercase());
        let is_valid = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if !chapter.name.split('-').all(is_word) || !chapter.name.chars().all(is_valid) {
            to.at(chapter.place, Code::NotAnIdentifier, format!("invalid name of a chapter `{}`", chapter.name))
                .help("write lower-case words with hyphens between them, such as `first-steps` for `first-steps.md`");
        }
    }
}
