"""Runs a command while another process holds the lock of a folder.

    hold-lock.py DIR COMMAND...
"""

import fcntl
import os
import subprocess
import sys

folder, *command = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "lock"), "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    sys.exit(subprocess.run(command).returncode)
