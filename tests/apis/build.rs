//! Generates each schema below `schema/` into a module that is named after its folder.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tradeapi_gen::Generator;

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    println!("cargo::rerun-if-changed=schema");
    let mut modules = String::new();
    for name in folders(Path::new("schema"))? {
        Generator::new().schema_dir(Path::new("schema").join(&name)).out_dir(out.join(&name)).generate()?;
        writeln!(modules, "/// The API of the folder `schema/{name}`.")?;
        writeln!(modules, "pub mod {name} {{ include!(concat!(env!(\"OUT_DIR\"), \"/{name}/api.rs\")); }}")?;
    }
    fs::write(out.join("apis.rs"), modules)?;
    Ok(())
}

/// Returns the names of the folders in `folder`, in a fixed order.
fn folders(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().into_string().map_err(|name| format!("{} is not UTF-8", name.display()))?);
        }
    }
    names.sort();
    Ok(names)
}
