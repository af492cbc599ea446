#!/bin/sh
# bigdecimal 0.4.11 with rust_decimal 1.43.0 (crates.io): one writes what the exact parser of the other refuses.
#
# BigDecimal writes 0.0000001 as `1E-7`, also into JSON. rust_decimal has three parsers with three grammars: the usual
# one takes the exponent, `from_str_exact`, made for values that must not be rounded, calls it an unknown character, and
# `from_scientific` takes nothing without one. So the strict choice of a reader fails on small amounts, and only on them.
#
# Seen: written 1E-7; from_str ok, from_str_exact refused, from_scientific ok; 0.000001: ok, ok, refused
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "finding"
edition = "2021"

[dependencies]
bigdecimal = { version = "=0.4.11", default-features = false, features = ["std"] }
rust_decimal = { version = "=1.43.0", default-features = false, features = ["std"] }
END
cat > src/main.rs <<'END'
use bigdecimal::BigDecimal;
use rust_decimal::Decimal;

fn read(text: &str) -> String {
    let said = |is_ok: bool| if is_ok { "ok" } else { "refused" };
    let (usual, exact) = (text.parse::<Decimal>().is_ok(), Decimal::from_str_exact(text).is_ok());
    format!("{}, {}, {}", said(usual), said(exact), said(Decimal::from_scientific(text).is_ok()))
}

fn main() {
    let written = |text: &str| text.parse::<BigDecimal>().map(|amount| amount.to_string()).unwrap_or_default();
    for text in ["0.000001", "0.0000001"] {
        println!("{} from_str, from_str_exact, from_scientific: {}", written(text), read(&written(text)));
    }
}
END
cargo run --quiet > seen
cat seen
cat > expected <<'END'
0.000001 from_str, from_str_exact, from_scientific: ok, ok, refused
1E-7 from_str, from_str_exact, from_scientific: ok, refused, ok
END
cmp seen expected
