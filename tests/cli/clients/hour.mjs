// A trader's hour in hedge mode through the server for assistants, with the TypeScript SDK.
//
// It opens both sides with a take-profit and a stop-loss, amends an order, closes a part, reads positions and the fills
// of the day, and flattens; it fails where something is lost or misreported.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const pair = { category: "USDT-FUTURES", symbol: "BTCUSDT" };
const client = new Client({ name: "hour", version: "1.0.0" });
const budget = join(mkdtempSync(join(tmpdir(), "desk-")), "budget.json");
writeFileSync(budget, '{"coins": ["USDT"], "order": "5000", "priceAge": 600}');
const args = ["--local", "--lag", "1", "--budget", budget, "mcp", "--allow-trading"];
await client.connect(new StdioClientTransport({ command: "tradeapi", args }));

const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
for (const tool of tools.values()) assert.ok(tool.description.length < 2000, tool.name);
let changes = 0;

async function call(name, args, outcome = "done") {
  if (!tools.get(name).annotations.readOnlyHint && outcome !== "refused") changes += 1;
  const { structuredContent } = await client.callTool({ name, arguments: args });
  assert.equal(structuredContent.outcome, outcome, `${name} ${JSON.stringify([args, structuredContent])}`);
  return structuredContent.results;
}

async function positions() {
  const sizes = {};
  for (const position of await call("positions", {})) {
    sizes[position.posSide] = Number(position.total);
  }
  return sizes;
}

const [ticker] = await call("observed_tickers", pair);
const price = Math.round(Number(ticker.lastPrice));
async function openSide(side, posSide, up) {
  const levels = { takeProfit: String(price + up), stopLoss: String(price - up) };
  const order = { ...pair, qty: "0.02", side, posSide, orderType: "market", ...levels };
  await call("unified_place_order", { ...order, clientOid: `open-${posSide}` });
}

assert.deepEqual(await positions(), {});
await openSide("buy", "long", 2000);
await openSide("sell", "short", -2000);
assert.deepEqual(await positions(), { long: 0.02, short: 0.02 });

const resting = { ...pair, qty: "0.01", side: "buy", posSide: "long", orderType: "limit" };
await call("unified_place_order", { ...resting, price: String(price - 3000), clientOid: "resting" });
await call("unified_modify_order", { clientOid: "resting", qty: "0.01", price: String(price - 3500) });
const amended = (await call("orders", {})).filter((order) => order.clientOid === "resting");
assert.deepEqual(amended.map((order) => Number(order.price)), [price - 3500]);

const part = { ...pair, qty: "0.01", side: "sell", posSide: "long", orderType: "market" };
await call("unified_place_order", { ...part, clientOid: "part" });
assert.deepEqual(await positions(), { long: 0.01, short: 0.02 });

const today = new Date().toISOString().slice(0, 10);
const fills = await call("unified_fills", { category: "USDT-FUTURES", startTime: today, endTime: today });
const filled = {};
for (const fill of fills) filled[fill.clientOid] = (filled[fill.clientOid] ?? 0) + Number(fill.execQty);
assert.deepEqual(filled, { "open-long": 0.02, "open-short": 0.02, part: 0.01 });

await call("unified_place_order", { ...part, qty: 0.01 }, "refused");
await assert.rejects(client.callTool({ name: "unified_withdraw", arguments: {} }), { code: -32602 });

await call("flatten", {});
assert.deepEqual([await positions(), await call("orders", {})], [{}, []]);
const sent = await call("sent", {});
assert.equal(sent.length, changes);
assert.ok(sent.every((change) => change.outcome === "done"), JSON.stringify(sent));
assert.equal(sent[0].tool, "flatten");
assert.equal(sent.at(-1).request.clientOid, "open-long");
await client.close();
