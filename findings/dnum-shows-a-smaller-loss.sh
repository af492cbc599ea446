#!/bin/sh
# dnum 2.17.0 (npm): a loss whose digits round up is shown as a smaller one.
#
# Where rounding carries into the whole part, one is added to it whatever the sign: a loss of 2.95 is shown without
# decimals as 1, and one of 6660.96 with one decimal as 6659, while the gains of the same size are 3 and 6661.
#
# Seen: -1 -6,659; 3 6,661
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix . dnum@2.17.0 > /dev/null
cat > seen.mjs <<'END'
import { format, from } from 'dnum';

const shown = (sign) =>
  [['2.95', 0], ['6660.96', 1]].map(([amount, digits]) =>
    format(from(sign + amount, 18), { digits, locale: 'en-US' })).join(' ');
console.log(`${shown('-')}; ${shown('')}`);
END
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = "-1 -6,659; 3 6,661" ]
