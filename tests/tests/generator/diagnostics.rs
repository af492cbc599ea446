//! Diagnostics of invalid schemas: a snapshot of every kind of mistake.
//!
//! `fixtures/base` is a schema without mistakes. A folder of `fixtures/broken` has the files in which a case differs,
//! and in `remove.txt` the names of files that the case removes. Files that a repository cannot contain, such as binary
//! ones, are created here.

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tempfile::TempDir;
use tradeapi_gen::{Code, Diagnostics, Format, Generator, Layout};
use tradeapi_tests::folders;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Returns the files below a folder, named relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// Copies the schema without mistakes into a temporary folder.
fn base() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&fixtures().join("base"), folder.path());
    folder
}

/// Writes the schema of a case.
fn write_broken(case: &Path, folder: &Path) {
    folders::copy(&fixtures().join("base"), folder);
    folders::copy(case, folder);
    let list = folder.join("remove.txt");
    if let Ok(names) = fs::read_to_string(&list) {
        fs::remove_file(list).unwrap();
        names.lines().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
    }
}

fn mistakes(folder: &Path) -> Diagnostics {
    Generator::new().schema_dir(folder).read().expect_err("the schema has a mistake")
}

/// A case, with the function that breaks the schema.
type Break = fn(&Path) -> Diagnostics;

/// Mistakes in files that a repository cannot contain.
const GENERATED_CASES: &[(&str, Break)] = &[
    ("bytes_that_are_not_utf8", |folder| {
        fs::write(folder.join("house/types.yaml"), b"enums:\n  Pl\xc3\xa4ce:\n    doc: caf\xe9\n").unwrap();
        mistakes(folder)
    }),
    ("bytes_with_a_mark", |folder| {
        spoil(folder, "house/types.yaml", |text| format!("\u{feff}{text}"));
        mistakes(folder)
    }),
    ("bytes_with_carriage_returns", |folder| {
        spoil(folder, "office/count.yaml", |text| text.replace('\n', "\r\n"));
        mistakes(folder)
    }),
    ("bytes_none", |folder| {
        spoil(folder, "office/count.yaml", |_| String::new());
        mistakes(folder)
    }),
    ("bytes_too_many", |folder| {
        fs::File::create(folder.join("office/count.yaml")).unwrap().set_len(17 << 20).unwrap();
        mistakes(folder)
    }),
    ("bytes_in_utf16", |folder| {
        let text = fs::read_to_string(folder.join("office/count.yaml")).unwrap();
        let bytes: Vec<u8> = "\u{feff}".chars().chain(text.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
        fs::write(folder.join("office/count.yaml"), bytes).unwrap();
        mistakes(folder)
    }),
    ("file_of_another_name", |folder| {
        fs::rename(folder.join("house/lend-book.yaml"), folder.join("house/borrow-book.yaml")).unwrap();
        mistakes(folder)
    }),
    ("files_that_windows_does_not_allow", |folder| {
        for name in ["Con.yaml", "a?b.yaml", "lend-Book.yaml"] {
            fs::copy(folder.join("house/lend-book.yaml"), folder.join("house").join(name)).unwrap();
        }
        mistakes(folder)
    }),
    #[cfg(unix)]
    ("link_out_of_the_folder", |folder| {
        let target = fixtures().join("base/house/read-book.yaml");
        fs::remove_file(folder.join("house/read-book.yaml")).unwrap();
        std::os::unix::fs::symlink(target, folder.join("house/read-book.yaml")).unwrap();
        mistakes(folder)
    }),
    #[cfg(unix)]
    ("link_to_another_file", |folder| {
        fs::remove_file(folder.join("house/read-book.yaml")).unwrap();
        std::os::unix::fs::symlink("lend-book.yaml", folder.join("house/read-book.yaml")).unwrap();
        mistakes(folder)
    }),
    ("folder_in_place_of_the_api", |folder| {
        fs::remove_file(folder.join("api.yaml")).unwrap();
        fs::create_dir(folder.join("api.yaml")).unwrap();
        mistakes(folder)
    }),
    ("merge_conflicts", |folder| {
        spoil(folder, "house/lend-book.yaml", |text| {
            let title = "<<<<<<< HEAD\ntitle: Lend Book\n||||||| base\n=======\ntitle: Lend a Book\n>>>>>>> other\n";
            text.replace("title: Lend Book\n", title).replace("effect: create\n", "effect: create\n>>>>>>> other\n")
        });
        spoil(folder, "office/count.yaml", |text| text.replace("effect: cancel", "effect: kancel"));
        mistakes(folder)
    }),
    ("list_of_a_million", |folder| {
        spoil(folder, "office/count.yaml", |text| text + "not_shown:\n" + &"- x\n".repeat(1_000_000));
        mistakes(folder)
    }),
    ("folder_missing", |folder| mistakes(&folder.join("schemas"))),
    ("folder_that_is_a_file", |folder| mistakes(&folder.join("api.yaml"))),
    ("folder_without_families", |folder| {
        fs::remove_dir_all(folder.join("house")).unwrap();
        fs::remove_dir_all(folder.join("office")).unwrap();
        mistakes(folder)
    }),
    ("folder_without_files", |folder| {
        let empty = folder.join("empty");
        fs::create_dir(&empty).unwrap();
        mistakes(&empty)
    }),
    ("output_that_is_a_file", |folder| {
        let generator = Generator::new().schema_dir(folder).out_dir(folder.join("api.yaml"));
        generator.generate().expect_err("nothing can be written below a file")
    }),
    ("output_that_cannot_be_compared", |folder| {
        fs::create_dir_all(folder.join(".out/api.rs")).unwrap();
        let generator = Generator::new().schema_dir(folder).out_dir(folder.join(".out"));
        generator.compare().expect_err("a folder has no text")
    }),
    ("revision_of_a_folder_that_is_missing", |folder| {
        Generator::new().schema_dir(folder.join("nowhere")).read_at("HEAD").expect_err("there is no such folder")
    }),
    ("yaml_a_thousand_deep_in_flow", |folder| {
        spoil(folder, "office/count.yaml", |_| format!("operation: {}{}\n", "[".repeat(1000), "]".repeat(1000)));
        mistakes(folder)
    }),
    ("yaml_a_thousand_deep_in_blocks", |folder| {
        spoil(folder, "office/count.yaml", |_| (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect());
        mistakes(folder)
    }),
    ("text_of_a_megabyte", |folder| {
        spoil(folder, "office/count.yaml", |text| {
            text.replace("effect: cancel", &format!("effect: {}", "x".repeat(1 << 20)))
        });
        mistakes(folder)
    }),
];

fn spoil(folder: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, change(text)).unwrap();
}

/// The cases by name: their folders and diagnostics.
type Cases = BTreeMap<String, (PathBuf, Diagnostics)>;

/// Returns the cases, created once. Tests do not change their folders.
fn cases() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(make_cases);
    &CASES
}

