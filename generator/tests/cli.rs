//! The command line as a maintainer uses it: what it prints, how it exits, what it leaves on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/shared/empty_arguments.rs"]
mod empty_arguments;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).args(arguments).output().unwrap()
}

fn schema() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema").canonicalize().unwrap();
    folder.to_str().unwrap().to_owned()
}

fn generate(out: &Path) -> Output {
    run(&["generate", "--schema", &schema(), "--out", out.to_str().unwrap()])
}

/// Returns every file below a folder with its bytes, hidden ones among them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn a_second_run_writes_nothing_and_touches_no_time() {
    let out = tempfile::tempdir().unwrap();
    let first = generate(out.path());
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let times = |folder: &Path| -> Vec<_> {
        files(folder).into_keys().map(|path| path.metadata().unwrap().modified().unwrap()).collect()
    };
    let before = times(out.path());
    let second = String::from_utf8(generate(out.path()).stdout).unwrap();
    assert!(second.contains("0 written,"), "{second}");
    assert!(second.starts_with("read    4 families, "), "{second}");
    assert_eq!(before, times(out.path()));
}

#[test]
fn check_names_each_difference_and_the_command_that_resolves_it() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().to_str().unwrap().to_owned();
    let check = || run(&["generate", "--check", "--schema", &schema(), "--out", &path]);
    generate(out.path());
    assert_eq!(check().status.code(), Some(0));

    std::fs::write(out.path().join("lib.rs"), "// edited by hand\n").unwrap();
    std::fs::remove_file(out.path().join("broker/mod.rs")).unwrap();
    let surplus = out.path().join("classic/gone.rs");
    std::fs::write(&surplus, "").unwrap();
    let manifest = out.path().join(".manifest");
    let names = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, names + "classic/gone.rs\n").unwrap();

    let before = files(out.path());
    let result = check();
    let said = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(1));
    for expected in ["stale: ", "-// edited by hand", "missing: ", "surplus: ", "cargo run -- generate"] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
    assert_eq!(before, files(out.path()), "--check wrote something");

    generate(out.path());
    assert_eq!(check().status.code(), Some(0));
    assert!(!surplus.exists());
}

#[test]
fn files_that_were_never_emitted_stay() {
    let out = tempfile::tempdir().unwrap();
    std::fs::create_dir(out.path().join("classic")).unwrap();
    std::fs::write(out.path().join("classic/notes.txt"), "mine").unwrap();
    assert!(generate(out.path()).status.success());
    assert_eq!(std::fs::read_to_string(out.path().join("classic/notes.txt")).unwrap(), "mine");
}

/// Something that stands where a file is about to be written, and what is said about it.
type Obstacle = (&'static str, fn(&Path), &'static str);

#[test]
fn files_in_the_way_are_reported_before_anything_is_written() {
    let obstacles: &[Obstacle] = &[
        ("lib.rs", |path| std::fs::write(path, "mod mine;\n").unwrap(), "the generator did not write it"),
        ("classic/mod.rs", |path| std::fs::create_dir(path).unwrap(), "it is a folder"),
        ("unified", |path| std::fs::write(path, "mine").unwrap(), "it is not a folder"),
        (".manifest", |path| std::fs::write(path, "../outside.rs\n").unwrap(), "the generator did not write it"),
        #[cfg(unix)]
        ("codes.rs", |path| std::os::unix::fs::symlink("/dev/null", path).unwrap(), "it is not a regular file"),
        #[cfg(unix)]
        ("broker", |path| std::os::unix::fs::symlink("/", path).unwrap(), "it is a link to another folder"),
    ];
    let out = tempfile::tempdir().unwrap();
    std::fs::create_dir(out.path().join("classic")).unwrap();
    for (name, make, _) in obstacles {
        make(&out.path().join(name));
    }
    let paths = || std::fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>();
    let before = paths();
    let output = generate(out.path());
    assert_eq!(output.status.code(), Some(1));
    for (name, _, expected) in obstacles {
        let message = format!("{} is in the way: {expected}", out.path().join(name).display());
        assert!(said(&output).contains(&message), "{message} is not in:\n{}", said(&output));
    }
    assert_eq!(paths(), before);
    assert_eq!(std::fs::read_to_string(out.path().join("lib.rs")).unwrap(), "mod mine;\n");
}

