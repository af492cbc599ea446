// bitget-api, unmodified but for the address, trades on the local exchange: `trade.mjs classic|unified`.
//
// It reads the address and the keys from the variables that the exchange prints, and fails where an answer is not what the
// client should make of it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { RestClientV2, RestClientV3 } = createRequire(process.env.CLIENTS + "/")("bitget-api");
const [, , family] = process.argv;
const { TRADEAPI_URL: baseUrl, TRADEAPI_KEY: apiKey, TRADEAPI_SECRET: apiSecret, TRADEAPI_PASSPHRASE: apiPass } = process.env;
const options = { apiKey, apiSecret, apiPass, baseUrl };
const pair = { symbol: "BTCUSDT" };

/** Asks the control address of the exchange. */
async function control(call) {
  assert.ok((await fetch(`${baseUrl}/-/${call}`, { method: "POST" })).ok, call);
}

/** The call fails with this code. */
async function refuses(code, call) {
  await assert.rejects(call, (error) => error.body.code === code);
}

async function unified() {
  const client = new RestClientV3(options);
  const line = { category: "USDT-FUTURES" };
  assert.ok(Math.abs(Number((await client.getServerTime()).data.serverTime) - Date.now()) < 60_000);
  const [instrument] = (await client.getInstruments({ ...line, ...pair })).data;
  assert.equal(instrument.pricePrecision, "1");
  const [ticker] = (await client.getTickers({ ...line, ...pair })).data;
  const low = (Number(ticker.lastPrice) * 0.9).toFixed(1);
  assert.ok((await client.getOrderBook({ ...line, ...pair })).data.b.length > 0);
  assert.equal((await client.getBalances()).data.assets.find((asset) => asset.coin === "USDT").balance, "100000");
  assert.equal((await client.setLeverage({ ...line, ...pair, leverage: "20" })).data, "success");

  await client.submitNewOrder({ ...line, ...pair, side: "buy", orderType: "market", qty: "0.01" });
  const [position] = (await client.getCurrentPosition(line)).data.list;
  assert.deepEqual([position.posSide, position.total, position.leverage], ["long", "0.01", "20"]);
  const limit = { ...line, ...pair, side: "buy", orderType: "limit", price: low, qty: "0.02" };
  const { orderId } = (await client.submitNewOrder({ ...limit, timeInForce: "post_only" })).data;
  await client.modifyOrder({ orderId, qty: "0.03" });
  assert.equal((await client.getOrderInfo({ orderId })).data.qty, "0.03");
  const placed = (await client.placeBatchOrders([limit, limit])).data;
  assert.equal(placed.filter((item) => item.orderId).length, 2);
  assert.equal((await client.getUnfilledOrders(line)).data.list.length, 3);
  await client.cancelOrder({ orderId });
  assert.equal((await client.cancelAllOrders({ ...line, ...pair })).data.list.length, 2);
  assert.ok((await client.getHistoryOrders(line)).data.list.length >= 4);
  assert.ok((await client.getTradeFills(line)).data.list.every((fill) => fill.feeDetail.length === 1));
  await client.closeAllPositions(line);

  // A take-profit, and what only reduces.
  const high = (Number(ticker.lastPrice) * 1.05).toFixed(1);
  await client.submitNewOrder({ ...line, ...pair, side: "buy", orderType: "market", qty: "0.01", takeProfit: high });
  const reducing = { ...limit, side: "sell", price: high, qty: "0.01", reduceOnly: "yes" };
  const reduced = (await client.submitNewOrder(reducing)).data;
  const reducer = (await client.getUnfilledOrders(line)).data.list.find((order) => order.orderId === reduced.orderId);
  assert.deepEqual([reducer.reduceOnly, reducer.side], ["YES", "sell"]);
  await client.closeAllPositions(line);
  assert.deepEqual((await client.getCurrentPosition(line)).data.list ?? [], []);

  // Both sides of a hedge, and many orders at once.
  await client.setHoldMode({ holdMode: "hedge_mode" });
  const both = [["buy", "long"], ["sell", "short"]];
  for (const [side, posSide] of both) {
    await client.submitNewOrder({ ...line, ...pair, side, posSide, orderType: "market", qty: "0.01" });
  }
  assert.deepEqual((await client.getCurrentPosition(line)).data.list.map((one) => one.posSide).sort(), ["long", "short"]);
  const many = (await client.placeBatchOrders([limit, limit].map((one) => ({ ...one, posSide: "long" })))).data;
  const named = many.map(({ orderId }) => ({ ...line, ...pair, orderId }));
  await client.batchModifyOrders(named.map((one) => ({ ...one, qty: "0.05", price: low })));
  assert.ok((await client.getUnfilledOrders(line)).data.list.every((order) => order.qty === "0.05"));
  assert.equal((await client.cancelBatchOrders(named)).data.length, 2);
  assert.deepEqual((await client.getUnfilledOrders(line)).data.list ?? [], []);
  await client.closeAllPositions(line);
  await client.setHoldMode({ holdMode: "one_way_mode" });

  await control("faults?kind=refuse&code=40725&times=1");
  await refuses("40725", () => client.submitNewOrder(limit));
  await control("account?user=1000000&permissions=none");
  await refuses("40014", () => client.getBalances());
  await control("account?user=1000000&permissions=all");
  await refuses("40762", () => client.submitNewOrder({ ...limit, qty: "900" }));
  await refuses("25204", () => client.cancelOrder({ orderId: "1234567890123456789" }));
  await refuses("40009", () => new RestClientV3({ ...options, apiSecret: "wrong" }).getBalances());
}

