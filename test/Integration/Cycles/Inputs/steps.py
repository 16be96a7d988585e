"""Prints `kind name cycles` of each step of a profile, then the clock."""

import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)
for step in profile["steps"]:
    print(step["kind"], step["name"], step["cycles"][0])
print("clock", profile["cycles"])