/// A manifest that was lost, as in a copy without hidden files: the mark says whose the files are.
#[test]
fn emitted_files_are_known_by_their_mark() {
    let out = tempfile::tempdir().unwrap();
    assert!(generate(out.path()).status.success());
    std::fs::remove_file(out.path().join(".manifest")).unwrap();
    let path = out.path().join("lib.rs");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.clone() + "// edited by hand\n").unwrap();
    assert!(generate(out.path()).status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_wrong_schema_and_wrong_usage_have_different_exit_codes() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("nowhere");
    assert_eq!(run(&["check", "--schema", missing.to_str().unwrap()]).status.code(), Some(1));
    assert_eq!(run(&["check", "--schema", &schema()]).status.code(), Some(0));
    assert_eq!(run(&["generate", "--nonsense"]).status.code(), Some(2));
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn facts_and_list_print_the_model() {
    let facts = String::from_utf8(run(&["facts", "--schema", &schema()]).stdout).unwrap();
    assert!(facts.lines().is_sorted());
    assert!(facts.contains("rate\tclassic.batch-place-order\t1\ts\tUID\tcopy-trading\n"), "{facts}");
    assert!(facts.contains("oneof\tclassic.modify-order\torderId,clientOid\n"));
    let json = String::from_utf8(run(&["facts", "--schema", &schema(), "--format", "json"]).stdout).unwrap();
    let as_line = |object: &str| {
        let fact: serde_json::Value = serde_json::from_str(object).unwrap();
        let columns = fact["columns"].as_array().unwrap().iter();
        [&fact["kind"]].into_iter().chain(columns).map(|text| text.as_str().unwrap()).collect::<Vec<_>>().join("\t")
    };
    assert_eq!(json.lines().map(as_line).collect::<Vec<_>>(), facts.lines().collect::<Vec<_>>());
    let list = String::from_utf8(run(&["list", "--schema", &schema()]).stdout).unwrap();
    let is_operation = |path: &PathBuf| !path.ends_with("family.yaml") && !path.ends_with("types.yaml");
    let families = files(Path::new(&schema())).into_keys().filter(|path| path.extension() == Some("yaml".as_ref()));
    let operations = families.filter(|path| path.parent() != Some(Path::new(&schema()))).filter(is_operation).count();
    assert_eq!(list.lines().count(), 1 + operations, "a line of titles, and one for each operation");
    assert!(list.contains("unified.inner-trades"));
}

/// A run that is killed at any moment leaves each file old or new, and the next run mends the rest.
#[test]
fn announced_changes_decide_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changes.md");
    let name = path.to_str().unwrap().to_owned();
    let schema = schema();
    let audit = |entries: &str, more: &[&str]| {
        std::fs::write(&path, entries).unwrap();
        let mut arguments = vec!["audit", "--schema", &schema, "--changes", &name];
        arguments.extend(more);
        let output = run(&arguments);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let covered = "2026-08-18: Added `GET /api/v3/account/reality-fills`.\n\n";
    let missing = "2026-08-18: Added `GET /api/v3/account/moods`.\n\n";
    let vague = "2026-08-18: Everything is faster.\n";
    assert_eq!(audit(covered, &[]).0, Some(0));
    assert_eq!(audit(&format!("{covered}{vague}"), &[]).0, Some(3));
    let (code, text) = audit(&format!("{covered}{missing}{vague}"), &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(":3: 2026-08-18 Added `GET /api/v3/account/moods`."), "{text}");
    assert!(text.contains("3 announced changes: 0 contradicted, 1 missing, "), "{text}");
    let (_, json) = audit(missing, &["--format", "json"]);
    let entry: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&entry["standing"], &entry["line"]), (&"missing".into(), &1.into()));
    assert_eq!(audit(covered, &["--docs", "."]).0, Some(2), "either documents or changes");
    let checked = String::from_utf8(run(&["check", "--schema", &schema]).stdout).unwrap();
    assert!(checked.contains("unified-v3: changes compared until 2026-08-20"), "{checked}");
}

