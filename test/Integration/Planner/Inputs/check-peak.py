"""Compares the bytes of tensors that the remark of pop-map-tensors predicts with those
of the fullest tile: `REMARKS PROFILE.json`."""

import json
import re
import sys

with open(sys.argv[1]) as file:
    predicted = int(re.search(r"pop-map-tensors.* data=(\d+)", file.read()).group(1))
with open(sys.argv[2]) as file:
    categories = json.load(file)["memory"]["categories"]
bytes = {entry["name"]: entry["tile_bytes"] for entry in categories}
real = bytes["always_live"] + bytes["not_always_live"]
print(f"predicted {predicted}, real {real}: within 1 %:", abs(predicted - real) * 100 <= real)
