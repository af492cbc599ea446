#!/bin/sh
# mcp 2.3.0 (PyPI, the SDK of the Model Context Protocol for Python): a text argument is read as JSON once more.
#
# A tool declares `order_id: str | None`. An assistant sends the JSON string "null", a valid text; the tool is called
# with None, as though no id had been given: a tool that cancels everything without an id would do so. Declared as plain
# `str`, the same argument arrives as the text. "[1]" is refused as a list for the first, and arrives for the second.
#
# Seen: str | None: "null" None, "[1]" refused; str: "null" 'null', "[1]" '[1]'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
"$dir/venv/bin/python" - <<'END'
import asyncio, sys
from mcp.server.mcpserver import MCPServer

server, seen = MCPServer("orders"), []

@server.tool()
def optional(order_id: str | None = "not given") -> str:
    seen.append(order_id)
    return "ok"

@server.tool()
def plain(order_id: str) -> str:
    seen.append(order_id)
    return "ok"

async def arrives(tool, text):
    seen.clear()
    try:
        await server.call_tool(tool, {"order_id": text})
    except Exception:
        return "refused"
    return repr(seen[0])

async def main():
    return [await arrives(tool, text) for tool in ("optional", "plain") for text in ("null", "[1]")]

outcomes = asyncio.run(main())
print('str | None: "null" {}, "[1]" {}; str: "null" {}, "[1]" {}'.format(*outcomes))
sys.exit(outcomes != ["None", "refused", "'null'", "'[1]'"])
END
