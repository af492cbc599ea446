//! The audit over a small API of its own: every kind of statement, every kind of difference, what is written and how
//! the program exits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use proptest::prelude::*;
use tradeapi_gen::{Documents, Generator, Schema};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Generator::new().schema_dir(here().join("schema")).read().unwrap());
static DOCUMENT: LazyLock<String> =
    LazyLock::new(|| std::fs::read_to_string(here().join("docs/garden-v1.md")).unwrap());

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit")
}

/// Returns the report on a document of this text, with places as they are in the schema folder.
fn report(text: &str) -> String {
    let report = SCHEMA.audit(&Documents::one("garden-v1", text), &Documents::default()).to_string();
    report.replace(&format!("{}/", here().display()), "")
}

/// Returns what differs, without what was matched.
fn differences(text: &str) -> String {
    let report = report(text);
    let head = report.split("\ngarden-v1.md\n").next().unwrap();
    if head.starts_with("garden-v1.md") { "nothing\n".to_owned() } else { format!("{}\n", head.trim_end()) }
}

#[test]
fn the_current_document_has_no_differences() {
    insta::assert_snapshot!(report(&DOCUMENT));
}

/// Texts of the document and what stands there instead.
const CHANGES: &[(&str, &str)] = &[
    // Every answer, and what values are called.
    ("# Garden Robot Interface", "# Garden Robot Interface 2"),
    ("note (string), data", "remark (string), data"),
    ("0000 and msg is fine", "0000 and msg is well"),
    ("bed<NUMBER>x", "bed<NUMBER>y"),
    ("CLAY, SAND, LOAM", "CLAY, SAND, LOAM, PEAT"),
    // Records.
    ("| height | string | height in cm |", "| height | number | height in cm |"),
    ("height in cm", "height in kg"),
    ("happy, thirsty (wants water)", "happy"),
    ("kind (aphid, slug), count", "kind (aphid, slug, snail), count"),
    ("| mood | string |", "| temper | string |"),
    ("| soil | string | one of the soil values |\n", ""),
    ("quality (good, poor)", "quality (good, poor), grower"),
    ("plantId, reason", "plantId, cause"),
    // States.
    ("seed, sprout, ripe, gone", "seed, sprout, ripe, dried, gone"),
    ("| seed or sprout | Pull", "| sprout | Pull"),
    ("| enough light | unchanged", "| enough light | ripe"),
    ("| frost |", "| hail |"),
    // What is left open.
    ("What happens by moonlight: not shown.", "By moonlight all sleep."),
    ("in cm |\n| pace", "in cm; how deep at most: not shown |\n| pace"),
    // Endpoints.
    ("POST /garden/v1/sow-seed.", "PUT /garden/v1/sow-seed."),
    ("/garden/v1/harvests", "/garden/v2/harvests"),
    ("### Pull Plants\n", "### Pull Out\n"),
    (
        "## Access",
        "### Feed Cat\n\nPOST /garden/v1/feed-cat. Rate limit 1/s.\n\nParameters: cat (required).\n\n## Access",
    ),
    ("Whitelisted robots only.", ""),
    (
        "POST /garden/v1/water-bed. Rate limit 10 per second.",
        "POST /garden/v1/water-bed. Rate limit 10 per second. Whitelisted robots only.",
    ),
    // Rates, bounds, defaults.
    ("| Sow Seed | 4/s/UID", "| Sow Seed | 6/s/UID"),
    ("2/s/UID for night robots.", "3/s/UID for night robots."),
    ("5/s/IP. Whitelisted", "5/s/UID. Whitelisted"),
    ("Rate limit 1/s/UID", "Rate limit 7/s/UID"),
    ("at most 12 seeds", "at most 13 seeds"),
    ("at most 6, items", "at most 8, items"),
    ("at most 3 digits", "at most 4 digits"),
    ("default and maximum 40", "default 20, maximum 40"),
    ("| page limit | default 40, maximum 40 |", "| page limit | default 40, maximum 60 |"),
    ("fast (default)", "fast"),
    ("default good", "default poor"),
    ("CLAY default, SAND", "CLAY, SAND default"),
    ("30 across", "31 across"),
    ("2 to 8 characters", "2 to 9 characters"),
    ("letters, hyphen", "letters, digits, hyphen"),
    // Parameters.
    ("| label | no |", "| label | yes |"),
    ("| depth | conditional |", "| deepness | conditional |"),
    ("litres (optional,", "litres (required,"),
    ("plantId (required), tools", "tools"),
    ("plantId, quality (good or poor", "plantId, bed, quality (good or poor"),
    ("one required; bedId wins", "one required; label wins"),
    ("one required; bedId wins", "bedId wins"),
    ("0 deletes it", "none deletes it"),
    ("drill, scatter", "drill, scatter, press"),
    ("items toolId and size", "items toolId and weight"),
    ("method (required)", "method (optional)"),
    // Windows.
    ("until (Unix ms, span at most two weeks)", "until (Unix ms, span at most 3 weeks)"),
    ("within 80 days", "within 90 days"),
    ("from and until are both set or both blank. ", ""),
    ("| Harvests time span | at most two weeks |", "| Harvests time span | at most one week |"),
    // Answers.
    ("rows (harvest items), nextMark", "rows (harvest items), following"),
    ("done (boolean), failed", "all (boolean), failed"),
    ("array of items plantId, bedId", "array of items plantId"),
    ("Response data: the plant record.", "Response data: the harvest item."),
    // Access and failures.
    ("| garden write | Sow Seed, Water Bed, Sow Batch |", "| garden write | Sow Seed, Sow Batch |"),
    ("| garden read |", "| harvest read |"),
    ("night work, on Sow Seed", "night work, on Sow Seed and Water Bed"),
    ("| ROBOT-SIGN |", "| ROBOT-SIGNATURE |"),
    ("| bed unknown |", "| bed asleep |"),
    ("The tank is empty", "The well is dry"),
    ("| no water left", "| frozen | code 5003, msg Ice |\n| no water left"),
    // Deprecated, or not.
    (
        "Whitelisted robots only.\n\nParameters: plantId",
        "Whitelisted robots only. Deprecated since v1; use Pull Plants.\n\nParameters: plantId",
    ),
    ("| label | no | name of the plant |", "| label | no | name of the plant; deprecated, use method |"),
    // Words that turn a fact around, which no reader knows.
    ("blank keeps the mix; 0 deletes it", "blank deletes the mix; 0 keeps it"),
    ("A seed is sown once.", "A seed is not sown once."),
    ("Robots work while people sleep", "People work while robots sleep"),
    ("| sprout | Water Bed | enough light |", "| sprout | Water Bed | no light |"),
    ("from, until (Unix ms,", "from, until (Unix seconds,"),
    (" Permission holders only.", ""),
    // Bounds and rates in other words; ten is not what the schema has.
    ("at most 12 seeds per request", "no more than ten seeds per request"),
    ("litres (optional, number, at most 3 digits)", "litres (optional, number, 0.5 to 10 percent, at most 3 digits)"),
    ("litres (optional, number, at most 3 digits)", "litres (optional, number, between 1 and 20, at most 3 digits)"),
    ("Rate limit 10 per second.", "Rate limit 600 per minute."),
    ("2/s; 60 requests per minute", "2/s; 90 requests per minute"),
    ("| List Harvests | 2/s; 60 per minute |", "| List Harvests | 2/s; 60 per hour |"),
    ("| Water Bed | 10/s |", "| Water Bed | 600 per minute per IP |"),
    // Numbered rules, other words, new sections.
    ("2. Header X-NIGHT", "3. Seeds are dry.\n2. Header X-NIGHT"),
    ("A seed is sown once.", "A seed is sown 2 times."),
    ("Robots work while people sleep", "Robots toil while people sleep"),
    ("## Limits", "## Holidays\n\nRobots rest on 2 days a year.\n\n## Limits"),
];

