//! The descriptions of the schema language for editors (`schema/.schema`) and for people (`schema/*.md`) agree
//! with what the generator reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tradeapi_gen::{Code, Generator};
use tradeapi_tests::json_schema::JsonSchema;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the YAML files of a schema, named relative to its folder.
fn yaml_files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            names.extend(yaml_files(&entry.path()).into_iter().map(|file| format!("{name}/{file}")));
        } else if name.ends_with(".yaml") {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Returns the JSON Schema of a file, by its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit('/').next().unwrap() {
        "api.yaml" => "api",
        "codes.yaml" => "codes",
        "family.yaml" => "family",
        "types.yaml" => "types",
        _ => "operation",
    }
}

struct Language {
    schemas: BTreeMap<&'static str, (Value, JsonSchema)>,
}

impl Language {
    fn read() -> Self {
        let read = |kind: &'static str| {
            let text = fs::read_to_string(root().join(format!("schema/.schema/{kind}.json"))).unwrap();
            let schema: Value = serde_json::from_str(&text).unwrap();
            let validator = JsonSchema::draft7(&schema);
            (kind, (schema, validator))
        };
        Self { schemas: ["api", "codes", "family", "types", "operation"].map(read).into() }
    }

    /// Returns the mistakes in a file that an editor shows; `None` if it is not YAML.
    fn mistakes(&self, name: &str, text: &str) -> Option<Vec<String>> {
        let document = json(&serde_yaml::from_str(text).ok()?);
        let mistakes = self.schemas[kind(name)].1.mistakes(&document);
        Some(mistakes.into_iter().map(|mistake| format!("{name}: {mistake}")).collect())
    }
}

/// Returns the document as a YAML language server sees it.
fn json(yaml: &serde_yaml::Value) -> Value {
    match yaml {
        serde_yaml::Value::Mapping(mapping) => {
            let key = |key: &serde_yaml::Value| match key {
                serde_yaml::Value::String(text) => text.clone(),
                other => serde_yaml::to_string(other).unwrap().trim().to_owned(),
            };
            mapping.iter().map(|(name, value)| (key(name), json(value))).collect()
        }
        serde_yaml::Value::Sequence(items) => items.iter().map(json).collect(),
        other => serde_json::to_value(other).unwrap_or(Value::Null),
    }
}

#[test]
fn every_file_names_its_json_schema_and_follows_it() {
    let language = Language::read();
    let schema = root().join("schema");
    for name in yaml_files(&schema) {
        let text = fs::read_to_string(schema.join(&name)).unwrap();
        let up = if name.contains('/') { "../" } else { "" };
        let line = format!("# yaml-language-server: $schema={up}.schema/{}.json", kind(&name));
        assert_eq!(text.lines().next(), Some(line.as_str()), "the first line of {name}");
        assert_eq!(language.mistakes(&name, &text), Some(Vec::new()));
    }
}

#[test]
fn other_valid_schemas_follow_it() {
    let language = Language::read();
    for folder in ["tests/fixtures/base", "tests/downstream/schema"] {
        let folder = root().join(folder);
        for name in yaml_files(&folder) {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            assert_eq!(language.mistakes(&name, &text), Some(Vec::new()));
        }
    }
}

/// Returns whether a mistake is one of the form of a file, which its JSON Schema states as well.
fn cannot_be_read(code: Code, message: &str) -> bool {
    match code {
        Code::UnknownKey | Code::UnknownWord | Code::EmptyFile => true,
        Code::WrongType => message.contains("expected ") && !message.contains("expected a record"),
        // A number may be too large for any reader.
        Code::BadNumber => message.contains("is too large"),
        _ => false,
    }
}

/// Returns whether a mistake can be a text in another form than its key alone decides.
fn has_wrong_form(code: Code) -> bool {
    let codes = [
        Code::BadPath,
        Code::BadRate,
        Code::BadDuration,
        Code::BadNumber,
        Code::BadWindow,
        Code::BadValue,
        Code::BadDate,
    ];
    codes.contains(&code)
}

