//! New projects: a crate whose build script generates a client from a schema, with a test and CI.
//!
//! The files are those in `files/`, which `schema/README.md` shows too.

use std::path::Path;

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::KEYWORDS;

/// The files with placeholders: `crate-name` and `crate_name` stand for the name of the crate.
const FILES: [(&str, &str); 10] = [
    ("build.rs", include_str!("init/files/build.rs")),
    ("src/lib.rs", include_str!("init/files/lib.rs")),
    ("schema/api.yaml", include_str!("init/files/schema/api.yaml")),
    ("schema/market/family.yaml", include_str!("init/files/schema/market/family.yaml")),
    ("schema/market/types.yaml", include_str!("init/files/schema/market/types.yaml")),
    ("schema/market/ticker.yaml", include_str!("init/files/schema/market/ticker.yaml")),
    ("tests/ticker.rs", include_str!("init/files/tests/ticker.rs")),
    (".gitignore", include_str!("init/files/gitignore")),
    (".gitattributes", include_str!("init/files/gitattributes")),
    ("README.md", include_str!("init/files/README.md")),
];

/// The workflow of another machine, for a project whose dependencies it can find.
const CI: (&str, &str) = (".github/workflows/ci.yml", include_str!("init/files/ci.yml"));

/// Returns the files of a project with their names. `crates` is the folder of this project's sources, and `git` a
/// repository of them.
pub(crate) fn files(name: &str, crates: &Path, git: Option<&str>) -> Vec<(String, String)> {
    let text = |text: &str| text.replace("crate-name", name).replace("crate_name", &name.replace('-', "_"));
    let manifest = ("Cargo.toml".to_owned(), manifest(name, crates, git));
    let fixed = FILES.iter().chain(git.map(|_| &CI)).map(|(name, content)| ((*name).to_owned(), text(content)));
    std::iter::once(manifest).chain(fixed).collect()
}

/// Returns the name of the crate; by default that of the folder.
///
/// # Errors
/// Fails if cargo does not accept the name.
pub(crate) fn crate_name(folder: &Path, name: Option<&str>) -> Result<String, Diagnostics> {
    let of_folder = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.map_or(of_folder, str::to_owned);
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_keyword = KEYWORDS.contains(&name.replace('-', "_").as_str());
    // With the name of a dependency, the crate would depend on itself.
    let is_taken = ["tradeapi-gen", "tradeapi-runtime", "tradeapi-words", "tokio", "test", "core", "std"]
        .contains(&name.replace('_', "-").as_str());
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_word) && !is_keyword && !is_taken {
        return Ok(name);
    }
    let mut to = Diagnostics::default();
    to.whole(Code::WrongName, format!("invalid crate name `{name}`"))
        .help("name the crate with `--name`: lower-case letters, digits and hyphens, and not a keyword of Rust");
    Err(to)
}

fn manifest(name: &str, crates: &Path, git: Option<&str>) -> String {
    // Strings of TOML have the escapes of JSON.
    let dependency = |below: &str, features: &str| match git.map(serde_json::Value::from) {
        Some(git) => format!("{{ git = {git}{features} }}"),
        None => {
            let path = serde_json::Value::from(crates.join(below).to_string_lossy().into_owned());
            format!("{{ path = {path}{features} }}")
        }
    };
    format!(
        "\
[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[dependencies]
tradeapi-runtime = {runtime}

[build-dependencies]
tradeapi-gen = {generator}

[dev-dependencies]
tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}

# One unit is less work for the compiler, and decodes faster.
[profile.release]
codegen-units = 1

# A workspace of its own, also within the folder of another one.
[workspace]
",
        runtime = dependency("generator/runtime", ""),
        generator = dependency("generator", ", default-features = false"),
    )
}
