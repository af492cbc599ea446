//! Generates two clients: one for a library's API, one for an API whose names are as odd as names can be.

use std::env;
use std::path::PathBuf;

use tradeapi_gen::{Diagnostics, Generator};

fn main() -> Result<(), Diagnostics> {
    Generator::new().generate()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    Generator::new().schema_dir("obstacles").out_dir(out.join("obstacles")).generate()?;
    Ok(())
}
