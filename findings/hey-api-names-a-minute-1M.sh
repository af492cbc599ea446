#!/bin/sh
# @hey-api/openapi-ts 0.95.0 (npm, the newest for Node 20): the member `1M` of a generated enum is the value `1m`.
#
# The interval of a candle is an enum whose values differ in case only: `1m` is a minute, `1M` a month. The names of the
# members are written in capitals, so that the minute takes the name of the month, and the month gets another one. A
# program that writes Interval["1M"] compiles, and asks for minutes. Nothing is printed.
#
# Seen: Interval["1M"] is "1m"; Interval["1M2"] is "1M"
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.95.0 typescript@5.9.3 ||
  { echo "the packages cannot be installed"; exit 1; }
cat > api.json <<'END_OF_FILE'
{
  "openapi": "3.1.0",
  "info": {"title": "Candles", "version": "1"},
  "paths": {},
  "components": {"schemas": {"Interval": {"type": "string", "enum": ["1m", "1M"]}}}
}
END_OF_FILE
cat > openapi-ts.config.mjs <<'END_OF_FILE'
export default {
  input: "api.json",
  output: "client",
  plugins: [{ name: "@hey-api/typescript", enums: "javascript" }],
};
END_OF_FILE
npx openapi-ts > log 2>&1 || { cat log; exit 1; }
cat > use.ts <<'END_OF_FILE'
import { Interval } from "./client/types.gen.js";
const named: Record<string, string> = Interval;
console.log(Object.keys(named).map((name) => `Interval["${name}"] is "${named[name]}"`).join("; "));
END_OF_FILE
echo '{"type": "module"}' > package.json
npx tsc --module nodenext --target es2022 use.ts || { echo "the generated file does not compile"; exit 1; }
node use.js | tee seen
echo 'Interval["1M"] is "1m"; Interval["1M2"] is "1M"' | cmp -s - seen || { echo "the names are other ones"; exit 1; }
