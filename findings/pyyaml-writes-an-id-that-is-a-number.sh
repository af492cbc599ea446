#!/bin/sh
# PyYAML 6.0.4 with ruamel.yaml 0.19.1 (PyPI): an order id that one writes is a number to the other.
#
# PyYAML follows YAML 1.1, where a number with an exponent needs a dot and a sign: it writes the text 12e45 without
# quotes. To readers of YAML 1.2, as ruamel.yaml, these are numbers, so that one id becomes another value. Hexadecimal
# ids hold such texts often enough: digits with a single e.
#
# Seen: written 'id: 12e45'; PyYAML reads '12e45', ruamel.yaml reads 1.2e+46
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check PyYAML==6.0.4 ruamel.yaml==0.19.1
"$dir/venv/bin/python" - <<'END'
import sys
import ruamel.yaml, yaml

text = yaml.safe_dump({"id": "12e45"}).strip()
one = yaml.safe_load(text)["id"]
other = ruamel.yaml.YAML(typ="safe", pure=True).load(text)["id"]
print(f"written {text!r}; PyYAML reads {one!r}, ruamel.yaml reads {other!r}")
sys.exit((text, one, other) != ("id: 12e45", "12e45", 1.2e46))
END
