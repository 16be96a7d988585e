"""Prints code blocks of a page, each of which has its name before it:

    <!-- block: NAME -->
    ```mlir
    ...
    ```

usage: doc-block.py PAGE NAME... [--into NAME]

--into: prints the block NAME, with the others in place of its line "// steps".
"""

import sys


def read_blocks(page):
    blocks, name, lines = {}, None, None
    for line in open(page, encoding="utf-8"):
        if line.startswith("<!-- block: "):
            name = line.split()[2]
        elif line.startswith("```") and lines is not None:
            blocks[name] = lines
            name, lines = None, None
        elif line.startswith("```") and name:
            lines = []
        elif lines is not None:
            lines.append(line)
    return blocks


arguments = sys.argv[2:]
blocks = read_blocks(sys.argv[1])
frame = ["// steps\n"]
if "--into" in arguments:
    frame = blocks[arguments[-1]]
    arguments = arguments[:-2]
for line in frame:
    if line.strip() == "// steps":
        for name in arguments:
            sys.stdout.writelines(blocks[name])
    else:
        sys.stdout.write(line)
