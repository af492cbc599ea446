//! Schemas with every key of the language, changed at random, one accepted change after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use serde_yaml::Value as Yaml;
use tradeapi_gen::Generator;

use crate::language::{Key, Language, Place, at, put};
use crate::random::Random;
use crate::{compile, fill, folders};

/// The number of times that a change of a key is tried.
const TRIES: usize = 6;

/// Returns the schemas that have all keys between them.
fn schemas() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let apis = std::fs::read_dir(root.join("tests/apis/schema")).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), path);
    let mut all: Vec<_> = apis.map(named).collect();
    all.sort();
    all.push(("library".to_owned(), root.join("tests/downstream/schema")));
    all
}

fn documentation() -> String {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema")).unwrap();
    let pages = entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension() == Some("md".as_ref()));
    pages.map(|page| std::fs::read_to_string(page).unwrap()).collect()
}

/// Returns an API around each part of an `api.yaml` that the documentation shows.
fn write_parts(room: &Path) -> Vec<(String, PathBuf)> {
    const OPERATION: &str = "operation: close-position\ntitle: Close Position\nhttp: GET /v1/close-position\ndoc: Asks.\n\
        effect: { is: read, why: It shows what closing would yield. }\nrequest: {}\nresponse: { object: Nothing }\n\
        examples: [{ about: One., request: '{}', response: '{}' }]\n";
    const FAMILY: &str = "family: sample\ntitle: Sample\ndoc: Sample.\nnumbers: json\nerrors: {}\n";
    let text = documentation();
    let parts =
        text.split("\n```yaml api.yaml of another API\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    let mut written = Vec::new();
    for (index, part) in parts.enumerate() {
        let folder = room.join(format!("part{index}"));
        std::fs::create_dir_all(folder.join("sample")).unwrap();
        let is_set = part.contains("window_set_by");
        let headers = if is_set { "headers: { X-Window: { doc: The window., sent: always } }\n" } else { "" };
        let api = format!("api: sample\nlanguage: 1\ndoc: Sample.\n{headers}{part}\n");
        std::fs::write(folder.join("api.yaml"), &api).unwrap();
        std::fs::write(folder.join("sample/family.yaml"), FAMILY).unwrap();
        std::fs::write(folder.join("sample/types.yaml"), "records: { Nothing: { doc: Nothing., fields: {} } }\n")
            .unwrap();
        let access = if part.contains("credentials") { "signed" } else { "public" };
        std::fs::write(folder.join("sample/close-position.yaml"), format!("{OPERATION}access: {access}\n")).unwrap();
        if Generator::new().schema_dir(&folder).read().is_ok() {
            written.push((format!("part{index}"), folder));
        }
    }
    written
}

/// Writes the schema of the language's own documentation, which has most of the keys.
fn write_documented(folder: &Path) {
    let text = documentation();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for block in text.split("\n```").skip(1).step_by(2) {
        let (info, content) = block.split_once('\n').unwrap();
        let Some(name) =
            info.strip_prefix("yaml ").filter(|name| !name.contains(' ') && !name.starts_with("smallest/"))
        else {
            continue;
        };
        writeln!(files.entry(name.to_owned()).or_default(), "{content}").unwrap();
    }
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// A schema that is changed.
struct Walk<'l> {
    language: &'l Language,
    /// The places of each file: those with a value, and those without.
    places: BTreeMap<String, [Vec<Place<'l>>; 2]>,
    name: String,
    folder: PathBuf,
    generator: Generator,
    files: BTreeMap<String, Yaml>,
    /// The changes, for who looks for a fault.
    log: String,
}

impl<'l> Walk<'l> {
    fn new(language: &'l Language, name: String, folder: PathBuf) -> Self {
        let mut files = BTreeMap::new();
        let families = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
        let families = families.filter(|entry| entry.file_type().unwrap().is_dir());
        let families =
            families.map(|entry| entry.file_name().into_string().unwrap()).filter(|name| !name.starts_with('.'));
        for family in std::iter::once(String::new()).chain(families) {
            for entry in std::fs::read_dir(folder.join(&family)).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.extension().is_some_and(|extension| extension == "yaml") {
                    let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, fill::read(&path));
                }
            }
        }
        let places = files.iter().map(|(name, document)| (name.clone(), language.places(name, document))).collect();
        let generator = Generator::new().schema_dir(&folder).remember();
        Self { language, places, name, folder, generator, files, log: String::new() }
    }

    /// Returns the places of all files with a value, or those without.
    fn all(&self, is_there: bool) -> impl Iterator<Item = (&String, &Place<'l>)> {
        let of = usize::from(!is_there);
        self.places.iter().flat_map(move |(file, places)| places[of].iter().map(move |place| (file, place)))
    }

    /// Tries one change of a key; returns all keys in what was changed if it was accepted.
    fn change(&mut self, random: &mut Random, values: &BTreeMap<Key, Vec<Yaml>>, key: &Key) -> Option<BTreeSet<Key>> {
        let of_key = |is_there| self.all(is_there).filter(|(_, place)| place.key == *key).collect::<Vec<_>>();
        let (found, free) = (of_key(true), of_key(false));
        let at_random = random.below((found.len() + free.len()).max(1));
        let is_there = at_random < found.len();
        let (file, place) =
            found.iter().chain(&free).nth(at_random).map(|(file, place)| ((*file).clone(), (*place).clone()))?;
        let value = is_there.then(|| at(&self.files[&file], &place.path).unwrap().clone());
        let own: Vec<Yaml> =
            found.iter().filter_map(|(file, place)| at(&self.files[*file], &place.path).cloned()).collect();
        let donors = values.get(&place.key).map(Vec::as_slice).unwrap_or_default();
        let donor = |random: &mut Random| {
            let all = if own.is_empty() || random.below(4) == 0 { donors } else { &own };
            (!all.is_empty()).then(|| all[random.below(all.len())].clone())
        };
        let new = match &value {
            None => Some(donor(random)?),
            Some(value) => match random.below(4) {
                0 => None,
                1 => Some(donor(random)?),
                _ => Some(changed(random, value, place.schema)),
            },
        };
        if new == value {
            return None;
        }
        let before = self.files[&file].clone();
        put(self.files.get_mut(&file).unwrap(), &place.path, new.clone());
        self.write(&file);
        let places = self.language.places(&file, &self.files[&file]);
        if self.would_lose_a_key(&file, &places[0]) || self.generator.read().is_err() {
            self.files.insert(file.clone(), before);
            self.write(&file);
            return None;
        }
        let before = self.places.insert(file.clone(), places);
        let within = before.iter().chain(self.places.get(&file)).flat_map(|[found, _]| found);
        let within = within.filter(|one| one.path.starts_with(&place.path)).map(|one| one.key.clone()).collect();
        writeln!(self.log, "{}: {file}: {:?}: {value:?} -> {new:?}", self.name, place.path).unwrap();
        Some(within)
    }

    /// Returns whether the schema would have no place with a key any more that it has now, if the file had these
    /// places.
    fn would_lose_a_key(&self, file: &str, new: &[Place<'_>]) -> bool {
        let others = self.places.iter().filter(|(other, _)| *other != file).flat_map(|(_, [found, _])| found);
        let kept: BTreeSet<&Key> = others.chain(new).map(|place| &place.key).collect();
        self.places[file][0].iter().any(|place| !kept.contains(&place.key))
    }

    fn write(&self, file: &str) {
        std::fs::write(self.folder.join(file), serde_yaml::to_string(&self.files[file]).unwrap()).unwrap();
    }
}

/// Returns another value of the same kind.
fn changed(random: &mut Random, value: &Yaml, schema: &Json) -> Yaml {
    let words: Vec<&Json> = schema["enum"].as_array().into_iter().flatten().collect();
    match value {
        _ if !words.is_empty() => serde_yaml::to_value(random.one(&words)).unwrap(),
        Yaml::Bool(truth) => (!truth).into(),
        Yaml::Number(_) => [0_u64, 1, 2, 3, 17, 400, 1 << 40][random.below(7)].into(),
        Yaml::Sequence(items) if !items.is_empty() => {
            let (mut items, at) = (items.clone(), random.below(items.len()));
            match random.below(3) {
                0 => drop(items.remove(at)),
                1 => items.rotate_left(at.max(1)),
                _ => items.reverse(),
            }
            items.into()
        }
        Yaml::Mapping(members) if !members.is_empty() => {
            let mut members = members.clone();
            let at = random.below(members.len());
            let (name, inner) = members.iter().nth(at).map(|(name, inner)| (name.clone(), inner.clone())).unwrap();
            match random.below(3) {
                0 => _ = members.shift_remove(&name),
                1 => _ = members.insert(format!("{}Too", name.as_str().unwrap_or("a")).into(), inner),
                _ => {
                    let mut entries: Vec<_> = members.into_iter().collect();
                    entries.reverse();
                    members = entries.into_iter().collect();
                }
            }
            members.into()
        }
        Yaml::String(text) => match random.below(3) {
            0 => "1".into(),
            1 => format!("{text} 2").into(),
            _ => format!("{text}2").into(),
        },
        other => other.clone(),
    }
}

/// Returns the schemas after their changes in these folders of a room, and the keys that no change reached.
fn walks<'l>(language: &'l Language, room: &Path) -> (Vec<Walk<'l>>, BTreeSet<Key>) {
    let documented = room.join("documented");
    write_documented(&documented);
    let mut walks = vec![Walk::new(language, "documented".to_owned(), documented)];
    for (name, from) in schemas() {
        let folder = room.join(&name);
        folders::copy(&from, &folder);
        walks.push(Walk::new(language, name, folder));
    }
    walks.extend(write_parts(room).into_iter().map(|(name, folder)| Walk::new(language, name, folder)));
    let mut values: BTreeMap<Key, Vec<Yaml>> = BTreeMap::new();
    for walk in &walks {
        for (file, place) in walk.all(true) {
            values.entry(place.key.clone()).or_default().extend(at(&walk.files[file], &place.path).cloned());
        }
    }
    let mut reached = BTreeSet::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut change = |key: &Key, tries: usize| {
        for _ in 0..tries {
            let nth = random.below(walks.len());
            // The smaller ones are checked sooner.
            let has_place =
                |walk: &&mut Walk<'_>| walk.all(true).chain(walk.all(false)).any(|(_, place)| place.key == *key);
            let mut fitting: Vec<&mut Walk<'_>> = walks.iter_mut().filter(has_place).collect();
            let count = fitting.len();
            let Some(walk) = fitting.get_mut(nth % count.max(1)) else { return };
            if let Some(within) = walk.change(&mut random, &values, key) {
                reached.extend(within);
                return;
            }
        }
    };
    let keys = language.keys();
    keys.iter().for_each(|key| change(key, TRIES));
    let missing = keys.difference(&reached).cloned().collect();
    (walks, missing)
}