#[test]
fn every_kind_of_change_is_reported() {
    let mut report = String::new();
    for (from, to) in CHANGES {
        assert_eq!(DOCUMENT.matches(from).count().min(1), 1, "`{from}` is not in the document");
        let changed = DOCUMENT.replacen(from, to, 1);
        let line = DOCUMENT[..DOCUMENT.find(from).unwrap()].matches('\n').count() + 1;
        writeln!(report, "line {line}: {from:?} -> {to:?}\n{}", differences(&changed)).unwrap();
    }
    insta::assert_snapshot!(report);
}

fn run(schema: &Path, docs: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"));
    command.args(["audit", "--schema", schema.to_str().unwrap(), "--docs", docs.to_str().unwrap()]).args(more);
    command.output().unwrap()
}

/// Changes that mean nothing to anybody.
const NOTHING: &[(&str, &str)] = &[
    ("# Garden Robot Interface", "\u{feff}# Garden Robot Interface"),
    ("at most two weeks", "at most 14 days"),
    ("at most two weeks", "up to 336 hours"),
    ("within 80 days", "within 1920 hours"),
    ("plantId (required), tools", "plantId (mandatory), tools"),
    ("plantId, quality (good or poor", "`plantId`, **quality** (`good` or `poor`"),
    (
        "| soil | yes | soil values |\n| method | yes | drill, scatter |",
        "| method | yes | drill, scatter |\n| soil | yes | soil values |",
    ),
    ("Robots work while people sleep, on beds", "Robots work\nwhile people   sleep,\non beds"),
    (
        "- Success item: plantId, bedId.\n- Failure item: plantId, reason.",
        "* Failure item: plantId, reason.\n* Success item: plantId, bedId.",
    ),
    ("10 per second.", "10 requests per second."),
    ("4/s/UID; 2/s/UID for night robots |", "4 per second per user; 2/s/UID for night robots |"),
    ("at most 12 seeds", "no more than twelve seeds"),
    ("at most 3 digits", "\u{2264} 3 digits"),
    ("2 to 8 characters", "2-8 characters"),
    ("2 to 8 characters", "between 2 and 8 characters"),
];

