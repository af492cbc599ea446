"""ccxt, unmodified but for the address, trades on the local exchange: `trade.py one-way|hedged classic|unified`.

It reads the address and the keys from the variables that the exchange prints, and fails where an answer is not what the
client should make of it.
"""

import os
import sys
import urllib.request

import ccxt

MODE, FAMILY = sys.argv[1:3]
UNIFIED, HEDGED = FAMILY == "unified", MODE == "hedged"
PAIR = "BTC/USDT:USDT"


def client(**changes):
    exchange = ccxt.bitget(
        {
            "apiKey": os.environ["TRADEAPI_KEY"],
            "secret": os.environ["TRADEAPI_SECRET"],
            "password": os.environ["TRADEAPI_PASSPHRASE"],
            "enableRateLimit": False,
            "options": {"defaultType": "swap"},
            **changes,
        }
    )
    exchange.urls["api"] = {group: os.environ["TRADEAPI_URL"] for group in exchange.urls["api"]}
    return exchange


def refuses(kind, call, *arguments, **named):
    """The call fails with this class of the client's errors."""
    try:
        answer = call(*arguments, **named)
    except kind:
        return
    raise AssertionError(f"{call.__name__} should fail with {kind.__name__}, and returned {answer}")


def control(call):
    """Asks the control address of the exchange."""
    urllib.request.urlopen(urllib.request.Request(f"{os.environ['TRADEAPI_URL']}/-/{call}", method="POST")).close()


def check(what, holds, *shown):
    if not holds:
        raise AssertionError(f"{what}: {shown}")


exchange = client()
# Whether the account is unified, the client finds out by itself.
markets = exchange.load_markets()
exchange.is_uta_enabled()
check("kind of account", exchange.options["uta"] == UNIFIED, exchange.options["uta"])
check("markets", PAIR in markets and "ETH/USDT:USDT" in markets, len(markets))
market = markets[PAIR]
check("steps", market["precision"]["price"] == 0.1 and market["precision"]["amount"] == 0.001, market["precision"])
check("time", abs(exchange.fetch_time() - exchange.milliseconds()) < 60_000)

balance = exchange.fetch_balance({"type": "swap"})
check("balance", balance["USDT"]["total"] == 100_000, balance["USDT"])
if UNIFIED:
    exchange.set_position_mode(HEDGED)
else:
    exchange.set_position_mode(HEDGED, PAIR)
exchange.set_leverage(20, PAIR)

book = exchange.fetch_order_book(PAIR, 5)
check("book", book["bids"][0][0] < book["asks"][0][0], book)
ticker = exchange.fetch_ticker(PAIR)
check("ticker", book["bids"][-1][0] <= ticker["last"] <= book["asks"][-1][0], ticker["last"])
check("tickers", PAIR in exchange.fetch_tickers([PAIR]))
check("candles", exchange.fetch_ohlcv(PAIR, "1m")[-1][4] > 0)
check("funding", exchange.fetch_funding_rate(PAIR)["fundingRate"] == 0.0001)
price = float(exchange.price_to_precision(PAIR, ticker["last"]))
# Far enough from the market that others do not fill it.
low, high = [float(exchange.price_to_precision(PAIR, price * factor)) for factor in (0.9, 1.1)]
hedged = {"hedged": True} if HEDGED else {}

# A position.
exchange.create_order(PAIR, "market", "buy", 0.01, None, hedged)
positions = exchange.fetch_positions([PAIR])
check("position", [(one["side"], one["contracts"]) for one in positions] == [("long", 0.01)], positions)
check("leverage", positions[0]["leverage"] == 20 and positions[0]["entryPrice"] > 0, positions[0])
check("public trades", len(exchange.fetch_trades(PAIR)) > 0)
mine = exchange.fetch_my_trades(PAIR)
check("own trades", mine and mine[0]["side"] == "buy" and mine[0]["fee"]["cost"] != 0, mine)

# Orders that wait.
limit = exchange.create_order(PAIR, "limit", "buy", 0.02, low, hedged)
maker = exchange.create_order(PAIR, "limit", "buy", 0.02, low, {"postOnly": True, **hedged})
target = exchange.create_order(PAIR, "limit", "buy", 0.02, low, {"takeProfit": {"triggerPrice": high}, **hedged})
reducing = exchange.create_order(PAIR, "limit", "sell", 0.01, high, {"reduceOnly": True, **hedged})
ids = [order["id"] for order in (limit, maker, target, reducing)]
check("open orders", sorted(order["id"] for order in exchange.fetch_open_orders(PAIR)) == sorted(ids), ids)
fetched = exchange.fetch_order(limit["id"], PAIR)
check("order", (fetched["status"], fetched["amount"], fetched["price"]) == ("open", 0.02, low), fetched)

edited = exchange.edit_order(limit["id"], PAIR, "limit", "buy", 0.03, low)
exchange.sleep(100)
amounts = [order["amount"] for order in exchange.fetch_open_orders(PAIR)]
check("edited", 0.03 in amounts, amounts, edited)
exchange.cancel_order(maker["id"], PAIR)
check("cancelled", maker["id"] not in [order["id"] for order in exchange.fetch_open_orders(PAIR)])

