//! The generator in other people's build scripts, run by cargo: where it works, what it says, when it runs again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../../tests/src/folders.rs"]
mod folders;
mod project;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use project::{Project, files};

const PLAIN: &str = "fn main() -> Result<(), tradeapi_gen::Diagnostics> {
    tradeapi_gen::Generator::new().generate()?;
    Ok(())
}
";

/// Another API is generated whole, and of the project's own schema two operations.
const TWO_SCHEMAS: &str = r#"fn main() -> Result<(), tradeapi_gen::Diagnostics> {
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    tradeapi_gen::Generator::new()
        .schema_dir("../exchange")
        .only("unified").operations(["place-order"])
        .only("unified").operations(["order-info"])
        .only("broker").all()
        .generate()?;
    tradeapi_gen::Generator::new().schema_dir("../library").out_dir(out.join("library")).generate()?;
    Ok(())
}
"#;

/// A workspace, offline, in a folder with spaces and umlauts, from sources that cannot be written, with two schemas in
/// one crate; what is emitted compiles without a warning.
#[test]
fn read_only_sources_in_an_odd_place_with_two_schemas() {
    let project = Project::new("two-schemas", TWO_SCHEMAS);
    project.copy_schema("../schema", "exchange");
    project.copy_schema("../tests/downstream/schema", "library");
    project.include("api", "api.rs");
    project.include("library", "library/api.rs");
    let before = sources(&project.root);
    project.set_read_only(true);
    let output = project.build();
    project.set_read_only(false);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains("warning"), "{said}");
    assert_eq!(before, sources(&project.root), "a build has written into the sources");

    let emitted: Vec<_> = project.generated().into_keys().collect();
    let has = |file: &str| emitted.iter().any(|path| path.ends_with(file));
    for file in ["unified/place_order.rs", "unified/get_order_details.rs", "broker/mod.rs", "library/desk/mod.rs"] {
        assert!(has(file), "{file} is not in {emitted:?}");
    }
    assert!(!has("unified/cancel_order.rs") && !has("classic/mod.rs"));
}

/// A project of `init` is green before the first edit: formatted, without a warning, its test passes.
#[test]
fn a_new_project_is_green() {
    let project = Project::init("fresh-client");
    let formatted = project.cargo(&["fmt", "--check"]).output().unwrap();
    assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stdout));
    let tested = project.run(&["test"]);
    let said = format!("{}{}", String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    assert!(tested.status.success() && !said.contains("warning"), "{said}");
    assert!(said.contains("a_ticker_is_read ... ok"), "{said}");
    assert!(project.read("schema/.schema/operation.json").contains("\"rate_limit\""));
}

/// A mistake ends the build with the place and the help, and without a panic; so does a name that is not there.
#[test]
fn mistakes_are_shown_at_their_place() {
    let project = Project::new("mistakes", PLAIN);
    project.copy_schema("../tests/downstream/schema", "client/schema");
    let file = "client/schema/desk/lend.yaml";
    let text = project.read(file).replace("required: always", "requird: always");
    let line = 1 + text.lines().position(|line| line.contains("requird")).unwrap();
    project.write(file, &text);
    let output = project.build();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    for expected in [&format!("schema/desk/lend.yaml:{line}:"), "E0202", "did you mean `required`?"] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
    assert!(
        !said.contains("panicked") && !said.contains("RUST_BACKTRACE") && !said.contains("stack backtrace"),
        "{said}"
    );

    project.write(file, &project.read(file).replace("requird", "required"));
    let names = r#".only("desc").all().only("desk").operations(["lent", "return-books"]).generate"#;
    project.write("client/build.rs", &PLAIN.replace(".generate", names));
    let output = project.build();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && !said.contains("panicked"), "{said}");
    for expected in ["did you mean `desk`?", "the family `desk` has no operation `lent`", "did you mean `lend`?"] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
}

/// A build makes again what changed, and nothing else. Cargo goes by times: a file that is only touched makes it run
/// the build script, and it compiles a crate whose build script has run. No generated file is written then, so the
/// compiler finds everything as it left it.
#[test]
fn changes_rebuild_and_touches_write_nothing() {
    let project = Project::new("changes", PLAIN);
    project.copy_schema("../tests/downstream/schema", "client/schema");
    project.include("api", "api.rs");
    project.is_fresh();
    assert!(project.is_fresh(), "nothing has changed");
    let first = project.generated();

    let file = "client/schema/desk/lend.yaml";
    touch(&project.root.join(file));
    project.is_fresh();
    assert_eq!(first, project.generated(), "a touch has written something");

    let text = project.read(file);
    project.write(file, &text.replacen("doc: ", "doc: As of now, ", 1));
    touch(&project.root.join(file));
    assert!(!project.is_fresh(), "a change was not built");
    let second = project.generated();
    let changed: Vec<_> = second.iter().filter(|(path, facts)| first.get(*path) != Some(facts)).collect();
    assert!(!changed.is_empty() && changed.len() < second.len(), "{changed:?}");

    project.write("client/schema/desk/lent.yaml", "");
    assert!(!project.build().status.success(), "a new file was not seen");
}

/// Times on disk can be as coarse as a second; a later one is later for sure.
fn touch(path: &Path) {
    let later = SystemTime::now() + std::time::Duration::from_secs(2);
    File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
}

fn sources(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(root).into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}
