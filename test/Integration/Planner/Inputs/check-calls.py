"""Compares the remark of pop-map-tensors with what the program took; the last
argument is what its loops took themselves."""

import json
import re
import sys

with open(sys.argv[1]) as file:
    planned = int(re.search(r"pop-map-tensors.* cycles=(\d+)", file.read()).group(1))
with open(sys.argv[2]) as file:
    cycles = json.load(file)["cycles"]
print("planned is what ran:", planned + int(sys.argv[3]) == cycles)
