"""One order by a client with its defaults, unmodified but for the address: `situations.py CLIENT`.

What the client tells its caller goes to the file that the variable SAYS names: `an order`, or the class of an error.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

CLIENT, URL = sys.argv[1], os.environ["TRADEAPI_URL"]
KEY, SECRET, PASSPHRASE = (os.environ[f"TRADEAPI_{name}"] for name in ("KEY", "SECRET", "PASSPHRASE"))
PATH, ID = "/api/v3/trade/place-order", "situation-1"
ORDER = {"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
         "price": "40000", "clientOid": ID}


def ccxt():
    import ccxt

    exchange = ccxt.bitget({"apiKey": KEY, "secret": SECRET, "password": PASSPHRASE,
                            "options": {"defaultType": "swap", "uta": True}})
    exchange.urls["api"] = {group: URL for group in exchange.urls["api"]}
    exchange.load_markets()
    exchange.create_order("BTC/USDT:USDT", "limit", "buy", 0.01, 40_000, {"clientOrderId": ID})


async def pybotters():
    import pybotters
    from pybotters.auth import Auth, Hosts, Item

    Hosts.items[urlsplit(URL).hostname] = Item("bitget", Auth.bitget)
    async with pybotters.Client(apis={"bitget": [KEY, SECRET, PASSPHRASE]}, base_url=URL) as client:
        answer = await client.request("POST", PATH, data=ORDER)
        # It leaves the answer to its caller.
        body = await answer.json()
        if body["code"] != "00000":
            raise Refused(f"the answer, code {body['code']}")


async def typed_bitget():
    from typed_bitget import Bitget

    async with Bitget.new(access_key=KEY, secret_key=SECRET, passphrase=PASSPHRASE) as client:
        client.http_client.base_url = URL
        await client.uta.trade.order.place(ORDER)


def freqtrade():
    # Its layer over ccxt, as its bot calls it, with a classic account: with others it opens nothing.
    import pathlib
    import tempfile

    import freq
    from freqtrade.resolvers import ExchangeResolver

    with tempfile.TemporaryDirectory() as room:
        exchange = ExchangeResolver.load_exchange(freq.configuration(pathlib.Path(room)))
        exchange.create_order(pair=freq.PAIR, ordertype="limit", side="buy", amount=0.01, rate=40_000, leverage=1.0,
                              reduceOnly=False, time_in_force="GTC")


def repeats():
    """The pattern that the vendor's SDK follows: what gets no answer is sent again with its client id."""
    for attempt in range(3):
        body, now = json.dumps(ORDER), str(time.time_ns() // 1_000_000)
        signature = hmac.digest(SECRET.encode(), f"{now}POST{PATH}{body}".encode(), hashlib.sha256)
        headers = {"ACCESS-KEY": KEY, "ACCESS-PASSPHRASE": PASSPHRASE, "ACCESS-TIMESTAMP": now,
                   "ACCESS-SIGN": base64.b64encode(signature).decode(), "Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(URL + PATH, body.encode(), headers), timeout=5) as answer:
                json.load(answer)
                return
        except urllib.error.HTTPError as error:
            text = error.read()
            if error.code < 500:
                raise Refused(f"an error, code {json.loads(text)['code']}")
        except (OSError, ValueError) as error:
            last = error
        time.sleep(0.5)
    raise last


class Refused(Exception):
    """What a client returns or raises, in words."""


def said(run):
    """Runs a client, and returns what it tells its caller."""
    try:
        asyncio.run(run()) if asyncio.iscoroutinefunction(run) else run()
        return "an order"
    except Refused as refused:
        return str(refused)
    except Exception as error:
        return type(error).__name__


says = said({"ccxt": ccxt, "freqtrade": freqtrade, "pybotters": pybotters, "typed-bitget": typed_bitget,
             "repeats": repeats}[CLIENT])
with open(os.environ["SAYS"], "w") as file:
    file.write(says)
