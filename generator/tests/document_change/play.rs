//! Plays one change of a document through the commands of the guide.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::guide::{self, Command};
use crate::project::{Project, Said};

/// A text in a file, and what stands there instead.
pub(crate) type Edit = (&'static str, &'static str, &'static str);

/// A change of a document, and what its way through the project has to look like.
pub(crate) struct Change {
    pub(crate) name: &'static str,
    /// The edits of its author in the documents.
    pub(crate) documents: &'static [Edit],
    /// The words of the first `audit` about it, after the place in the document. The places are those of `documents`.
    pub(crate) audited: &'static [&'static str],
    /// The edits of the maintainer in the schema.
    pub(crate) schema: &'static [Edit],
    /// The weightiest class that `diff` finds, and the part of the version that has to rise.
    pub(crate) class: &'static str,
    pub(crate) version: (&'static str, &'static str),
    /// The reason why the crate that depends on the generated one no longer compiles, as the compiler's codes, and what
    /// fixes it.
    pub(crate) breaks: Option<(&'static [&'static str], Edit)>,
}

/// Returns the families whose files the changes edit.
pub(crate) fn families(changes: &[Change]) -> BTreeSet<&'static str> {
    let edited = changes.iter().flat_map(|change| change.schema).filter_map(|(file, _, _)| file.split('/').nth(1));
    edited.filter(|part| !part.ends_with(".yaml")).collect()
}

/// The steps of the guide; a step that is taken away there, or put elsewhere, is missed here.
const STEPS: [&str; 12] = [
    "audit",
    "edit schema",
    "check",
    "audit --accept",
    "generate",
    "diff",
    "edit Cargo.toml",
    "export",
    "export",
    "cargo test",
    "git add",
    "git commit",
];

/// Plays it; returns what a maintainer saw, without what differs between runs.
pub(crate) fn play(project: &Project, change: &Change) -> String {
    let commands = guide::commands();
    assert_eq!(commands.iter().map(Command::step).collect::<Vec<_>>(), STEPS, "the steps of the guide");
    let mut transcript = format!("# {}\n", change.name);
    let lines: Vec<String> =
        change.documents.iter().map(|edit| edit_document(project, edit, &mut transcript)).collect();
    for command in &commands {
        writeln!(transcript, "\n$ {}", command.line).unwrap();
        step(project, change, &lines, command, &mut transcript);
    }
    settled(project, &commands);
    transcript
}

/// Edits a document; returns the place as `audit` prints it.
fn edit_document(project: &Project, (file, from, to): &Edit, transcript: &mut String) -> String {
    let place = format!("{file}:{}:", project.replace(&format!("../shared/docs/{file}"), from, to));
    writeln!(transcript, "{place} {from:?} -> {to:?}").unwrap();
    place
}

fn step(project: &Project, change: &Change, lines: &[String], command: &Command, transcript: &mut String) {
    let name = command.step();
    match name.as_str() {
        "edit schema" => edit(project, change.schema, transcript),
        "edit Cargo.toml" => {
            let (from, to) = change.version;
            let version = |of: &str| format!("version = \"{of}\"");
            if from != to {
                project.replace("Cargo.toml", &version(from), &version(to));
            }
            writeln!(transcript, "{from} -> {to}").unwrap();
        }
        "cargo test" => test(project, change, command, transcript),
        _ => {
            let said = project.run(&command.words);
            if !name.starts_with("git") {
                record(&said, transcript);
            }
            // Words that changed wait for review.
            let expected = match (name.as_str(), change.audited) {
                ("audit", []) => 3,
                ("audit", _) => 1,
                _ => 0,
            };
            assert_eq!(
                said.code,
                Some(expected),
                "{}: {name} has the wrong exit code\n{transcript}{}",
                change.name,
                said.stderr
            );
            match name.as_str() {
                "audit" => audited(change, lines, &said.stdout),
                "audit --accept" => {
                    assert!(said.stdout.contains("\n0 difference(s) of fact"), "{}", said.stdout);
                    assert!(!said.stdout.contains("\n0 digest(s) recorded"), "{}", said.stdout);
                }
                "diff" => classed(change, &said.stdout),
                _ => {}
            }
        }
    }
}

