#!/bin/sh
# api-smart-diff 1.0.6 (npm): a price that may be null from now on breaks no reader, and one that may not breaks each.
#
# The package compares two descriptions and says of each change whether it breaks clients. It turns its verdict around
# between what is sent and what is answered, as one has to: longer texts break readers and help senders. Its verdict of
# `nullable` is the one of requests in answers, and the one of answers in requests.
#
# Seen: in an answer: longer texts breaking, null allowed non-breaking, null gone breaking; in a request: longer texts
# non-breaking, null allowed breaking, null gone non-breaking
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm install --silent --no-audit --no-fund --prefix "$dir" api-smart-diff@1.0.6 ||
  { echo "the package cannot be installed"; exit 1; }
cat > "$dir/program.js" <<'END_OF_PROGRAM'
const { apiDiff } = require("api-smart-diff");

const described = (place, price) => {
  const content = { "application/json": { schema: { type: "object", properties: { price } } } };
  const requestBody = place === "request" ? { content } : { content: {} };
  const answer = { description: "The order.", ...(place === "answer" && { content }) };
  const post = { operationId: "place", requestBody, responses: { 200: answer } };
  return { openapi: "3.0.3", info: { title: "orders", version: "1" }, paths: { "/order": { post } } };
};
const text = { type: "string" };
const changes = [
  ["longer texts", { ...text, maxLength: 8 }, { ...text, maxLength: 16 }],
  ["null allowed", text, { ...text, nullable: true }],
  ["null gone", { ...text, nullable: true }, text],
];
const verdicts = (place) =>
  changes.map(([name, before, after]) => {
    const found = apiDiff(described(place, before), described(place, after));
    return `${name} ${found.map((difference) => difference.type).join(" and ")}`;
  }).join(", ");

const seen = `in an answer: ${verdicts("answer")}; in a request: ${verdicts("request")}`;
console.log(seen);
const expected =
  "in an answer: longer texts breaking, null allowed non-breaking, null gone breaking; " +
  "in a request: longer texts non-breaking, null allowed breaking, null gone non-breaking";
if (seen !== expected) {
  console.error("the changes are judged in another way");
  process.exit(1);
}
END_OF_PROGRAM
node "$dir/program.js"
