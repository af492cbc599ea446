#!/bin/sh
# fastjsonschema 2.22.3 (PyPI): a Decimal counts as a number until the schema has `multipleOf`.
#
# Programs that keep every digit read JSON with parse_float=Decimal. The validator takes such a value for
# {"type": "number"}, also with bounds; with `multipleOf`, it raises an error of the decimal module or of Python that is
# no JsonSchemaException, so that a handler for invalid data does not catch it.
#
# Seen: bounds: accepted; multipleOf read as a float: InvalidOperation; multipleOf read as a Decimal: TypeError
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check fastjsonschema==2.22.3
"$dir/venv/bin/python" - <<'END'
import json, sys
from decimal import Decimal
import fastjsonschema

price = json.loads("19.99", parse_float=Decimal)

def outcome(schema):
    try:
        fastjsonschema.compile(schema)(price)
        return "accepted"
    except fastjsonschema.JsonSchemaException:
        return "refused"
    except Exception as error:
        return type(error).__name__

bounds = outcome({"type": "number", "minimum": 0})
floats = outcome(json.loads('{"type": "number", "multipleOf": 0.01}'))
decimals = outcome(json.loads('{"type": "number", "multipleOf": 0.01}', parse_float=Decimal))
print(f"bounds: {bounds}; multipleOf read as a float: {floats}; multipleOf read as a Decimal: {decimals}")
sys.exit((bounds, floats, decimals) != ("accepted", "InvalidOperation", "TypeError"))
END
