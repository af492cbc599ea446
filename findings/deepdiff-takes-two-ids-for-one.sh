#!/bin/sh
# deepdiff 9.1.0 (PyPI): two order ids, or two balances, are the same with `ignore_numeric_type_changes`.
#
# The option is for answers where one side has 1 and the other 1.0. Numbers are compared as texts then, with 12 digits
# after the point, and an integer becomes a float on the way: of 17 digits, the last one is lost, although an integer
# has no digits after the point. A comparison of two listings of orders finds no difference between an order and the
# next one, and one of balances in wei none between amounts that differ by 100. Without the option, both are found.
#
# Seen: with the option: {} {}; without: ['values_changed'] ['values_changed']
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check deepdiff==9.1.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import sys
from deepdiff import DeepDiff

pairs = [
    ({"orderId": 12345678901234567}, {"orderId": 12345678901234568}),
    ({"wei": 1500000000000000000}, {"wei": 1500000000000000100}),
]
loose = [dict(DeepDiff(before, after, ignore_numeric_type_changes=True)) for before, after in pairs]
exact = [list(DeepDiff(before, after)) for before, after in pairs]
print("with the option:", *loose, end="; ")
print("without:", *exact)
if (loose, exact) != ([{}, {}], [["values_changed"]] * 2):
    sys.exit("the numbers are compared in another way")
END_OF_PROGRAM
