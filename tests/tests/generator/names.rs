//! A thousand hostile names in every place of a schema that takes one: each is refused, or the emitted code compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use tradeapi_gen::{Generator, Layout, Schema};

/// Keywords of all editions, and other reserved words.
const KEYWORDS: &str = "Self abstract as async auto await become box break catch const continue crate default do dyn else \
    enum extern false final fn for gen if impl in let loop macro macro_rules match mod move mut override priv pub raw ref \
    return safe self static struct super trait true try type typeof union unsafe unsized use virtual where while yield";

/// Names of the prelude.
const PRELUDE: &str = "AsMut AsRef AsyncFn Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err Error \
    ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Future Hash Into IntoFuture IntoIterator Item Iterator None \
    Ok Option Ord Output PartialEq PartialOrd Result Send Sized Some String Sync Target ToOwned ToString TryFrom TryInto \
    Unpin Vec alloc assert assert_eq bool cfg char clone column compile_error concat core debug_assert default derive drop \
    env eprintln err error f32 f64 file format from global_allocator hash i128 i16 i32 i64 i8 include into isize iter len \
    line matches module_path next ok option_env panic print println proc_macro result size_of some std str stringify test \
    todo u128 u16 u32 u64 u8 unimplemented unknown unreachable usize vec write writeln";

/// Device names of Windows, and other names that are not portable as files.
const FILES: &str = "con CON prn aux nul com0 com1 com9 lpt1 LPT9 conin$ clock$ mod lib main build family types api codes \
    index thumbs desktop .hidden -dash --flag ~ %TEMP% $HOME";

/// Letters of other scripts, combining and special characters, and attempts at code injection.
const SPECIAL: &[&str] = &[
    "pri\u{441}e",
    "\u{440}rice",
    "\u{3c1}rice",
    "pr\u{456}ce",
    "\u{ff50}rice",
    "e\u{301}",
    "\u{e9}",
    "n\u{303}o",
    "\u{1d41}",
    "price\u{301}",
    "名前",
    "なまえ",
    "\u{1f600}",
    "ß",
    "ſ",
    "İ",
    "K",
    "ﬁ",
    "²",
    "½",
    "١",
    "a\u{a0}b",
    "",
    " ",
    "  a",
    "a ",
    "1",
    "1a",
    "1m",
    "007",
    "-1",
    "1e9",
    "_",
    "__",
    "___a",
    "a__b",
    "_1",
    "a-",
    "-a",
    "a--b",
    "a.b",
    "a..b",
    "a/b",
    "../a",
    "a\\b",
    "a:b",
    "a::b",
    "a'b",
    "a\"b",
    "a`b",
    "a b",
    "a\tb",
    "a|b",
    "a*b",
    "a?b",
    "a<b>",
    "a&b",
    "a;b",
    "a{b}",
    "{}",
    "{{",
    "}",
    "[]",
    "[",
    "#",
    "#[cfg]",
    "#!",
    "/*",
    "*/",
    "//",
    "///",
    "!",
    "$x",
    "$crate",
    "@",
    "~",
    "^",
    "%",
    "%s",
    "=",
    "==",
    "=>",
    "->",
    "'a",
    "r#type",
    "r#self",
    "b'x",
    "0x1",
    "1.0",
    "true",
    "null",
    "NULL",
    "NaN",
    "nan",
    "inf",
    "undefined",
    "__proto__",
    "constructor",
    "\\u0041",
    "\\n",
    "<script>",
    "${x}",
    "{0}",
    "{:?}",
    "`rm`",
    "a,b",
    "(a)",
    "a()",
    "a!",
    "a=b",
];

/// The most rounds until no name is refused.
const MAX_ROUNDS: usize = 12;

