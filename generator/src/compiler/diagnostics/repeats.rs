//! Mistakes that are consequences of others, and several with one cause.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::code::Dependence;
use super::{Code, Diagnostic, Diagnostics, Kind, Place, Scope, name_list, shown};

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
        self.drop_mistakes_of_copies();
        self.fold_mistakes_of_suspects();
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

    /// Drops what is wrong on a line of one family's file that is right in a file of another family with the same method
    /// and path: the names of the line are those of the other family.
    fn drop_mistakes_of_copies(&mut self) {
        let folder = |file: u32| self.files.get(file as usize).and_then(|path| path.parent());
        let line = |place: Place| self.text(place.file)?.lines().nth(place.line.checked_sub(1)? as usize);
        let mistaken: BTreeSet<(u32, &str)> =
            self.items.iter().filter_map(|item| Some((item.place?.file, line(item.place?)?))).collect();
        let twins = self.items.iter().filter(|item| item.code == Code::BadPath);
        let twins = twins.filter_map(|item| Some([item.place?.file, item.related.first()?.0.file]));
        let twins: Vec<[u32; 2]> = twins.filter(|[one, other]| folder(*one) != folder(*other)).collect();
        let is_right = |file: u32, line: &str| {
            !mistaken.contains(&(file, line)) && self.text(file).is_some_and(|text| text.lines().any(|one| one == line))
        };
        let is_of_copy = |item: &&Diagnostic| {
            let Some((at, line)) = item.place.and_then(|at| Some((at, line(at)?))) else { return false };
            let mut others = twins.iter().flat_map(|[one, other]| [(one, other), (other, one)]);
            item.code != Code::BadPath && others.any(|(own, other)| at.file == *own && is_right(*other, line))
        };
        let dropped: BTreeSet<Diagnostic> = self.items.iter().filter(is_of_copy).cloned().collect();
        self.items.retain(|item| !dropped.contains(item));
    }

    /// Folds what may follow from a file that was saved in part, or over another one, into one mistake of that file.
    fn fold_mistakes_of_suspects(&mut self) {
        let mut suspects: Vec<(u32, (String, &str), BTreeSet<Diagnostic>)> = Vec::new();
        for (file, path) in (0_u32..).zip(&self.files) {
            let Some(text) = self.text(file).filter(|text| !text.is_empty()) else { continue };
            // Drafts of operations begin alike.
            let is_twin = |other: u32| stem(path) == "types" && other != file && self.text(other) == Some(text);
            let twin = (0_u32..).zip(&self.files).find(|(other, _)| is_twin(*other));
            let why = match twin {
                Some((_, twin)) => (format!("the file is a copy of {}", shown(twin)), "restore its content"),
                None if text.ends_with('\n') => continue,
                None => ("the file ends within a line".to_owned(), "restore what comes after it, or end the line"),
            };
            let suspect =
                Reading { reported: BTreeSet::new(), files: BTreeMap::from([(path.clone(), Unread::Anything)]) };
            // What is wrong before the entry in which a file ends is wrong by itself.
            let is_entry = |(_, line): &(usize, &str)| !line.starts_with("   ");
            let last = (1_usize..).zip(text.lines()).filter(is_entry).last().map_or(0, |(number, _)| number);
            let first = if twin.is_some() { 0 } else { last };
            let is_own =
                |item: &Diagnostic| item.place.is_some_and(|place| place.file == file && place.line as usize >= first);
            let followers = self.items.iter().filter(|item| is_own(item) || self.follows(item, &suspect));
            let followers = followers.cloned().collect();
            suspects.push((file, why, followers));
        }
        // Of two files that are the same, more follows from the one that lost its content.
        suspects.sort_by_key(|(.., followers)| std::cmp::Reverse(followers.len()));
        for (file, why, followers) in suspects {
            let mut own = self.items.iter().filter(|item| followers.contains(item));
            if own.nth(ALIKE - 1).is_some() {
                self.items.retain(|item| !followers.contains(item));
                self.at(Place::of_file(file), Code::BrokenYaml, why.0).help(why.1);
            }
        }
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
            // The help lists the values of the same enum, whichever family names it.
            if item.code == Code::BadValue {
                let shares = format!("{} {:?}", unknown.name, item.help);
                return Some(Group { code: item.code, kind: item.kind, shares, within: None, least: 2 });
            }
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
            // The file with the observed codes is missing.
            Code::UndefinedName if item.kind == Kind::ObservedCode => (String::new(), None, 2),
            // What the envelope says differs from each family in the same way.
            Code::BadResponse if item.kind == Kind::Success => (item.message.clone(), None, 2),
            // A file with one anchor usually has several.
            Code::Alias => (String::new(), file.cloned(), 2),
            // One mapping lacks all of these keys.
            Code::MissingKey if item.kind == Kind::KeyOfMapping => (format!("{:?}", item.place), None, 2),
            // One bound is broken by the examples of several calls.
            Code::BadExample if !item.related.is_empty() => (format!("{:?}", item.related.first()?.0), None, 2),
            // The mistake is elsewhere, and these repeat it word for word.
            Code::UndefinedType | Code::UndefinedName | Code::BadValue | Code::BadExample => {
                (item.message.clone(), folder(), 2)
            }
            Code::WrongType if item.kind == Kind::TextForMapping => (item.message.clone(), file.cloned(), MISPLACED),
            Code::WrongType | Code::BadLifecycle => (item.message.clone(), file.cloned(), ALIKE),
            // The help lists the keys of the mapping; a misspelt key has a different help.
            Code::UnknownKey if item.is_unknown_key() => (item.help.clone()?, file.cloned(), MISPLACED),
            // One definition explains all of these, word for word.
            Code::BadCounterpart | Code::BadResponse | Code::BadOutcome => {
                (format!("{} {:?}", item.message, item.related.first()?.0), None, 2)
            }
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

/// The mistakes of the stage that reads files.
pub(crate) struct Reading {
    reported: BTreeSet<Diagnostic>,
    /// The files with these mistakes.
    files: BTreeMap<PathBuf, Unread>,
}

/// The part of a file that is unknown because the file was not read entirely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unread {
    /// Single words and numbers. All names are known.
    Words,
    Anything,
}

