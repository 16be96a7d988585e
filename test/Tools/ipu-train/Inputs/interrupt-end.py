"""Sends a training of one epoch SIGINT after its last validation, while it waits for a reader of its picture.

    interrupt-end.py PIPE.svg COMMAND...
"""

import os
import signal
import subprocess
import sys

pipe, *command = sys.argv[1:]
os.mkfifo(pipe)
with subprocess.Popen([*command, "--plot", pipe], stdout=subprocess.PIPE, text=True) as process:
    # At the beginning, the training only opens the file.
    open(pipe).close()
    # The line of the epoch follows the list of weights.
    for line in process.stdout:
        if line.startswith("epoch"):
            print(line, end="")
            break
    process.send_signal(signal.SIGINT)
    open(pipe).read()
    sys.exit(process.wait())
