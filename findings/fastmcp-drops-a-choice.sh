#!/bin/sh
# FastMCP 4.2.3 (PyPI): tools made by `from_openapi` do not show a choice, and send a request without it.
#
# A cancellation takes one of two ids: `properties` has the symbol, `allOf` the choice. The tool that an assistant sees
# has the symbol alone; the id that it passes anyway is dropped, and the request leaves without it. The result is a
# success. An exchange that takes a cancellation of all orders of a symbol would do that.
#
# Seen: members of the tool: symbol; the server received {"symbol": "BTCUSDT"}
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check fastmcp==4.2.3
"$dir/venv/bin/python" - <<'END'
import asyncio, json, sys
import httpx2 as httpx
from fastmcp import Client, FastMCP

def one(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}

body = {
    "type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"],
    "allOf": [{"oneOf": [one("orderId"), one("clientOid")]}],
}
file = {
    "openapi": "3.1.0", "info": {"title": "Orders", "version": "1"},
    "paths": {"/cancel": {"post": {
        "operationId": "cancel", "responses": {"200": {"description": "Done."}},
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
    }}},
}
received = []

def answer(request):
    received.append(json.loads(request.content))
    return httpx.Response(200, json={"code": "0"})

async def main():
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://127.0.0.1")
    async with Client(FastMCP.from_openapi(openapi_spec=file, client=http)) as client:
        tool, = await client.list_tools()
        schema = getattr(tool, "input_schema", None) or tool.inputSchema
        await client.call_tool("cancel", {"symbol": "BTCUSDT", "orderId": "1"})
    return sorted(schema["properties"])

members = asyncio.run(main())
print(f"members of the tool: {', '.join(members)}; the server received {json.dumps(received[0])}")
sys.exit(not (members == ["symbol"] and received == [{"symbol": "BTCUSDT"}]))
END
