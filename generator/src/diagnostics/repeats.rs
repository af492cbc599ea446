//! One mistake that shows in many places is one mistake: a type whose name is misspelled where it is defined is unknown
//! wherever it is used.

use std::collections::BTreeMap;

use super::{Code, Diagnostic, Diagnostics};

/// The kinds that repeat themselves word for word when something elsewhere is wrong.
const REPEATING: [Code; 4] = [Code::UndefinedType, Code::UndefinedName, Code::BadValue, Code::BadExample];

/// So many other places are named.
const SHOWN: usize = 3;

impl Diagnostics {
    /// Makes one mistake of those that say the same about the same folder, and names the first of the other places.
    pub(crate) fn fold_repeats(&mut self) {
        let mut groups: BTreeMap<(Code, String, Option<std::path::PathBuf>), Vec<Diagnostic>> = BTreeMap::new();
        for item in std::mem::take(&mut self.items) {
            let file = item.place.and_then(|place| self.files.get(place.file as usize));
            let folder = file.and_then(|file| file.parent()).map(|folder| folder.to_path_buf());
            if REPEATING.contains(&item.code) {
                groups.entry((item.code, item.message.clone(), folder)).or_default().push(item);
            } else {
                self.items.insert(item);
            }
        }
        for group in groups.into_values() {
            if group.len() == 1 {
                self.items.extend(group);
            } else {
                self.items.extend(fold(group));
            }
        }
    }
}

/// The first of a group, with the others as places to look at.
fn fold(group: Vec<Diagnostic>) -> Option<Diagnostic> {
    let more = group.len().saturating_sub(1 + SHOWN);
    let mut group = group.into_iter();
    let mut first = group.next()?;
    let others: Vec<_> = group.filter_map(|other| other.place).take(SHOWN).collect();
    let last = others.len().saturating_sub(1);
    for (index, place) in others.into_iter().enumerate() {
        let why =
            if index == last && more > 0 { format!("and here, and in {more} more places") } else { "and here".into() };
        first.related.push((place, why));
    }
    Some(first)
}
