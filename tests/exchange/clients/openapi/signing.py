"""The signature of a request of the local exchange, in ten lines, for the tools that generate Python."""

import base64
import hashlib
import hmac
import os
import time

URL = os.environ["TRADEAPI_URL"]
KEY, SECRET, PASSPHRASE = (os.environ[f"TRADEAPI_{name}"] for name in ("KEY", "SECRET", "PASSPHRASE"))


def headers(method, target, body):
    """Returns the headers of a request; the target is the path with the query."""
    now = str(int(time.time() * 1000))
    signed = hmac.new(SECRET.encode(), (now + method + target).encode() + body, hashlib.sha256).digest()
    return {"ACCESS-KEY": KEY, "ACCESS-PASSPHRASE": PASSPHRASE, "ACCESS-TIMESTAMP": now,
            "ACCESS-SIGN": base64.b64encode(signed).decode()}


def hook(request):
    """Signs a request of httpx before it is sent."""
    request.headers.update(headers(request.method, request.url.raw_path.decode(), request.read()))


async def async_hook(request):
    hook(request)
