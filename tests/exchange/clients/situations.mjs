// One order by a client with its defaults, unmodified but for the address: `situations.mjs ccxt-js|bitget-api`.
//
// What the client tells its caller goes to the file that the variable SAYS names: `an order`, or the class of an error.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , client] = process.argv;
const { TRADEAPI_URL: url, TRADEAPI_KEY: key, TRADEAPI_SECRET: secret, TRADEAPI_PASSPHRASE: pass } = process.env;
const id = "situation-1";

async function ccxt() {
  const { default: ccxt } = await import(pathToFileURL(`${process.env.CLIENTS}/ccxt/js/ccxt.js`));
  const options = { defaultType: "swap", uta: true };
  const exchange = new ccxt.bitget({ apiKey: key, secret, password: pass, options });
  for (const group of Object.keys(exchange.urls.api)) {
    exchange.urls.api[group] = url;
  }
  await exchange.loadMarkets();
  await exchange.createOrder("BTC/USDT:USDT", "limit", "buy", 0.01, 40_000, { clientOrderId: id });
}

async function bitget() {
  const { RestClientV3 } = createRequire(process.env.CLIENTS + "/")("bitget-api");
  const rest = new RestClientV3({ apiKey: key, apiSecret: secret, apiPass: pass, baseUrl: url });
  const order = { category: "USDT-FUTURES", symbol: "BTCUSDT", qty: "0.01", side: "buy", orderType: "limit" };
  await rest.submitNewOrder({ ...order, price: "40000", clientOid: id });
}

let says = "an order";
try {
  await { "ccxt-js": ccxt, "bitget-api": bitget }[client]();
} catch (error) {
  // bitget-api throws plain objects.
  const code = error?.body?.code ?? error?.code;
  says = error instanceof Error ? error.constructor.name : `an object, code ${code}`;
}
writeFileSync(process.env.SAYS, says);
process.exit(0);
