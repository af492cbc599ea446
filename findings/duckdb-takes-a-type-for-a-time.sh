#!/bin/sh
# duckdb 2.0.1 (PyPI): of two members of a JSON object that differ in case, the name of one reads the other.
#
# Streams of exchanges have names of one letter, and both cases of it: `e` is the type of a message and `E` its time, `t`
# the id of a trade and `T` its time. Names of columns have no case in DuckDB, so `read_json` calls the times `E_1` and
# `T_1`. A query for `E` and `T` is not refused: it gives the type and the id, in columns named E and T.
#
# Seen: read_json: E 'trade', T 12345; members of the same text: E 1700000000123, T 1700000000120
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 ||
  { echo "the package cannot be installed"; exit 1; }
cd "$dir"
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import json, pathlib, sys
import duckdb

trade = {"e": "trade", "E": 1700000000123, "s": "BTCUSDT", "t": 12345, "T": 1700000000120, "p": "37000.1", "q": "0.02"}
pathlib.Path("trades.json").write_text(json.dumps(trade) + "\n")
(columns,) = duckdb.sql("SELECT E, T FROM read_json('trades.json')").fetchall()
(members,) = duckdb.sql("SELECT (json->>'E')::BIGINT, (json->>'T')::BIGINT "
                        "FROM read_json_objects('trades.json')").fetchall()
print(f"read_json: E {columns[0]!r}, T {columns[1]}; members of the same text: E {members[0]}, T {members[1]}")
if (columns, members) != (("trade", 12345), (1700000000123, 1700000000120)):
    sys.exit("the columns have other values")
END_OF_PROGRAM
