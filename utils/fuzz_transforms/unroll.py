# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unrolls the loops over batches and their parts in a training program. The unrolled
program is the reference for pop-main-loops."""

import re

CONTEXT = re.compile(r"pop\.execution_context = #pop<execution_context (\w+)>(, )?")
DEFINED = re.compile(r"^((?:%\w+(?::\d+)?(?:, )?)+) = ")
VALUE = re.compile(r"%\w+")
SHARED = re.compile(r"= (pop\.constant|arith\.constant|pop\.get_variable)\b")


class Op:
    """The lines of an op of the body."""

    def __init__(self, lines):
        text = "\n".join(lines)
        self.context = match[1] if (match := CONTEXT.search(lines[0])) else "normal"
        self.text = re.sub(r" \{\}", "", re.sub(r", (\})", r"\1", CONTEXT.sub("", text)))
        match = DEFINED.match(lines[0].strip())
        self.results = VALUE.findall(match[1]) if match else []
        self.is_shared = bool(SHARED.search(lines[0]))


def split_ops(lines):
    """Ops of lines that are indented by 4."""
    ops = []
    for line in lines:
        if re.match(r" {4}[^ }]", line):
            ops.append([line])
        else:
            ops[-1].append(line)
    return [Op(op) for op in ops]


def count_transfers(text, counts):
    """Streams move a tensor for each transfer."""
    for stream, count in counts.items():
        if count > 1:
            text = re.sub(rf"(pop\.stream @{stream} .*>)$", rf"\1 {{transfers = {count} : i64}}", text,
                          flags=re.MULTILINE)  # fmt: skip
    return text


class Unroller:
    def __init__(self, text, batches, parts):
        self.batches, self.parts = batches, parts
        lines = text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("  func.func @main("))
        end = next(i for i in range(start, len(lines)) if lines[i] == "  }")
        self.before, self.signature, self.after = lines[:start], lines[start], lines[end:]
        *self.ops, self.end = split_ops(lines[start + 1 : end])
        self.body, self.counts = [], {}

    def level(self, op):
        if op.is_shared:
            return "shared"
        if self.parts == 1 or op.context == "accumulate_outer":
            return "update"
        return "settings" if op.context == "optimizer_from_host" else "part"

    def add(self, level, batch, part):
        for op in self.ops:
            if self.level(op) == level:
                text = self.rename(op.text, batch, part)
                self.body.append(text)
                for stream in re.findall(r"pop\.host_\w+ .*?@(\w+)", text):
                    self.counts[stream] = self.counts.get(stream, 0) + 1

    def rename(self, text, batch, part):
        def new(match):
            name = match[0]
            if name not in self.levels:
                return name
            level = self.levels[name]
            # A name that begins with a digit has nothing else.
            return name if level == "shared" else f"%v{name[1:]}_b{batch}" + f"_p{part}" * (level == "part")

        return VALUE.sub(new, text)

    def run(self):
        self.levels = {name: self.level(op) for op in self.ops for name in op.results}
        self.add("shared", 0, 0)
        results, types = [], []
        values = VALUE.findall(self.end.text)
        kinds = re.findall(r"tensor<[^>]*>", self.end.text)
        names = re.findall(r'pop\.name = "(\w+)"', self.signature)
        for batch in range(self.batches):
            self.add("settings", batch, 0)
            for part in range(self.parts):
                self.add("part", batch, part)
            self.add("update", batch, 0)
            for part in range(self.parts):
                number = batch * self.parts + part
                for name, value, type in zip(names, values, kinds, strict=True):
                    results.append(self.rename(value, batch, part))
                    types.append((type, f'{type} {{pop.name = "{name}_{number}"}}'))
        lines = [f"  func.func @main() -> ({', '.join(named for _, named in types)}) {{", *self.body,
                 f"    return {', '.join(results)} : {', '.join(type for type, _ in types)}"]
        text = "\n".join([*self.before, *lines, *self.after]) + "\n"
        return count_transfers(text, self.counts)


def unroll(text, batches, parts):
    return Unroller(text, batches, parts).run()
