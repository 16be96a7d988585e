"""Runs a command that cannot write more than so many bytes to a file."""

import os
import resource
import signal
import sys

size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
# Python ignores it, and what is ignored stays so in the command.
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
os.execvp(sys.argv[2], sys.argv[2:])
