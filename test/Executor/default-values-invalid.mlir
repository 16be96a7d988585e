// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute)' --verify-diagnostics -o /dev/null

#one = #ipu.map<[2], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // expected-error @below {{'ipu.stream' op has no usable default value: expects resource 'short' to have 8 bytes, as 'tensor<2xi32>', but got 4}}
  ipu.stream @x host_to_device : tensor<2xi32> {default_value = dense_resource<short> : tensor<2xi32>}
  func.func @main() {
    %x = ipu.var "x" : memref<2xi32, #one>
    ipu.host_load @x to %x : memref<2xi32, #one>
    return
  }
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x0400000001020304"
    }
  }
#-}
