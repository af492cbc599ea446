"""pybotters, unmodified but for the address, trades on the local exchange: `botters.py classic|unified`.

It signs requests and leaves their paths and members to its caller, so this shows what a program without a library for the
exchange sends. The address and the keys are those that the exchange prints.
"""

import asyncio
import os
import sys
from urllib.parse import urlsplit

import pybotters
from pybotters.auth import Auth, Hosts, Item

UNIFIED = sys.argv[1] == "unified"
ADDRESS = os.environ["TRADEAPI_URL"]
# Requests to this host are signed as those to the real one.
Hosts.items[urlsplit(ADDRESS).hostname] = Item("bitget", Auth.bitget)


def check(what, holds, *shown):
    if not holds:
        raise AssertionError(f"{what}: {shown}")


async def main():
    keys = {"bitget": [os.environ[f"TRADEAPI_{name}"] for name in ("KEY", "SECRET", "PASSPHRASE")]}
    async with pybotters.Client(apis=keys, base_url=ADDRESS) as client:

        async def ask(method, path, parameters, code="00000"):
            sent = {"params": parameters} if method == "GET" else {"data": parameters}
            answer = await (await client.request(method, path, **sent)).json()
            check(path, answer["code"] == code, answer)
            return answer["data"]

        if UNIFIED:
            pair = {"category": "USDT-FUTURES", "symbol": "BTCUSDT"}
            price = float((await ask("GET", "/api/v3/market/tickers", pair))[0]["lastPrice"])
            order = {**pair, "qty": "0.01", "side": "buy"}
            await ask("POST", "/api/v3/trade/place-order", {**order, "orderType": "market"})
            limit = {**order, "orderType": "limit", "price": f"{price * 0.9:.1f}"}
            await ask("POST", "/api/v3/trade/place-batch", [{**limit, "clientOid": name} for name in ("a", "b")])
            await ask("POST", "/api/v3/trade/modify-order", {"clientOid": "a", "qty": "0.02"})
            await ask("POST", "/api/v3/trade/cancel-order", {"clientOid": "b"})
            waiting = (await ask("GET", "/api/v3/trade/unfilled-orders", pair))["list"]
            check("open orders", [(one["clientOid"], one["qty"]) for one in waiting] == [("a", "0.02")], waiting)
            await ask("POST", "/api/v3/trade/cancel-symbol-order", pair)
            await ask("GET", "/api/v2/mix/position/all-position", {"productType": "USDT-FUTURES"}, "40085")
            held = (await ask("GET", "/api/v3/position/current-position", pair))["list"]
            check("position", [one["total"] for one in held] == ["0.01"], held)
            await ask("POST", "/api/v3/trade/close-positions", pair)
            check("closed", not (await ask("GET", "/api/v3/position/current-position", pair))["list"])
        else:
            pair = {"productType": "USDT-FUTURES", "symbol": "BTCUSDT"}
            price = float((await ask("GET", "/api/v2/mix/market/ticker", pair))[0]["lastPr"])
            order = {**pair, "marginCoin": "USDT", "marginMode": "crossed", "size": "0.01", "side": "buy"}
            await ask("POST", "/api/v2/mix/order/place-order", {**order, "orderType": "market"})
            limit = {**order, "orderType": "limit", "price": f"{price * 0.9:.1f}", "force": "gtc", "clientOid": "a"}
            await ask("POST", "/api/v2/mix/order/place-order", limit)
            # The same pair in small letters.
            small = {**pair, "symbol": "btcusdt"}
            waiting = (await ask("GET", "/api/v2/mix/order/orders-pending", small))["entrustedList"]
            check("open orders", [one["clientOid"] for one in waiting] == ["a"], waiting)
            await ask("POST", "/api/v2/mix/order/batch-cancel-orders", small)
            check("nothing", not (await ask("GET", "/api/v2/mix/order/orders-pending", pair))["entrustedList"])
            await ask("GET", "/api/v3/account/assets", {}, "40084")
            held = await ask("GET", "/api/v2/mix/position/single-position", {**small, "marginCoin": "usdt"})
            check("position", [one["total"] for one in held] == ["0.01"], held)
            await ask("POST", "/api/v2/mix/order/close-positions", pair)
            check("closed", not await ask("GET", "/api/v2/mix/position/all-position", {**pair, "marginCoin": "USDT"}))
    print(f"pybotters trades with a {sys.argv[1]} account")


asyncio.run(main())
