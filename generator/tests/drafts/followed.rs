//! Drafted documents are followed before their drafts are filled in: changes as exchanges make them, in our own words.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use tradeapi_gen::{Audit, Documents, DraftSource, Generator};

use crate::{copy, sources};

const FAMILY: &str = "family: garden\ntitle: Garden\ndoc: Beds.\nnumbers: text\nerrors: {}\n";
const DOCUMENTS: [&str; 2] = ["beds", "plant"];

/// The report that a change has to cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Differences of fact.
    Fact,
    /// Words to review.
    Words,
    Nothing,
}
use Seen::{Fact, Nothing, Words};

/// A change of a document: what is replaced, and the words on each line of the new document where it has to be reported.
struct Change {
    document: &'static str,
    from: &'static str,
    to: &'static str,
    at: &'static [&'static str],
    seen: Seen,
}

const fn of_beds(from: &'static str, to: &'static str, at: &'static [&'static str], seen: Seen) -> Change {
    Change { document: "beds", from, to, at, seen }
}

const fn of_plant(from: &'static str, to: &'static str, at: &'static [&'static str], seen: Seen) -> Change {
    Change { document: "plant", from, to, at, seen }
}

/// The kinds of changes in two years of the documents of two exchanges.
const CHANGES: [Change; 36] = [
    of_beds("\n2\n", "\n4\n", &["**Weight:**"], Fact),
    of_beds(
        "20\n\n<table>",
        "\n\n|Row|Weight|\n|---|---|\n|one|20|\n|all|40|\n\n<table>",
        &["**Weight(IP):**", "|Row|Weight|"],
        Fact,
    ),
    of_beds(
        "| limit |",
        "| state | ENUM | NO | Only these. Valid values: `WET`, `DRY` |\n| limit |",
        &["| state |"],
        Fact,
    ),
    of_beds(
        "\n</table>",
        "\n    <tr>\n        <td>state</td>\n        <td>ENUM</td>\n        <td>NO</td>\n        <td>Its state</td>\n    </tr>\n</table>",
        &["<td>state</td>"],
        Fact,
    ),
    of_beds(
        "| window |",
        "| pegKind | ENUM | NO | |\n| pegDepth | INT | NO | |\n| window |",
        &["| pegKind |", "| pegDepth |"],
        Fact,
    ),
    of_beds(
        "| window | LONG | NO | The value cannot be greater than `60000` |",
        "| window | DECIMAL | NO | The value cannot be greater than `60000`. <br> Three decimal places at most. |",
        &["| window |"],
        Words,
    ),
    of_beds("greater than `60000`", "greater than `90000`", &["| window |"], Fact),
    of_beds("Default 500; max 1000.", "Default: 500; Maximum: 1000.", &["| limit |"], Words),
    of_beds("max 1000.", "max 500.", &["| limit |"], Fact),
    of_beds(
        "If both id and label are sent, id takes precedence.",
        "If both id and label are provided, the id is searched first, then its label is checked.",
        &["searched first"],
        Words,
    ),
    of_beds("## Weed", "## Water\n\n```\nPOST /water\n```\n\n**Weight:** 1\n\n## Weed", &["POST /water"], Fact),
    of_beds("```\nPOST /weed\n```\n\n**Weight:** 1\n", "This is done by hand.\n", &["done by hand"], Fact),
    of_beds("\"weight\": \"4.20\",", "\"weight\": \"4.20\",\n    \"gardener\": \"ann\",", &["["], Words),
    of_beds("// Of the harvest", "// Of the plant", &["["], Words),
    of_beds("| spade | DECIMAL |", "| spade | ENUM |", &["| spade |"], Fact),
    of_beds("| Id of the bed. |", "| Either `id` or `label` must be sent |", &["| id |", "| label |"], Fact),
    of_beds("\nStore\n", "\nMemory -> Store\n", &["**Data source:**"], Words),
    of_beds("\n* A bed is", "\n* This counts as one order.\n* A bed is", &["counts as one"], Words),
    of_beds("Used with `WET` and `DRY` soil.", "See the [questions](questions.md).", &["| depth |"], Words),
    of_beds("is `WET`. |", "is `WET` or if `spade` is `LONG`. |", &["| stones |"], Words),
    of_beds("2. Sign it.", "2. Sign it.\n3. Send it.", &["3. Send it."], Words),
    of_beds("5 seconds", "10 seconds", &["10 seconds"], Words),
    of_plant("| gardener |", "| sideKind | false | string | |\n| gardener |", &["| sideKind |"], Fact),
    of_plant("`rose`, `fern`", "`rose`, `fern`, `moss`", &["| kind |"], Fact),
    of_plant("[`1`, `200`]", "[`1`, `500`]", &["| count |"], Fact),
    of_plant("`rose`: [`1`, `20`]", "`rose`: [`1`, `40`]", &["| depth |"], Words),
    of_plant("[`1`, `90`]. Default: `5`", "roses: [`1`, `90`], ferns: [`1`, `50`]. Default: `5`", &["| gap |"], Fact),
    of_plant("| gardener | false |", "| gardener | true |", &["| gardener |"], Fact),
    of_plant("\n| row | string", "\n| standing | boolean | |\n| row | string", &["| standing |"], Fact),
    of_plant("| label | false | string | A label of the gardener |\n", "", &["| stake |"], Fact),
    of_plant(
        "<li>classic gardens: `sown`</li><li>new gardens: `sown`, `ripe`</li>",
        "`sown`, `ripe`",
        &["[phase]"],
        Fact,
    ),
    of_plant("returns 7 days", "returns 24 hours", &["| since |"], Words),
    of_plant("title: Plant", "title: Plant one", &["title:"], Fact),
    of_plant("Beds: 200 plants", "Beds: 500 plants", &["500 plants"], Words),
    // The same in another form.
    of_beds("\"rows\": [[ \"3\", \"4\" ]]\n  }", "\"rows\":[\n      [\"3\", \"4\"]\n    ] }", &[], Nothing),
    of_plant("POST `/v1/plant`", "<Address method=\"POST\" url=\"/v1/plant\" />", &[], Nothing),
];

