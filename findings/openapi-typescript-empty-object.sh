#!/bin/sh
# openapi-typescript 7.13.0 (npm): a bare object within `allOf` makes a type that no body fits.
#
# `{"type": "object"}` allows any members, so within `allOf` it excludes nothing but other types. The tool writes it as
# `Record<string, never>`, an object without members; the intersection with the members that are required cannot be
# built, and TypeScript refuses each body that the schema allows. No warning is printed.
#
# Seen: the type has Record<string, never>; tsc: Type 'string' is not assignable to type 'never'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund openapi-typescript@7.13.0 typescript@5.9.3
cat > api.json <<'END'
{
  "openapi": "3.1.0",
  "info": {"title": "Orders", "version": "1"},
  "paths": {},
  "components": {"schemas": {"Cancel": {"allOf": [
    {"type": "object"},
    {"type": "object", "properties": {"orderId": {"type": "string"}}, "required": ["orderId"]}
  ]}}}
}
END
npx openapi-typescript api.json --output api.ts > log 2>&1
cat > use.ts <<'END'
import type { components } from "./api";
export const cancel: components["schemas"]["Cancel"] = { orderId: "1" };
END
grep -q "Record<string, never>" api.ts && echo "the type has Record<string, never>"
if npx tsc --noEmit --strict use.ts > errors; then echo "tsc: no error"; exit 1; fi
grep -o "Type 'string' is not assignable to type 'never'" errors | sed 's/^/tsc: /'
