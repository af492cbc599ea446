//! Typos: every line of the schema deleted and doubled, and every word of it misspelt. Each is reported
//! as one mistake, where it is.
//!
//! `cargo test --release -p tradeapi-gen --test typos -- --ignored --nocapture` tries all of them and prints the
//! results by kind; the other run takes a sample.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tradeapi_gen::{Diagnostic, Diagnostics, Generator};

/// Of a hundred typos that are mistakes, at least so many are reported as one, where they are.
const AT_LEAST: usize = 95;

/// So many mistakes of a kind are judged by themselves.
const ENOUGH: usize = 500;

/// One line of one file, changed.
struct Typo {
    file: usize,
    line: usize,
    kind: Kind,
}

enum Kind {
    Deleted,
    Doubled,
    /// The bytes of a word in its line.
    Misspelt(Range<usize>),
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Deleted => "line deleted",
            Self::Doubled => "line doubled",
            Self::Misspelt(_) => "word misspelt",
        }
    }
}

/// The verdict of the generator about a typo.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Diagnosed {
    /// The schema is valid still.
    Valid,
    /// One mistake, at the typo.
    Once,
    /// One mistake, somewhere else.
    Elsewhere,
    /// More than one mistake.
    Often,
}

/// A schema file, and its lines.
struct File {
    path: PathBuf,
    lines: Vec<String>,
}

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema")
}

fn files() -> Vec<File> {
    let root = schema();
    let folders = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir() && !path.file_name().unwrap().to_str().unwrap().starts_with('.'));
    let mut paths: Vec<PathBuf> = std::iter::once(root.clone())
        .chain(folders)
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    paths.sort();
    let file = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        File { path: path.strip_prefix(&root).unwrap().to_owned(), lines: text.lines().map(str::to_owned).collect() }
    };
    paths.into_iter().map(file).collect()
}

/// Returns all typos of all files, but those in empty lines and comments.
fn typos(files: &[File]) -> Vec<Typo> {
    let mut typos = Vec::new();
    for (file, File { lines, .. }) in files.iter().enumerate() {
        for (line, text) in lines.iter().enumerate() {
            if text.trim().is_empty() || text.trim().starts_with('#') {
                continue;
            }
            let misspelt = words(text).into_iter().map(Kind::Misspelt);
            typos.extend([Kind::Deleted, Kind::Doubled].into_iter().chain(misspelt).map(|kind| Typo {
                file,
                line,
                kind,
            }));
        }
    }
    typos
}

/// Returns the words of a line: two letters or more, with the digits and underscores that are part of them.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_part(c)) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                words.push(begin..at);
                start = None;
            }
            _ => {}
        }
    }
    words.retain(|word| misspelt(&text[word.clone()]).is_some());
    words
}

/// Returns the word with two neighbouring letters swapped, away from its beginning where it can be.
fn misspelt(word: &str) -> Option<String> {
    let mut letters: Vec<char> = word.chars().collect();
    let differ = |at: &usize| {
        letters[*at] != letters[*at + 1] && letters[*at].is_ascii_alphabetic() && letters[*at + 1].is_ascii_alphabetic()
    };
    let at = (1..letters.len().saturating_sub(1))
        .find(differ)
        .or_else(|| (letters.len() > 1).then_some(0).filter(differ))?;
    letters.swap(at, at + 1);
    Some(letters.into_iter().collect())
}

impl Typo {
    /// Returns the text of its file, with it.
    fn text(&self, files: &[File]) -> String {
        let mut lines = files[self.file].lines.clone();
        match &self.kind {
            Kind::Deleted => drop(lines.remove(self.line)),
            Kind::Doubled => lines.insert(self.line, lines[self.line].clone()),
            Kind::Misspelt(word) => {
                let wrong = misspelt(&lines[self.line][word.clone()]).unwrap();
                lines[self.line].replace_range(word.clone(), &wrong);
            }
        }
        lines.join("\n") + "\n"
    }

    fn evaluate(&self, files: &[File], folder: &Path, all: &Diagnostics) -> Diagnosed {
        let all_of_them: Vec<&Diagnostic> = all.iter().collect();
        let [one] = all_of_them[..] else { return Diagnosed::Often };
        let places = one.place.iter().chain(one.related.iter().map(|(place, _)| place));
        let is_here = places.filter(|place| all.files()[place.file as usize] == folder.join(&files[self.file].path));
        let lines = &files[self.file].lines;
        let mut is_here = is_here.map(|place| (place.line as usize).saturating_sub(1));
        let is_right = match self.kind {
            Kind::Misspelt(_) => is_here.any(|line| line == self.line),
            Kind::Doubled => is_here.any(|line| line == self.line || line == self.line + 1),
            // Nothing is left of it: the lines around it, those it belonged to, or one that names what it said.
            Kind::Deleted => {
                is_here.any(|line| line.abs_diff(self.line) <= 1 || holds(lines, line, self.line))
                    || self.is_named(files, one)
            }
        };
        if is_right { Diagnosed::Once } else { Diagnosed::Elsewhere }
    }

