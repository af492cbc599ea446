"""FastMCP makes tools of the operations; an assistant places, finds and cancels an order with them."""

import asyncio
import json
import sys

import httpx
from fastmcp import Client, FastMCP
from signing import URL, async_hook


async def main(file):
    with open(file) as description:
        document = json.load(description)
    http = httpx.AsyncClient(base_url=URL, event_hooks={"request": [async_hook]})
    async with Client(FastMCP.from_openapi(openapi_spec=document, client=http)) as client:
        names = {tool.name.split("_", 1)[-1]: tool.name for tool in await client.list_tools()}

        async def call(name, **arguments):
            wanted = next(full for full in names.values() if full.replace("_", ".").replace("-", ".") == name)
            answer = await client.call_tool(wanted, arguments)
            return json.loads(answer.content[0].text)["result"]["data"]

        order = {"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy"}
        placed = await call("unified.place.order", **order, orderType="limit", price="50000")
        found = await call("unified.order.info", orderId=placed["orderId"])
        assert (found["price"], found["qty"]) == ("50000", "0.01"), found
        cancelled = await call("unified.cancel.order", body={"orderId": placed["orderId"]})
        assert cancelled["orderId"] == placed["orderId"], cancelled


asyncio.run(main(sys.argv[1]))