fn make_cases() -> Cases {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnostics");
    let _ = fs::remove_dir_all(&room);
    let mut cases = BTreeMap::new();
    let generator = Generator::new().remember();
    for entry in fs::read_dir(fixtures().join("broken")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let folder = room.join(&name);
        write_broken(&path, &folder);
        let Err(all) = generator.clone().schema_dir(&folder).read() else { panic!("{name} has no mistake") };
        cases.insert(name, (folder, all));
    }
    for (name, make) in GENERATED_CASES {
        let folder = room.join(name);
        folders::copy(&fixtures().join("base"), &folder);
        let all = make(&folder);
        assert!(cases.insert((*name).to_owned(), (folder, all)).is_none(), "two cases are called {name}");
    }
    cases
}

#[test]
fn the_base_has_no_mistakes() {
    if let Err(all) = Generator::new().schema_dir(fixtures().join("base")).read() {
        panic!("{all}");
    }
}

#[test]
fn every_case_has_its_diagnostics() {
    let differ: Vec<_> = cases()
        .iter()
        .filter(|(name, (folder, all))| {
            let text = printed(folder, all, Format::Short);
            catch_unwind(|| insta::assert_snapshot!(name.as_str(), text)).is_err()
        })
        .map(|(name, _)| name)
        .collect();
    assert!(differ.is_empty(), "look at these, and accept them with INSTA_UPDATE=always: {differ:?}");
}

fn printed(folder: &Path, all: &Diagnostics, format: Format) -> String {
    all.render(format).replace(folder.to_str().unwrap(), "schema")
}

