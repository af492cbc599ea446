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
  await client.futuresFlashClosePositions(line);
  assert.deepEqual((await client.getFuturesPositions({ ...line, marginCoin: "USDT" })).data, []);
  await refuses("40762", () => client.futuresSubmitOrder({ ...limit, size: "900" }));
  await refuses("40768", () => client.futuresCancelOrder({ ...line, ...pair, orderId: "1234567890123456789" }));
  await refuses("40009", () => new RestClientV2({ ...options, apiSecret: "wrong" }).getFuturesAccountAssets(line));
}

await (family === "unified" ? unified() : classic());
console.log(`bitget-api trades with a ${family} account`);
