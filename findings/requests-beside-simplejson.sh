#!/bin/sh
# requests 2.34.2 with simplejson 4.3.0 (PyPI): a package that nobody imports changes the body that is sent.
#
# requests writes and reads JSON with simplejson wherever that is installed, for example by another package. The two
# writers differ: a named tuple, such as a level of a book, is a list to one and an object to the other, and a Decimal
# that was refused is sent, with an exponent. The same program sends other bodies on another machine.
#
# Seen: without [["37000.1", "0.02"]], TypeError; with [{"price": "37000.1", "size": "0.02"}], {"size": 1E-8}
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check requests==2.34.2 ||
  { echo "requests cannot be installed"; exit 1; }
cat > "$dir/bodies.py" <<'END_OF_PROGRAM'
import decimal, typing
import requests

class Level(typing.NamedTuple):
    price: str
    size: str

def body(value):
    try:
        return requests.Request("POST", "http://127.0.0.1/", json=value).prepare().body.decode()
    except Exception as error:
        return type(error).__name__

print(body([Level("37000.1", "0.02")]), body({"size": decimal.Decimal("0.00000001")}), sep=", ")
END_OF_PROGRAM
without=$("$dir/venv/bin/python" "$dir/bodies.py")
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check simplejson==4.3.0 ||
  { echo "simplejson cannot be installed"; exit 1; }
with=$("$dir/venv/bin/python" "$dir/bodies.py")
echo "without $without; with $with"
[ "$without" = '[["37000.1", "0.02"]], TypeError' ] &&
  [ "$with" = '[{"price": "37000.1", "size": "0.02"}], {"size": 1E-8}' ] ||
  { echo "the bodies are other ones"; exit 1; }