/// Cases of every form of place: one line, several files, no file, and characters that a terminal must not get.
const SHOWN: &[&str] = &[
    "bytes_that_are_not_utf8",
    "bytes_with_a_mark",
    "bytes_with_carriage_returns",
    "bytes_none",
    "bytes_too_many",
    "folder_missing",
    "output_that_is_a_file",
    "text_of_a_megabyte",
    "twice_paths",
    "undefined_in_rules",
    "undefined_types",
    "words_unknown",
    "keys_unknown",
    "keys_missing_in_an_operation",
    "examples_that_are_not_json",
    "collision_of_types",
    "lifecycles",
    "yaml_anchors_aliases_tags_merges",
    "yaml_duplicate_keys",
    "yaml_invisible_characters",
];

#[test]
fn a_sample_in_the_human_and_json_formats() {
    let cases = cases();
    let differ: Vec<_> = SHOWN
        .iter()
        .filter(|name| {
            let (folder, all) = &cases[**name];
            let human = printed(folder, all, Format::Human { colour: false });
            assert_eq!(human, printed_by_main(folder, all), "{name}: `fn main` of a build script shows something else");
            let human = catch_unwind(|| insta::assert_snapshot!(format!("human__{name}"), human));
            let json = with_long_runs_counted(&printed(folder, all, Format::Json));
            human.is_err() || catch_unwind(|| insta::assert_snapshot!(format!("json__{name}"), json)).is_err()
        })
        .collect();
    assert!(differ.is_empty(), "look at these, and accept them with INSTA_UPDATE=always: {differ:?}");
}

/// Returns the text, in which a run of more than a thousand equal letters is one of them with its number.
fn with_long_runs_counted(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some(letter) = rest.chars().next() {
        let end = rest.find(|other| other != letter).unwrap_or(rest.len());
        let count = rest[..end].chars().count();
        if count > 1000 {
            out += &format!("{letter}{{{count}}}")
        } else {
            out += &rest[..end]
        }
        rest = &rest[end..];
    }
    out
}

/// Returns the output of Rust when `main` returns the diagnostics.
fn printed_by_main(folder: &Path, all: &Diagnostics) -> String {
    format!("{all:?}").replace(folder.to_str().unwrap(), "schema")
}

#[test]
fn colours_change_nothing_but_colours() {
    for (name, (_, all)) in cases() {
        let plain = all.render(Format::Human { colour: false });
        let coloured = all.render(Format::Human { colour: true });
        assert!(coloured.contains("\u{1b}["), "{name}");
        let mut without = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            without += before;
            rest = after.split_once('m').expect("an escape sequence ends").1;
        }
        assert_eq!(without + rest, plain, "{name}");
    }
}

#[test]
fn programs_find_each_mistake_where_it_is() {
    for (name, (_, all)) in cases() {
        let json = all.render(Format::Json);
        let lines: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), all.len(), "{name}");
        for (line, one) in lines.iter().zip(all.iter()) {
            assert_eq!(line["message"], one.message.as_str(), "{name}");
            let Some(place) = one.place.filter(|place| place.line > 0) else { continue };
            let text = fs::read(line["file"].as_str().unwrap()).unwrap();
            let before = String::from_utf8_lossy(&text[..place.start as usize]).into_owned();
            assert_eq!(line["line"], before.matches('\n').count() + 1, "{name}: {line}");
            assert_eq!(line["column"], before.rsplit('\n').next().unwrap().chars().count() + 1, "{name}: {line}");
        }
    }
}

#[test]
fn each_fix_corrects_its_mistake() {
    let mut fixed = 0;
    for (name, (original, all)) in cases() {
        if all.iter().all(|one| one.fix.is_none()) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        folders::copy(original, folder.path());
        for one in all.iter() {
            let Some(fix) = &one.fix else { continue };
            let path = folder.path().join(all.files()[fix.place.file as usize].strip_prefix(original).unwrap());
            let text = fs::read_to_string(&path).unwrap();
            let (start, end) = (fix.place.start as usize, fix.place.end as usize);
            fs::write(&path, format!("{}{}{}", &text[..start], fix.text, &text[end..])).unwrap();
            let rest = Generator::new().schema_dir(folder.path()).read().err().unwrap_or_default();
            let is_there = |all: &Diagnostics| all.iter().filter(|other| other.message == one.message).count();
            assert!(is_there(&rest) < is_there(all), "{name}: {} with {:?}", one.message, fix.text);
            fs::write(path, text).unwrap();
            fixed += 1;
        }
    }
    assert!(fixed > 20, "only {fixed} mistakes have a fix");
}

#[test]
fn every_kind_of_mistake_has_a_case() {
    let cases = cases();
    let is_covered = |code: Code| cases.values().any(|(_, all)| all.iter().any(|one| one.code == code));
    let uncovered: Vec<_> = Code::ALL.iter().copied().filter(|code| !is_covered(*code)).collect();
    assert!(uncovered.is_empty(), "{uncovered:?}");
}

