"""Breaks all entries of a cache in one way: `truncate`, `flip` a bit of each byte in
the middle, `swap` contents of entries, or `leave` what a killed process left."""

import pathlib
import sys

how, folder = sys.argv[1], pathlib.Path(sys.argv[2])
entries = sorted(path for path in folder.glob("llvmcache-*") if path.stat().st_size)
contents = [path.read_bytes() for path in entries]
assert len(entries) > 1
for i, (path, content) in enumerate(zip(entries, contents)):
    half = len(content) // 2
    if how == "truncate":
        path.write_bytes(content[:half])
    elif how == "flip":
        path.write_bytes(content[:half] + bytes([content[half] ^ 4]) + content[half + 1:])
    elif how == "swap":
        path.write_bytes(contents[i - 1])
    elif how == "leave":
        (folder / f"llvmcache-{i:012x}.tmp").write_bytes(content[:half])