/// Drafts both documents, and accepts them as they are.
fn followed() -> TempDir {
    let room = tempfile::tempdir().unwrap();
    let folder = sources().join("followed");
    copy(&folder, room.path());
    let family = room.path().join("schema/garden");
    std::fs::create_dir_all(&family).unwrap();
    std::fs::rename(room.path().join("api.yaml"), room.path().join("schema/api.yaml")).unwrap();
    std::fs::write(family.join("family.yaml"), FAMILY).unwrap();
    generator(room.path()).draft("garden", &DraftSource::Sections(folder)).unwrap();
    let (written, kept) = audit(room.path(), &|_, text| text).accept_as_is().unwrap();
    assert!(written > 0 && kept == 0, "{written} {kept}");
    room
}

fn generator(room: &Path) -> Generator {
    Generator::new().schema_dir(room.join("schema"))
}

/// Compares the documents after a change with what was accepted.
fn audit(room: &Path, change: &dyn Fn(&str, String) -> String) -> Audit {
    let schema = generator(room).read_unfinished().unwrap();
    let texts = tempfile::tempdir().unwrap();
    for document in DOCUMENTS {
        let name = format!("{document}.md");
        let text = std::fs::read_to_string(room.join(&name)).unwrap();
        std::fs::write(texts.path().join(name), change(document, text)).unwrap();
    }
    schema.audit(&schema.documents(texts.path()).unwrap(), &Documents::default())
}

/// Returns the lines of a report: whether each is of fact, the document and its line.
fn reported(audit: &Audit) -> Vec<(bool, String, usize)> {
    let lines = audit.as_json();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines = lines.filter(|line| line["message"].is_string());
    let of_line = |line: Value| {
        let at = line["line"].as_u64().unwrap_or_default();
        (line["task"] == "write", line["file"].as_str().unwrap().to_owned(), usize::try_from(at).unwrap())
    };
    lines.map(of_line).collect()
}

#[test]
fn a_draft_is_accepted_as_it_stands() {
    let room = followed();
    let now = audit(room.path(), &|_, text| text);
    assert_eq!((now.differences(), now.reviews()), (0, 0), "{now}");
    let report = now.to_string();
    assert!(report.contains("differences that stand as accepted: "), "{report}");
    assert!(report.contains("not filled in, and compared as far as it can be read: "), "{report}");
    // Sections that describe no operation are followed, too.
    let family = std::fs::read_to_string(room.path().join("schema/garden/family.yaml")).unwrap();
    assert!(family.contains("    General: ") && !family.contains(": new"), "{family}");
}