/// Every key of the language is in a schema that was changed and passes, and at least a third of them in what was changed.
#[test]
fn every_key_of_the_language_is_reached() {
    let room = tempfile::tempdir().unwrap();
    let language = Language::read();
    let (walks, unchanged) = walks(&language, room.path());
    let keys = language.keys();
    let there: BTreeSet<Key> =
        walks.iter().flat_map(|walk| walk.all(true)).map(|(_, place)| place.key.clone()).collect();
    let missing: Vec<&Key> = keys.difference(&there).collect();
    assert!(missing.is_empty(), "no schema that passes has {missing:?}");
    println!("of {} keys, {} are in no change: {unchanged:?}", keys.len(), unchanged.len());
    assert!(unchanged.len() * 3 < keys.len() * 2, "{} of {}: {unchanged:?}", unchanged.len(), keys.len());
}

#[test]
#[ignore = "it compiles a crate, which takes minutes"]
fn what_passes_check_compiles_whatever_was_changed() {
    let room = tempfile::tempdir().unwrap();
    let language = Language::read();
    let (walks, _) = walks(&language, room.path());
    let mut modules = Vec::new();
    for walk in &walks {
        let module = format!("out_{}", walk.name);
        let generator = Generator::new().schema_dir(&walk.folder).out_dir(room.path().join(&module));
        generator.generate().unwrap_or_else(|error| panic!("{error}\n{}", walk.log));
        modules.push(module);
    }
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    if !compile::compiles(room.path(), &modules) {
        panic!("{}", walks.iter().map(|walk| walk.log.as_str()).collect::<String>());
    }
}
