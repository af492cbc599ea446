//! Compiles emitted code in a crate of its own.

use std::path::Path;
use std::process::Command;

/// Returns whether the modules in these folders of a room compile, with a warning as an error.
pub(crate) fn compiles(room: &Path, folders: &[&str]) -> bool {
    let generator = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"drafted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n\
         tradeapi-runtime = {{ path = {:?}, features = [\"asymmetric\", \"md5\", \"pattern\"] }}\n\n[workspace]\n",
        generator.join("runtime")
    );
    std::fs::write(room.join("Cargo.toml"), manifest).unwrap();
    let module = |folder: &&str| format!("pub mod {folder} {{ include!(\"{folder}/api.rs\"); }}\n");
    let modules: String = folders.iter().map(module).collect();
    std::fs::write(room.join("lib.rs"), format!("#![deny(warnings)]\n{modules}")).unwrap();
    std::fs::copy(generator.join("../Cargo.lock"), room.join("Cargo.lock")).unwrap();
    let target = generator.join("../target/drafts");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--offline"]).env("CARGO_TARGET_DIR", target).current_dir(room);
    cargo.status().unwrap().success()
}
