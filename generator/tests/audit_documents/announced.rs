//! A list of announced changes, as `audit --changes` places and judges them without help, and as a person does.

use std::collections::BTreeMap;

use tradeapi_gen::{Generator, Standing};

use super::root;

/// The entries by a text in each, with the judgement of a person who has the schema at hand.
const BY_HAND: [(&str, Standing); 42] = [
    ("`platformTurnover24h`", Standing::Covered),
    ("market/stock-info", Standing::Missing),
    ("`requestId` is a text", Standing::Covered),
    ("`cancel_receiveWindow`", Standing::Covered),
    ("take `receiveWindow`", Standing::Missing),
    ("set-rate-limit-quota", Standing::Missing),
    ("`isRPI`", Standing::Covered),
    ("`posSide`", Standing::Covered),
    ("position/current-position", Standing::Covered),
    ("`usdt-futures`", Standing::Covered),
    ("reality-fills", Standing::Covered),
    ("reality-orderbook", Standing::Missing),
    ("up to 1000 levels", Standing::Missing),
    ("all-fee-rate", Standing::Covered),
    ("loan-data", Standing::Missing),
    ("Strategy orders", Standing::Missing),
    ("New accounts", Standing::Covered),
    ("`accountLevel`", Standing::Covered),
    ("`balanceOriginal`", Standing::Covered),
    ("`isReality`", Standing::Covered),
    ("`1Mutc`", Standing::Covered),
    ("`COIN-FUTURES`", Standing::Covered),
    ("steps of prices", Standing::Covered),
    ("60/s", Standing::Covered),
    ("100/s", Standing::Covered),
    ("20/s", Standing::Contradicted),
    ("fills-history", Standing::Covered),
    ("30/s", Standing::Contradicted),
    ("position/all-position", Standing::Covered),
    ("multi-asset mode", Standing::Missing),
    ("`openTime`", Standing::Covered),
    ("`maxLimitOrderValue`", Standing::Covered),
    ("`unionMm`", Standing::Covered),
    ("another coin", Standing::Missing),
    ("at most 50 orders", Standing::Covered),
    ("`post_only`", Standing::Contradicted),
    ("6,000 requests", Standing::Covered),
    ("25110", Standing::Covered),
    ("25599", Standing::Covered),
    ("25999", Standing::Missing),
    ("countdown-cancel-all", Standing::Covered),
    ("backend releases", Standing::Covered),
];

#[test]
fn announced_changes_are_placed_and_judged() {
    let path = root().join("generator/tests/audit_documents/announced.md");
    let lines: Vec<String> = std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    let schema = Generator::new().schema_dir(root().join("schema")).read().unwrap();
    let announced = schema.announced(&path).unwrap();
    let of_line: BTreeMap<usize, Standing> = announced.standings().collect();
    assert_eq!(of_line.len(), BY_HAND.len());
    let mut otherwise = Vec::new();
    for (text, by_hand) in BY_HAND {
        let line = 1 + lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
        let standing = of_line[&line];
        if standing != by_hand {
            otherwise.push((text, standing, by_hand));
        }
    }
    // What it cannot judge stays open: it calls no change covered, missing or contradicted that a person does not.
    let expected = [
        ("take `receiveWindow`", Standing::Unjudged, Standing::Missing),
        ("Strategy orders", Standing::Unplaced, Standing::Missing),
        ("steps of prices", Standing::Unplaced, Standing::Covered),
        ("multi-asset mode", Standing::Unplaced, Standing::Missing),
        ("another coin", Standing::Unplaced, Standing::Missing),
    ];
    assert_eq!(otherwise, expected);
    let report = announced.to_string();
    let totals = report.lines().last().unwrap();
    let guide = std::fs::read_to_string(root().join("generator/guide/after-a-document-changed.md")).unwrap();
    let right = BY_HAND.len() - otherwise.len();
    let figure = format!("{totals}. {right} of the judgements are those of a person");
    assert!(guide.split_whitespace().collect::<Vec<_>>().join(" ").contains(&figure), "the guide lacks: {figure}");
}

