"""The models of datamodel-code-generator check what is sent and answered when an order is placed, found and cancelled."""

import json
import urllib.request

import generated
from pydantic import ValidationError
from signing import URL, headers


def call(method, target, data, body=None):
    sent = body.model_dump_json(by_alias=True, exclude_none=True).encode() if body else b""
    known = {**headers(method, target, sent), "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL + target, sent or None, known, method=method)) as response:
        return data.model_validate(json.load(response)["data"])


order = {"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit"}
try:
    generated.UnifiedPlaceOrderLimit(**order)
    raise SystemExit("a limit order needs no price")
except ValidationError:
    pass
limit = generated.UnifiedPlaceOrderLimit(**order, price="50000")
placed = call("POST", "/api/v3/trade/place-order", generated.UnifiedOrderAck, limit)
target = f"/api/v3/trade/order-info?orderId={placed.orderId.root}"
found = call("GET", target, generated.UnifiedOrder)
assert (found.orderId, found.price, found.qty) == (placed.orderId, "50000", "0.01"), found
cancel = generated.UnifiedCancelOrderByOrderId(orderId=placed.orderId.root)
assert call("POST", "/api/v3/trade/cancel-order", generated.UnifiedOrderAck, cancel).orderId == placed.orderId
