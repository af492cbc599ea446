//! Writes the client from `schema/` whenever a file there changes.

fn main() -> Result<(), tradeapi_gen::Diagnostics> {
    tradeapi_gen::Generator::new().schema_dir("schema").generate()?;
    Ok(())
}
