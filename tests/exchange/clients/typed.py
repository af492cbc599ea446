"""typed-bitget, unmodified but for the address, trades on the local exchange: `typed.py classic|unified`.

It validates every answer by the shapes that its authors saw, and fails a whole call for a missing member. It reads the
address and the keys from the variables that the exchange prints.
"""

import asyncio
import os
import sys
from decimal import Decimal

from typed_bitget import Bitget

FAMILY = sys.argv[1]
LINE, SYMBOL = "USDT-FUTURES", "BTCUSDT"


def check(what, holds, *shown):
    if not holds:
        raise AssertionError(f"{what}: {shown}")


async def classic(account):
    mix, pair = account.mix, {"symbol": SYMBOL, "product_type": LINE}
    check("spot pairs", len(await account.spot.symbols()) >= 2)
    for line in (LINE, "USDC-FUTURES", "COIN-FUTURES"):
        contracts = await mix.market.contracts(line)
        check("contracts", len(contracts) >= 2, line)
    check("no fills", not (await mix.order.fills(product_type=LINE))["fillList"])
    price = (await mix.market.symbol_price(**pair))[0]["price"]
    book = await mix.market.orderbook(**pair)
    check("book", book["bids"][0][0] < book["asks"][0][0], book)
    check("tickers", len(await mix.market.tickers(LINE)) >= 4)
    last = (await mix.market.ticker(**pair))[0]["lastPr"]
    check("ticker", abs(last / price - 1) < Decimal("0.01"), last)  # the price moves
    for history in (mix.market.candles.history, mix.market.candles.history_mark, mix.market.candles.history_index):
        check("candles", len(await history(SYMBOL, product_type=LINE, granularity="1M")) == 1)
    check("tiers", (await mix.market.position_tier(LINE, symbol=SYMBOL))[0]["leverage"] == 100)
    check("funding", (await mix.market.funding.current_rate(**pair))[0]["fundingRate"] == Decimal("0.0001"))
    next_funding = (await mix.market.funding.time(**pair))[0]["nextFundingTime"]
    check("past funding", (await mix.market.funding.rate_history(**pair))[0]["fundingTime"] < next_funding)
    check("open interest", len((await mix.open_interest(**pair))["openInterestList"]) == 1)
    check("balance", (await mix.account.list(LINE))[0]["accountEquity"] == 100_000)
    await mix.account.set_position_mode(LINE, pos_mode="hedge_mode")
    await mix.account.set_leverage(**pair, margin_coin="USDT", leverage="20")
    check("leverage", (await mix.account.get(**pair, margin_coin="USDT"))["crossedMarginLeverage"] == 20)

    order = {"symbol": SYMBOL, "productType": LINE, "marginMode": "crossed", "marginCoin": "USDT", "size": "0.01",
             "side": "buy", "tradeSide": "open", "orderType": "market"}
    await mix.order.place(order)
    low = str(round(price * Decimal("0.9"), 1))
    await mix.order.place({**order, "orderType": "limit", "price": low, "force": "gtc", "clientOid": "low"})
    check("order", (await mix.order.detail(**pair, client_oid="low"))["state"] == "live")
    # It expects the kind of a preset's trigger under a name that no other source has.
    waiting = await mix.order.open(product_type=LINE, validate=False)
    check("open orders", [one["clientOid"] for one in waiting["entrustedList"]] == ["low"], waiting)
    position = (await mix.position.get(LINE, symbol=SYMBOL, margin_coin="USDT"))[0]
    check("position", (position["holdSide"], position["total"]) == ("long", Decimal("0.01")), position)
    check("positions", len(await mix.position.list(LINE, margin_coin="USDT")) == 1)

    stop = {"margin_coin": "USDT", "product_type": LINE, "symbol": SYMBOL, "hold_side": "long", "size": "0.01"}
    await mix.order.tpsl.place(**stop, plan_type="pos_loss", trigger_price=low)
    plan = {**order, "planType": "normal_plan", "triggerPrice": low, "triggerType": "mark_price"}
    await mix.order.plan.place(plan)
    for kind in ("profit_loss", "normal_plan"):
        waiting = await mix.order.plan.open(plan_type=kind, product_type=LINE)
        check("plans", len(waiting["entrustedList"]) == 1, waiting)
    await mix.order.plan.cancel(product_type=LINE)
    past = await mix.order.plan.history(plan_type="profit_loss", product_type=LINE)
    check("past plans", past["entrustedList"][0]["planStatus"] == "cancelled", past)

    other = {**order, "symbol": "ETHUSDT", "orderType": "limit", "price": "2900", "force": "gtc", "clientOid": "other"}
    await mix.order.place(other)
    await mix.order.cancel_all(**pair)
    left = await mix.order.open(product_type=LINE, validate=False)
    check("only the pair is cancelled", [one["clientOid"] for one in left["entrustedList"]] == ["other"], left)
    await mix.position.close(product_type=LINE)
    check("fills", len((await mix.order.fills(product_type=LINE))["fillList"]) >= 2)
    check("history", len((await mix.order.history(product_type=LINE))["entrustedList"]) >= 2)
    check("closed", len((await mix.position.history(product_type=LINE))["list"]) == 1)
    check("bills", len((await mix.account.bills(LINE))["bills"]) >= 2)
    check("trades", len(await mix.recent_trades(**pair)) > 0 and len(await mix.historic_trades(**pair)) > 0)


