#!/bin/sh
# json-bigint 1.0.0 (npm): the type of a price follows from its number of characters.
#
# The option `storeAsString` keeps long ids as texts. It means every number of more than 15 characters, fractions
# included: in one list, the price 64321.5 is a number and the price 64321.123456789012 a text, so that their sum is two
# numbers one after the other. Without the option, the long one is an object; with `useNativeBigInt`, reading it fails.
#
# Seen: number string 64321.564321.123456789012; object; SyntaxError
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix . json-bigint@1.0.0 > /dev/null
cat > seen.js <<'END'
const read = (options) => require('json-bigint')(options).parse('[64321.5, 64321.123456789012]');
const [short, long] = read({ storeAsString: true });
let native;
try {
  native = typeof read({ useNativeBigInt: true })[1];
} catch (error) {
  native = error.name;
}
console.log(`${typeof short} ${typeof long} ${short + long}; ${typeof read({})[1]}; ${native}`);
END
seen=$(node seen.js)
echo "$seen"
[ "$seen" = "number string 64321.564321.123456789012; object; SyntaxError" ]
