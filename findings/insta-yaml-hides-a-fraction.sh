#!/bin/sh
# insta 1.49.0 (crates.io): a YAML snapshot passes when an integer of an answer becomes a fraction.
#
# The snapshot of the integer 64000 is met by the float 64000.0 as well, because both are written 64000. A change of the
# type on the wire, which a snapshot of requests or answers is there to show, passes. A JSON snapshot writes 64000.0,
# and fails.
#
# Seen: yaml passes, json fails
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p src/snapshots
cat > Cargo.toml <<'END'
[package]
name = "finding"
edition = "2021"

[dev-dependencies]
insta = { version = "=1.49.0", features = ["json", "yaml"] }
serde_json = "=1.0.154"
END
cat > src/lib.rs <<'END'
#[cfg(test)]
mod tests {
    fn price() -> serde_json::Value {
        serde_json::from_str(&std::env::var("PRICE").expect("PRICE")).expect("a number")
    }

    #[test]
    fn yaml() {
        insta::assert_yaml_snapshot!(price());
    }

    #[test]
    fn json() {
        insta::assert_json_snapshot!(price());
    }
}
END
passes() {
  PRICE=$1 INSTA_UPDATE=$2 cargo test --quiet "$3" > "$3.log" 2>&1 && echo passes || echo fails
}
for form in yaml json; do
  [ "$(passes 64000 always "$form")" = passes ] || { cat "$form.log"; exit 1; }
done
seen="yaml $(passes 64000.0 no yaml), json $(passes 64000.0 no json)"
echo "$seen"
[ "$seen" = "yaml passes, json fails" ]