async def unified(uta):
    pair = {"symbol": SYMBOL}
    for line in ("SPOT", "MARGIN", LINE, "USDC-FUTURES", "COIN-FUTURES"):
        check("instruments", len(await uta.market.instruments(line)) >= 2, line)
    await uta.market.server_time()
    book = await uta.market.orderbook(LINE, **pair)
    check("book", book["b"][0][0] < book["a"][0][0], book)
    ticker = next(one for one in await uta.market.tickers(LINE) if one["symbol"] == SYMBOL)
    price = Decimal(ticker["lastPrice"])
    check("tiers", (await uta.market.position_tier(LINE, **pair))[0]["leverage"] == 100)
    check("funding", (await uta.market.funding_rate.current(**pair))[0]["fundingRate"] == Decimal("0.0001"))
    check("funding of a line", len(await uta.market.funding_rate.current(LINE)) >= 4)
    check("past funding", len((await uta.market.funding_rate.history(LINE, **pair))["resultList"]) > 1)
    check("open interest", len((await uta.market.open_interest(LINE))["list"]) >= 4)
    check("key", (await uta.account.info())["permType"] == "read_and_write")
    check("settings", (await uta.account.settings())["holdMode"] == "one_way_mode")
    check("fees", (await uta.account.fee_rate(LINE, **pair)) and len(await uta.account.all_fee_rates(LINE)) >= 4)
    check("no fills", not (await uta.trade.order.fills())["list"])
    check("no positions", not (await uta.position.current_positions(LINE))["list"])
    await uta.account.leverage.set(LINE, symbol=SYMBOL, leverage="20")

    order = {"category": LINE, "symbol": SYMBOL, "qty": "0.01", "side": "buy", "orderType": "market"}
    await uta.trade.order.place(order)
    low = str(round(price * Decimal("0.9"), 1))
    await uta.trade.order.place({**order, "orderType": "limit", "price": low, "clientOid": "low"})
    await uta.trade.order.place({**order, "category": "SPOT", "qty": "500"})
    check("order", (await uta.trade.order.info(client_oid="low"))["orderStatus"] == "live")
    check("open orders", len((await uta.trade.order.unfilled())["list"]) == 1)
    position = (await uta.position.current_positions(LINE))["list"][0]
    check("position", (position["posSide"], Decimal(position["total"])) == ("long", Decimal("0.01")), position)

    await uta.strategy.place({"category": LINE, "symbol": SYMBOL, "type": "tpsl", "stopLoss": low})
    waiting = await uta.strategy.unfilled(LINE)
    check("strategy", len(waiting) == 1, waiting)
    await uta.strategy.cancel(order_id=waiting[0]["orderId"])
    check("past strategy", (await uta.strategy.history(LINE))["list"][0]["status"] == "cancelled")
    await uta.trade.order.cancel_symbol(LINE)
    await uta.trade.close_positions(LINE)
    check("history", len((await uta.trade.order.history(LINE))["list"]) >= 2)
    check("spot history", len((await uta.trade.order.history("SPOT"))["list"]) == 1)
    # Sources differ in the letters of isRPI.
    check("fills", len((await uta.trade.order.fills(validate=False))["list"]) >= 3)
    check("closed", len((await uta.position.history_positions(LINE))["list"]) == 1)
    check("records", len((await uta.account.financial_records(LINE))["list"]) >= 2)
    check("trades", len(await uta.market.fills(LINE, **pair)) > 0)


async def main():
    keys = {name: os.environ[f"TRADEAPI_{variable}"]
            for name, variable in (("access_key", "KEY"), ("secret_key", "SECRET"), ("passphrase", "PASSPHRASE"))}
    async with Bitget.new(**keys) as client:
        client.http_client.base_url = os.environ["TRADEAPI_URL"]
        await (unified(client.uta) if FAMILY == "unified" else classic(client.classic))
    print(f"typed-bitget trades with a {FAMILY} account")


asyncio.run(main())
