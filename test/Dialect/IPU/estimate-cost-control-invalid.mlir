// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-estimate-cost,ipu-allocate))'

module {
  func.func @f() {
    return
  }
  func.func @main() {
    // expected-error @below {{loads code, and the cost of a load depends on other functions; run ipu-estimate-cost on the module}}
    ipu.code_load [@f] to executable
    return
  }
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
module {
  func.func @f() {
    return
  }
  func.func @main() {
    %v = ipu.var "v" : memref<i32, #s>
    // expected-error @below {{'ipu.call' op calls another function; run ipu-allocate on the module}}
    ipu.call @f
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, ipus = 2 : i64}>} {
  func.func @f() {
    return
  }
  func.func @main() {
    ipu.repeat 2 {
      // expected-error @below {{'ipu.call' op calls a function, and its cost depends on the IPUs of the function; run ipu-estimate-cost on the module}}
      ipu.call @f
    }
    return
  }
}
