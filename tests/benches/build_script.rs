//! The cost of the generator as a build dependency, compared with progenitor: crates, and seconds of processor time of
//! a cold debug build with two jobs.
//!
//! It takes minutes and fetches progenitor, so it only runs when it is named: `cargo bench -p tradeapi-tests --bench
//! build_script`. Each variant is a crate with a build script that generates code. Dependencies of the generated code
//! are not built.

use std::path::{Path, PathBuf};
use std::process::Command;

use processor::Result;
use tradeapi_tests::folders;

mod processor;

const ROUNDS: usize = 3;

const OURS: &str = r#"fn main() -> Result<(), tradeapi_gen::Diagnostics> {
    tradeapi_gen::Generator::new().generate()?;
    Ok(())
}
"#;

/// The build script of progenitor's README.
const PEER: &str = r#"fn main() {
    println!("cargo:rerun-if-changed=openapi.json");
    let file = std::fs::File::open("openapi.json").unwrap();
    let spec: openapiv3::OpenAPI = serde_json::from_reader(file).unwrap();
    let mut generator = progenitor::Generator::default();
    let tokens = generator.generate_tokens(&spec).unwrap();
    let ast = syn::parse2(tokens).unwrap();
    let mut out = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).to_path_buf();
    out.push("codegen.rs");
    std::fs::write(out, prettyplease::unparse(&ast)).unwrap();
}
"#;

const PEER_DEPENDENCIES: &str = r#"prettyplease = "0.2"
openapiv3 = "2"
serde_json = "1"
syn = "2"
"#;

const PEER_DOCUMENT: &str = r#"{"openapi": "3.0.3", "info": {"title": "nothing", "version": "1"}, "paths": {}}"#;

/// A crate with a build script that generates code.
struct Variant {
    name: &'static str,
    room: PathBuf,
}

fn main() -> Result<()> {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let ours = format!("tradeapi-gen = {{ path = {:?}, default-features = false }}\n", house.join("generator"));
    let whole = format!("progenitor = \"0.15\"\n{PEER_DEPENDENCIES}");
    let bare = format!("progenitor = {{ version = \"0.15\", default-features = false }}\n{PEER_DEPENDENCIES}");
    let ways = [
        Variant::new("tradeapi-gen", "ours", &ours, OURS)?,
        Variant::new("progenitor", "progenitor", &whole, PEER)?,
        Variant::new("progenitor without its macro", "progenitor-bare", &bare, PEER)?,
    ];
    std::fs::copy(house.join("Cargo.lock"), ways[0].room.join("Cargo.lock"))?;
    folders::copy(&house.join("schema"), &ways[0].room.join("schema"));
    let crates = ways.iter().map(Variant::crates).collect::<Result<Vec<_>>>()?;
    let mut seconds = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (way, seconds) in ways.iter().zip(&mut seconds) {
            seconds.push(way.build()?);
        }
    }
    println!("build script: a cold debug build with two jobs, median of {ROUNDS}");
    println!("  {:<30} {:>7} {:>16}", "", "crates", "processor time");
    for ((way, crates), mut seconds) in ways.iter().zip(crates).zip(seconds) {
        seconds.sort_by(f64::total_cmp);
        println!("  {:<30} {crates:>7} {:>14.1} s", way.name, seconds[ROUNDS / 2]);
    }
    Ok(())
}

impl Variant {
    fn new(name: &'static str, folder: &str, dependencies: &str, script: &str) -> Result<Self> {
        let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_script").join(folder);
        std::fs::create_dir_all(room.join("src"))?;
        let package = "[package]\nname = \"weighed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
        std::fs::write(room.join("Cargo.toml"), format!("{package}\n[build-dependencies]\n{dependencies}"))?;
        std::fs::write(room.join("build.rs"), script)?;
        std::fs::write(room.join("src/lib.rs"), "")?;
        std::fs::write(room.join("openapi.json"), PEER_DOCUMENT)?;
        Ok(Self { name, room })
    }

    /// Returns the number of crates built for the build script, without the crate itself.
    fn crates(&self) -> Result<usize> {
        let arguments = ["tree", "--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--format", "{p}"];
        let output = processor::run(self.prepare(Command::new("cargo").args(arguments)))?;
        let text = String::from_utf8(output.stdout)?;
        let crates: std::collections::BTreeSet<_> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("weighed "))
            .map(name_and_version)
            .collect();
        Ok(crates.len())
    }

    fn build(&self) -> Result<f64> {
        let target = self.room.join("target");
        if target.exists() {
            std::fs::remove_dir_all(target)?;
        }
        processor::seconds(&["cargo", "build", "--quiet", "--jobs", "2"], |command| self.prepare(command))
    }

    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.current_dir(&self.room).env("CARGO_TARGET_DIR", "target").env("CARGO_INCREMENTAL", "0")
    }
}

fn name_and_version(line: &str) -> String {
    line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}