impl Diagnostics {
    /// Marks the end of reading: all mistakes so far were found by it. Those that were noted for later follow.
    pub(crate) fn end_of_reading(&mut self) -> Reading {
        let missing = std::mem::take(&mut self.reading.missing).into_iter();
        let mut files: BTreeMap<PathBuf, Unread> = missing.map(|path| (path, Unread::Anything)).collect();
        for file in self.mistaken_files() {
            let mut own = self.items.iter().filter(|item| item.place.is_some_and(|place| place.file == file));
            let unread = if own.all(|item| item.kind == Kind::Scalar) { Unread::Words } else { Unread::Anything };
            files.extend(self.files.get(file as usize).map(|path| (path.clone(), unread)));
        }
        let reading = Reading { reported: self.items.clone(), files };
        self.items.extend(std::mem::take(&mut self.reading.later));
        for (mapping, key) in std::mem::take(&mut self.reading.lacking) {
            self.lacking(mapping, key);
        }
        reading
    }

    /// Removes mistakes of later stages that may only be consequences of content that could not be read.
    pub(crate) fn drop_follow_ups(&mut self, reading: &Reading) {
        let misplaced: Vec<(&Diagnostic, Place)> = self
            .items
            .iter()
            .filter_map(|item| Some((item, item.place?)))
            .filter(|(item, _)| item.is_misplaced())
            .collect();
        let explains = |(misplaced, at): &(&Diagnostic, Place), missing: &Place| {
            at.file == missing.file && (misplaced.is_unknown_key() || self.may_hold(*at, *missing))
        };
        let explained: BTreeSet<Diagnostic> = self
            .items
            .iter()
            .filter(|item| item.code == Code::MissingKey)
            .filter(|item| {
                item.place.is_some_and(|place| misplaced.iter().any(|misplaced| explains(misplaced, &place)))
            })
            .cloned()
            .collect();
        // A second document may have the keys that the first one lacks.
        let is_followed = |place: Place| {
            let mut others = self.items.iter().filter(|item| item.code == Code::SeveralDocuments);
            others.any(|item| item.place.is_some_and(|at| at.file == place.file))
        };
        let behind: BTreeSet<Diagnostic> = self
            .items
            .iter()
            .filter(|item| item.code == Code::MissingKey && item.place.is_some_and(is_followed))
            .cloned()
            .collect();
        let unused: BTreeSet<Diagnostic> =
            self.items.iter().filter(|item| self.may_be_used_after_all(item)).cloned().collect();
        let mut items = std::mem::take(&mut self.items);
        items.retain(|item| !unused.contains(item) && !behind.contains(item));
        items.retain(|item| reading.reported.contains(item) || !explained.contains(item));
        items.retain(|item| reading.reported.contains(item) || !self.follows(item, reading));
        self.items = items;
    }

