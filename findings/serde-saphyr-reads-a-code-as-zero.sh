#!/bin/sh
# serde-saphyr 2.2.0, serde_yaml 0.9.34 (crates.io): two readers of one file disagree whether the code 00000 is a text.
#
# A code of success that is written without quotes is the text 00000 for serde_yaml, which many schemas were written
# with. Where a program reads values of any type, serde-saphyr, a reader made to replace it, makes it the number 0,
# as js-yaml does; and NO is false for it, where it was a text.
#
# Seen: serde_yaml "00000" "NO"; serde-saphyr 0.0 false
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "finding"
edition = "2024"

[dependencies]
serde_json = "=1.0.154"
serde_yaml = "=0.9.34"
serde-saphyr = "=2.2.0"
END
cat > src/main.rs <<'END'
fn main() {
    let text = "[00000, NO]";
    let before: Vec<serde_json::Value> = serde_yaml::from_str(text).expect("a list");
    let after: Vec<serde_json::Value> = serde_saphyr::from_str(text).expect("a list");
    println!("serde_yaml {} {}; serde-saphyr {} {}", before[0], before[1], after[0], after[1]);
}
END
seen=$(cargo run --quiet)
echo "$seen"
[ "$seen" = 'serde_yaml "00000" "NO"; serde-saphyr 0.0 false' ]