#[test]
fn every_mistake_has_a_place_and_a_remedy() {
    let about_a_run = [Code::CannotRead, Code::CannotWrite, Code::MissingFile, Code::NoRevision];
    for (name, (_, all)) in cases() {
        for one in all.iter() {
            assert!(one.place.is_some() || about_a_run.contains(&one.code), "{name}: {}", one.message);
            assert!(one.help.as_ref().is_some_and(|help| !help.is_empty()), "{name}: {}", one.message);
        }
    }
}

/// Nor on what an earlier reading remembers, with which the cases were made.
#[test]
fn diagnostics_do_not_depend_on_the_run() {
    for (name, (folder, all)) in cases() {
        if fixtures().join("broken").join(name).is_dir() {
            assert_eq!(&mistakes(folder), all, "{name}");
        }
    }
}

#[test]
fn nothing_is_written_if_there_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    write_broken(&fixtures().join("broken/several_in_one_file"), folder.path());
    let out = folder.path().join("out");
    assert!(Generator::new().schema_dir(folder.path()).out_dir(&out).generate().is_err());
    assert!(!out.exists());
}

/// Each line of the base with a typing error: in its key, its indentation and at its end.
#[test]
fn one_mistake_has_one_diagnostic() {
    let base = base();
    let generator = Generator::new().schema_dir(base.path()).remember();
    let (mut tried, mut alone, mut rains) = (0, 0, Vec::new());
    for file in files(base.path()) {
        let text = fs::read_to_string(base.path().join(&file)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let typos = [line.replacen(':', "x:", 1), format!(" {line}"), format!("{line} }}"), String::new()];
            for typo in typos {
                let mut changed = lines.clone();
                changed[index] = &typo;
                fs::write(base.path().join(&file), changed.join("\n") + "\n").unwrap();
                let count = generator.read().map_or_else(|all| all.len(), |_| 0);
                // Without their first line, the lines of a mapping are keys of the outer one.
                let most = if typo.is_empty() { 7 } else { 3 };
                if count > most {
                    rains.push(format!("{}:{}: {typo:?} gives {count}", file.display(), index + 1));
                }
                tried += usize::from(count > 0);
                alone += usize::from(count == 1);
            }
        }
        fs::write(base.path().join(&file), text).unwrap();
    }
    assert!(rains.is_empty(), "{}", rains.join("\n"));
    assert!(tried > 300 && alone * 10 > tried * 9, "of {tried} mistakes {alone} are reported as one");
}

#[test]
fn a_file_full_of_mistakes_is_abandoned() {
    let folder = base();
    let lines: String = (0..10_000).map(|n| format!("- [{n}]\n")).collect();
    spoil(folder.path(), "office/count.yaml", |text| text.replace("rate_limit: []", "") + "rate_limit:\n" + &lines);
    let all = mistakes(folder.path());
    // All diagnostics until then are alike.
    let [one] = all.iter().collect::<Vec<_>>()[..] else { panic!("{} mistakes instead of one", all.len()) };
    assert!(one.related.last().is_some_and(|(_, why)| why.ends_with("more places")), "{all}");
}

