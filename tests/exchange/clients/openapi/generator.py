"""The Python client of OpenAPI Generator places, finds and cancels an order."""

from signing import URL, headers

from openapi_client import ApiClient, Configuration, UnifiedApi
from openapi_client.exceptions import BadRequestException
from openapi_client.models import (
    UnifiedCancelOrderByOrderId,
    UnifiedCancelOrderRequest,
    UnifiedCategory,
    UnifiedPlaceOrderLimit,
    UnifiedPlaceOrderMarket,
    UnifiedPlaceOrderRequest,
    UnifiedSide,
)

client = ApiClient(Configuration(host=URL))
pool = client.rest_client.pool_manager
send = pool.request


def signed(method, url, body=None, **others):
    """Signs a request of urllib3 before it is sent."""
    own = headers(method, url.removeprefix(URL), (body or "").encode())
    return send(method, url, body=body, headers={**others.pop("headers", {}), **own}, **others)


pool.request = signed
api = UnifiedApi(client)
order = {"category": UnifiedCategory.USDT_MINUS_FUTURES, "symbol": "BTCUSDT", "qty": "0.01", "side": UnifiedSide.BUY}
limit = UnifiedPlaceOrderLimit(**order, orderType="limit", price="50000")
placed = api.unified_place_order(UnifiedPlaceOrderRequest(limit)).actual_instance
order_id = placed.data.order_id
found = api.unified_order_info(order_id=order_id).actual_instance
assert (found.data.order_id, found.data.price, found.data.qty) == (order_id, "50000", "0.01"), found
by_id = UnifiedCancelOrderByOrderId
cancelled = api.unified_cancel_order(UnifiedCancelOrderRequest(by_id(orderId=order_id))).actual_instance
assert cancelled.data.order_id == order_id, cancelled
try:
    api.unified_cancel_order(UnifiedCancelOrderRequest(by_id(orderId="1")))
except BadRequestException as refusal:
    assert refusal.data.code != "00000", refusal
else:
    raise AssertionError("an order that does not exist was cancelled")
market = UnifiedPlaceOrderMarket(**order, orderType="market")
assert api.unified_place_order(UnifiedPlaceOrderRequest(market)).actual_instance.data.order_id
