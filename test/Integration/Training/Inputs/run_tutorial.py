"""Runs the commands of the tutorial of docs/training.md, on fewer samples and for fewer epochs.

    run_tutorial.py PAGE ROOT FOLDER
"""

import pathlib
import re
import subprocess
import sys

page, root, folder = map(pathlib.Path, sys.argv[1:])
text = page.read_text(encoding="utf-8")
tutorial = re.search(r"<!-- tutorial -->(.*)<!-- end of tutorial -->", text, re.S).group(1)
blocks = re.findall(r"```sh\n(.*?)```", tutorial, re.S)
folder.mkdir(parents=True)
for block in blocks:
    block = re.sub("(?m)^examples/", f"{sys.executable} {root}/examples/", block)
    block = block.replace("/glyphs.py glyphs", "/glyphs.py glyphs --train 512 --test 100")
    block = re.sub("--epochs (6|20)", "--epochs 1", block)
    print(block, flush=True)
    subprocess.run(["sh", "-ec", block], check=True, cwd=folder)
print("commands:", sum(block.count("ipu-train") + block.count("ipu-run") for block in blocks))
print("files:", *sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")))