/// A change as people, disks or tools make it.
#[derive(Clone, Debug)]
enum Change {
    Cut(usize),
    Remove(usize, usize),
    Insert(usize, &'static str),
    Bytes(usize, Vec<u8>),
    SwapLines(usize, usize),
    RepeatLine(usize),
}

const PIECES: &[&str] = &[
    ":",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "!t ",
    "<<: ",
    "\t",
    "\"",
    "'",
    "|",
    ">",
    "#",
    "%",
    "---\n",
    "...\n",
    "\n",
    " ",
    ",",
    "?",
    "~",
    "null",
    "\0",
    "é",
    "\u{feff}",
    "\u{202e}",
    "0",
    "-1",
    "1e99",
    "18446744073709551616",
    "[]",
    "{}",
    "as: lend-book.isbn",
    "includes: Book",
    "type: Borrower",
    "\n  ",
    "{{",
    "\\",
    "type: Book, ",
    "required: always, ",
];

fn change() -> impl Strategy<Value = Change> {
    let at = 0usize..4000;
    prop_oneof![
        1 => at.clone().prop_map(Change::Cut),
        2 => (at.clone(), 1usize..40).prop_map(|(at, count)| Change::Remove(at, count)),
        6 => (at.clone(), proptest::sample::select(PIECES)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => (at.clone(), proptest::collection::vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Change::Bytes(at, bytes)),
        2 => (at.clone(), at.clone()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        2 => at.prop_map(Change::RepeatLine),
    ]
}

fn apply(mut text: Vec<u8>, change: &Change) -> Vec<u8> {
    let within = |at: usize, len: usize| at % (len + 1);
    match change {
        Change::Cut(at) => text.truncate(within(*at, text.len())),
        Change::Remove(at, count) => {
            let from = within(*at, text.len());
            let to = (from + count).min(text.len());
            text.drain(from..to);
        }
        Change::Insert(at, piece) => insert(&mut text, *at, piece.as_bytes()),
        Change::Bytes(at, bytes) => insert(&mut text, *at, bytes),
        Change::SwapLines(..) | Change::RepeatLine(_) => {
            let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
            let count = lines.len();
            match change {
                _ if count == 0 => {}
                Change::SwapLines(a, b) => lines.swap(a % count, b % count),
                Change::RepeatLine(at) => lines.insert(at % count, lines[at % count]),
                _ => {}
            }
            text = lines.concat();
        }
    }
    text
}

fn insert(text: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let at = at % (text.len() + 1);
    text.splice(at..at, bytes.iter().copied());
}

thread_local! {
    /// A schema whose files one test replaces, one at a time, and what reads it and what generates from it.
    static REPLACED: (TempDir, [Generator; 2]) = {
        let folder = base();
        let generators = [(); 2].map(|()| Generator::new().schema_dir(folder.path()).remember());
        (folder, generators)
    };
}

/// Returns whether a character steers a terminal: control characters and bidirectional overrides.
fn steers_a_terminal(c: char) -> bool {
    c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[test]
fn diagnostics_contain_no_control_characters() {
    let base = fixtures().join("base");
    let characters = ('\0'..='\u{9f}').chain('\u{2000}'..='\u{20ff}').filter(|c| steers_a_terminal(*c));
    for (c, file) in characters.zip(files(&base).iter().cycle()) {
        let text = fs::read_to_string(base.join(file)).unwrap();
        let changed = [
            format!("{c}{text}"),
            text.replacen(": ", &format!("{c}: "), 1),
            text.replacen(": ", &format!(": {c}"), 1),
            text.replacen(": ", &format!(": \"\\u{:04x}\" {c}", c as u32), 1),
        ];
        for bytes in changed {
            answers(file, bytes.as_bytes()).unwrap_or_else(|error| panic!("{c:?} in {}: {error}", file.display()));
        }
    }
}

/// The prefix of diagnostics of the second YAML reader.
const OTHER_READER: &str = "YAML that other readers reject";

/// Reads a schema with one replaced file, and generates a client if it is valid.
fn answers(file: &Path, bytes: &[u8]) -> Result<(), TestCaseError> {
    let (folder, [reader, writer]) =
        REPLACED.with(|(folder, generators)| (folder.path().to_path_buf(), generators.clone()));
    let begin = Instant::now();
    fs::write(folder.join(file), bytes).unwrap();
    let read = reader.read();
    let out = folder.join(".out");
    let written = writer.out_dir(&out).generate();
    fs::copy(fixtures().join("base").join(file), folder.join(file)).unwrap();
    let is_written = out.exists();
    let _ = fs::remove_dir_all(&out);
    // Generation uses only one YAML reader.
    let is_refused_by_the_other = |all: &Diagnostics| all.iter().all(|one| one.message.starts_with(OTHER_READER));
    match (&read, &written) {
        (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
        (Err(all), Ok(_)) => prop_assert!(is_refused_by_the_other(all), "{all}"),
        (Ok(_), Err(all)) => prop_assert!(false, "{all}"),
    }
    prop_assert_eq!(is_written, written.is_ok(), "a schema with mistakes was written");
    prop_assert!(begin.elapsed() < Duration::from_secs(20), "it took {:?}", begin.elapsed());
    match read {
        // A valid schema can be explained and emitted.
        Ok(schema) => {
            schema.facts();
            schema.list();
            schema.emit(Layout::Crate);
        }
        Err(all) => {
            prop_assert!(all.iter().any(|one| one.place.is_some()), "{all}");
            for format in [Format::Human { colour: false }, Format::Short, Format::Json] {
                prop_assert!(!all.render(format).contains(steers_a_terminal), "{format:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mangled_files_are_answered(file in 0usize..16, changes in proptest::collection::vec(change(), 1..6)) {
        let base = fixtures().join("base");
        let files = files(&base);
        let file = &files[file % files.len()];
        let bytes = changes.iter().fold(fs::read(base.join(file)).unwrap(), apply);
        answers(file, &bytes)?;
    }

    #[test]
    fn random_files_are_answered(file in 0usize..16, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let files = files(&fixtures().join("base"));
        answers(&files[file % files.len()], &bytes)?;
    }

    #[test]
    fn random_texts_are_answered(file in 0usize..16, text in "[a-z:{}\\[\\]\\-,&*!|>'\"#%@ \n\t?<0-9é]{0,300}") {
        let files = files(&fixtures().join("base"));
        answers(&files[file % files.len()], text.as_bytes())?;
    }
}

/// A file, a text in it and what stands there instead: the mistake is the only one, and is reported at its line and
/// column.
#[test]
fn mistakes_of_yaml_stand_at_their_places() {
    const TYPES: &str = "house/types.yaml";
    const FAMILY: &str = "house/family.yaml";
    let number = "  0: { text: Zero, doc: Zero. }\n  00000: { text: Zeros, doc: Zeros. }\n  gone:";
    let cases = [
        (TYPES, "    doc: What became", "\t\tdoc: What became", Code::BrokenYaml, (3, 1)),
        (TYPES, "    doc: Where a", "  \tdoc: Where a", Code::BrokenYaml, (6, 3)),
        (TYPES, "  Place:\n", "\t\t\n  Place:\n", Code::BrokenYaml, (5, 1)),
        (TYPES, "    doc: Where a", "  \u{a0} doc: Where a", Code::InvisibleCharacter, (6, 3)),
        (TYPES, "doc: Where a", "doc:\u{a0}Where a", Code::InvisibleCharacter, (6, 9)),
        (TYPES, "  Place:\n", "\u{3000}\n  Place:\n", Code::InvisibleCharacter, (5, 1)),
        (TYPES, "abstract: true", "abstract: 1", Code::WrongType, (34, 15)),
        (TYPES, "abstract: true", "abstract: \"true\"", Code::WrongType, (34, 15)),
        (FAMILY, "n: 12", "n: \"12\"", Code::WrongType, (11, 26)),
        (FAMILY, "doc: Books and", "doc: {book} and", Code::BrokenYaml, (3, 13)),
        (FAMILY, "title: House", "title: !word House", Code::Alias, (2, 8)),
        (FAMILY, "title: House", "title: &word House", Code::Alias, (2, 8)),
        (FAMILY, "limits:\n", "limits: &word\n", Code::Alias, (10, 9)),
        (FAMILY, "[What a card looks like.]", "[\n  What a card looks like.\n]", Code::BrokenYaml, (31, 1)),
        (FAMILY, "  gone:", number, Code::DuplicateKey, (9, 3)),
        (FAMILY, "  gone:", &number.replace("00000", "-0"), Code::DuplicateKey, (9, 3)),
        (FAMILY, "  gone:", &number.replace("00000", "0x0"), Code::DuplicateKey, (9, 3)),
    ];
    for (file, from, to, code, place) in cases {
        let folder = tempfile::tempdir().unwrap();
        tradeapi_tests::folders::copy(&fixtures().join("base"), folder.path());
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        let all = Generator::new().schema_dir(folder.path()).read().unwrap_err();
        let found: Vec<_> =
            all.iter().map(|one| (one.code, one.place.map(|place| (place.line, place.column)))).collect();
        assert_eq!(found, [(code, Some(place))], "{to}\n{all}");
    }
}

/// Numbers in quotes are texts, and an indented bracket is within its key.
#[test]
fn what_other_readers_accept_is_accepted() {
    let cases = [
        ("  gone:", "  \"0\": { text: Zero, doc: Zero. }\n  \"00\": { text: Zeros, doc: Zeros. }\n  gone:"),
        ("[What a card looks like.]", "[\n  What a card looks like.\n  ]"),
    ];
    for (from, to) in cases {
        let folder = tempfile::tempdir().unwrap();
        tradeapi_tests::folders::copy(&fixtures().join("base"), folder.path());
        let path = folder.path().join("house/family.yaml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(from, to)).unwrap();
        Generator::new().schema_dir(folder.path()).read().unwrap();
    }
}
