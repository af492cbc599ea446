#!/bin/sh
# kucoin-universal-sdk 1.3.2 (PyPI): one position with an unknown word makes an account look as if it had none.
#
# The client reads an answer into typed models. A value that an enum does not list, such as a margin mode that the
# exchange has added since, makes the whole answer unreadable; the client then returns an empty one, without an error
# or a message. Its code is that of a success, and the list of positions is None.
#
# Seen: known words: 200000 [('XBTUSDTM', 10)]; one new word: 200000 None
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check kucoin-universal-sdk==1.3.2 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import http.server, json, sys, threading
from kucoin_universal_sdk.api import DefaultClient
from kucoin_universal_sdk.generate.futures.positions import GetPositionListReqBuilder
from kucoin_universal_sdk.model import ClientOptionBuilder, TransportOptionBuilder

known = {"id": "1", "symbol": "XBTUSDTM", "currentQty": 10, "marginMode": "ISOLATED", "isOpen": True}
new = {**known, "id": "2", "symbol": "ETHUSDTM", "marginMode": "PORTFOLIO"}
answers = [[known], [known, new]]

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"code": "200000", "data": answers.pop(0)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

url = f"http://127.0.0.1:{server.server_port}"
option = ClientOptionBuilder().set_key("key").set_secret("secret").set_passphrase("passphrase")
option.set_spot_endpoint(url).set_futures_endpoint(url).set_broker_endpoint(url)
option.set_transport_option(TransportOptionBuilder().build())
positions = DefaultClient(option.build()).rest_service().get_futures_service().get_positions_api()

def seen():
    answer = positions.get_position_list(GetPositionListReqBuilder().build())
    listed = answer.data and [(position.symbol, position.current_qty) for position in answer.data]
    return f"{answer.common_response.code} {listed}"

first, second = seen(), seen()
print(f"known words: {first}; one new word: {second}")
if (first, second) != ("200000 [('XBTUSDTM', 10)]", "200000 None"):
    sys.exit("the answer is read in another way")
END_OF_PROGRAM
