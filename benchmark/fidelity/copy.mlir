// T4: a copy of 8 KiB from one variable to another on one tile.

#tile = #ipu.map<[2048], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"c600">} {
  func.func @main() {
    %x = ipu.var "x" init(dense<4.0> : tensor<2048xf32>) : memref<2048xf32, #tile>
    %y = ipu.var "y" : memref<2048xf32, #tile>
    ipu.exchange "copy" {
      ipu.move %x to %y : memref<2048xf32, #tile> to memref<2048xf32, #tile>
    }
    ipu.expect %y, dense<4.0> : tensor<2048xf32> : memref<2048xf32, #tile>
    return
  }
}
