"""Prints a program with a step for each odd name: markup, quotes and control
characters; bytes that are no UTF-8; 100,000 letters; none."""

NAMES = (
    r"</script>\22quoted\22 'too' \\ tab\09line",
    r"broken \FF utf-8",
    "n" * 100000,
    "",
)

print('module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {')
print("  func.func @main() {")
for name in NAMES:
    print(
        f'    ipu.compute_set "{name}" {{\n    }} cost <cycles = [7], total = 7, '
        f'tile = 0, flops = 0, bytes = 0> loc("{name}")'
    )
print("    return\n  }\n}")
