#!/bin/sh
# zod 4.6.7 with ajv 8.20.0 (npm): `fromJSONSchema`, still experimental, loses a choice of required members.
#
# A cancellation names its order by one of two ids: the members stand in `properties`, the choice in `anyOf`, with
# `required` alone in each branch. What it cannot express, such as `dependentRequired`, the function refuses; but
# `required` in a schema without `type` is dropped without a word, so that the branch takes everything. ajv refuses a
# body without an id; what zod made takes it, and an exchange that reads such a body as "cancel all of the symbol" does
# that. With `oneOf`, both branches match each body, so that every cancellation is refused.
#
# Seen: ajv none no, one yes, both yes; zod none yes, one yes, both yes;
# oneOf ajv none no, one yes, both no; zod none no, one no, both no
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix . zod@4.6.7 ajv@8.20.0 > /dev/null ||
  { echo "the packages cannot be installed"; exit 1; }
cat > seen.mjs <<'END_OF_FILE'
import * as z from "zod";
import Ajv from "ajv/dist/2020.js";

const text = { type: "string" };
const cancellation = (word) => ({
  type: "object",
  properties: { symbol: text, orderId: text, clientOid: text },
  required: ["symbol"],
  [word]: [{ required: ["orderId"] }, { required: ["clientOid"] }],
});
const bodies = {
  none: { symbol: "BTCUSDT" },
  one: { symbol: "BTCUSDT", orderId: "1" },
  both: { symbol: "BTCUSDT", orderId: "1", clientOid: "2" },
};
const judged = (takes) =>
  Object.entries(bodies).map(([name, body]) => `${name} ${takes(body) ? "yes" : "no"}`).join(", ");
const both = (word) => {
  const made = z.fromJSONSchema(cancellation(word));
  const ajv = new Ajv.default({ strict: false }).compile(cancellation(word));
  return `ajv ${judged(ajv)}; zod ${judged((body) => made.safeParse(body).success)}`;
};
console.log(`${both("anyOf")}; oneOf ${both("oneOf")}`);
END_OF_FILE
seen=$(node seen.mjs)
echo "$seen"
any="ajv none no, one yes, both yes; zod none yes, one yes, both yes"
one="ajv none no, one yes, both no; zod none no, one no, both no"
[ "$seen" = "$any; oneOf $one" ] || { echo "the choice is read in another way"; exit 1; }
