// The signature of a request of the local exchange, for the tools that generate TypeScript.
import { createHmac } from "node:crypto";

export const URL_OF_EXCHANGE = process.env.TRADEAPI_URL!;

// Returns the request with the headers that sign it.
export async function signed(request: Request): Promise<Request> {
  const [now, body] = [String(Date.now()), await request.clone().text()];
  const url = new URL(request.url);
  const text = now + request.method + url.pathname + url.search + body;
  const headers = new Headers(request.headers);
  headers.set("ACCESS-KEY", process.env.TRADEAPI_KEY!);
  headers.set("ACCESS-PASSPHRASE", process.env.TRADEAPI_PASSPHRASE!);
  headers.set("ACCESS-TIMESTAMP", now);
  headers.set("ACCESS-SIGN", createHmac("sha256", process.env.TRADEAPI_SECRET!).update(text).digest("base64"));
  return new Request(request.url, { method: request.method, headers, body: body || undefined });
}

export function check(holds: boolean, ...shown: unknown[]): asserts holds {
  if (!holds) throw new Error(JSON.stringify(shown));
}
