//! Folds the diagnostics that one mistake causes in many places. For example, a type whose name is misspelt where it is
//! defined is unknown wherever it is used; and when the first line of a mapping is missing, its other lines become keys
//! of the surrounding mapping.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Code, Diagnostic, Diagnostics, Kind, Place, Scope, name_list};

/// The number of other places that are listed.
const SHOWN: usize = 3;

/// From this number on, diagnostics of one kind in one file are put down to one missing line.
const MISPLACED: usize = 2;

/// From this number on, other diagnostics that agree in one file are put down to one typo, such as in a list of states.
const ALIKE: usize = 3;

/// The largest distance in lines between entries of the same broken mapping or list.
const CLOSE: u32 = 3;

/// Diagnostics that agree and concern the same folder or file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    code: Code,
    kind: Kind,
    /// The text that they have in common: the name, the place or the message.
    shares: String,
    within: Option<PathBuf>,
    /// The smallest number of them that is one mistake.
    least: usize,
}

impl Diagnostics {
    /// Folds diagnostics that agree into one, which lists the first of the other places.
    pub(crate) fn fold_repeats(&mut self) {
        self.join_types_of_missing_files();
        let mut groups: BTreeMap<Group, Vec<Diagnostic>> = BTreeMap::new();
        for item in std::mem::take(&mut self.items) {
            match self.group_of(&item) {
                Some(group) => groups.entry(group).or_default().push(item),
                None => _ = self.items.insert(item),
            }
        }
        for (group, items) in joined_by_definition(groups) {
            if items.len() < group.least {
                self.items.extend(items);
            } else {
                self.items.extend(fold(items));
            }
        }
        self.join_misplaced();
    }

    /// Folds the unknown types of a folder without `types.yaml` into one diagnostic.
    fn join_types_of_missing_files(&mut self) {
        let mut unknown: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for item in &self.items {
            if let Some((types, name)) = self.missing_types(item) {
                unknown.entry(types).or_default().insert(name);
            }
        }
        unknown.retain(|_, names| names.len() >= ALIKE);
        let items = std::mem::take(&mut self.items);
        let is_joined =
            |item: &Diagnostic| self.missing_types(item).is_some_and(|(types, _)| unknown.contains_key(&types));
        self.items = items.into_iter().filter(|item| !is_joined(item)).collect();
        for (types, names) in unknown {
            let names = name_list(names.iter().map(String::as_str));
            self.whole(Code::MissingFile, format!("missing file {}", types.display()))
                .help(format!("add it, with the types that the family uses: {names}"));
        }
    }

    /// Returns the missing file in which an unknown type should be defined, and the name of the type.
    fn missing_types(&self, item: &Diagnostic) -> Option<(PathBuf, String)> {
        let name = item.unknown.as_ref().filter(|_| item.code == Code::UndefinedType)?.name.clone();
        let types = self.files.get(item.place?.file as usize)?.parent()?.join("types.yaml");
        (!self.files.contains(&types)).then_some((types, name))
    }

    /// Folds texts and keys that are misplaced on neighbouring lines into one diagnostic: the line above them is
    /// missing.
    fn join_misplaced(&mut self) {
        let (misplaced, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.items).into_iter().partition(Diagnostic::is_misplaced);
        self.items.extend(others);
        let mut joined: Vec<Diagnostic> = Vec::new();
        for item in misplaced {
            let follows = |first: &&mut Diagnostic| match (first.last_place(), item.place) {
                (Some(last), Some(own)) => {
                    first.message != item.message
                        && last.file == own.file
                        && own.line.saturating_sub(last.line) <= CLOSE
                }
                _ => false,
            };
            match (joined.last_mut().filter(follows), item.place) {
                (Some(first), Some(place)) => {
                    first.related.push((place, item.message));
                    first.help = first.help.take().map(with_missing_line);
                }
                _ => joined.push(item),
            }
        }
        self.items.extend(joined);
    }

