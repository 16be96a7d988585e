"""Prints what a profile says of a function @f and its body."""

import json
import sys

profile = json.load(open(sys.argv[1]))
names = [step["name"] for step in profile["steps"]]
memory = profile["memory"]
(state,) = (
    category["tile_bytes"]
    for category in memory["categories"]
    if category["name"] == "vertex_state"
)
print(f"code {memory['max_code_bytes']} state {state} cycles {profile['cycles']}")
print(*(f"{name} {names.count(name)}" for name in ("pop.exp", "pop.copy_", "f")))
