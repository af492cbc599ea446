//! A mutation run over the rules: each piece of a rule's data in the schema is changed, and the verdicts of the schema
//! are compared with the reference, which is written from the documents alone. A mutation without a difference
//! survives.
//!
//! `cargo bench -p tradeapi-tests --bench mutation`
#![allow(clippy::expect_used, clippy::panic, reason = "a run that cannot be made is not a run")]

mod changes;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use changes::Change;
use serde_json::Value;
use serde_yaml::Value as Yaml;
use tradeapi_gen::{Case, Generator, Schema};
use tradeapi_tests::folders;
use tradeapi_tests::reference::{Verdict, verdict};

/// Mutations that change no verdict, with the reason: another rule refuses the same requests.
const EQUIVALENT: &[(&str, &str, &str)] = &[
    ("classic/modify-order.yaml", "rules.6.forbid", "size or price alone is refused by size-and-price-together"),
    ("unified/place-order.yaml", "without tpLimitPrice", "it comes with tpOrderType, which is forbidden too"),
    ("unified/place-order.yaml", "without slLimitPrice", "it comes with slOrderType, which is forbidden too"),
    ("unified/place-order.yaml", "rules.16.when: always", "the rule for spot says the same of places"),
    ("unified/place-order.yaml", "rules.17.when: always", "the rule for spot says the same of the least quantity"),
    ("unified/place-order.yaml", "rules.19.when: always", "the rule for futures says the same of places"),
    ("unified/place-order.yaml", "rules.20.when: always", "the rule for futures says the same of the least quantity"),
];

/// The result of a mutation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Detection {
    /// The generator refuses the schema.
    Refused,
    /// A verdict differs from that of the reference.
    Noticed,
    /// No verdict differs, for a known reason.
    Equivalent,
    Survived,
}

fn main() -> ExitCode {
    let schema_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let schema = Generator::new().schema_dir(&schema_folder).read().expect("the schema is sound");
    let corpus: Vec<Trial> = schema.cases().into_iter().map(Trial::new).collect();
    for tried in &corpus {
        assert_eq!(tried.by(&schema), Some(tried.expected), "schema and reference differ: {:?}", tried.case);
    }

    let files = files(&schema_folder);
    let changes: Vec<(&Path, Change)> = files
        .iter()
        .flat_map(|(path, yaml)| changes::of(yaml).into_iter().map(move |change| (path.as_path(), change)))
        .collect();
    println!("{} changes to rules, {} requests", changes.len(), corpus.len());

    let mut detections = run(&schema_folder, &changes, &corpus);
    for ((path, change), detection) in
        changes.iter().zip(&mut detections).filter(|(_, detection)| **detection == Detection::Survived)
    {
        let is_meant = |(file, says, _): &&(&str, &str, &str)| path.ends_with(file) && change.says.contains(says);
        if let Some((.., why)) = EQUIVALENT.iter().find(is_meant) {
            println!("changes no verdict: {}: {}: {why}", path.display(), change.says);
            *detection = Detection::Equivalent;
        }
    }
    let mut score: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((path, change), detection) in changes.iter().zip(&detections) {
        let (caught, all) = score.entry(change.kind).or_default();
        *all += 1;
        *caught += usize::from(*detection != Detection::Survived);
        if *detection == Detection::Survived {
            println!("survived: {}: {}", path.display(), change.says);
        }
    }
    for (kind, (caught, all)) in &score {
        println!("{kind:<24} {caught:>4} of {all:>4}");
    }
    let count = |detection: &Detection| detections.iter().filter(|other| *other == detection).count();
    let [refused, noticed, equivalent] =
        [Detection::Refused, Detection::Noticed, Detection::Equivalent].map(|detection| count(&detection));
    println!(
        "caught {} of {}: {noticed} by requests, {refused} by the schema's own checks; {equivalent} more change no verdict",
        refused + noticed,
        detections.len() - equivalent
    );
    if count(&Detection::Survived) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A request, and the verdict of the reference.
struct Trial {
    case: Case,
    expected: Verdict,
}

impl Trial {
    fn new(case: Case) -> Self {
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("cases are JSON");
        let expected = verdict(&case.operation, &json(&case.request), &json(&case.account), case.now);
        Self { case, expected }
    }

    /// Returns the verdict of a schema.
    fn by(&self, schema: &Schema) -> Option<Verdict> {
        let Case { operation, request, account, now, .. } = &self.case;
        let broken = schema.evaluate(operation, request, account, Some(*now))?;
        Some(match broken.values().max() {
            None => Verdict::Accepted,
            Some(false) => Verdict::Warned,
            Some(true) => Verdict::Refused,
        })
    }
}

/// Returns the files of the schema below its folder.
fn files(folder: &Path) -> Vec<(PathBuf, Yaml)> {
    let families = fs::read_dir(folder).expect("the schema is there").filter_map(Result::ok);
    let mut files: Vec<_> = families
        .filter(|entry| entry.path().is_dir())
        .flat_map(|family| fs::read_dir(family.path()).into_iter().flatten().filter_map(Result::ok))
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "yaml"))
        .map(|file| {
            let text = fs::read_to_string(file.path()).expect("the schema is readable");
            let path = file.path().strip_prefix(folder).expect("it is below").to_owned();
            (path, serde_yaml::from_str(&text).expect("the schema is YAML"))
        })
        .collect();
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    files
}

fn run(schema: &Path, changes: &[(&Path, Change)], corpus: &[Trial]) -> Vec<Detection> {
    let next = AtomicUsize::new(0);
    let detections = Mutex::new(vec![Detection::Survived; changes.len()]);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let copy = tempfile::tempdir().expect("there is room for a copy");
                folders::copy(schema, copy.path());
                while let Some((path, change)) = changes.get(next.fetch_add(1, Ordering::Relaxed)).map(|(p, c)| (*p, c))
                {
                    let index = changes.iter().position(|(_, other)| std::ptr::eq(other, change)).expect("it is one");
                    let detection = detection(copy.path(), path, change, corpus);
                    detections.lock().expect("no worker panics")[index] = detection;
                    fs::copy(schema.join(path), copy.path().join(path)).expect("the file is put back");
                }
            });
        }
    });
    detections.into_inner().expect("no worker panics")
}

fn detection(folder: &Path, path: &Path, change: &Change, corpus: &[Trial]) -> Detection {
    let text = serde_yaml::to_string(&change.yaml).expect("YAML can be written");
    fs::write(folder.join(path), text).expect("the copy is writable");
    let Ok(schema) = Generator::new().schema_dir(folder).read() else { return Detection::Refused };
    // The file of an operation does not affect the others.
    let parts: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
    let near = match parts.as_slice() {
        [family, "family.yaml" | "types.yaml"] => format!("{family}."),
        [family, file] => format!("{family}.{}", file.trim_end_matches(".yaml")),
        _ => String::new(),
    };
    let is_near = |operation: &str| operation == near || near.ends_with('.') && operation.starts_with(&near);
    let mut near = corpus.iter().filter(|tried| is_near(&tried.case.operation));
    if near.any(|tried| tried.by(&schema) != Some(tried.expected)) { Detection::Noticed } else { Detection::Survived }
}
