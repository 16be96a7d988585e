"""Checks that the parts of profiles, each file an argument, agree."""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
import profile_checks  # noqa: E402

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        profile_checks.check(json.load(file))
