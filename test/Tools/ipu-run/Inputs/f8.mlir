// A variable of a type that NumPy has not.
#m = #ipu.map<[2], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.storage @w.storage : memref<2xf8E4M3FN, #m>
  ipu.state @w in @w.storage : tensor<2xf8E4M3FN> = dense<1.0> : tensor<2xf8E4M3FN>
  func.func @main() {
    return
  }
}
