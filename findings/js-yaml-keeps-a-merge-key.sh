#!/bin/sh
# js-yaml 5.5.0 (npm): `<<` is a key like others; js-yaml 4.1.0 merges, as PyYAML does.
#
# A file of OpenAPI shares what its parameters have in common by an anchor and a merge key. Read by version 5, such a
# parameter has a member named `<<`, and neither name nor schema. No error is raised, with the same call of `load`.
#
# Seen: 4.1.0 {"schema":{"type":"string"},"name":"symbol"}; 5.5.0 {"<<":{"schema":{"type":"string"}},"name":"symbol"}
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund four@npm:js-yaml@4.1.0 five@npm:js-yaml@5.5.0
cat > main.mjs <<'END'
import * as four from "four";
import * as five from "five";

const text = "shared: &shared\n  schema: {type: string}\nparameter:\n  <<: *shared\n  name: symbol\n";
const merged = JSON.stringify(four.load(text).parameter);
const kept = JSON.stringify(five.load(text).parameter);
console.log(`4.1.0 ${merged}; 5.5.0 ${kept}`);
const isSeen =
  merged === '{"schema":{"type":"string"},"name":"symbol"}' &&
  kept === '{"<<":{"schema":{"type":"string"}},"name":"symbol"}';
process.exit(isSeen ? 0 : 1);
END
node main.mjs
