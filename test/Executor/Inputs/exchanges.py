"""Prints what a profile says of exchanges, of how evenly tiles work, and of code."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    profile = json.load(file)
for step in profile["steps"]:
    if "exchange" in step:
        own = step["exchange"]
        print(
            f"step {step['index']}: set-up {own['setup_cycles']} sent {own['sent']} local {own['local_bytes']} "
            f"runs {own['runs']} from {own['busiest_sender']} {own['max_sent']} "
            f"to {own['busiest_receiver']} {own['max_received']} links {own['links']}"
        )
exchange = profile["exchange"]
print(f"run: set-up {exchange['setup_cycles']} tiles {exchange['tiles']} links {exchange['links']}")
for step in profile["steps"]:
    if step["kind"] == "compute" and "tile_cycles" in step:
        print(f"step {step['index']}: tile cycles", *step["tile_cycles"])
for key in ("codelets", "functions"):
    print(key, *(entry["name"] for entry in profile["code"][key]))
