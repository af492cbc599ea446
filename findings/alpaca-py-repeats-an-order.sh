#!/bin/sh
# alpaca-py 0.44.0 (PyPI): an order that is answered with status 504 is sent again, without an option and an id.
#
# 504 says that a gateway got no answer in time; the broker behind it may have taken the order. The client repeats each
# method after 504 as after 429, three times, and an order has no id of the client unless the caller makes one. One call
# of `submit_order` makes two orders, and the result names the second.
#
# Seen: the call gave the order that ends in 2; orders received: 2; ids of the client in them: [None, None]
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset APCA_RETRY_MAX APCA_RETRY_WAIT APCA_RETRY_CODES
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check alpaca-py==0.44.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import http.server, json, sys, threading
from alpaca.trading.client import TradingClient
from alpaca.trading.requests import LimitOrderRequest

orders = []

class Broker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        orders.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        times = {name: "2026-01-02T15:00:00Z" for name in ("created_at", "updated_at", "submitted_at")}
        order = {
            "id": f"00000000-0000-0000-0000-00000000000{len(orders)}", "client_order_id": "made-by-the-broker",
            "order_class": "simple", "time_in_force": "day", "status": "new", "extended_hours": False, **times,
        }
        body = json.dumps(order).encode()
        self.send_response(504 if len(orders) == 1 else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broker)
threading.Thread(target=server.serve_forever, daemon=True).start()

client = TradingClient("key", "secret", url_override=f"http://127.0.0.1:{server.server_port}")
request = LimitOrderRequest(symbol="AAPL", qty=1, side="buy", time_in_force="day", limit_price=200)
order = client.submit_order(request)
ids = [sent.get("client_order_id") for sent in orders]
last = str(order.id)[-1]
print(f"the call gave the order that ends in {last}; orders received: {len(orders)}; ids of the client in them: {ids}")
if (last, ids) != ("2", [None, None]):
    sys.exit("the order is sent in another way")
END_OF_PROGRAM
