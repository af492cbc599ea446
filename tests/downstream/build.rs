//! Generates three clients: for a library's API, for an API with hostile names and texts, and for two operations of the
//! project's own schema.

use std::env;
use std::path::PathBuf;

use tradeapi_gen::{Diagnostics, Generator};

fn main() -> Result<(), Diagnostics> {
    Generator::new().generate()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    Generator::new().schema_dir("obstacles").out_dir(out.join("obstacles")).generate()?;
    Generator::new()
        .schema_dir("../../schema")
        .out_dir(out.join("exchange"))
        .only("unified")
        .operations(["place-order", "order-info"])
        .generate()?;
    Ok(())
}