#[test]
fn dates_are_read_in_the_forms_that_lists_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changes.md");
    let text = "\u{feff}# Changes\n\n## 3rd Sep 2026\n\nNothing is known of `lateness`.\n\n- September 4, 2026: New `lateness`.\n- no day of its own: `lateness`\n\n\
                ### Others\n\nNew `lateness`, of the heading above.\n\n## Later\n\nNew `lateness`, without a day.\n\n2026-02-30: New `lateness`.\n";
    std::fs::write(&path, text).unwrap();
    let schema = Generator::new().schema_dir(root().join("schema")).read().unwrap();
    let json = schema.announced(&path).unwrap().as_json();
    let days: Vec<String> = json
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["day"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(days, ["2026-09-03", "2026-09-04", "2026-09-04", "2026-09-03"]);
    assert!(schema.announced(&folder.path().join("none.md")).is_err());
}

/// Nothing is left out in silence: neither the texts before the first date, nor a list whose dates no reader knows.
#[test]
fn texts_without_a_date_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changes.md");
    let schema = Generator::new().schema_dir(root().join("schema")).read().unwrap();
    let announced = |text: &str| {
        std::fs::write(&path, text).unwrap();
        schema.announced(&path).map(|announced| announced.to_string()).map_err(|error| error.to_string())
    };
    let dated = announced("# Changes\n\nNew `lateness`.\n\n2026-11-12: New `lateness`.\n").unwrap();
    assert!(dated.contains("without a date, and not compared: lines 3\n1 announced changes"), "{dated}");
    let ambiguous = announced("# Changes\n\n11/12/2026: New `lateness`.\n").unwrap_err();
    assert!(ambiguous.contains("has a date") && ambiguous.contains("such as 2026-08-18"), "{ambiguous}");
    let damaged = announced("# Changes\n\n2026-11-12: New\0 `lateness`.\n").unwrap_err();
    assert!(damaged.contains("a NUL byte in line 3"), "{damaged}");
}

/// The day of an entry stands in many forms, and a number that held before is not what an entry announces.
#[test]
fn entries_are_read_in_the_styles_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changes.md");
    let entries = [
        ("[2026-11-17] Get Open Orders: the maximum of `limit` is 500 (was 100).", "contradicted"),
        ("9th of November 2026: the maximum of `limit` of Get Open Orders is 100, previously 50.", "covered"),
        ("Mon, 8 Nov 2026: Get Fill History is raised from 10/s to 20/s.", "covered"),
        ("27/11/2026: Get Fill History is lowered from 20/s to 10/s.", "contradicted"),
        ("2026-11-11T08:00:00Z: Get Fill History: 20/s for each user.", "covered"),
        ("20261112: Get Fill History: 20/s for each user.", "covered"),
        ("2026年11月13日: Get Fill History is lowered from 20/s to 10/s.", "contradicted"),
        ("2026 Nov 14: Get Fill History: 20/s for each user.", "covered"),
    ];
    let list: String = entries.iter().map(|(entry, _)| format!("- {entry}\n")).collect();
    std::fs::write(&path, format!("# Unified\n\n{list}")).unwrap();
    let schema = Generator::new().schema_dir(root().join("schema")).read().unwrap();
    let announced = schema.announced(&path).unwrap();
    let standings: Vec<&str> = announced.standings().map(|(_, standing)| standing.as_str()).collect();
    assert_eq!(standings, entries.map(|(_, standing)| standing), "{announced}");
    for day in
        ["2026-11-17", "2026-11-09", "2026-11-08", "2026-11-27", "2026-11-11", "2026-11-12", "2026-11-13", "2026-11-14"]
    {
        assert!(announced.to_string().contains(&format!(": {day} ")), "{day}: {announced}");
    }
}