#[test]
fn changes_without_meaning_are_not_reported() {
    for (from, to) in NOTHING {
        let text = DOCUMENT.replacen(from, to, 1);
        assert_eq!(differences(&text), "nothing\n", "{from:?} -> {to:?}");
    }
    assert_eq!(differences(&DOCUMENT.replace('\n', "\r\n")), "nothing\n");
}

#[test]
fn it_exits_with_1_on_a_difference_of_fact_and_with_3_on_other_words() {
    let docs = tempfile::tempdir().unwrap();
    let code = |text: &str, more: &[&str]| {
        std::fs::write(docs.path().join("garden-v1.md"), text).unwrap();
        run(&here().join("schema"), docs.path(), more).status.code()
    };
    assert_eq!(code(&DOCUMENT, &[]), Some(0));
    let reworded = DOCUMENT.replace("Robots work", "Robots toil");
    assert_eq!(code(&reworded, &[]), Some(3));
    assert_eq!(code(&DOCUMENT.replace("within 80 days", "within 70 days"), &[]), Some(1));
    assert_eq!(code(&reworded.replace("within 80 days", "within 70 days"), &[]), Some(1));
    assert_eq!(code(&DOCUMENT.replace("is sown once", "is sown 2 times"), &[]), Some(3));
    assert_eq!(code(&DOCUMENT, &["--no-such-option"]), Some(2));
    std::fs::remove_file(docs.path().join("garden-v1.md")).unwrap();
    let missing = run(&here().join("schema"), docs.path(), &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot read the document"));
}

/// Makes a copy of the schema folder.
fn copied(to: &Path) {
    std::fs::create_dir_all(to.join("garden")).unwrap();
    for below in ["", "garden"] {
        for entry in std::fs::read_dir(here().join("schema").join(below)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), to.join(below).join(entry.file_name())).unwrap();
            }
        }
    }
}

#[test]
fn accepting_writes_only_digests_and_not_where_a_fact_differs() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, docs) = (folder.path().join("schema"), folder.path().join("docs"));
    copied(&schema);
    std::fs::create_dir(&docs).unwrap();
    let changed = DOCUMENT.replace("Robots work", "Robots toil").replace("within 80 days", "within 70 days");
    std::fs::write(docs.join("garden-v1.md"), changed).unwrap();
    let file = schema.join("garden/family.yaml");
    let before = std::fs::read_to_string(&file).unwrap();
    let harvests = std::fs::read_to_string(schema.join("garden/harvests.yaml")).unwrap();

    let first = String::from_utf8(run(&schema, &docs, &["--accept"]).stdout).unwrap();
    assert!(first.contains("1 digest(s) recorded, 1 kept"), "{first}");
    let after = std::fs::read_to_string(&file).unwrap();
    let lines = before.lines().zip(after.lines()).filter(|(before, after)| before != after).collect::<Vec<_>>();
    let [(_, line)] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.starts_with("    Basics: ") && line.ends_with("# a comment stays"), "{line}");
    assert_eq!(harvests, std::fs::read_to_string(schema.join("garden/harvests.yaml")).unwrap());

    let second = String::from_utf8(run(&schema, &docs, &[]).stdout).unwrap();
    assert!(second.contains("1 difference(s) of fact, 0 change(s) of words to review"), "{second}");
}

