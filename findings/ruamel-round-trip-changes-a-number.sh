#!/bin/sh
# ruamel.yaml 0.19.1 (PyPI): a round trip that keeps style and comments changes the value of a number.
#
# The round-trip loader keeps 0.10, 1.50e3 and 0x10 as they are written, so a file of limits seems safe in it. A number
# of more digits than a float has is written back with as many digits as before, and another value.
#
# Seen: 'small: 0.10' stays; 'most: 99999999999.99999999' becomes 'most: 100000000000.00000000'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check ruamel.yaml==0.19.1
"$dir/venv/bin/python" - <<'END'
import io, sys
import ruamel.yaml

text = "small: 0.10\nmost: 99999999999.99999999\n"
yaml, out = ruamel.yaml.YAML(), io.StringIO()
yaml.dump(yaml.load(text), out)
for before, after in zip(text.splitlines(), out.getvalue().splitlines()):
    print(f"{before!r} stays" if before == after else f"{before!r} becomes {after!r}")
sys.exit(out.getvalue() != "small: 0.10\nmost: 100000000000.00000000\n")
END
