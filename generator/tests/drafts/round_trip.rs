//! Schemas that are exported as OpenAPI, and drafted again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tradeapi_gen::{DraftSource, Generator};

use crate::{KINDS, copy, empty_schema, fill, is_documented, root, texts};

/// The case openapi-export-list-form: what the exporter writes is read again.
#[test]
fn the_exporter_is_read_back() {
    let operation = |lists: &str| {
        format!(
            "operation: ticker\ntitle: Get Ticker\nhttp: GET /api/v1/ticker\ndoc: Reads prices.\neffect: read\naccess: public\n\
             lists: {lists}\nrate_limit: [10/s per IP, 600/1m per IP]\nrequest:\n  symbols: {{ list: string, doc: Names. }}\n  \
             since: {{ type: time, times: seconds, doc: Since then. }}\n  least: {{ type: integer, min: 1, max: 9, doc: The least. }}\n\
             response: {{ object: Ticker }}\nexamples:\n  - about: One.\n    request: '{{}}'\n    response: '{{}}'\n"
        )
    };
    let types = "records:\n  Ticker:\n    doc: A price.\n    fields:\n      price: { type: decimal, doc: The price. }\n      \
        at: { type: time, times: microseconds, doc: When. }\n      change: { type: signed, doc: The change. }\n";
    for lists in ["json", "repeated", "comma", "brackets", "indexed"] {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(&folder.path().join("old"));
        std::fs::write(schema.join("garden/ticker.yaml"), operation(lists)).unwrap();
        std::fs::write(schema.join("garden/types.yaml"), types).unwrap();
        let old = Generator::new().schema_dir(&schema).read().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("openapi.json");
        old.exact_openapi().write(&path).unwrap();
        let exported = std::fs::read_to_string(&path).unwrap();
        if lists == "comma" {
            assert!(exported.contains("\"explode\": false"), "{exported}");
        }
        let new = empty_schema(&folder.path().join("new"));
        let drafted = Generator::new().schema_dir(&new).draft("garden", &DraftSource::OpenApi(path)).unwrap();
        let shown = texts(&drafted);
        for expected in [
            &format!("lists: {lists}\n"),
            "effect: read\n",
            "rate_limit: [10/s per IP, 600/1m per IP]\n",
            "  symbols:\n    list: string\n",
            "times: seconds\n",
            "    min: 1\n    max: 9\n",
            "times: microseconds\n",
            "type: signed\n",
            "operation: ticker\n",
            "access: public\n",
        ] {
            assert!(shown.contains(expected), "{lists}: {expected:?} is not in\n{shown}\n{exported}");
        }
    }
}

/// Returns the schemas of other APIs, and of this one.
fn schemas() -> Vec<PathBuf> {
    let apis = std::fs::read_dir(root().join("tests/apis/schema")).unwrap();
    let mut all: Vec<PathBuf> = apis.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.extend([root().join("tests/downstream/schema"), root().join("schema")]);
    all
}

/// Returns a schema without operations and types, but with the conventions of its families.
fn emptied(schema: &Path, folder: &Path) -> Vec<String> {
    let mut families = Vec::new();
    std::fs::create_dir_all(folder).unwrap();
    let mut api = fill::read(&schema.join("api.yaml"));
    ["credentials", "account"].iter().for_each(|key| drop(api.as_mapping_mut().unwrap().remove(*key)));
    std::fs::write(folder.join("api.yaml"), serde_yaml::to_string(&api).unwrap()).unwrap();
    for entry in std::fs::read_dir(schema).unwrap().map(Result::unwrap) {
        let Ok(text) = std::fs::read_to_string(entry.path().join("family.yaml")) else { continue };
        // The exported document has no family that only others have seen.
        if !is_documented(&text) {
            continue;
        }
        let family = entry.file_name().into_string().unwrap();
        std::fs::create_dir_all(folder.join(&family)).unwrap();
        let is_kept = |line: &&str| {
            ["family:", "title:", "doc:", "numbers:", "sends:", "lists:", "objects:", "times:"]
                .iter()
                .any(|key| line.starts_with(key))
        };
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.join(&family).join("family.yaml"), format!("{kept}errors: {{}}\n")).unwrap();
        families.push(family);
    }
    families
}

/// Facts that OpenAPI can hold, exported and drafted into a schema without operations, come back: every fact, and none
/// is made up.
#[test]
fn facts_survive_an_export_and_a_draft() {
    let (mut all, mut lost, mut made_up) = (0, Vec::new(), Vec::new());
    for schema in schemas() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openapi.json");
        let generator = Generator::new().schema_dir(&schema);
        generator.read().unwrap_or_else(|error| panic!("{error}")).documented().exact_openapi().write(&file).unwrap();
        let credentials =
            |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["x-credentials"].clone();
        let exported = credentials(&std::fs::read_to_string(&file).unwrap());
        let new = folder.path().join("schema");
        let families = emptied(&schema, &new);
        let again = Generator::new().schema_dir(&new);
        for family in &families {
            let source = DraftSource::OpenApi(file.clone());
            again.draft_only(family, &source, std::slice::from_ref(family)).unwrap();
            fill::fill(&new.join(family));
        }
        let of = |generator: &Generator| -> BTreeSet<String> {
            let all = generator.facts_as_read().unwrap();
            all.into_iter().filter(|line| KINDS.contains(&line.split('\t').next().unwrap())).collect()
        };
        let (old, drafted) = (of(&generator), of(&again));
        let named = |fact: &String| format!("{}: {fact}", schema.file_name().unwrap().display());
        lost.extend(old.difference(&drafted).map(named));
        made_up.extend(drafted.difference(&old).map(named));
        all += old.len();
        let api = std::fs::read_to_string(new.join("api.yaml")).unwrap();
        let drafted = api.lines().find_map(|line| line.strip_prefix("credentials: "));
        let drafted = drafted.map_or(serde_json::Value::Null, |text| serde_json::from_str(text).unwrap());
        assert_eq!(drafted, exported);
        if !exported.is_null() {
            check_credentials(&schema, &folder.path().join("again"), &exported, credentials);
        }
    }
    assert!(lost.is_empty() && made_up.is_empty(), "of {all}, lost {lost:#?}, made up {made_up:#?}");
    assert!(all > 2500, "{all}");
}

/// A schema with the drafted credentials in the place of its own states the same.
fn check_credentials(
    schema: &Path,
    folder: &Path,
    exported: &serde_json::Value,
    of: impl Fn(&str) -> serde_json::Value,
) {
    copy(schema, folder);
    let path = folder.join("api.yaml");
    let mut api = fill::read(&path);
    api["credentials"] = serde_yaml::to_value(exported).unwrap();
    std::fs::write(&path, serde_yaml::to_string(&api).unwrap()).unwrap();
    let again = Generator::new().schema_dir(folder).read().unwrap_or_else(|error| panic!("{error}")).exact_openapi();
    assert_eq!(&of(&again.text), exported);
}
