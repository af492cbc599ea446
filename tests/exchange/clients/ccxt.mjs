// ccxt for JavaScript, unmodified but for the address, trades on the local exchange: `ccxt.mjs classic|unified`.
//
// It reads the address and the keys from the variables that the exchange prints, and fails where an answer is not what the
// client should make of it.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const { default: ccxt } = await import(pathToFileURL(`${process.env.CLIENTS}/ccxt/js/ccxt.js`));
const [, , family] = process.argv;
const isUnified = family === "unified";
const { TRADEAPI_URL: url, TRADEAPI_KEY: apiKey, TRADEAPI_SECRET: secret, TRADEAPI_PASSPHRASE: password } = process.env;
const exchange = new ccxt.bitget({ apiKey, secret, password, enableRateLimit: false, options: { defaultType: "swap" } });
for (const group of Object.keys(exchange.urls.api)) {
  exchange.urls.api[group] = url;
}
const pair = "BTC/USDT:USDT";

await exchange.loadMarkets();
await exchange.isUTAEnabled();
assert.equal(exchange.options.uta, isUnified);
assert.deepEqual(exchange.markets[pair].precision, { ...exchange.markets[pair].precision, price: 0.1, amount: 0.001 });
assert.equal((await exchange.fetchBalance({ type: "swap" })).USDT.total, 100000);
await exchange.setLeverage(20, pair);
const { last } = await exchange.fetchTicker(pair);
const low = Number(exchange.priceToPrecision(pair, last * 0.9));
assert.ok((await exchange.fetchOrderBook(pair, 5)).bids.length > 0);
assert.ok((await exchange.fetchOHLCV(pair, "1m")).length > 0);
assert.equal((await exchange.fetchFundingRate(pair)).fundingRate, 0.0001);
assert.equal((await exchange.fetchMarketLeverageTiers(pair))[0].maxLeverage, 100);

await exchange.createOrder(pair, "market", "buy", 0.01);
const [position] = await exchange.fetchPositions([pair]);
assert.deepEqual([position.side, position.contracts, position.leverage], ["long", 0.01, 20]);
if (!isUnified) {
  assert.ok(position.marginRatio > 0);
}
const limit = await exchange.createOrder(pair, "limit", "buy", 0.02, low);
assert.deepEqual((await exchange.fetchOpenOrders(pair)).map((order) => order.id), [limit.id]);
assert.equal((await exchange.fetchOrder(limit.id, pair)).amount, 0.02);
await exchange.cancelOrder(limit.id, pair);

const stop = await exchange.createOrder(pair, "market", "sell", 0.01, undefined, { stopLossPrice: low, reduceOnly: true });
const kinds = isUnified ? { trigger: true } : { trigger: true, planType: "profit_loss" };
assert.deepEqual((await exchange.fetchOpenOrders(pair, undefined, undefined, kinds)).map((order) => order.id), [stop.id]);
await exchange.cancelOrder(stop.id, pair, kinds);
if (isUnified) {
  await assert.rejects(exchange.createOrder(pair, "market", "buy", 0.01, undefined, { triggerPrice: low }));
}
assert.equal((await exchange.fetchPositions([pair]))[0].contracts, 0.01);
await exchange.closePosition(pair);
assert.ok((await exchange.fetchMyTrades(pair)).length >= 2);
assert.ok((await exchange.fetchPositionsHistory([pair])).length >= 1);
await assert.rejects(exchange.createOrder(pair, "limit", "buy", 900, low), ccxt.InsufficientFunds);
console.log(`ccxt ${ccxt.version} trades with a ${family} account`);