/// A contradiction is settled by an entry that names both readings, whichever the schema takes; one that names something
/// else settles nothing, and the report says what does.
#[test]
fn a_contradiction_is_settled_by_an_entry_that_names_both_readings() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, docs) = (folder.path().join("schema"), folder.path().join("docs"));
    copied(&schema);
    std::fs::create_dir(&docs).unwrap();
    let audit = |(from, to): (&str, &str), file: &str, readings: &str, more: &[&str]| {
        assert!(DOCUMENT.contains(from), "{from}");
        std::fs::write(docs.join("garden-v1.md"), DOCUMENT.replacen(from, to, 1)).unwrap();
        let path = schema.join("garden").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let entry = format!(
            "contradictions:\n  - {{ id: two-readings, readings: [{readings}], chosen: One., why: It is safe. }}\n"
        );
        std::fs::write(&path, text.replacen("reviewed:", &format!("{entry}reviewed:"), 1)).unwrap();
        let output = run(&schema, &docs, more);
        std::fs::write(path, text).unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let cases = [
        (
            ("| Sow Seed | 4/s/UID", "| Sow Seed | 6/s/UID"),
            "sow-seed.yaml",
            "At most 4/s per UID., At most 6/s per UID.",
        ),
        (
            ("default and maximum 40", "default 20, maximum 40"),
            "harvests.yaml",
            "limit is 20 by default., limit is 40.",
        ),
        (("at most 12 seeds", "at most 13 seeds"), "sow-seeds.yaml", "Twelve or 12 seeds., Of 13 seeds each."),
    ];
    for (change, file, readings) in cases {
        let (code, report) = audit(change, file, "Day., Night.", &[]);
        assert_eq!(code, Some(1), "{change:?}: {report}");
        assert!(report.contains("the document contradicts itself:") && report.contains("next: "), "{report}");
        assert!(report.contains("an entry of `contradictions`"), "{report}");
        let (code, report) = audit(change, file, readings, &[]);
        assert_eq!(code, Some(3), "{change:?}: {report}");
        let (code, report) = audit(change, file, readings, &["--accept"]);
        assert_eq!(code, Some(0), "{change:?}: {report}");
    }
    let (code, report) = audit(cases[1].0, "harvests.yaml", "page is 20., page is 40.", &[]);
    assert_eq!(code, Some(1), "an entry about another parameter settles nothing: {report}");
}

/// A document describes an operation that was only observed so far.
#[test]
fn an_observed_operation_moves_to_the_document_that_describes_it() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, docs) = (folder.path().join("schema"), folder.path().join("docs"));
    copied(&schema);
    std::fs::create_dir(&docs).unwrap();
    std::fs::create_dir(schema.join("barn")).unwrap();
    let family = "family: barn\ntitle: Barn\ndoc: What was seen in the barn.\nsources: [a cat, a dog]\nnumbers: text\nerrors: {}\n";
    std::fs::write(schema.join("barn/family.yaml"), family).unwrap();
    std::fs::write(
        schema.join("barn/types.yaml"),
        "records:\n  Fed: { doc: Whether it ate., fields: { cat: { type: string, doc: Which cat. } } }\n",
    )
    .unwrap();
    std::fs::write(
        schema.join("barn/feed-cat.yaml"),
        "operation: feed-cat\ntitle: Feed Cat\nhttp: POST /garden/v1/feed-cat\ndoc: Feeds a cat.\neffect: create\n\
         request: { cat: { type: string, required: always, doc: Which cat. } }\nresponse: { object: Fed }\n\
         examples: [{ request: '{\"cat\": \"a\"}', response: '{\"status\": \"0000\", \"note\": \"fine\", \"data\": {}}' }]\n",
    )
    .unwrap();
    let section =
        "### Feed Cat\n\nPOST /garden/v1/feed-cat. Rate limit 1/s.\n\nParameters: cat (required).\n\n## Access";
    std::fs::write(docs.join("garden-v1.md"), DOCUMENT.replacen("## Access", section, 1)).unwrap();
    let output = run(&schema, &docs, &[]);
    let report = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(report.contains("endpoint POST /garden/v1/feed-cat · "), "{report}");
    assert!(
        report.contains("barn/feed-cat.yaml:3: `feed-cat` was only observed: move it from the family `barn`"),
        "{report}"
    );
}

