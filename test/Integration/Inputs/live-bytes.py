"""Prints what lives on the fullest tile at each step of a profile, and the code."""

import json
import sys

profile = json.load(open(sys.argv[1]))
memory = profile["memory"]
live = {entry["step"]: entry["bytes"] for entry in memory["live"]}
now = 0
for number, step in enumerate(profile["steps"]):
    now = live.get(number, now)
    print(number, step["kind"], step["name"], now)
for variable in profile["variables"]:
    if variable["name"].startswith("code of "):
        print(
            variable["name"],
            variable["bytes"],
            f"at most {variable['max_tile_bytes']} on a tile",
            f"in steps {variable['first_step']} to {variable['last_step']}",
        )
print("code", memory["max_code_bytes"], "bytes", memory["max_tile_bytes"])
