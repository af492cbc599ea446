#!/bin/sh
# ccxt 4.5.90 (PyPI): with a unified account of Bitget, a market order with `triggerPrice` has nothing to wait for.
#
# ccxt's parameter of stop orders is `triggerPrice`. For a classic account it goes to the path of plan orders. With the
# option `uta`, the same call goes to the path of ordinary orders, with a member of that name which the path does not
# document: an exchange that ignores unknown members buys at once. `stopLossPrice` goes to the path of strategy orders.
#
# Seen: classic /api/v2/mix/order/place-plan-order; unified /api/v3/trade/place-order, orderType market; with
# stopLossPrice /api/v3/trade/place-strategy-order
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check ccxt==4.5.90 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import http.server, json, sys, threading
import ccxt

received = []

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        received.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        body = json.dumps({"code": "00000", "msg": "success", "data": {"orderId": "1", "clientOid": "2"}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

def sent(uta, stop):
    bitget = ccxt.bitget({"apiKey": "key", "secret": "secret", "password": "words", "enableRateLimit": False})
    address = f"http://127.0.0.1:{server.server_port}"
    bitget.urls["api"] = {name: address for name in bitget.urls["api"]}
    bitget.options["uta"] = uta
    market = bitget.safe_market_structure({
        "id": "BTCUSDT", "symbol": "BTC/USDT:USDT", "base": "BTC", "quote": "USDT", "settle": "USDT",
        "baseId": "BTC", "quoteId": "USDT", "settleId": "USDT", "type": "swap", "spot": False, "swap": True,
        "contract": True, "linear": True, "inverse": False, "contractSize": 1, "active": True,
        "precision": {"amount": 0.001, "price": 0.1},
    })
    bitget.set_markets([market])
    bitget.create_order("BTC/USDT:USDT", "market", "buy", 0.01, None, {stop: 60000})
    return received[-1]

classic, _ = sent(False, "triggerPrice")
unified, order = sent(True, "triggerPrice")
strategy, _ = sent(True, "stopLossPrice")
kind = order["orderType"]
print(f"classic {classic}; unified {unified}, orderType {kind}; with stopLossPrice {strategy}")
seen = (classic, unified, kind, strategy)
if seen != ("/api/v2/mix/order/place-plan-order", "/api/v3/trade/place-order", "market",
            "/api/v3/trade/place-strategy-order"):
    sys.exit("the orders go elsewhere")
END_OF_PROGRAM
