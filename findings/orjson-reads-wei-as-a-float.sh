#!/bin/sh
# orjson 3.13.0 (PyPI): an integer above 64 bits is a float, rounded, where the reader of Python has all digits.
#
# Balances on chains are integers of the smallest unit: 18.5 ether in wei have 65 bits. Below that, orjson gives an int
# with each digit; above, a float, a multiple of 4096. No error is raised, and code that was tested with a
# small balance has another type and another amount with a large one. Written back, it is no integer any more.
#
# Seen: 18123456789012345678 is the int 18123456789012345678; 19123456789012345678 is the float 19123456789012344832
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check orjson==3.13.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import json, sys
import orjson

few, many = "18123456789012345678", "19123456789012345678"
small, large, exact = orjson.loads(few), orjson.loads(many), json.loads(many)
print(f"{few} is the {type(small).__name__} {small:d}; {many} is the {type(large).__name__} {int(large)}")
if not (small == int(few) and type(large) is float and int(large) != exact == int(many)):
    sys.exit("the numbers are read in another way")
END_OF_PROGRAM
