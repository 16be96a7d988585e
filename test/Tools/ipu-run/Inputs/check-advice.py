# Runs a command that does not fit, and again with each thing that ipu-run advises, which has
# to fit, and with what it says does not:
#   check-advice.py KEY,... ipu-run MODEL --target TARGET ...
# KEYs are all that is to be advised.
import re
import subprocess
import sys

keys, *command = sys.argv[1:]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def change(key, value):
    """The command with one option changed."""
    words = list(command)
    if key == "ipus":
        words[words.index("--target") + 1] += f",ipus={value}"
    elif key in ("available-memory-proportion", "serialize-matmuls", "batch-serialize"):
        words += [f"--{key}", value]
    elif value == "true":
        words.append(f"--{key}")
    else:
        words[words.index("--dim") + 1] = f"{key}={value}"
    return [*words, "--no-memory-advice"]


said = run(*command)
print(said.stderr, end="")
assert said.returncode == 3 and "error: program does not fit" in said.stderr
remark = re.search(r"remark: program fits (with .*), found in \d+ trials?$", said.stderr, re.M).group(1)
advice = re.findall(r"(but not )?\b([\w-]+)=([\d.]+|true)", remark)
assert [key for refused, key, _ in advice if not refused] == keys.split(","), remark
for refused, key, value in advice:
    assert run(*change(key, value)).returncode == (3 if refused else 0), (key, value)
