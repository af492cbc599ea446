"""The client of openapi-python-client places, finds and cancels an order."""

from signing import URL, hook

from generated import Client
from generated.api.unified import unified_cancel_order, unified_order_info, unified_place_order
from generated.models import (
    Refusal,
    UnifiedCancelOrderByOrderId,
    UnifiedCategory,
    UnifiedPlaceOrderAccepted,
    UnifiedPlaceOrderLimit,
    UnifiedPlaceOrderMarket,
    UnifiedSide,
)
from generated.models.unified_place_order_limit_order_type import UnifiedPlaceOrderLimitOrderType
from generated.models.unified_place_order_market_order_type import UnifiedPlaceOrderMarketOrderType

client = Client(base_url=URL, httpx_args={"event_hooks": {"request": [hook]}})
order = {"category": UnifiedCategory.USDT_FUTURES, "symbol": "BTCUSDT", "qty": "0.01", "side": UnifiedSide.BUY}
limit = UnifiedPlaceOrderLimit(**order, order_type=UnifiedPlaceOrderLimitOrderType.LIMIT, price="50000")
placed = unified_place_order.sync(client=client, body=limit)
assert isinstance(placed, UnifiedPlaceOrderAccepted), placed
order_id = placed.data.order_id
found = unified_order_info.sync(client=client, order_id=order_id)
assert (found.data.order_id, found.data.price, found.data.qty) == (order_id, "50000", "0.01"), found
cancelled = unified_cancel_order.sync(client=client, body=UnifiedCancelOrderByOrderId(order_id=order_id))
assert cancelled.data.order_id == order_id, cancelled
again = unified_cancel_order.sync(client=client, body=UnifiedCancelOrderByOrderId(order_id="1"))
assert isinstance(again, Refusal) and again.code != "00000", again
market = UnifiedPlaceOrderMarket(**order, order_type=UnifiedPlaceOrderMarketOrderType.MARKET)
assert isinstance(unified_place_order.sync(client=client, body=market), UnifiedPlaceOrderAccepted)
