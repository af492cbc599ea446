#!/bin/sh
# serde_json 1.0.145 (crates.io): a feature that any crate switches on breaks tagged enums with floats.
#
# The feature `arbitrary_precision` keeps the digits of numbers, and cargo switches it on for the whole program as soon
# as one dependency wants it, as crates of decimals do. An enum with an internal tag, or a flattened struct, buffers its
# members; a number is then a map with one private key, and a field of type f64 refuses it.
#
# Seen: without the feature Ok; with it "invalid type: map, expected f64"
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "finding"
edition = "2021"

[features]
precise = ["serde_json/arbitrary_precision"]

[dependencies]
serde = { version = "=1.0.228", features = ["derive"] }
serde_json = "=1.0.145"
END
cat > src/main.rs <<'END'
#[derive(serde::Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Event {
    Price { last: f64 },
}

fn main() {
    match serde_json::from_str(r#"{"type": "price", "last": 1.5}"#) {
        Ok(Event::Price { last }) => println!("Ok, {last}"),
        Err(error) => println!("{error}"),
    }
}
END
without=$(cargo run --quiet)
with=$(cargo run --quiet --features precise)
echo "without the feature $without; with it $with"
[ "$without" = "Ok, 1.5" ] && case $with in "invalid type: map, expected f64"*) ;; *) exit 1 ;; esac
