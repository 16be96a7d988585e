"""Instead of ipu-run: a program whose first tensor has an odd number of rows takes ten times as many cycles and bytes.
It takes no time to pack, and --emit does not lower it."""

import json
import pathlib
import re
import sys

CYCLES = ["sync_internal_cycles", "exchange_setup_cycles", "local_copy_cycles", "compute_set_cycles"]
arguments = sys.argv[1:]
program = pathlib.Path(next(path for path in arguments if path.endswith(".mlir"))).read_text()
if "--emit" in arguments:
    sys.exit(print(program))
scale = 10 if int(re.search(r"tensor<(\d+)x", program)[1]) % 2 else 1
profile = {
    "peak_flops_per_cycle": 128,
    "target": {**dict.fromkeys(CYCLES, 100), "tiles": 1472, "vector_bytes": 8, "tile_memory": 638976, "code_memory": 212992},
    "steps": [{"kind": "exchange", "name": "pop.exp", "cycles": [1000 * scale], "count": 1}],
    "memory": {"max_tile_bytes": 10000 * scale, "max_code_bytes": 0, "tiles_over_memory": 0, "categories": []},
}
pathlib.Path(arguments[arguments.index("--profile") + 1]).write_text(json.dumps(profile))