fn house() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns all hostile names: those above, every identifier of an emitted crate and of the macros it uses, and long
/// ones.
fn hostile() -> BTreeSet<String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut names: BTreeSet<String> = [KEYWORDS, PRELUDE, FILES].into_iter().flat_map(words).collect();
    // Homoglyphs, and combining accents.
    let look_alikes = [("a", "\u{430}"), ("e", "\u{435}"), ("o", "\u{43e}"), ("r", "r\u{301}")];
    let disguised = look_alikes
        .iter()
        .flat_map(|(own, other)| words(KEYWORDS).into_iter().map(move |word| word.replace(own, other)));
    names.extend(disguised.collect::<Vec<_>>());
    names.extend(SPECIAL.iter().map(|name| (*name).to_owned()));
    names.extend([10, 63, 64, 65, 255, 256, 1000, 1100].map(|length| "n".repeat(length)));
    let schema = Generator::new().schema_dir(house().join("tests/fixtures/base")).read().unwrap();
    let emitted = ["facade/emitted.rs", "facade/emitted/client.rs", "facade/emitted/operations.rs"];
    let macros = ["value/open_enum", "value/identifier", "json/record", "parameters/named"]
        .map(|file| format!("data/{file}.rs"))
        .into_iter()
        .chain(emitted.map(str::to_owned));
    let macros = macros.map(|file| fs::read_to_string(house().join("generator/runtime/src").join(file)).unwrap());
    for text in schema.emit(Layout::Crate).into_values().chain(macros) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code: Vec<&str> =
            code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect();
        names.extend(code.into_iter().filter(|word| word.len() > 1).map(str::to_owned));
    }
    names
}

/// The places of names; each gets all of them.
const SLOTS: [&str; 17] = [
    "property",
    "number",
    "error",
    "value",
    "case",
    "enum",
    "identifier",
    "form",
    "field",
    "record",
    "alternative",
    "member",
    "parameter",
    "optional",
    "item",
    "intent",
    "operation",
];

/// A schema with all remaining names in every place, and the name of each line.
#[derive(Default)]
struct Files {
    texts: BTreeMap<String, String>,
    lines: BTreeMap<(String, usize), (&'static str, String)>,
}

impl Files {
    fn add(&mut self, file: &str, text: &str) {
        self.texts.entry(file.to_owned()).or_default().push_str(text);
    }

