#!/bin/sh
# schemars 1.2.3 with bigdecimal 0.4.11 (crates.io): the schema that is derived for amounts refuses small ones.
#
# schemars has a feature for BigDecimal. The pattern of its schema has no place for the sign of an exponent, and
# BigDecimal writes amounts below 0.000001 with a negative one. A server for assistants that publishes the schema of its
# answers breaks it: a client that validates them rejects the answer to an order that was placed.
#
# Seen: "0.000001" fits the schema; "1E-7" does not
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END_OF_FILE'
[package]
name = "finding"
edition = "2021"

[dependencies]
bigdecimal = { version = "=0.4.11", features = ["serde"] }
boon = "=0.6.1"
schemars = { version = "=1.2.3", features = ["bigdecimal04"] }
serde_json = "=1.0.145"
END_OF_FILE
cat > src/main.rs <<'END_OF_FILE'
use bigdecimal::BigDecimal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut compiler, mut schemas) = (boon::Compiler::new(), boon::Schemas::new());
    compiler.add_resource("amount.json", schemars::schema_for!(BigDecimal).to_value())?;
    let schema = compiler.compile("amount.json", &mut schemas).map_err(|error| error.to_string())?;
    for text in ["0.000001", "0.0000001"] {
        let written = serde_json::to_value(text.parse::<BigDecimal>()?)?;
        println!("{written} {}", if schemas.validate(&written, schema).is_ok() { "fits" } else { "does not fit" });
    }
    Ok(())
}
END_OF_FILE
CARGO_TARGET_DIR="$dir/target" cargo run --quiet > seen || { echo "the crates cannot be built or run"; exit 1; }
cat seen
printf '"0.000001" fits\n"1E-7" does not fit\n' | cmp -s - seen || { echo "other amounts fit"; exit 1; }
