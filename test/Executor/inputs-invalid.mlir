// RUN: not ipu-opt %s --ipu-execute -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ipu-opt %s --ipu-execute="inputs=x=nothing.npy" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not ipu-opt %s --ipu-execute="inputs=x=ones engine=fast" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: not ipu-opt %s --ipu-execute="inputs=x=ones engine=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: not ipu-opt %s --ipu-execute="engine=none check" -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: not ipu-opt %s --ipu-execute="engine=none results=%t" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NORESULTS
// RUN: not ipu-opt %s --ipu-execute="inputs=x=ones profile=%t/no/such" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not ipu-opt %s --ipu-execute="inputs=x=ones threads=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not ipu-opt %s --ipu-execute="inputs=x=ones threads=4294967295" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: rm -rf %t && mkdir %t && sed 's|@y|@"../y/z"|' %s > %t/names.mlir
// RUN: ipu-opt %t/names.mlir --ipu-execute="inputs=x=ones results=%t/results" -o /dev/null
// RUN: ls %t/results | FileCheck %s --check-prefix=NAMES
// RUN: ipu-opt %s --ipu-execute="inputs=x=ones results=%t.results" -o /dev/null
// RUN: ls %t.results | FileCheck %s --check-prefix=RESULTS

// NONE: error: {{.*}}x
// FILE: error: cannot read 'nothing.npy': No such file or directory
// ENGINE: error: expects engine 'jit', 'interp' or 'none' but got 'fast'
// VALUES: error: engine 'none' computes no values: expects no option 'inputs', 'check' or 'check-replica-equal'; to compute values, choose engine 'jit' or 'interp'
// NORESULTS: error: engine 'none' has no results to write to '
// PROFILE: error: cannot write
// THREADS: error: expects 1 to 1024 threads but got {{0|4294967295}}
// No name leads out of the directory.
// NAMES: _._y_z.npy
// RESULTS: y.npy

#m = #ipu.map<[4], grid = [1], blocks = [all]>
module {
  ipu.stream @x host_to_device : tensor<4xui8>
  ipu.stream @y device_to_host : tensor<4xui8>
  func.func @main() {
    %x = ipu.var "x" : memref<4xi8, #m>
    ipu.host_load @x to %x : memref<4xi8, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 4>
    ipu.host_store %x to @y : memref<4xi8, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 4>
    func.return
  }
}
