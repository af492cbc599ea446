#!/bin/sh
# openapi-to-rust 0.23.0 (crates.io): a key that the description puts into a header of its own is sent as a bearer token.
#
# The description has one security scheme: an `apiKey` in the header X-Key. The generated client has `with_api_key`, which
# writes `Authorization: Bearer` whatever the scheme is; the name X-Key is nowhere in what is generated. The server misses
# the key, and the key is in a header that proxies and logs treat as a token. Only the configuration file of the tool, which
# `generate FILE` does not need, can name the header.
#
# Seen: bearer_auth(api_key) for the scheme {"type": "apiKey", "in": "header", "name": "X-Key"}; X-Key 0 times
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cargo install --quiet --debug --locked --root . openapi-to-rust@0.23.0
cat > api.json <<'END'
{
  "openapi": "3.1.0",
  "info": {"title": "Account", "version": "1"},
  "paths": {"/account": {"get": {
    "operationId": "account",
    "security": [{"key": []}],
    "responses": {"200": {"description": "Its name.", "content": {"text/plain": {"schema": {"type": "string"}}}}}
  }}},
  "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
}
END
./bin/openapi-to-rust generate api.json > log 2>&1
grep -o "bearer_auth(api_key)" src/generated/client.rs
if grep -rq "X-Key" src/generated/*.rs; then echo "X-Key is generated"; exit 1; fi
echo "X-Key is generated nowhere"
