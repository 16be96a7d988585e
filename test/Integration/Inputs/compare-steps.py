"""Fails unless the second profile has fewer steps and no more cycles."""

import json
import sys

apart, merged = (json.load(open(path)) for path in sys.argv[1:])
print(len(apart["steps"]), apart["cycles"], len(merged["steps"]), merged["cycles"])
assert len(merged["steps"]) < len(apart["steps"])
assert merged["cycles"] <= apart["cycles"]
