"""Prints the cycles and the wait of each IPU in a profile, and the bytes over links."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    profile = json.load(file)
for clock in profile["clocks"]:
    print(f"IPU {clock['ipu']}: {clock['cycles']} cycles, wait {clock['sync_wait']}")
print("links", profile["exchange"]["links"])
