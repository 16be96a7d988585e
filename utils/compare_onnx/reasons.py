# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why ipu-run refuses a model."""

import collections
import re

# The tool repeats with these that there were errors.
REPEATED = re.compile(r"ipu-run: error: (could not read model|could not compile)")


def get_errors(text):
    """All errors, each without the file that it is in."""
    lines = [line for line in text.splitlines() if "error: " in line]
    return [re.sub(r"^.*?error: ", "", line) for line in lines if not REPEATED.match(line)]


def is_unsupported(errors):
    return all("unsupported" in error for error in errors)


def get_kind(reason):
    """The reason without the names of nodes, tensors and files: the same for all models that
    meet the same limit. The name of an operator is a part of the limit."""
    reason = re.sub(r"^ONNX node '.*?' \((\w+)\): ", r"\1: ", reason)
    reason = re.sub(r"^'[^']*\.(pb|npy|onnx\w*)': ", "", reason)
    reason = re.sub(r"^ONNX (\w+) '.*?': ", r"\1: ", reason)
    reason = re.sub(r", and in \d+ other nodes?$", "", reason)
    reason = re.sub(r" in node '.*?'( \(\w+\))?", "", reason)
    reason = re.sub(r"^(graph output) \('.*?'\)", r"\1", reason)
    reason = re.sub(r" of node '.*?' \((\w+)\)", r" of \1", reason)
    reason = re.sub(r"^(unsupported ONNX operator '\w+') \(domain '', opset \d+\)", r"\1", reason)
    reason = re.sub(r"(input \d+) \('.*?'\)", r"\1", reason)
    return reason.replace(": unsupported: ", ": ")


def count_nodes(reason):
    """The number of nodes that an error stands for."""
    others = re.search(r", and in (\d+) other nodes?$", reason)
    return 1 + int(others[1]) if others else 1


def count_kinds(reasons):
    """A line for each kind of reason, the most frequent kind first."""
    counts = collections.Counter()
    for reason in reasons:
        counts[get_kind(reason)] += count_nodes(reason)
    return [f"{count}: {kind}" for kind, count in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]
