"""Writes a program that applies a body N times: in a call of a function on tensors
(`tensors`), on refs (`refs`), or written out (`inline`)."""

import sys

mode, times = sys.argv[1], int(sys.argv[2])
T, R = "tensor<100xf32>", "!pop.ref<100xf32>"


def write_body(source, prefix):
    for i in range(4):
        print(f"    %{prefix}e{i} = pop.exp %{source} : {T}")
        print(f"    %{prefix}n{i} = pop.neg %{prefix}e{i} : {T}")
        source = f"{prefix}n{i}"
    return source


print('module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {')
print(f"  pop.stream @x host_to_device : {T}")
print(f"  pop.stream @y device_to_host : {T}")
if mode == "tensors":
    print(f"  func.func private @f(%x: {T}) -> {T} attributes {{no_inline}} {{")
    print(f"    return %{write_body('x', 'v')} : {T}\n  }}")
if mode == "refs":
    print(f"  func.func private @f(%x: {R}) attributes {{no_inline}} {{")
    for i in range(4):
        print(f"    pop.exp_ %x : {R}\n    pop.neg_ %x : {R}")
    print("    return\n  }")
print(f"  func.func @main() {{\n    %x0 = pop.host_load @x : {T}")
last = "x0"
if mode == "refs":
    print(f"    %r = pop.from_tensor %x0 : {T}")
for i in range(times):
    if mode == "tensors":
        print(f"    %x{i + 1} = func.call @f(%{last}) : ({T}) -> {T}")
        last = f"x{i + 1}"
    elif mode == "refs":
        print(f"    func.call @f(%r) : ({R}) -> ()")
    else:
        last = write_body(last, f"v{i}_")
if mode == "refs":
    print(f"    %y = pop.read %r : {R}")
    last = "y"
print(f"    pop.host_store %{last}, @y : {T}\n    return\n  }}\n}}")
