// RUN: not ipu-opt %s --ipu-execute="check engine=jit" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JIT
// RUN: not ipu-opt %s --ipu-execute="check engine=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: ipu-opt %s --ipu-execute="check engine=interp" -o /dev/null | FileCheck %s
// RUN: not ipu-opt %s --ipu-execute="check entry=small" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: ipu-opt %s --ipu-execute="check entry=small allow-oom" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALLOWED

// A checked run is one of the interpreter, and says like others what does not fit.
// JIT: error: expects engine 'interp' for a checked run
// NONE: error: engine 'none' computes no values: expects no option 'inputs', 'check' or 'check-replica-equal'; to compute values, choose engine 'jit' or 'interp'
// CHECK: y : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
// MEMORY: check-engine.mlir:[[#]]:3: error: program does not fit: tile 1 needs
// MEMORY: note: bytes of tile 1
// ALLOWED: check-engine.mlir:[[#]]:3: warning: program does not fit: tile 1 needs

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#one = #ipu.map<[262144], grid = [1], blocks = [all], first = 1>
module {
  ipu.stream @y device_to_host : tensor<4xf32>
  func.func @main() {
    %y = ipu.var "y" init(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : memref<4xf32, #m>
    ipu.host_store %y to @y : memref<4xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
  func.func @small() {
    %y = ipu.var "y" init(dense<1.0> : tensor<262144xf32>) : memref<262144xf32, #one>
    ipu.expect %y, dense<1.0> : tensor<262144xf32> : memref<262144xf32, #one>
    func.return
  }
}
