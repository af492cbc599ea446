#!/bin/sh
# ccxt 4.5.90 (PyPI): the exchange's "Request timed out", after which an order may exist, is an AuthenticationError.
#
# The exchange takes an order and answers with the code 40010, whose message is "Request timed out": its document says that
# the order has to be queried by its client id then. ccxt raises AuthenticationError, the class for a wrong key, which is no
# NetworkError and no OperationFailed. A program that queries after these two, and treats a wrong key as an order that was
# refused, loses sight of an order that it has.
#
# Seen: AuthenticationError, neither NetworkError nor OperationFailed; the exchange holds 1 order
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check ccxt==4.5.90
"$dir/venv/bin/python" - <<'END'
import http.server, sys, threading
import ccxt

orders = []

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        orders.append(self.rfile.read(int(self.headers["Content-Length"])))
        body = b'{"code": "40010", "msg": "Request timed out", "requestTime": 1790000000000, "data": null}'
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
market = bitget.safe_market_structure({
    "id": "BTCUSDT", "symbol": "BTC/USDT", "base": "BTC", "quote": "USDT", "baseId": "BTC", "quoteId": "USDT",
    "type": "spot", "spot": True, "contract": False, "active": True, "precision": {"amount": 0.000001, "price": 0.01},
})
bitget.set_markets([market])

try:
    bitget.create_order("BTC/USDT", "limit", "buy", 0.01, 50000, {"clientOrderId": "mine-1"})
    raised = None
except ccxt.BaseError as error:
    raised = error
is_lost = isinstance(raised, (ccxt.NetworkError, ccxt.OperationFailed))
print(f"{type(raised).__name__}, {'one of' if is_lost else 'neither'} NetworkError nor OperationFailed; "
      f"the exchange holds {len(orders)} order")
sys.exit(not (type(raised) is ccxt.AuthenticationError and not is_lost and len(orders) == 1))
END
