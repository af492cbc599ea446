"""A trader's hour in hedge mode through the server for assistants, with the Python SDK.

It opens both sides with a take-profit and a stop-loss, amends an order, closes a part, reads positions and the fills of
the day, and flattens; it fails where something is lost or misreported.
"""

import asyncio
import tempfile
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters

PAIR = {"category": "USDT-FUTURES", "symbol": "BTCUSDT"}


def check(what, holds, *shown):
    if not holds:
        raise AssertionError(f"{what}: {shown}")


async def main():
    budget = Path(tempfile.mkdtemp()) / "budget.json"
    budget.write_text('{"coins": ["USDT"], "order": "5000", "priceAge": 600}')
    arguments = ["--local", "--lag", "1", "--budget", str(budget), "mcp", "--allow-trading"]
    async with Client(StdioServerParameters(command="tradeapi", args=arguments)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check("descriptions", all(len(tool.description) < 2000 for tool in tools.values()))
        changes = 0

        async def call(name, arguments, outcome="done"):
            nonlocal changes
            changes += tools[name].annotations.read_only_hint is not True and outcome != "refused"
            result = (await client.call_tool(name, arguments)).structured_content
            check(name, result["outcome"] == outcome, arguments, result)
            return result["results"]

        async def open_side(side, position, up):
            levels = {"takeProfit": str(price + up), "stopLoss": str(price - up)}
            order = {**PAIR, "qty": "0.02", "side": side, "posSide": position, "orderType": "market", **levels}
            await call("unified_place_order", {**order, "clientOid": f"open-{position}"})

        async def positions():
            sizes = {}
            for position in await call("positions", {}):
                sizes[position["posSide"]] = Decimal(position["total"])
            return sizes

        ticker = (await call("observed_tickers", PAIR))[0]
        price = Decimal(ticker["lastPrice"]).quantize(Decimal("0.1"))
        check("flat", await positions() == {})
        await open_side("buy", "long", Decimal(2000))
        await open_side("sell", "short", Decimal(-2000))
        check("both sides", await positions() == {"long": Decimal("0.02"), "short": Decimal("0.02")}, await positions())

        resting = {**PAIR, "qty": "0.01", "side": "buy", "posSide": "long", "orderType": "limit"}
        await call("unified_place_order", {**resting, "price": str(price - 3000), "clientOid": "resting"})
        await call("unified_modify_order", {"clientOid": "resting", "qty": "0.01", "price": str(price - 3500)})
        listed = await call("orders", {})
        amended = [order for order in listed if order["clientOid"] == "resting"]
        check("amended", [Decimal(order["price"]) for order in amended] == [price - 3500], listed)

        part = {**PAIR, "qty": "0.01", "side": "sell", "posSide": "long", "orderType": "market"}
        await call("unified_place_order", {**part, "clientOid": "part"})
        check("a part", await positions() == {"long": Decimal("0.01"), "short": Decimal("0.02")}, await positions())

        today = datetime.now(timezone.utc).date().isoformat()
        fills = await call("unified_fills", {"category": "USDT-FUTURES", "startTime": today, "endTime": today})
        filled = {}
        for fill in fills:
            filled[fill["clientOid"]] = filled.get(fill["clientOid"], 0) + Decimal(fill["execQty"])
        expected = {"open-long": Decimal("0.02"), "open-short": Decimal("0.02"), "part": Decimal("0.01")}
        check("fills of the day", filled == expected, filled)

        await call("unified_place_order", {**part, "qty": 0.01}, "refused")
        try:
            await client.call_tool("unified_withdraw", {})
        except MCPError as error:
            check("no such tool", error.code == -32602, error)
        else:
            raise AssertionError("a tool that is not there was called")

        await call("flatten", {})
        check("flat again", await positions() == {} and await call("orders", {}) == [])
        sent = await call("sent", {})
        check("sent", len(sent) == changes and {change["outcome"] for change in sent} == {"done"}, changes, sent)
        check("order of what was sent", sent[0]["tool"] == "flatten" and "open-long" in str(sent[-1]), sent)


asyncio.run(main())