/// The commands of the guide, as a maintainer runs them.
#[test]
fn the_program_follows_documents_from_the_first_day() {
    let room = tempfile::tempdir().unwrap();
    copy(&sources().join("followed"), room.path());
    let family = room.path().join("schema/garden");
    std::fs::create_dir_all(&family).unwrap();
    std::fs::rename(room.path().join("api.yaml"), room.path().join("schema/api.yaml")).unwrap();
    std::fs::write(family.join("family.yaml"), FAMILY).unwrap();
    let run = |arguments: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"));
        let output = program.current_dir(room.path()).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (code, said) = run(&["new", "garden", "--from", ".", "--all"]);
    assert_eq!(code, Some(0), "{said}");
    let partly = ["audit", "--docs", ".", "--partly"];
    let (code, said) = run(&["audit", "--docs", "."]);
    assert!(code == Some(1) && said.contains("error["), "without `--partly`, drafts are mistakes: {said}");
    let (_, said) = run(&[&partly[..], &["--accept", "--as-is"]].concat());
    assert!(said.contains("digest(s) recorded") && !said.contains("kept because"), "{said}");
    let (code, said) = run(&partly);
    assert!(code == Some(0) && said.contains("differences that stand as accepted: "), "{said}");
    let page = room.path().join("beds.md");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replace("5 seconds", "10 seconds")).unwrap();
    let (code, said) = run(&partly);
    assert!(code == Some(3) && said.contains("words to review:") && said.contains("next: read what changed"), "{said}");
    std::fs::write(&page, text.replace("greater than `60000`", "greater than `90000`")).unwrap();
    let (code, said) = run(&[&partly[..], &["--accept"]].concat());
    assert!(code == Some(1) && said.contains("1 kept because a fact of the section differs"), "{said}");
    let (code, said) = run(&[&partly[..], &["--accept", "--as-is"]].concat());
    assert!(code == Some(1) && said.contains("1 digest(s) recorded"), "{said}");
    assert_eq!(run(&partly).0, Some(0));
    let (code, said) = run(&["audit", "--docs", ".", "--as-is"]);
    assert!(code == Some(2) && said.contains("--accept"), "{said}");
}

#[test]
fn differences_that_stand_are_kept_when_words_are_accepted() {
    let room = followed();
    let more = |_: &str, text: String| text.replace("Beds: 200 plants", "Beds: 300 plants");
    assert_eq!(audit(room.path(), &more).accept().unwrap(), (1, 0));
    let now = audit(room.path(), &more);
    assert_eq!((now.differences(), now.reviews()), (0, 0), "{now}");
    // Without the record of what stands, they are differences.
    let file = room.path().join("schema/garden/plant.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let bare = |word: &&str| !word.starts_with('~');
    let lines = text.lines().map(|line| line.split(' ').filter(bare).collect::<Vec<_>>().join(" "));
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let now = audit(room.path(), &more);
    assert!(now.differences() > 0, "{now}");
    assert_eq!(now.accept().unwrap(), (0, 1), "{now}");
}

#[test]
fn changes_of_real_documents_are_found_at_their_lines() {
    let room = followed();
    let (mut wrong, mut found, mut placed, mut judged, mut alarms) = (String::new(), 0, 0, 0, 0);
    for Change { document, from, to, at, seen } in &CHANGES {
        let apply = |name: &str, text: String| {
            assert!(name != *document || text.matches(from).count() == 1, "{from}");
            if name == *document { text.replace(from, to) } else { text }
        };
        let text = apply(document, std::fs::read_to_string(room.path().join(format!("{document}.md"))).unwrap());
        let line = |words: &&str| text.lines().position(|line| line.contains(*words)).unwrap() + 1;
        let expected: Vec<usize> = at.iter().map(line).collect();
        let audit = audit(room.path(), &apply);
        let report = reported(&audit);
        let is_here =
            |(_, file, line): &&(bool, String, usize)| *file == format!("{document}.md") && expected.contains(line);
        let here: Vec<_> = report.iter().filter(is_here).collect();
        let is_placed = expected.iter().all(|line| here.iter().any(|(_, _, own)| own == line));
        let is_judged = match seen {
            Fact => report.iter().any(|(is_fact, ..)| *is_fact),
            Words => !report.is_empty() && report.iter().all(|(is_fact, ..)| !is_fact),
            Nothing => report.is_empty(),
        };
        found += usize::from(!report.is_empty() || *seen == Nothing);
        placed += usize::from(is_placed);
        judged += usize::from(is_judged);
        alarms += usize::from(here.len() < report.len());
        if !is_placed || !is_judged || here.len() < report.len() {
            writeln!(wrong, "{from:?} -> {to:?}, expected {seen:?} at {expected:?}\n{audit}").unwrap();
        }
    }
    let all = CHANGES.len();
    assert_eq!((found, placed, judged), (all, all, all), "false alarms of {alarms}\n{wrong}");
    assert!(alarms * 10 <= all, "false alarms of {alarms}\n{wrong}");
}
