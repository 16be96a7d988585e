"""check-pipeline.py PROFILE STAGES ITERATIONS: fails if a pipeline with one stage on each
IPU takes more than 1.03 times the ideal time. If all IPUs are busy, the slowest stage
determines the time of an iteration, and the pipeline is filled and emptied once."""

import json
import sys

path, stages, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path) as file:
    profile = json.load(file)
busy = [clock["cycles"] - clock["sync_wait"] for clock in profile["clocks"]]
ideal = max(busy) * (iterations + stages - 1) / iterations
print(f"{profile['cycles']} cycles, ideal {ideal:.0f}, busy {busy}")
if len(busy) != stages or min(busy) * 2 < max(busy):
    sys.exit("the stages are not on IPUs of their own")
if profile["cycles"] > 1.03 * ideal:
    sys.exit("IPUs wait for IPUs of other stages")
