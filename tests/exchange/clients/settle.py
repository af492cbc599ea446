"""Settles orders whose answers are lost, with ccxt and nothing but `outcomes.json`: `settle.py generated/outcomes.json`.

The file says which answer proves what, by which query and after how long, and its JSON Schema how it is read. An order
is placed again only if it was certainly not placed. The bot cancels what it placed, and says what it believes in lines
that `tradeapi-exchange judge` compares with the books. SPEED and STARTED are for an exchange whose clock is faster.
"""

import json
import os
import sys
import time
import uuid

import ccxt

FILE = json.load(open(sys.argv[1]))
ASSUMED, ENVELOPE, OPERATIONS = FILE["assumptions"], FILE["envelope"], FILE["operations"]
SPEED, STARTED = int(os.environ.get("SPEED", 1)), int(os.environ.get("STARTED", 0))
PLACE, CANCEL, PAIR = "unified.place-order", "unified.cancel-order", "BTC/USDT:USDT"


class Exchange(ccxt.bitget):
    """ccxt, which keeps the last answer as it came."""

    def milliseconds(self):
        return int(STARTED + (time.time() * 1000 - STARTED) * SPEED)

    def on_rest_response(self, code, reason, url, method, response_headers, response_body, *others):
        self.answer = (code, response_body)
        return response_body


def call(function, *arguments):
    """Calls ccxt, whatever comes of it. Returns the answer, the time before the request left, and that of its end."""
    exchange.answer, sent = None, exchange.milliseconds()
    try:
        function(*arguments)
    except (ccxt.BaseError, KeyError, TypeError, ValueError):
        pass
    return exchange.answer, sent, exchange.milliseconds()


def read(answer):
    """Returns the code, the data and the time of an answer; no code, if it has no envelope."""
    try:
        body = json.loads(answer[1])
        return str(body[ENVELOPE["code"][0][0]]), body.get("data") or {}, int(body.get(ENVELOPE["time"]) or 0)
    except (KeyError, TypeError, ValueError):
        return None, {}, 0


def outcome(operation, request, answer, is_late):
    """Returns what an answer proves about a change."""
    if answer is None:
        return FILE["ends"]["timed-out"]["outcome"]
    (code, data, _), about = read(answer), OPERATIONS[operation]
    if code is None:
        end = "server-error" if answer[0] >= 500 else "unreadable" if answer[0] < 300 else "other-status"
        return FILE["ends"][end]["outcome"]
    if code == ENVELOPE["success"]:
        shown = {data.get(row["member"]) for row in about["success"]["repeats"]["ids"]}
        return FILE["ends"]["success"]["outcome"] if shown & set(request.values()) else "unknown"
    rows = [row for row in FILE["codes"].get(code, []) if about["family"] in row.get("families", [about["family"]])]
    is_proof = rows and about["effect"] in rows[0]["not_done"]
    return "not_done" if is_proof and (not is_late or rows[0].get("alike")) else "unknown"


def judged(settle, request, record, sent, ended):
    """Returns what a record with the id of a request proves about it."""
    proof, shown = settle["record"], {name: str(value) for name, value in record.items() if value}
    if "states" in proof:
        state, states = shown.get(proof["states"]["field"]), proof["states"]
        return "done" if state in states["left_in"] else "not_done" if state in states["others"] else "unknown"
    latest = ended + ASSUMED["window_ms"] + ASSUMED["settling_ms"]
    if not sent - ASSUMED["clock_distance_ms"] <= int(shown.get(proof["created"]["name"], 0)) <= latest:
        return "unknown"
    for row in proof["agrees"]:
        values = [shown[field] for field in row["fields"] if field in shown]
        if row["request"] in request and values and request[row["request"]] not in values:
            return "unknown"
    return "done"


def settled(operation, request, sent, ended, once):
    """Queries a change until its outcome is known, or can no longer become known."""
    settle = OPERATIONS[operation]["settle"]
    absence, place = settle["absence"], settle["places"][0]
    query = OPERATIONS[place["operation"]]
    path = query["path"].removeprefix("/api/").replace("/", "_").replace("-", "_")
    ask = getattr(exchange, f"private_uta_{query['method'].lower()}_{path}")
    row = next(row for row in place["one_of"] if row["request"] in request)
    denials, was_shown, result = 0, False, "unknown"
    while result == "unknown" and exchange.milliseconds() - sent < absence["until_ms"]:
        answer, asked, answered = call(ask, {row["parameter"]: request[row["request"]]})
        code, record, there = read(answer)
        # Counted from the end of the call, the request can no longer arrive whenever it left.
        is_time = min(asked, there) - ended > absence["after_ms"] and max(answered, there) - sent < absence["until_ms"]
        denials = denials + 1 if code in absence["codes"] and is_time and not was_shown else 0
        fields = [own["field"] for own in settle["id"] if own["request"] == row["request"]]
        if code == ENVELOPE["success"] and record.get(fields[0]) == request[row["request"]]:
            was_shown, result = True, judged(settle, request, record, sent, ended)
        elif denials >= absence["answers"]:
            result = "not_done"
        if once:
            break
        time.sleep(5 / SPEED)
    return result


def change(operation, request, *call_of_ccxt):
    """Makes a change until its outcome is known; it is repeated only if that does no harm."""
    is_harmless = OPERATIONS[operation]["repeat"]["when"] == "always"
    while True:
        answer, sent, ended = call(*call_of_ccxt)
        result = outcome(operation, request, answer, ended - sent >= ASSUMED["repeats_after_ms"])
        if result == "unknown":
            result = settled(operation, request, sent, ended, once=is_harmless)
        if result != "unknown" or not is_harmless:
            return result


names = {"apiKey": "KEY", "secret": "SECRET", "password": "PASSPHRASE"}
keys = {name: os.environ[f"TRADEAPI_{variable}"] for name, variable in names.items()}
exchange = Exchange({**keys, "timeout": 5_000, "options": {"defaultType": "swap", "uta": True}})
exchange.urls["api"] = {group: os.environ["TRADEAPI_URL"] for group in exchange.urls["api"]}
while not exchange.markets:
    call(exchange.load_markets)
for number in range(4):
    result = "not_done"
    while result == "not_done":
        order = {"clientOid": uuid.uuid4().hex, "symbol": "BTCUSDT", "side": "buy", "price": str(40_000 + number)}
        arguments = (PAIR, "limit", "buy", 0.01, float(order["price"]), {"clientOrderId": order["clientOid"]})
        result = change(PLACE, order, exchange.create_order, *arguments)
        print(json.dumps({"id": order["clientOid"], "change": "place", "outcome": result}), flush=True)
    named = {"clientOid": order["clientOid"]}
    change(CANCEL, named, exchange.private_uta_post_v3_trade_cancel_order, named)
