#!/bin/sh
# ccxt 4.5.90 (PyPI): an answer that was cut off makes `create_order` a success.
#
# The exchange answers with status 200 and a body that ends in the middle of its JSON, as a proxy does that gives up.
# The body cannot be read, but no error is raised: the order comes back with the id None, and a listing of open orders
# that is cut off in the same way is an empty list. To a program, a broken answer looks like an account without orders.
#
# Seen: create_order: no error, id None; open orders: no error, []
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check ccxt==4.5.90
"$dir/venv/bin/python" - <<'END'
import http.server, sys, threading
import ccxt

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b'{"code": "00000", "data": {"orderId": "1234'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

bitget = ccxt.bitget({"apiKey": "key", "secret": "secret", "password": "words", "enableRateLimit": False})
address = f"http://127.0.0.1:{server.server_port}"
bitget.urls["api"] = {name: address for name in bitget.urls["api"]}
market = bitget.safe_market_structure({
    "id": "BTCUSDT", "symbol": "BTC/USDT", "base": "BTC", "quote": "USDT", "baseId": "BTC", "quoteId": "USDT",
    "type": "spot", "spot": True, "contract": False, "active": True, "precision": {"amount": 0.000001, "price": 0.01},
})
bitget.set_markets([market])

order = bitget.create_order("BTC/USDT", "limit", "buy", 0.01, 50000)
listed = bitget.fetch_open_orders("BTC/USDT")
print(f"create_order: no error, id {order['id']}; open orders: no error, {listed}")
sys.exit(not (order["id"] is None and listed == []))
END
