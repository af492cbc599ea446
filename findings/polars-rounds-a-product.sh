#!/bin/sh
# polars 2.1.0 (PyPI): a product of decimals keeps no more places than its factors.
#
# A price with 2 places times a size with 3 has up to 5. Polars gives the product the larger number of places, 3, and
# rounds without a word: the value of a trade loses its last digits, that of a small one is 0, and sums are off as well.
# Python's Decimal, pyarrow and DuckDB add the places. A cast of one factor to more places keeps the digits.
#
# Seen: 37000.01 * 0.001: polars 37.000, decimal 37.00001; 0.05 * 0.001: polars 0.000, decimal 0.00005
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import sys
from decimal import Decimal
import polars

price, size = [Decimal("37000.01"), Decimal("0.05")], [Decimal("0.001"), Decimal("0.001")]
frame = polars.DataFrame({"price": price, "size": size})
products = [str(value) for value in frame.select(polars.col("price") * polars.col("size")).to_series()]
exact = [format(a * b, "f") for a, b in zip(price, size)]
print("; ".join(f"{a} * {b}: polars {ours}, decimal {full}" for a, b, ours, full in zip(price, size, products, exact)))
if (products, exact) != (["37.000", "0.000"], ["37.00001", "0.00005"]):
    sys.exit("the products are other ones")
END_OF_PROGRAM