/// Editors refuse exactly the files that the generator cannot read, in every broken fixture.
#[test]
fn editors_refuse_what_the_generator_cannot_read() {
    let language = Language::read();
    let mut refused = 0;
    let generator = Generator::new().remember();
    for case in fs::read_dir(root().join("tests/fixtures/broken")).unwrap().map(|case| case.unwrap().path()) {
        let folder = tempfile::tempdir().unwrap();
        for from in [&root().join("tests/fixtures/base"), &case] {
            for name in yaml_files(from) {
                let target = folder.path().join(&name);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(from.join(&name), target).unwrap();
            }
        }
        let Err(all) = generator.clone().schema_dir(folder.path()).read() else { continue };
        for name in yaml_files(&case) {
            let text = fs::read_to_string(case.join(&name)).unwrap();
            let path = folder.path().join(&name);
            let here =
                || all.iter().filter(|one| one.place.is_some_and(|place| all.files()[place.file as usize] == path));
            // Files elsewhere, of another version, or outside the supported YAML are not read at all.
            let passed_over =
                |code: Code| code == Code::OtherLanguage || code < Code::WrongType && code != Code::EmptyFile;
            if !all.files().contains(&path) || here().any(|one| passed_over(one.code)) {
                continue;
            }
            let is_unread = here().any(|one| cannot_be_read(one.code, &one.message));
            let mistakes = language.mistakes(&name, &text);
            let is_refused = mistakes.as_ref().is_none_or(|mistakes| !mistakes.is_empty());
            // An editor also knows the keys that every such mapping has, and the forms of some texts.
            let may_be_refused = here().any(|one| one.code == Code::MissingKey || has_wrong_form(one.code));
            let agree = is_unread == is_refused || may_be_refused && is_refused;
            assert!(agree, "{}: {name}: {mistakes:?}\n{all}", case.display());
            refused += usize::from(is_unread);
        }
    }
    assert!(refused > 10, "only {refused} files were refused");
}

/// Keys that are missing in some places only, depending on what else is written there.
const CONDITIONAL: [&str; 28] = [
    "algorithm",
    "as",
    "code",
    "credentials",
    "cursor",
    "doc",
    "done",
    "failed",
    "field",
    "fields",
    "headers",
    "id",
    "ids",
    "includes",
    "isbn",
    "item",
    "key",
    "kind",
    "list",
    "next",
    "of",
    "says",
    "signature",
    "signed_text",
    "size",
    "timestamp",
    "type",
    "window",
];

/// Each key of a schema without mistakes is left out: an editor misses it only if the generator does, and the other way
/// round, unless the key is required in some places only.
#[test]
fn editors_know_which_keys_are_required() {
    let language = Language::read();
    let base = root().join("tests/fixtures/base");
    let (mut required, mut differ) = (0, Vec::new());
    let generator = Generator::new().remember();
    for name in yaml_files(&base) {
        let text = fs::read_to_string(base.join(&name)).unwrap();
        let whole: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        for (key, without) in without_each_key(&whole) {
            let folder = tempfile::tempdir().unwrap();
            tradeapi_tests::folders::copy(&base, folder.path());
            let text = serde_yaml::to_string(&without).unwrap();
            fs::write(folder.path().join(&name), &text).unwrap();
            let mistakes = generator.clone().schema_dir(folder.path()).read().err();
            let is_missed = mistakes
                .iter()
                .flat_map(|all| all.iter())
                .any(|one| one.code == Code::MissingKey || one.message.contains("at least two different readings"));
            let is_missed_by_editors = language.mistakes(&name, &text) != Some(Vec::new());
            let is_conditional = CONDITIONAL.contains(&key.as_str()) && !is_missed_by_editors;
            if is_missed != is_missed_by_editors && !is_conditional {
                differ.push(format!("{name}: {key}: {mistakes:?}"));
            }
            required += usize::from(is_missed_by_editors);
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(required > 50, "{required}");
}

/// Returns the document without each key of each of its mappings.
fn without_each_key(of: &serde_yaml::Value) -> Vec<(String, serde_yaml::Value)> {
    let mut all = Vec::new();
    match of {
        serde_yaml::Value::Mapping(mapping) => {
            for (key, value) in mapping {
                let mut without = mapping.clone();
                without.remove(key);
                all.push((key.as_str().unwrap_or_default().to_owned(), serde_yaml::Value::Mapping(without)));
                for (name, inner) in without_each_key(value) {
                    let mut changed = mapping.clone();
                    changed.insert(key.clone(), inner);
                    all.push((name, serde_yaml::Value::Mapping(changed)));
                }
            }
        }
        serde_yaml::Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                for (name, inner) in without_each_key(item) {
                    let mut changed = items.clone();
                    changed[index] = inner;
                    all.push((name, serde_yaml::Value::Sequence(changed)));
                }
            }
        }
        _ => {}
    }
    all
}

