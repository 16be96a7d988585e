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
