#!/bin/sh
# pydantic 2.14.4 (PyPI): a Decimal that is read from a number in JSON goes through a float.
#
# The field is declared as Decimal, and the JSON is valid. Written as a text, all digits arrive; written as a number, the
# value is rounded to a float first and loses digits without a word. `json.loads(..., parse_float=Decimal)` keeps them.
#
# Seen: from a text 123456789012.123456789, from a number 123456789012.12346
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check pydantic==2.14.4
"$dir/venv/bin/python" - <<'END'
import sys
from decimal import Decimal
import pydantic

class Balance(pydantic.BaseModel):
    free: Decimal

digits = "123456789012.123456789"
text = Balance.model_validate_json(f'{{"free": "{digits}"}}').free
number = Balance.model_validate_json(f'{{"free": {digits}}}').free
print(f"from a text {text}, from a number {number}")
sys.exit(not (text == Decimal(digits) and number == Decimal("123456789012.12346")))
END