/// Returns the document with null in the place of each of its scalars, and the keys above it.
fn with_each_null(of: &serde_yaml::Value, above: &str) -> Vec<(String, serde_yaml::Value)> {
    let within = |key: &serde_yaml::Value| format!("{above}/{}", key.as_str().unwrap_or_default());
    match of {
        serde_yaml::Value::Mapping(mapping) => {
            let each = |(key, value): (&serde_yaml::Value, &serde_yaml::Value)| {
                let changed = |(at, inner)| {
                    let mut changed = mapping.clone();
                    changed.insert(key.clone(), inner);
                    (at, serde_yaml::Value::Mapping(changed))
                };
                with_each_null(value, &within(key)).into_iter().map(changed).collect::<Vec<_>>()
            };
            mapping.iter().flat_map(each).collect()
        }
        serde_yaml::Value::Sequence(items) => {
            let each = |(index, item): (usize, &serde_yaml::Value)| {
                let changed = |(at, inner)| {
                    let mut changed = items.clone();
                    changed[index] = inner;
                    (at, serde_yaml::Value::Sequence(changed))
                };
                with_each_null(item, &format!("{above}/-")).into_iter().map(changed).collect::<Vec<_>>()
            };
            items.iter().enumerate().flat_map(each).collect()
        }
        _ => vec![(above.to_owned(), serde_yaml::Value::Null)],
    }
}

/// Null is no value of any key, for the generator and for editors; the one word that is spelled so is a word.
#[test]
fn null_is_no_value() {
    let language = Language::read();
    let folder = tempfile::tempdir().unwrap();
    let files = shown();
    for (name, text) in &files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (mut tried, mut wrong) = (BTreeSet::new(), Vec::new());
    let generator = Generator::new().schema_dir(folder.path()).remember();
    for (name, text) in &files {
        let whole: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
        for (at, changed) in with_each_null(&whole, "") {
            // Most keys of one name are read alike.
            let key = at.rsplit('/').find(|key| *key != "-").unwrap_or_default();
            let is_new = tried.insert((kind(name), key.to_owned()));
            if !is_new || key == "may_be" {
                continue;
            }
            let text = serde_yaml::to_string(&changed).unwrap();
            fs::write(folder.path().join(name), &text).unwrap();
            let all = generator.read().err();
            let mut found = all.iter().flat_map(|all| all.iter());
            let is_refused = found.any(|one| one.code == Code::WrongType && one.message.contains("found null"));
            if !is_refused || language.mistakes(name, &text) == Some(Vec::new()) {
                wrong.push(format!("{name}: {at}: {all:?}"));
            }
        }
        fs::write(folder.path().join(name), text).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried.len() > 200, "{}", tried.len());
}

