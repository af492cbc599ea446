#!/bin/sh
# markdown-it-py 4.3.0, Markdown 3.11.3 (PyPI): a list of values in one cell loses all but the first.
#
# A document of an API writes the values of a parameter in a table as code with a bar, `buy|sell`. One reader of tables
# keeps the cell; the other, which follows the rules of GitHub, ends the cell at the bar, and drops the rest without a
# sign, because the row has no more columns. The page shows "`buy", and a generator that reads it knows one value.
#
# Seen: Markdown <td><code>buy|sell</code></td>; markdown-it-py <td>`buy</td>
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check Markdown==3.11.3 markdown-it-py==4.3.0
"$dir/venv/bin/python" - <<'END'
import re, sys
from markdown import markdown
from markdown_it import MarkdownIt

table = "| parameter | values |\n|---|---|\n| side | `buy|sell` |\n"
pages = [markdown(table, extensions=["tables"]), MarkdownIt().enable("table").render(table)]
one, other = (re.findall("<td>.*?</td>", page)[-1] for page in pages)
print(f"Markdown {one}; markdown-it-py {other}")
sys.exit((one, other) != ("<td><code>buy|sell</code></td>", "<td>`buy</td>"))
END
