# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of utils/transforms-table, utils/gradients-table, utils/onnx-table and utils/cost-cliffs, for
tables of pages in docs that a program generates."""

import argparse
import difflib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = os.path.basename(sys.argv[0])


def fail(message):
    sys.exit(f"{NAME}: {message}")


def run_tblgen(arguments, backend, files):
    """What a backend of ipu-tblgen makes of some .td files."""
    include = os.path.join(arguments.root, "include")
    run = subprocess.run(
        [arguments.tool, backend, "-I", include, "-I", arguments.llvm_include, "-"],
        input="".join(f'include "{path}"\n' for path in files),
        capture_output=True,
        text=True,
    )
    if run.returncode:
        fail(f"{arguments.tool} failed\n{run.stderr}")
    return run.stdout


def main(description, page_path, begin, end, generate, source, tool="build/bin/ipu-tblgen"):
    """Compares or, with --write, replaces what is between the lines `begin` and `end`
    of a page by `generate(arguments)`, which `source` declares."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", default=ROOT, help="root of the sources")
    parser.add_argument("--tool", help=f"program to use (default: {tool})")
    parser.add_argument("--llvm-include", default="/usr/lib/llvm-22/include")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="compare the page with the tables (default)")
    action.add_argument("--write", action="store_true", help="update the page")
    arguments = parser.parse_args()
    arguments.tool = arguments.tool or os.path.join(ROOT, tool)
    update(arguments.root, page_path, begin, end, generate(arguments), arguments.write, source)


def update(root, page_path, begin, end, table, is_written, source):
    """Compares what is between the lines `begin` and `end` of a page with `table`, or replaces it."""
    page = os.path.join(root, page_path)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if text.count(begin) != 1 or text.count(end) != 1:
        fail(f"{page}: expects one pair of marks around the tables")
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    new = before + begin + "\n" + table + "\n" + end + after
    if is_written:
        with open(page, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != text:
        diff = difflib.unified_diff(
            text.splitlines(), new.splitlines(), page_path, source, lineterm="", n=0
        )
        fail(f"run utils/{NAME} --write\n" + "\n".join(diff))