/// A scalar is a text as it is written, whatever else other readers take it for.
#[test]
fn other_scalars_are_texts_as_they_are_written() {
    let base = root().join("tests/fixtures/base");
    for text in
        ["5", "-1", "1e3", "0o17", "017", "0x1F", ".inf", "yes", "no", "off", "true", "2026-01-01", "none", "nil"]
    {
        let folder = tempfile::tempdir().unwrap();
        tradeapi_tests::folders::copy(&base, folder.path());
        let path = folder.path().join("api.yaml");
        let changed = fs::read_to_string(&path)
            .unwrap()
            .replace("doc: The books of a library and their loans.", &format!("doc: {text}"));
        fs::write(&path, changed).unwrap();
        let schema = Generator::new().schema_dir(folder.path()).read().unwrap_or_else(|all| panic!("{text}: {all}"));
        let exported: Value = serde_json::from_str(&schema.openapi().text).unwrap();
        let said = exported["info"]["description"].as_str().unwrap();
        assert!(said.starts_with(text) && !said[text.len()..].starts_with(|c: char| c.is_alphanumeric()), "{said}");
    }
}

/// Returns the README of the language and its pages, in the order of the README's table.
fn documentation() -> String {
    let read = |name: &str| fs::read_to_string(root().join("schema").join(name)).unwrap();
    let mut text = read("README.md");
    let rows: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("| [")).map(str::to_owned).collect();
    let names: Vec<&str> =
        rows.iter().filter_map(|row| row.split_once("](")?.1.split_once(')')).map(|(name, _)| name).collect();
    let files = fs::read_dir(root().join("schema")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = files.filter(|name| Path::new(name).extension() == Some("md".as_ref()) && name != "README.md");
    let pages: BTreeSet<String> = pages.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(
        names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(),
        pages,
        "the table of schema/README.md"
    );
    for name in names {
        text += &read(name);
    }
    text
}

#[test]
fn no_page_of_the_language_is_longer_than_a_stranger_reads() {
    for entry in fs::read_dir(root().join("schema")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension() == Some("md".as_ref()) {
            let lines = fs::read_to_string(&entry).unwrap().lines().count();
            assert!(lines <= 400, "{} has {lines} lines: 400 at most", entry.display());
        }
    }
}

/// Returns the YAML blocks of the documentation, by the words after `yaml`.
fn blocks() -> Vec<(String, String)> {
    let text = documentation();
    let blocks = text.split("\n```").skip(1).step_by(2).filter_map(|block| {
        let (info, content) = block.split_once('\n').unwrap();
        match info.split_once(' ') {
            None if info == "sh" => None,
            Some(("yaml", words)) => Some((words.to_owned(), format!("{content}\n"))),
            _ if info.is_empty() => None,
            _ => panic!("a block of YAML without the name of its file: {block}"),
        }
    });
    blocks.collect()
}

/// The mark of a block that shows a file of another API.
const OTHER_API: &str = " of another API";

/// Returns the files in the README, without those of the smallest API.
fn shown() -> BTreeMap<String, String> {
    let mut files = all_shown();
    files.retain(|name, _| !name.starts_with(SMALLEST));
    files
}

/// The folder of the smallest API in the README.
const SMALLEST: &str = "smallest/";

/// Returns the files in the README. Blocks with the same name are joined.
fn all_shown() -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (words, content) in blocks().into_iter().filter(|(words, _)| !words.ends_with(OTHER_API)) {
        *files.entry(words).or_default() += &content;
    }
    files
}

/// Returns the blocks that show files of other APIs.
fn shown_elsewhere() -> Vec<(String, String)> {
    let file = |(words, content): (String, String)| Some((words.strip_suffix(OTHER_API)?.to_owned(), content));
    blocks().into_iter().filter_map(file).collect()
}