    /// Returns whether a mistake names a word of the line.
    fn is_named(&self, files: &[File], one: &Diagnostic) -> bool {
        let line = &files[self.file].lines[self.line];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        // Names have dots and hyphens in them, which words have not.
        let is_in_line = |name: &str| line.split(|c| !is_part(c)).any(|part| part.trim_matches('.') == name);
        one.message.split('`').skip(1).step_by(2).any(is_in_line)
    }
}

/// Returns whether one line begins a mapping or an item that another one is in.
fn holds(lines: &[String], outer: usize, inner: usize) -> bool {
    let indentation = |line: &String| line.len() - line.trim_start_matches([' ', '-']).len();
    let mut least = indentation(&lines[inner]);
    for at in (0..inner).rev().filter(|at| !lines[*at].trim().is_empty()) {
        // A mapping is where its first key is.
        if indentation(&lines[at]) <= least {
            let begins = at == 0 || indentation(&lines[at]) > indentation(&lines[at - 1]) || lines[at].contains("- ");
            least = indentation(&lines[at]);
            if at == outer && begins {
                return true;
            }
        }
    }
    // The first line stands for the file.
    outer == 0
}

/// Tries typos, and returns the result of each.
fn run(files: &[File], typos: &[Typo]) -> Vec<(Diagnosed, String)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let folder = tempfile::tempdir().unwrap();
        folders::copy(&schema(), folder.path());
        let generator = Generator::new().schema_dir(folder.path()).remember();
        let mut done = Vec::new();
        while let Some(typo) = typos.get(next.load(Ordering::Relaxed)).map(|_| next.fetch_add(1, Ordering::Relaxed)) {
            let Some(one) = typos.get(typo) else { break };
            let path = folder.path().join(&files[one.file].path);
            fs::write(&path, one.text(files)).unwrap();
            let read = generator.read();
            fs::write(&path, files[one.file].lines.join("\n") + "\n").unwrap();
            let (diagnosed, text) = match read {
                Ok(_) => (Diagnosed::Valid, String::new()),
                Err(all) => (
                    one.evaluate(files, folder.path(), &all),
                    all.render(tradeapi_gen::Format::Short).replace(folder.path().to_str().unwrap(), "schema"),
                ),
            };
            done.push((typo, diagnosed, text));
        }
        done
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    done.sort_by_key(|(typo, ..)| *typo);
    done.into_iter().map(|(_, diagnosed, text)| (diagnosed, text)).collect()
}

fn most_are_reported_once(files: &[File], typos: &[Typo]) {
    let diagnosed = run(files, typos);
    let mut counts: BTreeMap<(&str, Diagnosed), usize> = BTreeMap::new();
    for (typo, (diagnosed, text)) in typos.iter().zip(&diagnosed) {
        *counts.entry((typo.kind.name(), *diagnosed)).or_default() += 1;
        if matches!(diagnosed, Diagnosed::Often | Diagnosed::Elsewhere) {
            let File { path, lines } = &files[typo.file];
            let what = match &typo.kind {
                Kind::Misspelt(word) => format!("{} of `{}`", typo.kind.name(), &lines[typo.line][word.clone()]),
                kind => kind.name().to_owned(),
            };
            println!("== {}:{}: {what}: {}\n{text}", path.display(), typo.line + 1, lines[typo.line]);
        }
    }
    let count = |kind: Option<&str>, diagnosed: Diagnosed| -> usize {
        counts.iter().filter(|((k, t), _)| *t == diagnosed && kind.is_none_or(|kind| kind == *k)).map(|(_, n)| n).sum()
    };
    for kind in [Some("line deleted"), Some("line doubled"), Some("word misspelt"), None] {
        let [valid, once, elsewhere, often] =
            [Diagnosed::Valid, Diagnosed::Once, Diagnosed::Elsewhere, Diagnosed::Often]
                .map(|diagnosed| count(kind, diagnosed));
        let mistakes = once + elsewhere + often;
        let share = once as f64 * 100.0 / mistakes as f64;
        println!(
            "{:<14} {mistakes:>6} mistakes: {once} reported once at the typo ({share:.1} %), {elsewhere} once elsewhere, {often} \
             more often; {valid} are schemas still",
            kind.unwrap_or("all")
        );
        // A sample has few of each kind, and one of them is some percent.
        if kind.is_none() || mistakes >= ENOUGH {
            let of = kind.unwrap_or("typo");
            assert!(
                share >= AT_LEAST as f64,
                "only {share:.1} % of each {of} are reported as one mistake, where they are"
            );
        }
    }
}

#[test]
fn a_typo_is_one_mistake_at_its_line() {
    let files = files();
    // A number that divides nothing of the files' rhythm.
    let sample: Vec<Typo> = typos(&files).into_iter().step_by(89).collect();
    most_are_reported_once(&files, &sample);
}

#[test]
#[ignore = "it takes minutes; run it with --release"]
fn every_typo_is_one_mistake_at_its_line() {
    let files = files();
    most_are_reported_once(&files, &typos(&files));
}