    fn group_of(&self, item: &Diagnostic) -> Option<Group> {
        let file = item.place.and_then(|place| self.files.get(place.file as usize));
        let folder = || file.and_then(|file| file.parent()).map(PathBuf::from);
        if let Some(unknown) = &item.unknown {
            let within = match unknown.scope {
                Scope::File => file.cloned(),
                Scope::Family => folder(),
                Scope::Api => None,
            };
            return Some(Group {
                code: Code::UndefinedName,
                kind: Kind::Plain,
                shares: unknown.name.clone(),
                within,
                least: 2,
            });
        }
        let (shares, within, least) = match item.code {
            // The same line occurs twice.
            Code::BadExample if item.kind == Kind::DuplicateMember => {
                (format!("{:?}", item.place.map(|place| place.line)), file.cloned(), 2)
            }
            // A cycle runs through all definitions that are circular in the same way.
            Code::Circular if item.kind == Kind::Plain => (item.message.clone(), folder(), 2),
            Code::Circular => (String::new(), folder(), 2),
            // What the envelope says differs from each family in the same way.
            Code::BadResponse if item.kind == Kind::Success => (item.message.clone(), None, 2),
            // A file with one anchor usually has several.
            Code::Alias => (String::new(), file.cloned(), 2),
            // One mapping lacks all of these keys.
            Code::MissingKey if item.kind == Kind::KeyOfMapping => (format!("{:?}", item.place), None, 2),
            // The mistake is elsewhere, and these repeat it word for word.
            Code::UndefinedType | Code::UndefinedName | Code::BadValue | Code::BadExample => {
                (item.message.clone(), folder(), 2)
            }
            Code::WrongType if item.kind == Kind::TextForMapping => (item.message.clone(), file.cloned(), MISPLACED),
            Code::WrongType | Code::BadLifecycle => (item.message.clone(), file.cloned(), ALIKE),
            // The help lists the keys of the mapping; a misspelt key has a different help.
            Code::UnknownKey if item.is_unknown_key() => (item.help.clone()?, file.cloned(), MISPLACED),
            // Any other one stands alone.
            _ => return None,
        };
        Some(Group { code: item.code, kind: item.kind, shares, within, least })
    }
}

/// Joins the groups of a name that stands for the same definition: it is one mistake there, wherever it is used.
fn joined_by_definition(groups: BTreeMap<Group, Vec<Diagnostic>>) -> BTreeMap<Group, Vec<Diagnostic>> {
    let mut firsts: BTreeMap<(String, Place), Group> = BTreeMap::new();
    let mut joined: BTreeMap<Group, Vec<Diagnostic>> = BTreeMap::new();
    for (group, items) in groups {
        let defined = items.iter().find_map(|item| item.unknown.as_ref()?.defined);
        let first = defined.map(|place| firsts.entry((group.shares.clone(), place)).or_insert(group.clone()).clone());
        joined.entry(first.unwrap_or(group)).or_default().extend(items);
    }
    joined
}

/// Returns the first of a group, with the others as related places.
fn fold(group: Vec<Diagnostic>) -> Option<Diagnostic> {
    let is_unknown = group.iter().all(|item| item.unknown.is_some());
    let (messages, are_keys) = (messages(&group), group.iter().all(|item| item.code == Code::UnknownKey));
    let mut group = group.into_iter();
    let mut first = group.next()?;
    // A name that is unknown in many places may be misspelt where it is defined, so no single place is the one to fix.
    if is_unknown {
        first.fix = None;
    }
    // A cycle or an alias is reported with the message of its first place.
    if !is_unknown && !matches!(first.code, Code::Circular | Code::Alias) {
        first.message = messages;
    }
    if are_keys {
        first.help = first.help.map(with_missing_line);
    }
    if first.code == Code::MissingKey {
        first.help = Some("add these keys".to_owned());
        return Some(first);
    }
    // A place with two mistakes is listed once.
    let mut named = BTreeSet::from_iter(first.place);
    let mut others: Vec<_> = group.filter_map(|other| other.place).filter(|place| named.insert(*place)).collect();
    let more = others.len().saturating_sub(SHOWN);
    others.truncate(SHOWN);
    let last = others.len().saturating_sub(1);
    for (index, place) in others.into_iter().enumerate() {
        let why = match more {
            0 => "and here".to_owned(),
            _ if index < last => "and here".to_owned(),
            1 => "and here, and in 1 more place".to_owned(),
            more => format!("and here, and in {more} more places"),
        };
        first.related.push((place, why));
    }
    Some(first)
}

fn with_missing_line(help: String) -> String {
    const MISSING: &str = "check whether a line above them is missing; ";
    if help.starts_with(MISSING) { help } else { format!("{MISSING}{help}") }
}

impl Diagnostic {
    /// Returns the last of its places in its file.
    fn last_place(&self) -> Option<Place> {
        let own = self.place?;
        let related = self.related.iter().map(|(place, _)| *place).filter(|place| place.file == own.file);
        related.chain([own]).max_by_key(|place| place.line)
    }
}

/// Returns the messages without duplicates, so that the first does not hide the others: "unknown key `one`, `two`".
fn messages(group: &[Diagnostic]) -> String {
    let mut all = String::new();
    let mut reported: Vec<&str> = Vec::new();
    for item in group {
        let message = item.message.as_str();
        if reported.contains(&message) {
            continue;
        }
        let name = message.find('`').map_or(message, |at| &message[at..]);
        all.extend(if reported.is_empty() { ["", message] } else { [", ", name] });
        reported.push(message);
    }
    all
}
