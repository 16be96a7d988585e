// What does not fit is not run, unless that is allowed.

// RUN: not ipu-opt %s --ipu-execute -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not ipu-opt %s --ipu-execute="engine=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: out-of-memory.mlir:[[#@LINE+22]]:5: error: program does not fit: tile 0 needs 8240 bytes at step 0 ('ipu.host_store'), 240 more than its 8000 (2 tiles have too little memory)
// REFUSED: note: bytes of tile 0: stack 4096, control_code 12, host_exchange 128, always_live 4000, gaps 4

// RUN: ipu-opt %s --ipu-execute="allow-oom profile=%t" -o /dev/null > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=ALLOWED < %t.out
// RUN: FileCheck %s --check-prefix=PROFILE < %t
// ALLOWED: warning: program does not fit: tile 0
// ALLOWED: y : tensor<2000xf32>
// PROFILE: "max_tile_bytes": 8240,
// PROFILE: "tiles_over_memory": 2

// By the pipeline that warned, the warning is given once.
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-allocate{allow-oom}),ipu-execute{allow-oom})' -o /dev/null 2> %t.once > %t.out
// RUN: FileCheck %s --check-prefix=ONCE < %t.once
// ONCE: warning: program does not fit
// ONCE-NOT: warning:

#m = #ipu.map<[2000], grid = [2], blocks = [p0 * 1000 : 1000]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 3 : i64, tile_memory = 8000 : i64}>} {
  ipu.stream @y device_to_host : tensor<2000xf32>
  func.func @main() {
    %0 = ipu.var "x" init(dense<1.0> : tensor<2000xf32>) : memref<2000xf32, #m>
    ipu.host_store %0 to @y : memref<2000xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 8000>
    return
  }
}
