// openapi-fetch with the types of openapi-typescript places, finds and cancels an order.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.js";
import { check, signed, URL_OF_EXCHANGE } from "./signing.js";

type Limit = components["schemas"]["UnifiedPlaceOrderLimit"];
type Market = components["schemas"]["UnifiedPlaceOrderMarket"];
const client = createClient<paths>({ baseUrl: URL_OF_EXCHANGE });
client.use({ onRequest: ({ request }) => signed(request) });

const order = { category: "USDT-FUTURES", symbol: "BTCUSDT", qty: "0.01", side: "buy" } as const;
// @ts-expect-error a limit order needs a price
export const without: Limit = { ...order, orderType: "limit" };
// @ts-expect-error a market order has none
export const beyond: Market = { ...order, orderType: "market", price: "50000" };

const placed = await client.POST("/api/v3/trade/place-order", { body: { ...order, orderType: "limit", price: "50000" } });
check(placed.data?.code === "00000" && "data" in placed.data, placed);
const { orderId } = placed.data.data as components["schemas"]["UnifiedOrderAck"];
const found = await client.GET("/api/v3/trade/order-info", { params: { query: { orderId: String(orderId) } } });
check(found.data?.code === "00000" && "data" in found.data, found);
const { price, qty } = found.data.data as components["schemas"]["UnifiedOrder"];
check(price === "50000" && qty === "0.01", found);
const cancelled = await client.POST("/api/v3/trade/cancel-order", { body: { orderId: String(orderId) } });
check(cancelled.data?.code === "00000", cancelled);
