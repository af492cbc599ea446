#!/bin/sh
# openapi-python-client 0.29.1 (PyPI): `properties` beside an `allOf` of one reference are gone.
#
# The body of a call has a member of its own, required, and refers to another schema in `allOf`. The body is generated as
# the class of that other schema: its own member is in no constructor and is never sent. Nothing is printed.
# With `{"type": "object"}` as a second schema in `allOf`, the same file gives a class with both members.
#
# Seen: members of the classes: alone price; with a second schema in allOf price, symbol
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1
cd "$dir"
PATH="$dir/venv/bin:$PATH" "$dir/venv/bin/python" - <<'END'
import json, pathlib, re, subprocess, sys

def members(more):
    order = {
        "type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"],
        "allOf": [{"$ref": "#/components/schemas/Price"}] + more,
    }
    price = {"type": "object", "properties": {"price": {"type": "string"}}, "required": ["price"]}
    body = {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
    file = {
        "openapi": "3.1.0", "info": {"title": "Orders", "version": "1"},
        "paths": {"/order": {"post": {
            "operationId": "place", "requestBody": body, "responses": {"200": {"description": "Done."}},
        }}},
        "components": {"schemas": {"Order": order, "Price": price}},
    }
    with open("api.json", "w") as out:
        json.dump(file, out)
    command = ["openapi-python-client", "generate", "--path", "api.json", "--meta", "none", "--output-path", "client"]
    done = subprocess.run(command + ["--overwrite"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    classes = "".join(path.read_text() for path in pathlib.Path("client/models").glob("*.py"))
    return sorted(set(re.findall(r"^    (symbol|price): ", classes, re.M)))

alone, two = members([]), members([{"type": "object"}])
print(f"members of the classes: alone {', '.join(alone)}; with a second schema in allOf {', '.join(two)}")
sys.exit((alone, two) != (["price"], ["price", "symbol"]))
END
