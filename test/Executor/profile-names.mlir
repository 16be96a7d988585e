// Names in profiles are UTF-8, and are never empty. Two names that differ are never written as the same name.
//
// RUN: ipu-opt %s --ipu-estimate-cost --mlir-print-debuginfo -o %t.mlir
// RUN: ipu-run %t.mlir --profile %t.json --engine none
// RUN: %python -c "import json; p = json.load(open(r'%t.json', encoding='utf-8')); print(*(o['name'] for o in p['ops'])); print(*(s['name'] for s in p['steps'])); print(*(v['name'] for v in p['variables']))" | FileCheck %s
//      CHECK: host copy of s x\FE x\FF
// CHECK-NEXT: s compute b\C3
// CHECK-NEXT: variable profile-names.mlir:[[#]]:10

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
  ipu.stream @s host_to_device : tensor<1xf32>
  func.func @main() {
    %k = ipu.var "" : !v
    ipu.host_load @s to %k : !v
    ipu.compute_set "" {
    } cost <cycles = [700], total = 700, tile = 0, flops = 0, bytes = 0> loc("x\FE")
    ipu.compute_set "b\C3" {
    } cost <cycles = [300], total = 300, tile = 0, flops = 0, bytes = 0> loc("x\FF")
    return
  }
}