    /// Returns whether a type or a header may be unused only because of another mistake: in a key or a name of what can
    /// use it, or on the line of its own definition. Mistakes of values hide no use.
    fn may_be_used_after_all(&self, item: &Diagnostic) -> bool {
        let folder = |item: &Diagnostic| self.files.get(item.place?.file as usize)?.parent();
        let can_use = |other: &Diagnostic| match item.kind {
            Kind::Type => folder(other) == folder(item),
            _ => true,
        };
        let hides = |other: &Diagnostic| {
            let is_of_names = other.code < Code::BadPath || matches!(other.code, Code::BadChoice | Code::BadResponse);
            let line = |item: &Diagnostic| item.place.map(|place| (place.file, place.line));
            other.code != Code::Unused && (is_of_names && can_use(other) || line(other) == line(item))
        };
        matches!(item.kind, Kind::Type | Kind::Header) && self.items.iter().any(hides)
    }

    /// Returns whether a key that is missing at one place may be at the other: both are under the same key of the file,
    /// or the file itself lacks the key.
    fn may_hold(&self, at: Place, missing: Place) -> bool {
        let is_key = |line: &str| !line.starts_with([' ', '#', '-']) && !line.is_empty();
        let text = self.text(at.file).unwrap_or_default();
        let keys = |place: Place| text.lines().take(place.line as usize).filter(|line| is_key(line)).count();
        keys(missing) <= 1 || keys(missing) == keys(at)
    }

    fn follows(&self, item: &Diagnostic, reading: &Reading) -> bool {
        let Some((file, path)) = item.place.and_then(|place| Some((place.file, self.files.get(place.file as usize)?)))
        else {
            return false;
        };
        let text = self.text(file).unwrap_or_default();
        let depends = item.code.depends_on();
        reading.files.iter().any(|(unread, extent)| match depends {
            Dependence::Nothing => false,
            Dependence::Types => *extent == Unread::Anything && is_types_of(unread, path),
            Dependence::Names if item.scope() == Some(Scope::File) && unread != path => false,
            Dependence::Names if *extent == Unread::Words && (unread == path || is_shared(unread)) => false,
            // What families name is theirs, unless it is marked as a name of the API.
            Dependence::Names if is_root(unread) && !is_root(path) => {
                item.scope() == Some(Scope::Api) || item.kind == Kind::ObservedCode
            }
            Dependence::Names | Dependence::Everything => unread == path || builds_on(path, text, unread),
        })
    }
}

fn is_types_of(unread: &Path, path: &Path) -> bool {
    stem(unread) == "types" && unread.parent() == path.parent()
}

/// Returns whether a file depends on another: on those that its family shares, and on each operation that it names, of
/// another family as `family.operation`, with what that family shares. A shared file of a family also depends on its
/// operations, which use it, and a shared file of the API on all files.
fn builds_on(path: &Path, text: &str, unread: &Path) -> bool {
    if unread.parent() != path.parent() {
        if !is_root(unread) && path.parent().and_then(Path::parent) == unread.parent() {
            // A file that is outside of its folder.
            return text.contains(stem(unread));
        }
        let family = unread.parent().map(stem).unwrap_or_default();
        let operation = if is_shared(unread) { "" } else { stem(unread) };
        return is_root(unread) || is_root(path) || text.contains(&format!("{family}.{operation}"));
    }
    is_shared(unread) || is_shared(path) || text.contains(stem(unread))
}

/// Returns whether all files of a family or of the API depend on a file.
fn is_shared(path: &Path) -> bool {
    is_root(path) || matches!(stem(path), "family" | "types")
}

fn is_root(path: &Path) -> bool {
    matches!(stem(path), "api" | "codes")
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}