async function classic() {
  const client = new RestClientV2(options);
  const line = { productType: "USDT-FUTURES" };
  const margin = { marginCoin: "USDT", marginMode: "crossed" };
  assert.ok(Math.abs(Number((await client.getServerTime()).data.serverTime) - Date.now()) < 60_000);
  const [contract] = (await client.getFuturesContractConfig({ ...line, ...pair })).data;
  assert.deepEqual([contract.pricePlace, contract.supportMarginCoins], ["1", ["USDT"]]);
  const [ticker] = (await client.getFuturesTicker({ ...line, ...pair })).data;
  const low = (Number(ticker.lastPr) * 0.9).toFixed(1);
  assert.equal((await client.getFuturesAccountAssets(line)).data[0].accountEquity, "100000");
  const set = await client.setFuturesLeverage({ ...line, ...pair, marginCoin: "USDT", leverage: "20" });
  assert.equal(set.data.crossMarginLeverage, "20");

  const order = { ...line, ...pair, ...margin, side: "buy", size: "0.02" };
  await client.futuresSubmitOrder({ ...order, orderType: "market", size: "0.01" });
  const [position] = (await client.getFuturesPositions({ ...line, marginCoin: "USDT" })).data;
  assert.deepEqual([position.holdSide, position.total, position.leverage], ["long", "0.01", "20"]);
  const limit = { ...order, orderType: "limit", price: low, force: "gtc" };
  const { orderId } = (await client.futuresSubmitOrder(limit)).data;
  const modified = { ...line, ...pair, orderId, newClientOid: "other", newSize: "0.03", newPrice: low };
  await client.futuresModifyOrder(modified);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const open = (await client.getFuturesOpenOrders(line)).data.entrustedList;
  assert.deepEqual(open.map((one) => [one.size, one.clientOid]), [["0.03", "other"]]);
  const orderList = [limit, limit].map(({ size, price, side, orderType, force }) => ({ size, price, side, orderType, force }));
  const batch = (await client.futuresBatchSubmitOrders({ ...line, ...pair, ...margin, orderList })).data;
  assert.equal(batch.successList.length, 2);
  await client.futuresCancelOrder({ ...line, ...pair, clientOid: "other" });
  assert.equal((await client.futuresCancelAllOrders(line)).data.successList.length, 2);
  assert.ok((await client.getFuturesHistoricOrders(line)).data.entrustedList.length >= 4);
  assert.equal((await client.getFuturesFills(line)).data.fillList.length, 1);
  const detail = (await client.getFuturesOrder({ ...line, ...pair, clientOid: "other" })).data;
  assert.deepEqual([detail.state, detail.size], ["canceled", "0.03"]);

  // What only takes or only makes, what only reduces, and a take-profit.
  const high = (Number(ticker.lastPr) * 1.05).toFixed(1);
  const waiting = [{ ...limit, force: "post_only" }, { ...limit, presetStopSurplusPrice: high },
    { ...limit, side: "sell", price: high, size: "0.01", reduceOnly: "YES" }];
  const orderIdList = [];
  for (const one of waiting) {
    orderIdList.push({ orderId: (await client.futuresSubmitOrder(one)).data.orderId });
  }
  const pending = (await client.getFuturesOpenOrders(line)).data.entrustedList;
  assert.deepEqual(pending.map((one) => one.reduceOnly).sort(), ["NO", "NO", "YES"]);
  assert.ok(pending.some((one) => one.force === "post_only") && pending.some((one) => Number(one.presetStopSurplusPrice) === Number(high)));
  const cancelled = (await client.futuresBatchCancelOrders({ ...line, ...pair, orderIdList })).data;
  assert.equal(cancelled.successList.length, 3);
  await client.futuresFlashClosePositions(line);
  assert.deepEqual((await client.getFuturesPositions({ ...line, marginCoin: "USDT" })).data, []);

  // Both sides of a hedge.
  await client.setFuturesPositionMode({ ...line, posMode: "hedge_mode" });
  for (const side of ["buy", "sell"]) {
    await client.futuresSubmitOrder({ ...order, side, tradeSide: "open", orderType: "market", size: "0.01" });
  }
  const held = (await client.getFuturesPositions({ ...line, marginCoin: "USDT" })).data;
  assert.deepEqual(held.map((one) => one.holdSide).sort(), ["long", "short"]);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await client.futuresFlashClosePositions(line);
  await client.setFuturesPositionMode({ ...line, posMode: "one_way_mode" });

  await control("faults?kind=refuse&code=40725&times=1");
  await refuses("40725", () => client.futuresSubmitOrder(limit));
  await refuses("40762", () => client.futuresSubmitOrder({ ...limit, size: "900" }));
  await refuses("40768", () => client.futuresCancelOrder({ ...line, ...pair, orderId: "1234567890123456789" }));
  await refuses("40009", () => new RestClientV2({ ...options, apiSecret: "wrong" }).getFuturesAccountAssets(line));
}

await (family === "unified" ? unified() : classic());
console.log(`bitget-api trades with a ${family} account`);