#[test]
fn a_rule_is_in_a_row_that_its_section_has() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, docs) = (folder.path().join("schema"), folder.path().join("docs"));
    copied(&schema);
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("garden-v1.md"), &*DOCUMENT).unwrap();
    let file = schema.join("garden/sow-seed.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let differences = |at: &str| {
        let rule =
            format!("  - {{ id: slow, at: \"{at}\", kind: type, says: Seeds are sown at a pace. }}\n  - {{ id: night");
        std::fs::write(&file, text.replacen("  - { id: night", &rule, 1)).unwrap();
        run(&schema, &docs, &[]).status.code() != Some(0)
    };
    assert!(!differences("Sow Seed, parameter table, pace"));
    assert!(!differences("Sow Seed, parameter table, pace and label"));
    assert!(differences("Sow Seed, parameter table, pase"));
    assert!(differences("Sow Seed, parameter table, pace and lable"));
    assert!(differences("Water Bed, parameter table, pace"));
}

/// `never above 3 digits` bounds as `at most 3 digits` does, and no reader knows it.
#[test]
fn a_bound_that_holds_in_both_stays_when_its_words_were_reviewed() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, docs) = (folder.path().join("schema"), folder.path().join("docs"));
    copied(&schema);
    std::fs::create_dir(&docs).unwrap();
    let audit = |text: &str, more: &[&str]| {
        std::fs::write(docs.join("garden-v1.md"), text).unwrap();
        run(&schema, &docs, more).status.code()
    };
    let reworded = DOCUMENT.replace("at most 3 digits", "never above 3 digits");
    assert_eq!(audit(&reworded, &[]), Some(3));
    assert_eq!(audit(&reworded, &["--accept"]), Some(0));
    assert_eq!(audit(&reworded, &[]), Some(0));
    assert_eq!(audit(&reworded.replace("never above 3", "never above 4"), &[]), Some(1));
    assert_eq!(audit(&reworded.replace("never above 3", "never below 3"), &[]), Some(3));
}

#[test]
fn older_documents_are_shown_as_a_diff_of_words() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let file = docs.join("garden-v1.md");
    std::fs::write(&file, &*DOCUMENT).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").current_dir(&docs).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "As reviewed"]);
    std::fs::write(&file, DOCUMENT.replace("work while people sleep", "rest while people sleep")).unwrap();

    let was = |was: &[&str]| {
        let output = run(&here().join("schema"), &docs, was);
        let is_known = !was.iter().any(|name| name.contains("no-such"));
        assert_eq!(output.status.code(), Some(if is_known { 3 } else { 1 }));
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let words = "garden-v1.md:7: Robots [-work-]{+rest+} while people sleep";
    assert!(was(&["--was", here().join("docs").to_str().unwrap()]).contains(words));
    assert!(was(&["--was", "HEAD"]).contains(words));
    assert!(was(&[]).contains("garden-v1.md:7: now: Robots rest while people sleep"));
    assert!(was(&["--was", "no-such-revision"]).contains("no revision `no-such-revision`"));
    assert!(was(&["--was", "./no-such-folder"]).contains("cannot read the document ./no-such-folder/garden-v1.md"));

    let json = was(&["--format", "json"]);
    let objects: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [changed, totals] = objects.as_slice() else { panic!("{json}") };
    assert_eq!((&changed["task"], &changed["line"]), (&"review".into(), &7.into()));
    assert!(changed["message"].as_str().unwrap().contains("Robots rest while people sleep"));
    assert_eq!((&totals["differences"], &totals["reviews"]), (&0.into(), &1.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the document, the answer is a report.
    #[test]
    fn any_text_is_a_document(text in "(?s).{0,400}") {
        report(&text);
    }

    #[test]
    fn a_mangled_document_is_a_document(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..60, "[|(),.;:#\n `é<_0-9a-z-]{0,8}"), 1..12),
    ) {
        let mut text: Vec<char> = DOCUMENT.chars().collect();
        for (at, length, with) in cuts {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, with.chars());
        }
        report(&text.into_iter().collect::<String>());
    }
}

