#!/bin/sh
# nautilus_trader 1.221.0 (PyPI, the newest for Python 3.11): a size on its step is rounded down to the step below.
#
# `make_qty(size, round_down=True)` promises the nearest valid size that is not above the given one. The size is turned
# into a float, divided by the step and cut, also if it came as a Decimal or a text: 8.29 with a step of 0.001 becomes
# 8289.999999999998, and so 8.289. An order that closes a position of 8.29 leaves a thousandth open. Of the ten
# thousand sizes up to 10, this befalls 1297. Without `round_down`, 8.29 stays 8.29.
#
# Seen: float 8.289, Decimal 8.289, text 8.289, without rounding down 8.290; 1297 of 10000 are a step less
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check nautilus_trader==1.221.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import sys
from decimal import Decimal
from nautilus_trader.test_kit.providers import TestInstrumentProvider

pair = TestInstrumentProvider.ethusdt_perp_binance()
assert str(pair.size_increment) == "0.001"
kinds = {"float": 8.29, "Decimal": Decimal("8.29"), "text": "8.29"}
down = {kind: str(pair.make_qty(size, round_down=True)) for kind, size in kinds.items()}
near = str(pair.make_qty(8.29))
steps = [Decimal(count) / 1000 for count in range(1, 10001)]
less = sum(pair.make_qty(size, round_down=True).as_decimal() == size - Decimal("0.001") for size in steps)
listed = ", ".join(f"{kind} {size}" for kind, size in down.items())
print(f"{listed}, without rounding down {near}; {less} of {len(steps)} are a step less")
if (set(down.values()), near, less) != ({"8.289"}, "8.290", 1297):
    sys.exit("sizes are rounded in another way")
END_OF_PROGRAM