    /// Writes a line for each name of a slot, with the name in place of NAME and its number in place of INDEX.
    fn names(&mut self, file: &str, slot: &'static str, left: &Remaining, line: &str) {
        let before = self.texts.get(file).map_or(0, |text| text.lines().count());
        for (index, name) in left[slot].iter().enumerate() {
            let quoted = serde_json::Value::from(name.as_str()).to_string();
            self.add(file, &line.replace("INDEX", &index.to_string()).replace("NAME", &quoted));
            self.lines.insert((file.to_owned(), before + index + 1), (slot, name.clone()));
        }
    }
}

/// The names of each slot that are not refused so far.
type Remaining = BTreeMap<&'static str, BTreeSet<String>>;

fn files(left: &Remaining) -> Files {
    let mut files = Files::default();
    let text = |files: &mut Files, file: &str, text: &str| files.add(file, text);
    text(&mut files, "api.yaml", "api: zoo\ndoc: D.\ndocuments: { zoo: { title: Zoo } }\n");
    text(&mut files, "api.yaml", "account:\n  doc: D.\n  properties:\n    known: { type: flag, doc: D. }\n");
    files.names("api.yaml", "property", left, "    NAME: { type: flag, doc: D. }\n");
    text(&mut files, "api.yaml", "  instrument:\n    doc: D.\n    properties:\n      step: D.\n");
    files.names("api.yaml", "number", left, "      NAME: D.\n");

    let family = "zoo/family.yaml";
    text(&mut files, family, "family: zoo\ntitle: Zoo\ndoc: D.\nnumbers: text\nerrors:\n  e: { text: Wrong }\n");
    files.names(family, "error", left, "  eINDEX: { text: NAME }\n");

    let types = "zoo/types.yaml";
    text(
        &mut files,
        types,
        "enums:\n  Fixed: { doc: D., values: { a: D., b: D. } }\n  Word:\n    doc: D.\n    values:\n      some: D.\n",
    );
    files.names(types, "value", left, "      NAME: D.\n");
    text(&mut files, types, "  Purpose:\n    doc: D.\n    values:\n      some: D.\n");
    files.names(types, "intent", left, "      pINDEX: D.\n");
    text(&mut files, types, "  Way:\n    doc: D.\n    values:\n      some: D.\n");
    files.names(types, "case", left, "      NAME: D.\n");
    files.names(types, "enum", left, "  NAME: { doc: D., values: { a: D. } }\n");
    text(
        &mut files,
        types,
        "identifiers:\n  Key: { doc: D. }\n  Shaped:\n    doc: D.\n    forms:\n      known: \"a*z\"\n",
    );
    files.names(types, "form", left, "      NAME: \"xINDEX*\"\n");
    files.names(types, "identifier", left, "  NAME: { doc: D. }\n");
    text(
        &mut files,
        types,
        "choices:\n  Either:\n    doc: D.\n    one_of:\n      key: { type: Key }\n      shaped: { type: Shaped }\n",
    );
    files.names(types, "alternative", left, "      NAME: { type: string, doc: D. }\n");
    text(
        &mut files,
        types,
        "  ByFixed:\n    doc: D.\n    choose_by: fixed\n    type: Fixed\n    cases:\n      b: {}\n      a:\n        some: { type: string, doc: D. }\n",
    );
    files.names(types, "member", left, "        NAME: { type: string, doc: D. }\n");
    text(&mut files, types, "  ByWay:\n    doc: D.\n    choose_by: way\n    type: Way\n    cases:\n      some: {}\n");
    files.names(types, "case", left, "      NAME: { mINDEX: { type: string, doc: D. } }\n");
    text(&mut files, types, "records:\n  Answer:\n    doc: D.\n    fields:\n      word: { type: Word }\n");
    files.names(types, "field", left, "      NAME: { type: string, doc: D. }\n");
    text(&mut files, types, "  Uses:\n    doc: D.\n    fields:\n      answer: { type: Answer }\n");
    for slot in ["enum", "identifier", "record"] {
        files.names(types, slot, left, &format!("      {slot}INDEX: {{ type: NAME }}\n"));
    }
    files.names(types, "record", left, "  NAME: { doc: D., fields: { a: { type: string, doc: D. } } }\n");

    let operation = |name: &str, path: &str| {
        format!(
            "operation: {name}\ntitle: NAMED {path}\nhttp: POST /{path}\ndoc: D.\neffect: create\naccess: public\nrate_limit: []\n\
             response: {{ object: Uses }}\nexamples: [{{ about: A., request: '{{}}', response: '{{}}' }}]\nrequest:\n"
        )
    };
    for (file, slot, before, line) in [
        ("needs", "parameter", "", "  NAME: { type: string, required: always, doc: D. }\n"),
        ("takes", "optional", "", "  NAME: { type: string, doc: D. }\n"),
        (
            "lists",
            "item",
            "  things:\n    item: Thing\n    doc: D.\n    fields:\n      key: { type: Key }\n",
            "      NAME: { type: string, doc: D. }\n",
        ),
        (
            "means",
            "intent",
            "  purpose: { type: Purpose, doc: D. }\nintents:\n",
            "  - { id: NAME, says: S., at: A, set: { purpose: pINDEX } }\n",
        ),
    ] {
        let path = format!("zoo/{file}.yaml");
        let mut head = operation(file, file) + before;
        if slot == "parameter" {
            let all: serde_json::Map<_, _> = left[slot].iter().map(|name| (name.clone(), "a".into())).collect();
            let request = serde_json::Value::from(all).to_string().replace('\'', "''");
            head = head.replace("request: '{}'", &format!("request: '{request}'"));
        }
        text(&mut files, &path, &head);
        files.names(&path, slot, left, line);
    }
    for (name, choice) in [("either", "Either"), ("fixed", "ByFixed"), ("way", "ByWay")] {
        let parameter = format!("  chosen: {{ type: {choice} }}\n");
        files.add(&format!("zoo/has-{name}.yaml"), &(operation(&format!("has-{name}"), name) + &parameter));
    }
    for (index, name) in left["operation"].iter().enumerate() {
        let path = format!("zoo/{name}.yaml");
        let quoted = serde_json::Value::from(name.as_str()).to_string();
        let body = operation(&quoted, &format!("o{index}")).replace("NAMED", &quoted);
        files.add(&path, &(body.replace(&format!(" o{index}\nhttp"), "\nhttp") + "  {}\n"));
        for line in 0..20 {
            files.lines.insert((path.clone(), line), ("operation", name.clone()));
        }
    }
    files
}

/// Returns the schema with all names that `check` accepts, and how many it refused.
fn accepted(folder: &Path) -> (Schema, Remaining, usize) {
    let names = hostile();
    assert!(names.len() >= 1000, "only {} names", names.len());
    // A name that is no file name on any system makes no file.
    let is_file = |name: &&String| {
        !name.contains(['/', '\0'])
            && name.len() < 250
            && !["family", "types", "needs", "takes", "lists", "means"].contains(&name.to_lowercase().as_str())
    };
    let mut left: Remaining = SLOTS.iter().map(|slot| (*slot, names.clone())).collect();
    // Types and requests of a family share a namespace, so each name is used for one of them.
    for (rest, slot) in ["enum", "identifier", "record", "operation"].into_iter().enumerate() {
        let some = names.iter().enumerate().filter(|(index, _)| index % 4 == rest).map(|(_, name)| name.clone());
        left.insert(slot, some.collect());
    }
    left.entry("operation").and_modify(|names| names.retain(|name| is_file(&name)));
    let all: usize = left.values().map(BTreeSet::len).sum();
    for _ in 0..MAX_ROUNDS {
        let files = files(&left);
        let _ = fs::remove_dir_all(folder);
        for (file, text) in &files.texts {
            fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            fs::write(folder.join(file), text).unwrap();
        }
        let refused = match Generator::new().schema_dir(folder).read() {
            Ok(schema) => {
                let refused = all - left.values().map(BTreeSet::len).sum::<usize>();
                return (schema, left, refused);
            }
            Err(refused) => refused,
        };
        let mut known = 0;
        for one in refused.iter() {
            let places = one.place.iter().chain(one.related.iter().map(|(place, _)| place));
            for place in places {
                let file =
                    refused.files()[place.file as usize].strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                let line = place.line as usize;
                if let Some((slot, name)) = files.lines.get(&(file, line)) {
                    known += usize::from(left.get_mut(slot).unwrap().remove(name));
                    break;
                }
            }
        }
        assert!(known > 0, "this is not about a name:\n{}", refused.render(tradeapi_gen::Format::Short));
    }
    panic!("names are refused still after {MAX_ROUNDS} rounds");
}

#[test]
fn hostile_names_are_refused_or_compile() {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    let (schema, left, refused) = accepted(&room.join("schema"));
    let accepted: usize = left.values().map(BTreeSet::len).sum();
    println!("{accepted} names are accepted, {refused} refused");
    for (slot, names) in &left {
        assert!(names.len() > 100, "{slot} has {} names only", names.len());
    }
    let source = room.join("src");
    let _ = fs::remove_dir_all(&source);
    for (name, text) in schema.emit(Layout::Crate) {
        fs::create_dir_all(source.join(&name).parent().unwrap()).unwrap();
        fs::write(source.join(name), text).unwrap();
    }
    let mut manifest =
        String::from("[package]\nname = \"names\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n");
    let runtime = house().join("generator/runtime");
    writeln!(manifest, "[dependencies]\ntradeapi-runtime = {{ path = {runtime:?}, default-features = false }}\n")
        .unwrap();
    writeln!(manifest, "[features]\ndefault = [\"zoo\"]\nzoo = []").unwrap();
    fs::write(room.join("Cargo.toml"), manifest).unwrap();
    fs::copy(house().join("Cargo.lock"), room.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        // Tests share the results of their checks.
        .args(["--target-dir", "../checked"])
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(&room)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
