"""Fails if a file is larger than the first argument; the others are files."""

import os
import sys

for path in sys.argv[2:]:
    assert 0 < os.path.getsize(path) <= int(sys.argv[1]), (path, os.path.getsize(path))
