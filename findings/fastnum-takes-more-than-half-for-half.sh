#!/bin/sh
# fastnum 0.7.5 (crates.io): 2.51 rounds to 2 where halves go to the even neighbour.
#
# With HalfEven, the rounding of banks, and with HalfDown, only the first digit that is dropped counts: whatever begins
# with a 5 is a half, also 2.509 and 24.51. An amount that is nearer to the number above is rounded to the one below, by
# up to a tenth of a tick too much. HalfUp, the default, rounds correctly.
#
# Seen: HalfEven 2, HalfDown 2, HalfUp 3
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
fastnum = "=0.7.5"
END
cat > src/main.rs <<'END'
use fastnum::D128;
use fastnum::decimal::{Context, RoundingMode};

fn main() {
    let rounded = |mode| {
        let amount = D128::from_str("2.51", Context::default()).expect("a number");
        amount.with_rounding_mode(mode).round(0)
    };
    println!(
        "HalfEven {}, HalfDown {}, HalfUp {}",
        rounded(RoundingMode::HalfEven), rounded(RoundingMode::HalfDown), rounded(RoundingMode::HalfUp),
    );
}
END
seen=$(cargo run --quiet)
echo "$seen"
[ "$seen" = "HalfEven 2, HalfDown 2, HalfUp 3" ]
