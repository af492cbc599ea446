#!/bin/sh
# aiohttp 3.14.5 with yarl 1.25.1 (PyPI): the query that is sent is not the one that was signed.
#
# The program encodes its query, signs that text and hands the whole address to aiohttp. yarl rewrites the query before
# it is sent: `%2C` becomes a comma, `%3A` a colon. An exchange that signs what it received refuses the request, and
# only when a value has such a character. `yarl.URL(address, encoded=True)` sends the text as it is.
#
# Seen: signed 'symbols=BTC%2CETH&at=12%3A30', received 'symbols=BTC,ETH&at=12:30'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check aiohttp==3.14.5 yarl==1.25.1
"$dir/venv/bin/python" - <<'END'
import asyncio, sys, urllib.parse
import aiohttp
from aiohttp import web

async def main():
    received = []

    async def answer(request):
        received.append(request.raw_path.split("?")[1])
        return web.json_response({})

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    signed = urllib.parse.urlencode({"symbols": "BTC,ETH", "at": "12:30"})
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/?{signed}") as response:
            await response.read()
    await runner.cleanup()
    print(f"signed {signed!r}, received {received[0]!r}")
    return signed == "symbols=BTC%2CETH&at=12%3A30" and received[0] == "symbols=BTC,ETH&at=12:30"

sys.exit(not asyncio.run(main()))
END
