#!/bin/sh
# ccxt 4.5.90 (PyPI) and 4.5.84 (npm): a negative amount is rounded otherwise in each language.
#
# The library is one source for both languages. Rounded to the nearest tick of 10, a loss of 0.6 is 0 in Python and 10 in
# JavaScript, which rounds every negative amount away from zero. Rounded to two significant digits, a loss of 67487.93
# is 67000 in JavaScript and 6000 in Python, which takes the sign for a digit. Profits, fees and prices of spreads can be
# negative.
#
# Seen: Python 0 -6000; JavaScript -10 -67000
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ccxt==4.5.90
npm install --silent --no-audit --no-fund --prefix . ccxt@4.5.84 > /dev/null
python=$(venv/bin/python - <<'END'
from ccxt.base.decimal_to_precision import ROUND, SIGNIFICANT_DIGITS, TICK_SIZE, decimal_to_precision as rounded

print(rounded("-0.6", ROUND, 10.0, TICK_SIZE), rounded("-67487.93", ROUND, 2, SIGNIFICANT_DIGITS))
END
)
cat > seen.mjs <<'END'
import ccxt from 'ccxt';

const { decimalToPrecision: rounded, ROUND, SIGNIFICANT_DIGITS, TICK_SIZE } = ccxt;
console.log(rounded('-0.6', ROUND, 10, TICK_SIZE), rounded('-67487.93', ROUND, 2, SIGNIFICANT_DIGITS));
END
seen="Python $python; JavaScript $(node seen.mjs)"
echo "$seen"
[ "$seen" = "Python 0 -6000; JavaScript -10 -67000" ]
