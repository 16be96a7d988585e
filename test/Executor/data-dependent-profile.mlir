// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=none})' -o /dev/null

// Without values nobody knows how often these run. Of a branch, the costlier body is taken
// (profile-branches.mlir).

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!p = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @f() {
    %p = ipu.var "p" init(dense<false> : tensor<i1>) : !p
    // expected-error @below {{'ipu.while' op depends on values}}
    ipu.while %p : !p {
    } do {
    }
    return
  }
  func.func @main() {
    ipu.repeat 3 {
      ipu.call @f
    }
    return
  }
}

// -----

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main() {
    %n = ipu.var "n" init(dense<2> : tensor<i32>) : !i
    // expected-error @below {{'ipu.repeat' op depends on values}}
    ipu.repeat %n : !i {
    }
    return
  }
}
