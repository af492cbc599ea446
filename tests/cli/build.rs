//! Emits the tables of three other APIs.

use std::env;
use std::path::PathBuf;

use tradeapi_gen::{Diagnostics, Generator};

fn main() -> Result<(), Diagnostics> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for (name, schema) in [
        ("library", "../downstream/schema"),
        ("obstacles", "../downstream/obstacles"),
        ("kraken", "../apis/schema/kraken"),
    ] {
        Generator::new().schema_dir(schema).out_dir(out.join(name)).generate()?;
    }
    Ok(())
}