/// A newcomer's first family: the command says what is missing, and its file names the document that it follows.
#[test]
fn a_family_begins_from_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(path("schema/pond")).unwrap();
    std::fs::create_dir(path("docs")).unwrap();
    let text = "# Pond\n\n## Get Time\n\n`GET /v1/time`\n\nNo parameters.\n\n## Errors\n\n| Code | Message |\n|---|---|\n| 7 | No |\n";
    std::fs::write(path("docs/pond-v1.md"), text).unwrap();
    let api = "api: pond\nlanguage: 1\ndoc: A pond.\n";
    std::fs::write(path("schema/api.yaml"), api).unwrap();
    let new = || run(&["new", "pond", "--schema", &path("schema"), "--from", &path("docs"), "--all"]);
    let audit = || run(&["audit", "--partly", "--schema", &path("schema"), "--docs", &path("docs")]);
    for refused in [new(), audit()] {
        assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
        assert!(said(&refused).contains("the schema names no documents"), "{}", said(&refused));
    }
    std::fs::write(path("schema/api.yaml"), format!("{api}documents: {{ pond-v1: {{ title: Pond }} }}\n")).unwrap();
    let drafted = new();
    assert!(drafted.status.success(), "{}", said(&drafted));
    let family = std::fs::read_to_string(path("schema/pond/family.yaml")).unwrap();
    assert!(family.contains("\nsource:\n  document: pond-v1\n"), "{family}");
    // A vendor may split a document: the other part is named, with the operations that it has.
    std::fs::copy(path("docs/pond-v1.md"), path("docs/pond-more.md")).unwrap();
    let says = "not compared, because api.yaml names no such document under `documents`: pond-more.md (has pond.time)";
    assert!(said(&audit()).contains(says), "{}", said(&audit()));
}

#[test]
fn a_killed_run_leaves_no_half_file() {
    let new = tempfile::tempdir().unwrap();
    generate(new.path());
    let new = files(new.path());
    for milliseconds in [1, 5, 20, 60, 120, 200, 300, 450] {
        let out = tempfile::tempdir().unwrap();
        let old = old_output(out.path(), &new);
        let mut child = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
            .args(["generate", "--schema", &schema(), "--out", out.path().to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The moment does not matter: whatever it hits must hold.
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        for (path, bytes) in
            files(out.path()).iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "rs"))
        {
            let name = path.strip_prefix(out.path()).unwrap();
            let is_new = new.iter().any(|(path, new)| path.ends_with(name) && new == bytes);
            assert!(is_new || old.get(path) == Some(bytes), "{} is neither old nor new", name.display());
        }
        assert!(generate(out.path()).status.success());
        let fixed: Vec<_> = files(out.path()).into_values().collect();
        assert_eq!(fixed, new.values().cloned().collect::<Vec<_>>());
    }
}

/// Returns a folder as an earlier version of the schema might have left it.
fn old_output(folder: &Path, new: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    generate(folder);
    let sources = files(folder).into_keys().filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    for path in sources {
        std::fs::write(path, "// an older file\n").unwrap();
    }
    assert_eq!(files(folder).len(), new.len());
    files(folder)
}

