"""Ends a training by SIGKILL again and again, at random moments, while it saves
after each update, and goes on with it until it is done.

    kill.py SEED KILLS COMMAND...

Prints how many processes it ended."""

import random
import subprocess
import sys
import time

seed, kills, *command = sys.argv[1:]
rng = random.Random(int(seed))


def run(seconds):
    """The exit status; None if the process was ended after so many seconds."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return None


start = time.monotonic()
assert subprocess.run([*command, "--print-pipeline"], stdout=subprocess.DEVNULL).returncode == 0
started = time.monotonic() - start
ended = 0
for attempt in range(int(kills)):
    # A process that gets nowhere is given more time.
    status = run(started * rng.uniform(1, 3) * 1.2**attempt)
    if status is not None:
        break
    ended += 1
else:
    status = run(None)
assert status == 0, status
print("ended", ended)
