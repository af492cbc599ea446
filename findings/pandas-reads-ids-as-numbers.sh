#!/bin/sh
# pandas 3.1.1 (PyPI): `read_json` turns texts that look like numbers into numbers.
#
# Exchanges write ids and sizes as JSON strings, so that no reader rounds them. `read_json` converts a column of such
# texts when each of them is a number: leading zeros of ids are gone, an id with an e becomes a float, and sizes become
# floats. One blank value in the column, and the same column stays text. `dtype=False` keeps them.
#
# Seen: orderId 123456, clientOid 12000.0, size 0.1; with a blank size in the next row: '0.10'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1
"$dir/venv/bin/python" - <<'END'
import io, sys
import pandas

first = '{"orderId": "00123456", "clientOid": "12e3", "size": "0.10"}'
second = '{"orderId": "00123457", "clientOid": "13e3", "size": ""}'
one = pandas.read_json(io.StringIO(f"[{first}]"))
both = pandas.read_json(io.StringIO(f"[{first}, {second}]"))
row = {name: one[name].tolist()[0] for name in one}
size = both["size"].tolist()[0]
print(f"orderId {row['orderId']!r}, clientOid {row['clientOid']!r}, size {row['size']!r}; "
      f"with a blank size in the next row: {size!r}")
sys.exit((row, size) != ({"orderId": 123456, "clientOid": 12000.0, "size": 0.1}, "0.10"))
END