/// Returns a schema of this test only.
fn copied_schema(from: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(from).canonicalize().unwrap();
    for (path, bytes) in files(&from) {
        let target = folder.path().join(path.strip_prefix(&from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(target, bytes).unwrap();
    }
    folder
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn mistakes_are_printed_in_the_requested_form() {
    let folder = copied_schema(&schema());
    let path = folder.path().join("unified/assets.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().position(|line| line == "effect: read").unwrap() + 1;
    std::fs::write(&path, text.replace("effect: read", "effect: raed")).unwrap();
    let schema = folder.path().to_str().unwrap();
    let out = folder.path().join("out");
    for command in
        [vec!["check"], vec!["generate", "--out", out.to_str().unwrap()], vec!["facts"], vec!["explain", "x"]]
    {
        let with = |format: &str| run(&[&command[..], &["--schema", schema, "--format", format]].concat());
        let human = with("human");
        assert!(human.stdout.is_empty() && human.status.code() == Some(1));
        let human = said(&human);
        assert!(human.contains("help: did you mean `read`?") && human.contains("^^^^"), "{human}");
        assert!(!human.contains('\u{1b}'), "no terminal, no colours: {human:?}");
        let short = said(&with("short"));
        assert!(short.contains(&format!("assets.yaml:{line}:9: error[E0203]: ")), "{short}");
        let json = with("json");
        assert!(json.stderr.is_empty() && json.status.code() == Some(1));
        let one: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!((&one["code"], &one["fix"]["text"]), (&"E0203".into(), &"read".into()));
    }
    assert!(!out.exists());
}

#[test]
fn colours_follow_the_environment() {
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").args(["check", "--schema", "nowhere"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        said(&output).contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
}

#[test]
fn stale_output_is_reported_as_json_too() {
    let out = tempfile::tempdir().unwrap();
    let output =
        run(&["generate", "--check", "--format", "json", "--schema", &schema(), "--out", out.path().to_str().unwrap()]);
    let first: serde_json::Value =
        serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().next().unwrap()).unwrap();
    assert_eq!(first["change"], "missing");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn shells_and_man_know_every_command() {
    let help = String::from_utf8(run(&["help"]).stdout).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> =
        commands.filter(|line| !line.starts_with("   ")).flat_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    let man = String::from_utf8(run(&["man"]).stdout).unwrap();
    for command in &commands {
        assert!(man.contains(&format!("tradeapi\\-gen\\-{command}(1)")), "{command} is not in the manual");
        let page = String::from_utf8(run(&["man", command]).stdout).unwrap();
        assert!(page.contains(&format!("tradeapi\\-gen\\-{command} \\-")), "{page}");
    }
    let page = String::from_utf8(run(&["man", "export", "site"]).stdout).unwrap();
    assert!(page.contains("tradeapi\\-gen\\-export\\-site \\-"), "{page}");
    for (names, expected) in [
        (&["man", "exprot"][..], "`tradeapi-gen` has no command `exprot`; its commands are `generate`, "),
        (&["man", "export", "html"], "`tradeapi-gen export` has no command `html`; its commands are `json-schema`, "),
        (&["man", "check", "all"], "`tradeapi-gen check` has no command `all`; it has no commands"),
    ] {
        let output = run(names);
        assert_eq!(output.status.code(), Some(2), "{names:?}");
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = String::from_utf8(run(&["completions", shell]).stdout).unwrap();
        for command in &commands {
            assert!(script.contains(command), "{shell} does not complete {command}");
        }
    }
}

/// Returns the schemas of this repository, one of which has no envelope and nothing to sign.
fn schemas() -> [String; 3] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../schema", "../tests/fixtures/base", "../tests/downstream/schema"]
        .map(|path| root.join(path).to_str().unwrap().to_owned())
}

/// Returns the empty keys of a new operation with what its author might write.
fn filled_in(text: &str, schema: &Path, family: &str) -> String {
    let others = std::fs::read_dir(schema.join(family)).unwrap();
    let others = others.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let named = |text: &str, key: &str| Some(text.split(key).nth(1)?.split([' ', '\n']).next()?.to_owned());
    let is_record = |name: &String| !name.is_empty() && name.chars().all(char::is_alphanumeric);
    let mut records = others.flat_map(|text| [" object: ", " of: "].map(|key| named(&text, key))).flatten();
    let record = records.find(is_record).unwrap();
    let api = std::fs::read_to_string(schema.join("api.yaml")).unwrap();
    let answer = match () {
        () if api.contains("data: answer") => r#"{"status": "fine", "answer": {}}"#,
        () if api.contains("\nenvelope:") => r#"{"code": "00000", "data": {}}"#,
        () => "{}",
    };
    text.replace("\nhttp:\n", "\nhttp: GET /pause\n".replace("pause", &format!("pause/{family}")).as_str())
        .replace("\ndoc:\n", "\ndoc: Pauses.\n")
        .replace("\neffect:\n", "\neffect: read\n")
        .replace("\nrate_limit:\n", "\nrate_limit: []\n")
        .replace("\nrequest:\n", "\nrequest: {}\n")
        .replace("\nresponse:\n", &format!("\nresponse: {{ object: {record} }}\n"))
        .replace(
            "\nexamples:\n",
            &format!("\nexamples:\n  - {{ about: A call., request: '{{}}', response: '{answer}' }}\n"),
        )
}

#[test]
fn a_new_operation_is_refused_until_it_is_filled_in() {
    for from in schemas() {
        let folder = copied_schema(&from);
        let schema = folder.path().to_str().unwrap();
        for family in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            if !family.path().join("family.yaml").is_file() {
                continue;
            }
            let family = family.file_name().into_string().unwrap();
            let name = format!("pause-{family}");
            let new = || run(&["new", &family, &name, "--schema", schema]);
            let first = new();
            assert!(first.status.success(), "{}", said(&first));
            let path = folder.path().join(&family).join(format!("{name}.yaml"));
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("# yaml-language-server: $schema=../.schema/operation.json\n"));
            assert!(!text.contains("TODO") && !text.contains("FIXME"));
            let check = || run(&["check", "--schema", schema, "--format", "short"]);
            let refused = said(&check());
            let empty = ["http", "doc", "effect", "rate_limit", "request", "response", "examples"];
            for key in empty {
                let line = text.lines().position(|line| line == format!("{key}:")).expect(key) + 1;
                assert!(refused.contains(&format!("{name}.yaml:{line}:")), "{key}: {refused}");
            }
            assert!(refused.ends_with(&format!("{} mistakes\n", empty.len())), "{refused}");

            let filled_in = filled_in(&text, folder.path(), &family);
            std::fs::write(&path, &filled_in).unwrap();
            assert!(check().status.success(), "{}", said(&check()));

            std::fs::write(&path, "# mine\n".to_owned() + &filled_in).unwrap();
            let second = new();
            assert_eq!(second.status.code(), Some(1));
            assert!(said(&second).contains("existing files are not changed"), "{}", said(&second));
            assert!(std::fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
        }
    }
}

/// The first family of a schema begins with its first operation, and another one with its folder.
#[test]
fn a_new_operation_begins_a_family() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().to_str().unwrap();
    std::fs::write(folder.path().join("api.yaml"), "api: shop\ndoc: A shop.\n").unwrap();
    let new = |family: &str| run(&["new", family, "pause", "--schema", schema]);
    for (family, is_there) in [("spot", false), ("futures", true)] {
        if is_there {
            std::fs::create_dir(folder.path().join(family)).unwrap();
        }
        let output = new(family);
        assert!(output.status.success(), "{}", said(&output));
        let refused = said(&run(&["check", "--schema", schema, "--format", "short"]));
        for (file, empty) in [("family", "numbers"), ("pause", "http")] {
            let text = std::fs::read_to_string(folder.path().join(format!("{family}/{file}.yaml"))).unwrap();
            let line = text.lines().position(|line| line == format!("{empty}:")).expect(empty) + 1;
            assert!(refused.contains(&format!("{family}/{file}.yaml:{line}:")), "{file}: {refused}");
        }
    }
    let before = files(folder.path());
    for (family, expected) in [("margin", "expected one of: futures, spot"), ("spto", "did you mean `spot`?")] {
        assert!(said(&new(family)).contains(expected), "{}", said(&new(family)));
    }
    assert_eq!(before, files(folder.path()));
}

#[test]
fn a_new_operation_needs_a_family_and_a_name() {
    let folder = copied_schema(&schema());
    let schema = folder.path().to_str().unwrap();
    let before = files(folder.path());
    for (family, operation, expected) in [
        ("unifed", "pause", "did you mean `unified`?"),
        ("spot", "pause", "expected one of: broker, classic, observed, unified"),
        ("unified", "../pause", "invalid operation name"),
        ("unified", "Pause", "invalid operation name"),
        ("unified", "types", "is another file of the family"),
    ] {
        let output = run(&["new", family, operation, "--schema", schema]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    assert_eq!(before, files(folder.path()));
}

#[test]
fn editor_schemas_describe_the_language_that_is_read() {
    let committed = Path::new(&schema()).join(".schema");
    let check = |folder: &Path| run(&["export", "json-schema", "--check", "--out", folder.to_str().unwrap()]);
    let output = check(&committed);
    assert!(output.status.success(), "{}", said(&output));

    let folder = tempfile::tempdir().unwrap();
    assert_eq!(check(folder.path()).status.code(), Some(1));
    let write = || said(&run(&["export", "json-schema", "--out", folder.path().to_str().unwrap()]));
    assert_eq!(write().lines().count(), 5);
    assert_eq!(write(), "", "a second run writes nothing");
    std::fs::write(folder.path().join("api.json"), "{}").unwrap();
    let output = check(folder.path());
    assert!(said(&output).contains("run `cargo run -- export json-schema`"), "{}", said(&output));
}

#[test]
fn init_changes_no_folder_that_has_files() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let init = |below: &str, more: &[&str]| {
        let path = folder.path().join(below);
        let crates = if more.contains(&"--crates") { &[][..] } else { &["--crates", sources.to_str().unwrap()] };
        run(&[&["init", path.to_str().unwrap()], crates, more].concat())
    };
    assert!(init("client", &[]).status.success());
    let manifest = std::fs::read_to_string(folder.path().join("client/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"client\"") && manifest.contains("tradeapi-runtime = { path = \""));
    let output = init("elsewhere", &[]);
    assert!(said(&output).contains("not written: CI, because other machines"), "{}", said(&output));
    assert!(!folder.path().join("elsewhere/.github").exists());
    let output = init("anywhere", &["--git", "https://example.com/tradeapi"]);
    assert!(output.status.success() && !said(&output).contains("not written"), "{}", said(&output));
    assert!(folder.path().join("anywhere/.github/workflows/ci.yml").exists());
    let manifest = std::fs::read_to_string(folder.path().join("anywhere/Cargo.toml")).unwrap();
    assert!(manifest.contains("tradeapi-gen = { git = \"https://example.com/tradeapi\", default-features = false }"));
    let schema = folder.path().join("client/schema");
    assert!(run(&["check", "--schema", schema.to_str().unwrap()]).status.success());
    let before = files(folder.path());
    for (below, more, expected) in [
        ("client", &[][..], "is not empty"),
        ("Client", &[], "invalid crate name `Client`"),
        ("other", &["--name", "fn"], "invalid crate name `fn`"),
        ("other", &["--name", "tokio"], "invalid crate name `tokio`"),
        ("other", &["--crates", "/nowhere"], "does not have the sources"),
    ] {
        let output = init(below, more);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(expected), "{}", said(&output));
        assert!(said(&output).contains("help: "), "{}", said(&output));
    }
    assert_eq!(before, files(folder.path()));
}

/// The case flag-takes-the-next-option.
#[test]
fn no_option_takes_the_next_one_or_an_empty_variable_for_its_value() {
    assert!(empty_arguments::tried(env!("CARGO_BIN_EXE_tradeapi-gen")) > 40);
}

/// The case wrong-argument-is-not-json.
#[test]
fn wrong_arguments_are_a_diagnostic_for_whoever_reads_json() {
    for arguments in [
        &["check", "--format", "json", "--no-such-option"][..],
        &["audit", "--format=json"],
        &["list", "--schema", "--format", "json"],
    ] {
        let output = run(arguments);
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(2), &b""[..]), "{arguments:?}");
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(line["severity"], "error");
        assert!(line["message"].as_str().is_some_and(|message| message.contains("--")), "{line}");
    }
    let people = run(&["check", "--format", "short", "--no-such-option"]);
    assert!(people.status.code() == Some(2) && people.stdout.is_empty() && people.stderr.starts_with(b"error: "));
    let help = run(&["check", "--format", "json", "--help"]);
    assert!(help.status.success() && help.stdout.starts_with(b"Reads the schema"));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure_unless_nobody_reads_it() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["list"][..], &["facts"], &["man"], &["completions", "bash"], &["--help"], &["--version"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"));
        command.args(arguments).current_dir(Path::new(&schema()).parent().unwrap());
        let failed = command.stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let error = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert_eq!(failed.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("error: the output cannot be written: "), "{arguments:?}: {error}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let unread = command.stdout(writer).output().unwrap();
        assert!(unread.status.success() && unread.stderr.is_empty(), "{arguments:?}: {unread:?}");
    }
}
