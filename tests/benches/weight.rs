//! The cost of compiling the emitted crate without its dependencies, in seconds of processor time.
//!
//! It takes minutes, so it only runs on request: `cargo bench -p tradeapi-tests --bench weight`. Dependencies are built
//! first, in a separate folder; then only the named crates are built, repeatedly and in turns. They are built like a
//! dependency: completely, and in release mode without debug information.

use std::path::Path;
use std::process::{Command, Output};

use processor::Result;

mod processor;

const ROUNDS: usize = 5;

/// The builds of a round: a name, the arguments of cargo, and the packages that are cleaned before. The order matters,
/// because later builds use the results of earlier ones.
const BUILDS: &[(&str, &[&str], &[&str])] = &[
    ("the emitted crate", &["tradeapi"], &["tradeapi"]),
    ("its runtime without a transport", &["tradeapi-runtime", "--no-default-features"], &["tradeapi-runtime"]),
    ("emitted crate, runtime, hyper's generics", &["tradeapi"], &["tradeapi", "tradeapi-runtime"]),
    ("serde_json, as a yardstick", &["serde_json"], &["serde_json"]),
    ("nothing but cargo itself", &["tradeapi"], &[]),
];

fn main() -> Result<()> {
    let tree = cargo(&["tree", "--package", "tradeapi", "--edges", "normal", "--prefix", "none", "--no-dedupe"])?;
    let mut crates: Vec<_> = std::str::from_utf8(&tree.stdout)?.lines().collect();
    crates.sort_unstable();
    crates.dedup();
    println!("weight: {} crates in the tree, the emitted one included", crates.len());
    measure_builds("check", &["check"])?;
    measure_builds("release build", &["build", "--release"])
}

fn measure_builds(title: &str, mode: &[&str]) -> Result<()> {
    for (_, package, _) in BUILDS {
        build(mode, package)?;
    }
    let mut seconds = vec![Vec::new(); BUILDS.len()];
    for _ in 0..ROUNDS {
        for ((_, package, forgotten), seconds) in BUILDS.iter().zip(&mut seconds) {
            for package in *forgotten {
                forget(mode, package)?;
            }
            seconds.push(build(mode, package)?);
        }
    }
    let medians: Vec<_> = seconds.into_iter().map(middle).collect();
    println!("\nweight: {title}, processor time");
    println!("  {:<42} {:>10} {:>7}", "", "median", "ours/it");
    for ((name, ..), seconds) in BUILDS.iter().zip(&medians) {
        println!("  {name:<42} {seconds:>8.2} s {:>7.2}", medians[0] / seconds);
    }
    Ok(())
}

fn middle(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Builds a package, and returns the processor seconds of cargo and the compilers.
fn build(mode: &[&str], package: &[&str]) -> Result<f64> {
    processor::seconds(&[&["cargo"], mode, &["--quiet", "--package"], package].concat(), prepare)
}

fn forget(mode: &[&str], package: &str) -> Result<()> {
    let release: &[&str] = if mode.contains(&"--release") { &["--release"] } else { &[] };
    cargo(&[&["clean", "--quiet", "--package", package], release].concat()).map(drop)
}

fn cargo(arguments: &[&str]) -> Result<Output> {
    processor::run(prepare(Command::new("cargo").args(arguments)))
}

fn prepare(command: &mut Command) -> &mut Command {
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("weight"))
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
}
