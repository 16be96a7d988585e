"""Compares a profile with edited ones, which ipu-run has to refuse with a message.
Arguments: the profile, and a file for the edited ones."""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import edited_profiles  # noqa: E402

path, edited_path = sys.argv[1:]
profile = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
refused = 0
for edited, message in edited_profiles.get_edits(profile):
    pathlib.Path(edited_path).write_text(json.dumps(edited), encoding="utf-8")
    command = ["ipu-run", "--report-compare", path, edited_path, "--report", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True)
    expected = f"error: '{edited_path}': {message}"
    assert run.returncode == 2 and expected in run.stderr, (run.returncode, run.stderr, expected)
    refused += 1
for edited in edited_profiles.get_equal(profile):
    pathlib.Path(edited_path).write_text(json.dumps(edited), encoding="utf-8")
    command = ["ipu-run", "--report-compare", path, edited_path, "--report", "/dev/null"]
    subprocess.run(command, check=True)
print("refused", refused)
