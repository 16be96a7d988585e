# The examples of docs/python.md have the output that the page says.
# RUN: cd %src_root && %python %s docs/python.md

import doctest
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
# The fences of blocks are no output.
text = re.sub(r"^```.*$", "", page, flags=re.MULTILINE)
test = doctest.DocTestParser().get_doctest(text, {}, sys.argv[1], sys.argv[1], 0)
assert len(test.examples) > 20, len(test.examples)
runner = doctest.DocTestRunner()
runner.run(test)
sys.exit(runner.failures > 0)
