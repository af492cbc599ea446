#!/bin/sh
# ccxt 4.5.90 (PyPI): the option `maxRetriesOnFailure` repeats `create_order`, too.
#
# The exchange takes an order and closes the connection before it answers. With the option on, ccxt sends the order
# again, without an id that would make the two the same: one call of the program makes two orders, and the result names
# the second one only. Nothing in the result shows that there is a first one.
#
# Seen: the call gave the order '2'; the exchange holds 2 orders; ids of the client in the requests: [None, None]
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check ccxt==4.5.90
"$dir/venv/bin/python" - <<'END'
import http.server, json, sys, threading
import ccxt

orders = []

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        orders.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if len(orders) == 1:
            self.close_connection = True
            return
        data = {"orderId": str(len(orders)), "clientOid": "made-by-the-exchange"}
        body = json.dumps({"code": "00000", "msg": "success", "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

bitget = ccxt.bitget({"apiKey": "key", "secret": "secret", "password": "words", "enableRateLimit": False})
address = f"http://127.0.0.1:{server.server_port}"
bitget.urls["api"] = {name: address for name in bitget.urls["api"]}
bitget.options["maxRetriesOnFailure"] = 2
bitget.options["maxRetriesOnFailureDelay"] = 0
market = bitget.safe_market_structure({
    "id": "BTCUSDT", "symbol": "BTC/USDT", "base": "BTC", "quote": "USDT", "baseId": "BTC", "quoteId": "USDT",
    "type": "spot", "spot": True, "contract": False, "active": True, "precision": {"amount": 0.000001, "price": 0.01},
})
bitget.set_markets([market])

order = bitget.create_order("BTC/USDT", "limit", "buy", 0.01, 50000)
ids = [sent.get("clientOid") for sent in orders]
print(f"the call gave the order {order['id']!r}; the exchange holds {len(orders)} orders; "
      f"ids of the client in the requests: {ids}")
sys.exit(not (order["id"] == "2" and len(orders) == 2 and ids == [None, None]))
END
