"""Runs a tool that reads standard input, kills it while it reads, and prints what it says:

    crash.py COMMAND...
"""

import signal
import subprocess
import sys

with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
    # This is more than a pipe holds, so the tool reads already.
    process.stdin.write(b"Content-Length: 1000000\r\n\r\n" + b" " * 500000)
    process.stdin.flush()
    process.send_signal(signal.SIGABRT)
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    sys.stdout.write(process.stderr.read().decode(errors="replace"))
    sys.exit(process.wait() == 0)
