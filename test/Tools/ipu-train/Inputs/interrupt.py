"""Sends a training SIGINT when it wrote so many updates to its log.

    interrupt.py LOG.csv UPDATES COMMAND...
"""

import os
import signal
import subprocess
import sys
import time

log, updates, *command = sys.argv[1:]
with subprocess.Popen(command) as process:
    while process.poll() is None:
        if os.path.exists(log) and open(log).read().count("\n") > int(updates):
            process.send_signal(signal.SIGINT)
            break
        time.sleep(0.01)
    sys.exit(process.wait())
