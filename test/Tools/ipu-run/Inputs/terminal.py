"""Runs a command with standard error on a terminal and prints what it showed there.
Where the terminal's line was erased, the text has "[erased]" and a new line."""

import os
import pty
import subprocess
import sys

own, terminal = pty.openpty()
with subprocess.Popen(sys.argv[1:], stderr=terminal, stdout=subprocess.DEVNULL) as child:
    os.close(terminal)
    shown = b""
    while True:
        try:
            data = os.read(own, 1 << 16)
        except OSError:
            break
        if not data:
            break
        shown += data
print(shown.decode().replace("\r\x1b[K", "[erased]\n"))
sys.exit(child.returncode)
