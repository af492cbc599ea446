// The SDK of @hey-api/openapi-ts places, finds and cancels an order; its zod schemas check the request.
import { client } from "./generated/client.gen.js";
import { unifiedCancelOrder, unifiedOrderInfo, unifiedPlaceOrder } from "./generated/sdk.gen.js";
import { zUnifiedPlaceOrderLimit, zUnifiedPlaceOrderMarket } from "./generated/zod.gen.js";
import { check, signed, URL_OF_EXCHANGE } from "./signing.js";

client.setConfig({ baseUrl: URL_OF_EXCHANGE });
client.interceptors.request.use((request) => signed(request));

const order = { category: "USDT-FUTURES", symbol: "BTCUSDT", qty: "0.01", side: "buy" } as const;
check(!zUnifiedPlaceOrderLimit.safeParse({ ...order, orderType: "limit" }).success, "a limit order without a price");
check(zUnifiedPlaceOrderMarket.safeParse({ ...order, orderType: "market" }).success, "a market order");
// What the tool fills in must be what a request may have.
const body = zUnifiedPlaceOrderLimit.parse({ ...order, orderType: "limit", price: "50000" });
const placed = await unifiedPlaceOrder({ body: { ...order, ...body, orderType: "limit" } as never });
check(placed.data?.code === "00000", placed.data, placed.error);
const { orderId } = (placed.data as { data: { orderId: string } }).data;
const found = await unifiedOrderInfo({ query: { orderId } });
check((found.data as { data: { price: string } }).data.price === "50000", found.data, found.error);
const cancelled = await unifiedCancelOrder({ body: { orderId } });
check(cancelled.data?.code === "00000", cancelled.data, cancelled.error);
