#!/bin/sh
# rust_decimal 1.43.0 (crates.io): `checked_mul` and `checked_add` give Some where digits do not fit, or none is left.
#
# A Decimal has 28 places. The checked functions give None for an overflow, as they promise, not for lost digits: a product
# with more places is rounded, also to zero, and a sum with more digits loses the last ones. An amount of 18 places at
# the price of a cheap coin is worth nothing, and a large total stays as it was, however many small parts are added.
#
# Seen: 0.000000000000000003 * 0.00000000001 is Some(0); 7922816251426433759354395033 + 0.04 is Some, unchanged
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
rust_decimal = { version = "=1.43.0", default-features = false, features = ["std"] }
END_OF_FILE
cat > src/main.rs <<'END_OF_FILE'
use rust_decimal::Decimal;

fn main() -> Result<(), rust_decimal::Error> {
    let (amount, price): (Decimal, Decimal) = ("0.000000000000000003".parse()?, "0.00000000001".parse()?);
    let (total, part): (Decimal, Decimal) = ("7922816251426433759354395033".parse()?, "0.04".parse()?);
    let product = amount.checked_mul(price).map(|product| product.normalize());
    let sum = total.checked_add(part);
    let said = if sum == Some(total) { "unchanged" } else { "changed" };
    println!("{amount} * {price} is {product:?}; {total} + {part} is Some, {said}");
    Ok(())
}
END_OF_FILE
CARGO_TARGET_DIR="$dir/target" cargo run --quiet > seen || { echo "the crate cannot be built or run"; exit 1; }
cat seen
expected='0.000000000000000003 * 0.00000000001 is Some(0); 7922816251426433759354395033 + 0.04 is Some, unchanged'
echo "$expected" | cmp -s - seen || { echo "the results are other ones"; exit 1; }