#[test]
fn the_examples_of_other_apis_are_accepted_by_editors() {
    let language = Language::read();
    for (name, text) in shown_elsewhere() {
        let mistakes = language.mistakes(&name, &text).unwrap();
        // They show parts of files.
        let others: Vec<_> = mistakes.iter().filter(|mistake| !mistake.contains("missing properties")).collect();
        assert!(others.is_empty(), "{others:?}\n{text}");
    }
}

#[test]
fn the_examples_of_the_readme_are_a_schema_without_mistakes() {
    let language = Language::read();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in shown() {
        let path = folder.path().join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(language.mistakes(&name, &text), Some(Vec::new()));
        fs::write(path, text).unwrap();
    }
    if let Err(all) = Generator::new().schema_dir(folder.path()).read() {
        panic!("{all}");
    }
}

/// The smallest API of the README equals the files that `init` writes.
#[test]
fn the_smallest_api_of_the_readme_is_what_init_writes() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("desk");
    tradeapi_gen::init_project(&project, None, &root(), None).unwrap();
    let written = yaml_files(&project.join("schema"));
    let all = all_shown();
    let shown: Vec<&str> = all.keys().filter_map(|name| name.strip_prefix(SMALLEST)).collect();
    assert_eq!(written, shown);
    for name in written {
        let text = fs::read_to_string(project.join("schema").join(&name)).unwrap();
        assert_eq!(text, all[&format!("{SMALLEST}{name}")], "{name}");
    }
}

#[test]
fn every_key_of_the_language_is_in_an_example_of_the_readme() {
    let language = Language::read();
    let mut used = BTreeSet::new();
    for (name, text) in shown().into_iter().chain(shown_elsewhere()) {
        let (schema, _) = &language.schemas[kind(&name)];
        note_keys(schema, schema, "", &json(&serde_yaml::from_str(&text).unwrap()), &mut used);
    }
    let mut all = BTreeSet::new();
    for (schema, _) in language.schemas.values() {
        for (name, definition) in schema["definitions"].as_object().unwrap() {
            all.extend(definition["properties"].as_object().unwrap().keys().map(|key| format!("{name}.{key}")));
        }
    }
    let missing: Vec<_> = all.difference(&used).collect();
    assert!(missing.is_empty(), "no `yaml` block of schema/*.md shows {missing:?}: add them to one");
}

/// Records each key of a document with the definition that it is read by.
fn note_keys(root: &Value, schema: &Value, definition: &str, document: &Value, used: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/definitions/").unwrap();
        return note_keys(root, &root["definitions"][name], name, document, used);
    }
    let alternatives = ["allOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    alternatives.for_each(|schema| note_keys(root, schema, definition, document, used));
    match document {
        Value::Object(members) => {
            for (key, value) in members {
                if !schema["properties"][key].is_null() {
                    used.insert(format!("{definition}.{key}"));
                    note_keys(root, &schema["properties"][key], "", value, used);
                } else if schema["additionalProperties"].is_object() {
                    note_keys(root, &schema["additionalProperties"], "", value, used);
                }
            }
        }
        Value::Array(items) if schema["items"].is_object() => {
            items.iter().for_each(|item| note_keys(root, &schema["items"], "", item, used));
        }
        _ => {}
    }
}

