#!/bin/sh
# ms 2.1.3 and parse-duration 2.1.9 (npm), pytimeparse 1.1.10 (PyPI): the interval `1M` of candles is a minute.
#
# Exchanges name a minute `1m` and a month `1M`, as ccxt does, whose `parse_timeframe` tells the two apart. The usual
# readers of durations ignore case, so that both are a minute; none of them refuses the text. A program that waits for
# the next candle of a month asks for it each minute, and one that checks whether the newest candle is older than its
# interval calls a good month outdated. Other intervals, such as `4h` and `1d`, are right.
#
# Seen: ms 60000 60000; parse-duration 60000 60000; pytimeparse 60 60; ccxt 60 2592000
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix . ms@2.1.3 parse-duration@2.1.9 > /dev/null ||
  { echo "the packages of npm cannot be installed"; exit 1; }
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pytimeparse==1.1.10 ccxt==4.5.90 ||
  { echo "the packages of PyPI cannot be installed"; exit 1; }
cat > seen.mjs <<'END_OF_FILE'
import ms from "ms";
import parse from "parse-duration";

console.log(`ms ${ms("1m")} ${ms("1M")}; parse-duration ${parse("1m")} ${parse("1M")}`);
END_OF_FILE
cat > seen.py <<'END_OF_FILE'
import ccxt, pytimeparse

read = ccxt.Exchange.parse_timeframe
print(f"pytimeparse {pytimeparse.parse('1m')} {pytimeparse.parse('1M')}; ccxt {read('1m')} {read('1M')}")
END_OF_FILE
seen="$(node seen.mjs); $(venv/bin/python seen.py)"
echo "$seen"
wanted="ms 60000 60000; parse-duration 60000 60000; pytimeparse 60 60; ccxt 60 2592000"
[ "$seen" = "$wanted" ] || { echo "intervals are read in another way"; exit 1; }
