//! Other words for operations and parameters: they become aliases, by which rustdoc finds them.

use crate::diagnostics::{Code, Diagnostics, Place};
use crate::model::{Api, Family};

/// Words that can be searched for, each once.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let operations = family.operations.iter().map(|operation| &operation.called);
    let parameters = family.all_parameters().map(|parameter| &parameter.called);
    for words in operations.chain(parameters) {
        for (index, (word, place)) in words.iter().enumerate() {
            is_searchable(word, *place, to);
            if let Some((_, first)) = words.iter().take(index).find(|(first, _)| first == word) {
                to.at(*place, Code::DefinedTwice, format!("duplicate words {word:?}"))
                    .related(*first, "the first ones")
                    .help("remove one of them");
            }
        }
    }
}

fn is_searchable(word: &str, place: Place, to: &mut Diagnostics) {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '/');
    if word.trim() != word || word.is_empty() || !word.chars().all(is_plain) {
        to.at(place, Code::BadValue, format!("invalid words {word:?} in `called`"))
            .help("write words of letters and digits, such as `stop loss`");
    }
}
