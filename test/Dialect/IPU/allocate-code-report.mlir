// RUN: not ipu-opt %s --split-input-file --ipu-allocate 2>&1 | FileCheck %s

// The exchange whose code is largest on the tile is named; two ops that came from
// one are told together.

// CHECK: program has too much code: tile 0 needs 4144 bytes
// CHECK-NEXT: func.func @exchange
// CHECK: note: bytes of tile 0: stack 4096, exchange_code 24, control_code 24
// CHECK: allocate-code-report.mlir:{{.*}} note: "spread" ('ipu.exchange') takes 24 bytes of exchange_code
// CHECK: note: {{.*}}"internal" ('ipu.sync') and 1 more step at the same location take 24 bytes of control_code
// CHECK: note: most of the code is for the sequence of steps (control_code)

#all = #ipu.map<[64], grid = [], blocks = [all]>
#half = #ipu.map<[64], grid = [2], blocks = [p0 * 32 : 32]>
!all = memref<64xf32, #all>
!half = memref<64xf32, #half>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, code_memory = 4100 : i64}>} {
  func.func @exchange() {
    %a = ipu.var "a" : !all
    %h = ipu.var "h" : !half
    ipu.exchange "spread" {
      ipu.move %h to %a : !half to !all
    }
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    func.return
  }
}

// -----

// Where code is what takes the memory, the note names its kind.

// CHECK: program does not fit
// CHECK: note: {{.*}}"internal" ('ipu.sync') and 5 more steps at the same location take 72 bytes of control_code
// CHECK: note: most of the code is for the sequence of steps (control_code)

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, tile_memory = 4160 : i64}>} {
  func.func @steps() {
    %x = ipu.var "x" : memref<f32, #ipu.map<[], grid = [], blocks = []>>
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    ipu.sync internal loc("one")
    func.return
  }
}
