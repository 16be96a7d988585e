"""Prints the totals and the ops of a profile, a line each."""

import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)
print("flops", *profile["flops"].values())
print("peaks", *profile["peak_flops_per_cycle_of_tile"].values())
print("utilisation", profile["unit_utilisation_ppm"])
for op in profile["ops"]:
    cycles = [op[key] for key in ("compute", "exchange", "sync", "host", "cycles")]
    print(op["name"], "steps", op["steps"], "cycles", *cycles, end=" ")
    print("share", op["share_permille"], "flops", *op["flops"].values(), end=" ")
    print("utilisation", op["utilisation_ppm"], "bytes", op["bytes"])