/// Each value of a schema without mistakes becomes a value of another type: a number or truth value in quotes, and a text
/// that is a number. An editor refuses it if and only if the generator does.
#[test]
fn editors_and_the_generator_tell_texts_from_numbers_alike() {
    let language = Language::read();
    let base = root().join("tests/fixtures/base");
    let (mut refused, mut accepted, mut differ) = (0, 0, Vec::new());
    let generator = Generator::new().remember();
    for name in yaml_files(&base) {
        let text = fs::read_to_string(base.join(&name)).unwrap();
        let whole: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        for other in with_each_value_of_another_type(&whole) {
            let folder = tempfile::tempdir().unwrap();
            tradeapi_tests::folders::copy(&base, folder.path());
            let text = serde_yaml::to_string(&other).unwrap();
            fs::write(folder.path().join(&name), &text).unwrap();
            let mistakes = generator.clone().schema_dir(folder.path()).read().err();
            let all = || mistakes.iter().flat_map(|all| all.iter());
            let is_unread = all().any(|one| cannot_be_read(one.code, &one.message));
            let of_editors = language.mistakes(&name, &text);
            let is_refused = of_editors != Some(Vec::new());
            if is_unread == is_refused || is_refused && all().any(|one| has_wrong_form(one.code)) {
                refused += usize::from(is_unread);
                accepted += usize::from(!is_unread);
            } else {
                differ.push(format!("{name}: {of_editors:?}\n{mistakes:?}"));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(refused > 20 && accepted > 100, "{refused} refused, {accepted} accepted");
}

/// Texts of a form of their own, each in place of a right one of the base.
const WRONG_FORMS: [(&str, &str, &str); 10] = [
    ("house/lend-book.yaml", "min: 1", "min: one"),
    ("house/lend-book.yaml", "min: 1", "min: 01"),
    ("house/lend-book.yaml", "POST /v1/loans", "post /v1/loans"),
    ("house/lend-book.yaml", "POST /v1/loans", "POST v1/loans"),
    ("house/lend-book.yaml", "5/s per UID", "5/s"),
    ("house/lend-book.yaml", "5/s per UID", "5/min per UID"),
    ("house/lend-book.yaml", "5/s per UID", "0/s per UID"),
    ("house/find-books.yaml", "span: 30 days", "span: 30d"),
    ("house/find-books.yaml", "access: 90 days", "access: 0 days"),
    ("api.yaml", "window: 30 seconds", "window: 30"),
];

/// Editors refuse a number, an address, a rate or a length of time in another form, as the generator does.
#[test]
fn editors_know_the_forms_of_texts() {
    let (language, base) = (Language::read(), root().join("tests/fixtures/base"));
    for (name, from, to) in WRONG_FORMS {
        let folder = tempfile::tempdir().unwrap();
        tradeapi_tests::folders::copy(&base, folder.path());
        let text = fs::read_to_string(base.join(name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        let text = text.replacen(from, to, 1);
        fs::write(folder.path().join(name), &text).unwrap();
        let all = Generator::new().schema_dir(folder.path()).read().expect_err(to);
        assert_eq!(all.len(), 1, "{to}: {all}");
        assert_eq!(language.mistakes(name, &text).unwrap().len(), 1, "{to}");
    }
}

/// Returns the document once for each of its values, which has another type there.
fn with_each_value_of_another_type(whole: &serde_yaml::Value) -> Vec<serde_yaml::Value> {
    use serde_yaml::Value;
    match whole {
        Value::Mapping(mapping) => {
            let replaced = |key: &Value, value: Value| {
                let mut other = mapping.clone();
                other.insert(key.clone(), value);
                Value::Mapping(other)
            };
            let each = |(key, value)| -> Vec<Value> {
                let others = with_each_value_of_another_type(value).into_iter();
                others.map(|value| replaced(key, value)).collect()
            };
            mapping.iter().flat_map(each).collect()
        }
        Value::Sequence(items) => {
            let each = |(index, value): (usize, &Value)| -> Vec<Value> {
                let others = with_each_value_of_another_type(value).into_iter();
                let replaced = |value: Value| {
                    let mut other = items.clone();
                    other[index] = value;
                    Value::Sequence(other)
                };
                others.map(replaced).collect()
            };
            items.iter().enumerate().flat_map(each).collect()
        }
        Value::Number(number) => vec![Value::String(number.to_string())],
        Value::Bool(flag) => vec![Value::String(flag.to_string())],
        Value::String(_) => vec![Value::Number(7.into())],
        Value::Null | Value::Tagged(_) => Vec::new(),
    }
}
