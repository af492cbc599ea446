//! From a report of production to the schema: findings are documented there, and then settled.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tradeapi_gen::{Drift, Generator};
use tradeapi_tests::folders;

use super::production::collected;

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema").canonicalize().unwrap()
}

/// A copy of the schema, and a production report.
struct Maintainer {
    folder: TempDir,
}

impl Maintainer {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        folders::copy(&schema(), &folder.path().join("schema"));
        std::fs::write(folder.path().join("report.json"), collected().await.report().to_json()).unwrap();
        Self { folder }
    }

    fn read(&self) -> Drift {
        let schema = Generator::new().schema_dir(self.folder.path().join("schema")).read().unwrap();
        schema.drift(&self.folder.path().join("report.json")).unwrap()
    }

    fn write_down(&self, file: &str, from: &str, to: &str) {
        let file = self.folder.path().join("schema").join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{} has no {from}", file.display());
        std::fs::write(file, text.replacen(from, to, 1)).unwrap();
    }
}

#[tokio::test]
async fn each_finding_has_its_place_in_the_schema() {
    let desk = Maintainer::new().await;
    let report_text = desk.read().to_string().replace(&desk.folder.path().display().to_string(), "..");
    insta::assert_snapshot!(report_text);
}

#[tokio::test]
async fn documented_findings_are_settled() {
    let desk = Maintainer::new().await;
    let before = desk.read();
    let changes = [
        ("unified/types.yaml", "      sell: Sells", "      short: Sells what is borrowed.\n      sell: Sells"),
        ("unified/types.yaml", "      short: The short", "      flat: Neither.\n      short: The short"),
        (
            "unified/types.yaml",
            "      feeCoin: {",
            "      rebate: { type: boolean, doc: Given back. }\n      feeCoin: {",
        ),
        ("unified/types.yaml", "comes_only: for futures", "may_be: null, comes_only: for futures"),
        ("unified/types.yaml", "      execType: { type", "      execType: { comes_only: at times, type"),
        ("api.yaml", "  data: data\n", "  data: data\n  beside: [traceId]\n"),
        ("unified/family.yaml", "errors:\n", "errors:\n  \"40999\": { text: maintenance }\n"),
    ];
    for (file, from, to) in changes {
        desk.write_down(file, from, to);
    }
    let after = desk.read();
    assert_eq!((before.settled(), after.settled()), (0, changes.len()), "{after}");
    // Fields that never occurred are reported together; others remain.
    assert_eq!(after.open(), before.open() - (changes.len() - 1), "{after}");
}

/// All records of a family that no document describes are as they were observed, and stay so.
#[test]
fn an_observed_family_is_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let entry =
        r#"{"kind": "observed", "path": "data", "record": "Positions", "json": ["object"], "seen": 1, "of": 1}"#;
    let text =
        format!(r#"{{"drift": 1, "operations": [{{"operation": "observed.positions", "entries": [{entry}]}}]}}"#);
    std::fs::write(&report, text).unwrap();
    let report_text = Generator::new().schema_dir(schema()).read().unwrap().drift(&report).unwrap().to_string();
    assert!(report_text.contains("no document describes the family `observed`\n0 to add"), "{report_text}");
}

/// An observed family has no document to look at.
#[test]
fn advice_on_an_observed_family_names_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let entries = [
        r#"{"kind": "missing field", "path": "data.list[].total", "field": "total", "seen": 0"#,
        r#"{"kind": "missing field", "path": "data.list[].frozen", "field": "frozen", "seen": 0"#,
        r#"{"kind": "unknown value", "path": "data.list[].posSide", "field": "posSide", "value": "flat", "json": ["text"], "seen": 1"#,
        r#"{"kind": "unreadable", "path": "data.list[].mmr", "field": "mmr", "json": ["object"], "seen": 1"#,
        r#"{"kind": "written otherwise", "path": "data.list[].leverage", "field": "leverage", "json": ["number"], "seen": 1"#,
    ];
    let entries = entries.map(|entry| format!(r#"{entry}, "record": "Position", "of": 3}}"#)).join(",");
    let text =
        format!(r#"{{"drift": 1, "operations": [{{"operation": "observed.positions", "entries": [{entries}]}}]}}"#);
    std::fs::write(&report, text).unwrap();
    let report_text = Generator::new().schema_dir(schema()).read().unwrap().drift(&report).unwrap().to_string();
    assert!(report_text.contains("    observed.positions, data.list[]: total, frozen: 0 of 3\n"), "{report_text}");
    assert!(report_text.contains("check whether a source still lists them"), "{report_text}");
    assert!(report_text.ends_with("4 to add to the schema, 0 settled"), "{report_text}");
    assert!(!report_text.contains("document"), "{report_text}");
}

#[test]
fn malformed_reports_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let schema = Generator::new().schema_dir(schema()).read().unwrap();
    for text in ["", "[]", r#"{"drift": 2, "operations": []}"#, r#"{"drift": 1, "operations": [{"operation": 5}]}"#] {
        std::fs::write(&report, text).unwrap();
        let mistakes = schema.drift(&report).unwrap_err();
        assert!(mistakes.to_string().contains("to_json"), "{mistakes}");
    }
    std::fs::write(&report, r#"{"drift": 1, "operations": [{"operation": "unified.gone", "entries": []}]}"#).unwrap();
    let report_text = schema.drift(&report).unwrap().to_string();
    assert_eq!(
        report_text,
        "settled: unified.gone: the schema has no such operation\n0 to add to the schema, 1 settled"
    );
}
