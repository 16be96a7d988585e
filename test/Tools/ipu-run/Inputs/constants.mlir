// No inputs; an output of each kind of type and shape. Its .npy files are the
// inputs of other tests.
#s = #ipu.map<[], grid = [1], blocks = []>
#e = #ipu.map<[0], grid = [1], blocks = [all]>
#f = #ipu.map<[6], grid = [1], blocks = [all]>
#b = #ipu.map<[3], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @scalar device_to_host : tensor<f32>
  ipu.stream @empty device_to_host : tensor<0x2xf32>
  ipu.stream @floats device_to_host : tensor<2x3xf32>
  ipu.stream @flat device_to_host : tensor<6xf32>
  ipu.stream @halves device_to_host : tensor<3xf16>
  ipu.stream @doubles device_to_host : tensor<2x3xf64>
  ipu.stream @bools device_to_host : tensor<3xi1>
  ipu.stream @"a/b:0" device_to_host : tensor<3xi1>
  ipu.stream @".a_b_0" device_to_host : tensor<3xi1>
  func.func @main() {
    %scalar = ipu.var "scalar" init(dense<0.1> : tensor<f32>) : memref<f32, #s>
    %empty = ipu.var "empty" init(dense<> : tensor<0x2xf32>) : memref<0x2xf32, #e>
    %floats = ipu.var "floats" init(dense<[[0.0, -0.0, 1.5], [0x7FC00000, 0x7F800000, 1.0e+20]]> : tensor<2x3xf32>) : memref<2x3xf32, #f>
    %flat = ipu.var "flat" init(dense<1.0> : tensor<6xf32>) : memref<6xf32, #f>
    %halves = ipu.var "halves" init(dense<[0.1, 65504.0, -2.0]> : tensor<3xf16>) : memref<3xf16, #b>
    %doubles = ipu.var "doubles" init(dense<0.1> : tensor<2x3xf64>) : memref<2x3xf64, #f>
    %bools = ipu.var "bools" init(dense<[true, false, true]> : tensor<3xi1>) : memref<3xi1, #b>
    ipu.host_store %scalar to @scalar : memref<f32, #s> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 4>
    ipu.host_store %empty to @empty : memref<0x2xf32, #e> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.host_store %floats to @floats : memref<2x3xf32, #f> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 24>
    ipu.host_store %flat to @flat : memref<6xf32, #f> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 24>
    ipu.host_store %halves to @halves : memref<3xf16, #b> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 6>
    ipu.host_store %doubles to @doubles : memref<2x3xf64, #f> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 48>
    ipu.host_store %bools to @bools : memref<3xi1, #b> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 3>
    ipu.host_store %bools to @"a/b:0" : memref<3xi1, #b> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 3>
    ipu.host_store %bools to @".a_b_0" : memref<3xi1, #b> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 3>
    return
  }
}
