//! The promises in the manifests of the published crates.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The crates that are published.
const PUBLISHED: [&str; 5] = ["tradeapi", "tradeapi-cli", "tradeapi-gen", "tradeapi-runtime", "tradeapi-words"];

/// Returns the workspace with the packages of its dependencies on this platform, all features on.
fn metadata() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["metadata", "--format-version", "1", "--all-features", "--locked"]);
    command.args(["--filter-platform", host]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

/// Returns 88 for `1.88`. A package without the key compiles with any version.
fn minor(package: &Value) -> u32 {
    let version = package["rust_version"].as_str().unwrap_or("1.0");
    version.split('.').nth(1).unwrap().parse().unwrap()
}

#[test]
fn no_feature_needs_a_newer_compiler_than_the_manifest_says() {
    let metadata = metadata();
    let packages: BTreeMap<&str, &Value> =
        list(&metadata, "packages").iter().map(|package| (package["id"].as_str().unwrap(), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"], "nodes").iter().map(|node| (node["id"].as_str().unwrap(), node)).collect();
    let name = |id: &str| packages[id]["name"].as_str().unwrap();
    let mut open: Vec<&str> = packages.keys().copied().filter(|id| PUBLISHED.contains(&name(id))).collect();
    assert_eq!(open.len(), PUBLISHED.len());
    let promised = minor(packages[open[0]]);
    let (mut seen, mut newer) = (Vec::new(), Vec::new());
    while let Some(id) = open.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        if minor(packages[id]) > promised {
            newer.push(format!("{} needs {}", name(id), packages[id]["rust_version"]));
        }
        // Those of tests alone are not compiled for users.
        let is_used = |dependency: &&Value| list(dependency, "dep_kinds").iter().any(|kind| kind["kind"] != "dev");
        open.extend(
            list(nodes[id], "deps").iter().filter(is_used).map(|dependency| dependency["pkg"].as_str().unwrap()),
        );
    }
    assert!(seen.len() > 100 && newer.is_empty(), "Rust 1.{promised} is promised, but {newer:?}");
}

#[test]
fn a_registry_would_take_the_published_crates() {
    let metadata = metadata();
    for package in
        list(&metadata, "packages").iter().filter(|package| PUBLISHED.iter().any(|name| package["name"] == *name))
    {
        let name = &package["name"];
        assert!(package["publish"].is_null(), "{name} is published");
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {key}");
        }
        let keywords = list(package, "keywords");
        assert!((1..=5).contains(&keywords.len()) && !list(package, "categories").is_empty(), "{name}");
        assert_eq!(package["metadata"]["docs"]["rs"]["all-features"], true, "{name}");
        for dependency in list(package, "dependencies") {
            let has_version = dependency["req"] != "*";
            assert!(has_version || dependency["kind"] == "dev", "{name}: {} has no version", dependency["name"]);
        }
    }
}
