#!/bin/sh
# jsonschema 4.26.0 and fastjsonschema 2.22.3 (PyPI): the two disagree about a price on its tick.
#
# 19.99 is a multiple of 0.01. jsonschema divides floats and finds 1998.9999999999998, so it refuses the price;
# fastjsonschema computes with the decimal digits and takes it. With the default reader of JSON, a schema for ticks
# refuses some valid prices and not others: 19.98 passes both.
#
# Seen: 19.98: jsonschema True, fastjsonschema True; 19.99: jsonschema False, fastjsonschema True
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check jsonschema==4.26.0 fastjsonschema==2.22.3
"$dir/venv/bin/python" - <<'END'
import json, sys
import fastjsonschema, jsonschema

schema = json.loads('{"type": "number", "multipleOf": 0.01}')
compiled = fastjsonschema.compile(schema)

def fast(value):
    try:
        compiled(value)
        return True
    except fastjsonschema.JsonSchemaException:
        return False

seen = []
for text in ["19.98", "19.99"]:
    price = json.loads(text)
    seen.append((jsonschema.Draft202012Validator(schema).is_valid(price), fast(price)))
    print(f"{text}: jsonschema {seen[-1][0]}, fastjsonschema {seen[-1][1]}")
sys.exit(seen != [(True, True), (False, True)])
END
