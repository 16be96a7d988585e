// Two inputs of different types, two outputs that are the same tensors.
#x = #ipu.map<[6], grid = [3], blocks = [p0 * 2 : 2]>
#k = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @x host_to_device : tensor<2x3xf32>
  ipu.stream @k host_to_device : tensor<4xui8>
  ipu.stream @y device_to_host : tensor<2x3xf32>
  ipu.stream @l device_to_host : tensor<4xui8>
  func.func @main() {
    %0 = ipu.var "x" : memref<2x3xf32, #x>
    %1 = ipu.var "k" : memref<4xi8, #k>
    ipu.host_load @x to %0 : memref<2x3xf32, #x> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 24>
    ipu.host_load @k to %1 : memref<4xi8, #k> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 4>
    ipu.host_store %0 to @y : memref<2x3xf32, #x> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 24>
    ipu.host_store %1 to @l : memref<4xi8, #k> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 4>
    return
  }
}
