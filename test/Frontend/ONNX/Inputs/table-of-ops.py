"""Prints the operators in the table of the page, with their lowest opset."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", page.read(), re.MULTILINE)
for name, opset in rows:
    print(name, opset)
