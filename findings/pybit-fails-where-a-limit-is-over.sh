#!/bin/sh
# pybit 5.17.0 (PyPI): a call that met a rate limit fails with a ValueError if the limit is over when the answer arrives.
#
# The client repeats a call that is refused with 10006, as its default is, after a sleep until the time that the answer
# names. Where that time has passed, because the answer took its way or the clock of the machine is a little ahead, the
# sleep has a length below zero, which Python refuses: the call is not repeated, and its error says nothing of a limit.
#
# Seen: reset in 100 ms: ok, 2 calls; reset 100 ms ago: ValueError, sleep length must be non-negative, 1 call
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check pybit==5.17.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import http.server, json, logging, sys, threading, time
from pybit.unified_trading import HTTP

logging.basicConfig(level=logging.CRITICAL)

class Exchange(http.server.BaseHTTPRequestHandler):
    calls, reset_in = 0, 0

    def do_GET(self):
        Exchange.calls += 1
        refused = Exchange.calls == 1
        answer = {"retCode": 10006, "retMsg": "Too many visits!"} if refused else {"retCode": 0, "retMsg": "OK"}
        body = json.dumps({**answer, "result": {}}).encode()
        self.send_response(200)
        self.send_header("X-Bapi-Limit-Reset-Timestamp", str(int(time.time() * 1000) + Exchange.reset_in))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

def call(reset_in):
    Exchange.calls, Exchange.reset_in = 0, reset_in
    session = HTTP(api_key="key", api_secret="secret")
    session.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        session.get_open_orders(category="linear", symbol="BTCUSDT")
        end = "ok"
    except Exception as error:
        end = f"{type(error).__name__}, {error}"
    return f"{end}, {Exchange.calls} call{'s' if Exchange.calls > 1 else ''}"

seen = f"reset in 100 ms: {call(100)}; reset 100 ms ago: {call(-100)}"
print(seen)
if seen != "reset in 100 ms: ok, 2 calls; reset 100 ms ago: ValueError, sleep length must be non-negative, 1 call":
    sys.exit("the limit is met in another way")
END_OF_PROGRAM