/// The facts of a row that was split stand in both of its parts: none is lost, and what a part leaves out is a difference.
#[test]
fn a_row_that_is_split_in_two_loses_no_fact() {
    let row = "| seed or sprout | Pull Plant, Pull Plants | any time | gone | none |";
    let split = |second: &str| {
        let rows = format!(
            "| seed | Pull Plant, Pull Plants | any time | gone | none |\n| sprout | {second} | any time | gone | none |"
        );
        assert!(DOCUMENT.contains(row));
        differences(&DOCUMENT.replace(row, &rows))
    };
    let whole = split("Pull Plant, Pull Plants");
    assert!(whole.starts_with("words to review:"), "{whole}");
    assert!(whole.contains("now: seed | Pull Plant") && whole.contains("new: sprout | Pull Plant"), "{whole}");
    assert!(!whole.contains("facts are read here"), "{whole}");
    let less = split("Pull Plant");
    assert!(less.starts_with("in the schema only:") && less.contains("sprout"), "{less}");
    assert!(less.contains("from sprout by pull-plants"), "{less}");
}

/// A document that says which records a record may be, in a table or in a sentence.
#[test]
fn the_records_that_one_may_be_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    for file in
        ["api.yaml", "garden/family.yaml", "garden/harvests.yaml", "garden/pull-plant.yaml", "garden/types.yaml"]
            .into_iter()
            .chain([
                "garden/pull-plants.yaml",
                "garden/sow-seed.yaml",
                "garden/sow-seeds.yaml",
                "garden/water-bed.yaml",
            ])
    {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(here().join("schema").join(file), path).unwrap();
    }
    let types = folder.path().join("garden/types.yaml");
    let visit = "records:\n  Visit:\n    doc: Who came.\n    source: { document: garden-v1, section: Visit }\n    \
        choose_by: kind\n    one_of: { Bee: bee, Mole: [mole, vole] }\n  \
        Bee: { doc: A bee., fields: { kind: { type: string, doc: Kind. } } }\n  \
        Mole: { doc: A mole., fields: { kind: { type: string, doc: Kind. } } }\n";
    let field =
        "      quality: { type: Quality }\n      visits: { list: Visit, sources: [a photo, a log], doc: Who came. }\n";
    let text = std::fs::read_to_string(&types).unwrap().replacen("records:\n", visit, 1);
    std::fs::write(&types, text.replacen("      quality: { type: Quality }\n", field, 1)).unwrap();
    let schema = Generator::new().schema_dir(folder.path()).read().unwrap();
    let report = |says: &str| {
        let text = format!("{}\n### Visit\n\n{says}\n", DOCUMENT.trim_end());
        let report = schema.audit(&Documents::one("garden-v1", &text), &Documents::default()).to_string();
        report.replace(&format!("{}/", folder.path().display()), "")
    };
    let table = |rows: &str| report(&format!("| Record | kind |\n|---|---|\n{rows}"));
    for same in [
        report("A visit is one of Bee (kind bee), Mole (kind mole or vole)."),
        report("It is one of Mole (when kind is vole or mole) and Bee."),
        table("| Bee | bee |\n| Mole | mole, vole |\n"),
    ] {
        assert!(!same.contains(" of Visit"), "{same}");
        assert!(!same.contains("recordcase"), "{same}");
    }
    let missing = report("A visit is one of Bee (kind bee).");
    assert!(
        missing.contains("in the schema only:") && missing.contains("case Mole of Visit by mole or vole"),
        "{missing}"
    );
    assert!(missing.contains("garden/types.yaml:"), "{missing}");
    let new = table("| Bee | bee |\n| Mole | mole, vole |\n| Fox | fox |\n");
    assert!(new.contains("in the document only:") && new.contains("case Fox of Visit by fox"), "{new}");
    let changed = report("A visit is one of Bee (kind bee, when it flies), Mole (kind mole).");
    assert!(changed.contains("changed:") && changed.contains("case Mole of Visit by mole · "), "{changed}");
    assert!(report("Nobody comes.").contains("not found: recordcase garden.Visit"), "{}", report("Nobody comes."));
}