fn edit(project: &Project, edits: &[Edit], transcript: &mut String) {
    for (file, from, to) in edits {
        let line = project.replace(file, from, to);
        writeln!(transcript, "{file}:{line}: {from:?} -> {to:?}").unwrap();
    }
}

/// Every edit is named at its line, and nothing else is named.
fn audited(change: &Change, lines: &[String], report: &str) {
    let reported: Vec<&str> = report.lines().take_while(|line| !line.is_empty()).collect();
    // What is set in further stands beside a line.
    let reported =
        reported.into_iter().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let reported: Vec<&str> = reported.collect();
    if change.audited.is_empty() {
        // Words are named at their line too.
        assert!(lines.iter().all(|place| reported.iter().any(|line| line.starts_with(place))), "{report}");
        return;
    }
    assert_eq!(reported.len(), change.audited.len(), "{}: {report}", change.name);
    for says in change.audited {
        let is_reported = |place: &String| reported.iter().any(|line| line.starts_with(place) && line.contains(says));
        assert!(
            lines.iter().any(is_reported),
            "{}: {says:?} is not reported at any of {lines:?}: {report}",
            change.name
        );
    }
}

fn classed(change: &Change, table: &str) {
    let first = table.lines().next().unwrap_or_default();
    assert_eq!(first, change.class, "{}: {table}", change.name);
    let part = match change.class {
        "breaking" => "major",
        "documentation" => "patch",
        "no differences" => return,
        _ => "minor",
    };
    assert!(table.contains(&format!("needs a new {part} version")), "{}: {table}", change.name);
}

/// The crate that depends on the generated one compiles, or the compiler says why not and it is fixed.
fn test(project: &Project, change: &Change, command: &Command, transcript: &mut String) {
    let said = project.run(&command.words);
    let Some((codes, hint)) = &change.breaks else {
        assert!(
            said.succeeded(),
            "{}: diff says {}, and it fails: {}{}",
            change.name,
            change.class,
            said.stderr,
            said.stdout
        );
        writeln!(transcript, "it compiles, and the tests pass").unwrap();
        return;
    };
    assert_eq!(change.class, "breaking", "{}: what breaks is breaking", change.name);
    assert!(!said.succeeded(), "{}: diff says that it breaks, and it compiles", change.name);
    // The compiler's words change with its version, its codes do not.
    let errors = said.stderr.lines().filter_map(|line| line.strip_prefix("error[")?.split(']').next());
    assert!(errors.eq(codes.iter().copied()), "{}: {}", change.name, said.stderr);
    assert!(said.stderr.contains("--> desk/src/lib.rs:"), "{}: {}", change.name, said.stderr);
    writeln!(transcript, "desk does not compile: {}", codes.join(", ")).unwrap();
    edit(project, &[*hint], transcript);
    let said = project.run(&command.words);
    assert!(said.succeeded(), "{}: fixed, and it fails: {}", change.name, said.stderr);
    writeln!(transcript, "\n$ {}\nit compiles, and the tests pass", command.line).unwrap();
}

/// After the last step nothing is left to do: all commands say so.
fn settled(project: &Project, commands: &[Command]) {
    assert_eq!(project.uncommitted(), "");
    for command in commands {
        let more: &[&str] = match command.step().as_str() {
            "generate" | "export" => &["--check"],
            "audit" | "diff" | "check" => &[],
            _ => continue,
        };
        let words: Vec<String> =
            command.words.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect();
        let said = project.run(&words);
        assert!(said.succeeded(), "{words:?}: {}{}", said.stdout, said.stderr);
        assert!(command.step() != "diff" || said.stdout == "no differences\n", "{}", said.stdout);
    }
}

fn record(said: &Said, transcript: &mut String) {
    for line in said.stdout.lines().chain(said.stderr.lines()) {
        // How long it took differs from run to run.
        let line = line.rsplit_once(", in ").filter(|(_, time)| time.ends_with(" ms")).map_or(line, |(line, _)| line);
        writeln!(transcript, "{line}").unwrap();
    }
}
