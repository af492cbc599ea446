#!/bin/sh
# requests 2.34.2 and httpx 0.28.1 (PyPI): a listing whose cursor has a semicolon ends after its first page.
#
# A listing names its next page in the header Link, and its cursor is a time with an id, `after=1000;7`, because orders
# can have the same time. A semicolon is allowed in an address, which stands in angle brackets for that reason. Both
# clients split at it first, and stop reading at the rest of the address, before they come to `rel="next"`: there is no
# next page in `links`, as on the last one. No error is raised, and four of six orders are missing.
#
# Seen: requests gets orders [6, 7], httpx [6, 7], of [6, 7, 8, 9, 10, 11]
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check requests==2.34.2 httpx==0.28.1 ||
  { echo "the packages cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import http.server, json, sys, threading, urllib.parse
import httpx, requests

orders = [(1000, number) for number in range(6, 10)] + [(2000, 10), (2000, 11)]

class Exchange(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        cursor = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("after", ["0"])[0]
        time, _, number = cursor.partition(";")
        after = (int(time), int(number) if number else sys.maxsize)
        left = [order for order in orders if order > after]
        page = left[:2]
        body = json.dumps([number for _, number in page]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if len(left) > 2:
            host = self.headers["Host"]
            self.send_header("Link", f'<http://{host}/orders?after={page[-1][0]};{page[-1][1]}>; rel="next"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
threading.Thread(target=server.serve_forever, daemon=True).start()

def listed(client):
    seen, address = [], f"http://127.0.0.1:{server.server_port}/orders"
    while address:
        answer = client.get(address)
        seen += answer.json()
        address = answer.links.get("next", {}).get("url")
    return seen

found = [listed(client) for client in (requests, httpx)]
every = [number for _, number in orders]
print(f"requests gets orders {found[0]}, httpx {found[1]}, of {every}")
if found != [[6, 7]] * 2:
    sys.exit("the next page is found in another way")
END_OF_PROGRAM