# Several at once.
several = [
    {"symbol": PAIR, "type": "limit", "side": "buy", "amount": 0.01, "price": low, "params": hedged} for _ in range(3)
]
batch = exchange.create_orders(several)
check("batch", len(batch) == 3 and all(order["id"] for order in batch), batch)
exchange.cancel_orders([order["id"] for order in batch[:2]], PAIR)
check("the rest of the batch", batch[2]["id"] in [order["id"] for order in exchange.fetch_open_orders(PAIR)])
exchange.cancel_all_orders(PAIR)
check("nothing is open", exchange.fetch_open_orders(PAIR) == [])
closed = exchange.fetch_closed_orders(PAIR)
check("closed orders", any(order["filled"] == 0.01 for order in closed), closed)
check("cancelled orders", len(exchange.fetch_canceled_orders(PAIR)) >= 4)

# What waits outside of the book.
tiers = exchange.fetch_market_leverage_tiers(PAIR)
check("tiers", tiers and tiers[0]["maxLeverage"] == 100, tiers)
closing = {"reduceOnly": True, **hedged}
stop = exchange.create_order(PAIR, "market", "sell", 0.01, None, {"stopLossPrice": low, **closing})
kinds = {"trigger": True, **({} if UNIFIED else {"planType": "profit_loss"})}
waiting = exchange.fetch_open_orders(PAIR, None, None, kinds)
check("stop-loss", [order["id"] for order in waiting] == [stop["id"]], waiting)
exchange.cancel_order(stop["id"], PAIR, kinds)
check("no stop-loss", exchange.fetch_open_orders(PAIR, None, None, kinds) == [])
trigger = {"triggerPrice": low, **hedged}
if UNIFIED:
    # The client sends the condition of this order with an ordinary one, which would be executed at once.
    refuses(ccxt.BaseError, exchange.create_order, PAIR, "market", "buy", 0.01, None, trigger)
    refuses(ccxt.BaseError, exchange.create_order, PAIR, "market", "sell", 0.01, None, {"trailingPercent": 1, **hedged})
else:
    plan = exchange.create_order(PAIR, "market", "buy", 0.01, None, trigger)
    check("plan", [order["id"] for order in exchange.fetch_open_orders(PAIR, None, None, {"trigger": True})] == [plan["id"]])
    exchange.cancel_order(plan["id"], PAIR, {"trigger": True})
    trailing = {"trailingPercent": 1, "trailingTriggerPrice": high, **closing}
    plan = exchange.create_order(PAIR, "market", "sell", 0.01, None, trailing)
    exchange.cancel_order(plan["id"], PAIR, {"trailing": True})
check("nothing is triggered", exchange.fetch_positions([PAIR])[0]["contracts"] == 0.01)

# A stop-loss that is reached.
exchange.create_order(PAIR, "market", "sell", 0.01, None, {"stopLossPrice": float(exchange.price_to_precision(PAIR, price * 0.99)), **closing})
control(f"price?symbol=BTCUSDT&price={exchange.price_to_precision(PAIR, price * 0.98)}")
exchange.sleep(1_000)
check("stopped", [one for one in exchange.fetch_positions([PAIR]) if one["contracts"]] == [])
control(f"price?symbol=BTCUSDT&price={exchange.price_to_precision(PAIR, price)}")
exchange.sleep(1_000)
exchange.create_order(PAIR, "market", "buy", 0.01, None, hedged)

# Out of it again.
side = {"side": "long"} if HEDGED else {}
exchange.close_position(PAIR, "long" if HEDGED and not UNIFIED else None, side)
check("closed position", [one for one in exchange.fetch_positions([PAIR]) if one["contracts"]] == [])

ledger = exchange.fetch_ledger("USDT", None, 20, {"type": "swap"})
check("ledger", len(ledger) >= 4, ledger)
funded = exchange.fetch_funding_history(PAIR)
check("no funding yet", funded == [], funded)
closed = exchange.fetch_positions_history([PAIR])
check("closed positions", len(closed) >= 2, closed)
check("open interest", exchange.fetch_open_interest(PAIR)["openInterestAmount"] is not None)
check("past funding", exchange.fetch_funding_rate_history(PAIR)[-1]["fundingRate"] == 0.0001)

# An error of each kind, as the client's own class.
refuses(ccxt.InsufficientFunds, exchange.create_order, PAIR, "limit", "buy", 900, low, hedged)
# The client does not know the code that unified accounts have for it.
missing = ccxt.ExchangeError if UNIFIED else ccxt.OrderNotFound
refuses(missing, exchange.cancel_order, "1234567890123456789", PAIR)
refuses(ccxt.AuthenticationError, client(secret="wrong").fetch_balance, {"type": "swap", "uta": UNIFIED})
refuses(ccxt.AuthenticationError, client(apiKey="wrong").fetch_balance, {"type": "swap", "uta": UNIFIED})
refuses(ccxt.BadRequest, exchange.fetch_ohlcv, PAIR, "7m")
refuses(ccxt.BaseError, exchange.create_order, PAIR, "limit", "buy", 0.01, low * 3, hedged)
# Codes that the exchange answers only on request.
for code, kind in [("40725", ccxt.ExchangeError), ("45110", ccxt.InvalidOrder), ("429", ccxt.DDoSProtection),
                   ("40014", ccxt.PermissionDenied), ("40037", ccxt.AuthenticationError)]:
    control(f"faults?kind=refuse&code={code}&times=1")
    refuses(kind, exchange.create_order, PAIR, "limit", "buy", 0.01, low, hedged)
if UNIFIED:
    # Only the document of these accounts has permissions.
    control("account?user=1000000&permissions=none")
    refuses(ccxt.PermissionDenied, exchange.fetch_balance, {"type": "swap"})
    control("account?user=1000000&permissions=all")
print(f"ccxt {ccxt.__version__} trades with a {FAMILY} account, {MODE}")
