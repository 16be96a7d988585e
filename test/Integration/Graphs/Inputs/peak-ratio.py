"""Checks that the fullest tile of a profile has at most a given share of the bytes of another
profile.

    peak-ratio.py WHOLE.json PARTS.json SHARE
"""

import json
import sys

whole, parts = (json.load(open(path))["memory"]["max_tile_bytes"] for path in sys.argv[1:3])
assert parts <= whole * float(sys.argv[3]), f"{parts} bytes, not {sys.argv[3]} of {whole} bytes"
