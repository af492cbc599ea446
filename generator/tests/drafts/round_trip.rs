//! What is exported as OpenAPI is drafted again.

use std::collections::{BTreeMap, BTreeSet};
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
        old.openapi().write(&path).unwrap();
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

/// The schemas of other APIs, and of this one.
fn schemas() -> Vec<PathBuf> {
    let apis = std::fs::read_dir(root().join("tests/apis/schema")).unwrap();
    let mut all: Vec<PathBuf> = apis.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.extend([root().join("tests/downstream/schema"), root().join("schema")]);
    all
}

/// A schema without operations and types, but with the conventions of its families.
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

/// The facts that an export and a draft lose, by kind: the answers of an operation whose successes are told by a member
/// with another name than in the envelope, and of one whose data has no member at all; the name of a value that is not
/// JSON, and one of a time within a record; lists that are an object on the wire; an enum of numbers; the length of a map;
/// one of several parameters that a rule requires; whether a choice that may be left out is required under a condition or
/// says nothing; a default of a case, and the deprecation of a value.
const LOST: [(&str, usize); 8] = [
    ("deprecated", 1),
    ("oneof", 3),
    ("param", 10),
    ("paramdefault", 1),
    ("paramenum", 2),
    ("parammax", 1),
    ("respfield", 11),
    ("respshape", 2),
];

/// What OpenAPI can hold of a schema, exported and drafted into a schema without operations, comes back.
#[test]
fn facts_survive_an_export_and_a_draft() {
    let (mut kept, mut all, mut made_up) = (0, 0, Vec::new());
    let mut by_kind: BTreeMap<String, usize> = BTreeMap::new();
    for schema in schemas() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openapi.json");
        let generator = Generator::new().schema_dir(&schema);
        generator.read().unwrap_or_else(|error| panic!("{error}")).documented().openapi().write(&file).unwrap();
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
        let lost: Vec<_> = old.difference(&drafted).collect();
        println!("{}: lost {lost:#?}", schema.display());
        for fact in &lost {
            *by_kind.entry(fact.split('\t').next().unwrap().to_owned()).or_default() += 1;
        }
        made_up.extend(drafted.difference(&old).cloned());
        (kept, all) = (kept + old.len() - lost.len(), all + old.len());
        let api = std::fs::read_to_string(new.join("api.yaml")).unwrap();
        let drafted = api.lines().find_map(|line| line.strip_prefix("credentials: "));
        let drafted = drafted.map_or(serde_json::Value::Null, |text| serde_json::from_str(text).unwrap());
        assert_eq!(drafted, exported);
        if !exported.is_null() {
            check_credentials(&schema, &folder.path().join("again"), &exported, credentials);
        }
    }
    println!("{kept} of {all}, made up {made_up:#?}");
    assert!(kept * 100 >= all * 98 && made_up.len() * 100 <= all * 2, "{kept} of {all}, {}", made_up.len());
    // Also where fewer are lost, so that the table stays true.
    let known = LOST.map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(by_kind, BTreeMap::from(known));
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
    let again = Generator::new().schema_dir(folder).read().unwrap_or_else(|error| panic!("{error}")).openapi();
    assert_eq!(&of(&again.text), exported);
}
