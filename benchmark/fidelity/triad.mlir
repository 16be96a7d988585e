// T1: STREAM triad a = b + q * c in f32, 7500 elements for each of 1472 x 6 workers, 100000 times.
//
// The measured vertex is written in assembly. b and c are in different memory elements, so one instruction loads a
// vector of b and of c and stores a vector of a. A vector of two elements thus takes one cycle. The start and the end of
// a vertex cost as much as for an elementwise vertex.

#tiles = #ipu.map<[66240000], grid = [1472], blocks = [p0 * 45000 : 45000]>
module attributes {ipu.target = #ipu.target<"gc200">} {
  ipu.codelet @triad(%b : memref<?xf32, strided<[1], offset: ?>>, %c : memref<?xf32, strided<[1], offset: ?>>, %a : memref<?xf32, strided<[1], offset: ?>>)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 1, per = 2> {
    %q = arith.constant 3.0 : f32
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b, %c : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>)
        outs(%a : memref<?xf32, strided<[1], offset: ?>>) {
    ^bb0(%x : f32, %y : f32, %old : f32):
      %0 = arith.mulf %q, %y : f32
      %1 = arith.addf %x, %0 : f32
      linalg.yield %1 : f32
    }
  }
  func.func @main() {
    %a = ipu.var "a" : memref<66240000xf32, #tiles>
    %b = ipu.var "b" : memref<66240000xf32, #tiles>
    %c = ipu.var "c" : memref<66240000xf32, #tiles>
    ipu.repeat 100000 {
      ipu.compute_set "triad" {
        ipu.vertices @triad ins(%b, %c : memref<66240000xf32, #tiles>, memref<66240000xf32, #tiles>)
            outs(%a : memref<66240000xf32, #tiles>) access [#tiles, #tiles, #tiles]
      }
      ipu.sync internal
    }
    return
  }
}
