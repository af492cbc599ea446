#!/bin/sh
# polars 2.1.0 (PyPI): `clip` with an upper bound leaves a price above that bound.
#
# Prices have two places, and nobody may pay more than 0.035. `clip` rounds the bound to the places of the column first,
# to the nearest, which is 0.04: a price of 0.04 passes. The lower bound is moved in the same way, and a column of
# integers takes a bound of 3.5 for 3. `min_horizontal` with the same bound gives 0.035, as it takes the larger number
# of places, and `clip` on floats does so, too. No error is raised.
#
# Seen: clip 0.01 0.04; min_horizontal 0.010 0.035; clip of floats 0.01 0.035
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import sys
from decimal import Decimal
import polars as pl

limit = Decimal("0.035")
prices = pl.DataFrame({"price": [Decimal("0.01"), Decimal("0.04")]}, schema={"price": pl.Decimal(18, 2)})
price = pl.col("price")
shown = lambda column: " ".join(map(str, prices.select(column).to_series()))
clipped = shown(price.clip(upper_bound=limit))
lower = shown(pl.min_horizontal(price, pl.lit(limit)))
floats = shown(price.cast(pl.Float64).clip(upper_bound=float(limit)))
print(f"clip {clipped}; min_horizontal {lower}; clip of floats {floats}")
if (clipped, lower, floats) != ("0.01 0.04", "0.010 0.035", "0.01 0.035"):
    sys.exit("the bound is kept in another way")
END_OF_PROGRAM
