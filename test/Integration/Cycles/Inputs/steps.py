"""Prints `kind name cycles [method]` of each step of a profile, then the clock."""

import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)
for step in profile["steps"]:
    method = [step["method"]] if "method" in step else []
    print(step["kind"], step["name"], step["cycles"][0], *method)
print("clock", profile["cycles"])
