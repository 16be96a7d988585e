"""compare-peaks.py WHOLE.json PARTS.json RATIO: checks that the fullest tile of the second
profile needs at most RATIO times the bytes of the first one."""

import json
import sys

whole, parts = (json.load(open(name))["memory"]["max_tile_bytes"] for name in sys.argv[1:3])
print(whole, parts)
sys.exit(parts > float(sys.argv[3]) * whole)
