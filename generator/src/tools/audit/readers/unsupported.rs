//! Features that an operation does not support: `Reduce-only and stop-loss orders are not supported here`.

use std::collections::BTreeSet;

use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::Reader;

impl<'a> Reader<'a> {
    /// Reads sentences that end by saying that something is not supported. An entry that spells a parameter of the family
    /// in any way names it.
    pub(super) fn unsupported(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let denied = sentence.text.find(" not supported").filter(|at| {
                let rest = &sentence.text[at + " not supported".len()..];
                matches!(rest.trim_end_matches('.').trim(), "" | "here" | "for now")
            });
            let verb = denied.and_then(|denied| {
                [" is ", " are "].iter().filter_map(|verb| sentence.text[..denied].rfind(verb)).max()
            });
            if let Some(verb) = verb {
                self.found.read(sentence);
                self.names_unsupported(sentence.before(sentence.at + verb), id);
            }
        }
    }

    fn names_unsupported(&mut self, list: Span<'a>, id: &str) {
        let Some(known) = self.claims.operations.iter().find(|known| known.operation.id == id) else { return };
        let prefix = known.operation.items().next().map(|(_, item)| item.list.item_prefix()).unwrap_or_default();
        for entry in list.split(&[", ", " and ", " or ", "/"]) {
            let names = known.family.all_parameters().map(|parameter| parameter.name.wire.as_str());
            for name in names.filter(|name| is_named(name, entry.text)).collect::<BTreeSet<_>>() {
                self.found.state(key(FactKind::Unsupported, [id, &format!("{prefix}{name}")]), "", entry);
            }
        }
    }
}

/// Returns whether a text names a parameter: it spells the name in any way (`Reduce-only`), or is the abbreviation `TP`
/// of `takeProfit` and of what begins with it, such as `tpTriggerBy`.
fn is_named(name: &str, text: &str) -> bool {
    let spelled = letters(text);
    let first = name.chars().next().filter(char::is_ascii_lowercase);
    let initials: String = first.into_iter().chain(name.chars().filter(char::is_ascii_uppercase)).collect();
    let is_short = text.len() > 1 && text.chars().all(|letter| letter.is_ascii_uppercase());
    let begins = || name.strip_prefix(&spelled).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    letters(name) == spelled || is_short && (letters(&initials) == spelled || begins())
}

/// Returns the letters and digits of a name, however it is written: `Reduce-only` is `reduceOnly`.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
