#!/bin/sh
# polars 2.1.0 (PyPI): a member that the first hundred orders lack is dropped from all others.
#
# An exchange leaves `fee` out until an order is filled. A frame of a list of orders, or of a file with an order a line,
# has the members of its first 100 items only: the fee of the 101st is gone, and no error is raised. `read_json` refuses
# the same orders, and `infer_schema_length=None` reads them all.
#
# Seen: from a list: orderId; from lines: orderId; from a list of JSON: ComputeError; with None: orderId, fee
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import json, sys
import polars

orders = [{"orderId": str(number)} for number in range(100)] + [{"orderId": "100", "fee": "0.12"}]
lines = "\n".join(map(json.dumps, orders)).encode()

def members(read, source, **options):
    try:
        return ", ".join(read(source, **options).columns)
    except Exception as error:
        return type(error).__name__

seen = [
    members(polars.DataFrame, orders), members(polars.read_ndjson, lines),
    members(polars.read_json, json.dumps(orders).encode()),
    members(polars.DataFrame, orders, infer_schema_length=None),
]
print("from a list: {}; from lines: {}; from a list of JSON: {}; with None: {}".format(*seen))
if seen != ["orderId", "orderId", "ComputeError", "orderId, fee"]:
    sys.exit("the frames have other columns")
END_OF_PROGRAM
