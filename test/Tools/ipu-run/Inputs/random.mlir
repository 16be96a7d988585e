// Gives random bits, other ones in each run, and adds one to w. Replicas of the
// generator @each draw apart.
#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
!v = memref<4xi32, #m>
!s = memref<2x6x4xi32, #s>
!b = memref<?xi32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.codelet @draw(%y : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : !b) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      %r = ipu.random_bits %y[%i] : !b
      linalg.yield %r : i32
    }
  }
  ipu.codelet @count(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : !b) outs(%y : !b) {
    ^bb0(%a : i32, %o : i32):
      %one = arith.constant 1 : i32
      %z = arith.addi %a, %one : i32
      linalg.yield %z : i32
    }
  }
  ipu.storage @all.storage : !s
  ipu.storage @each.storage : !s
  ipu.storage @w.storage : !v
  ipu.rng_state @all in @all.storage #pop.replica_partition<all of 2> modifier 0
  ipu.state @w in @w.storage : tensor<4xi32> = dense<0> : tensor<4xi32>
  ipu.rng_state @each in @each.storage #pop.replica_partition<none of 2> modifier 1
  ipu.stream @x device_to_host replicated : tensor<4xi32>
  ipu.stream @y device_to_host replicated : tensor<4xi32>
  func.func @main() {
    %all = ipu.var "all" of @all.storage : !s
    %each = ipu.var "each" of @each.storage : !s
    %w = ipu.var "w" of @w.storage : !v
    %x = ipu.var "x" : !v
    %y = ipu.var "y" : !v
    ipu.compute_set "draw" {
      ipu.vertices @draw outs(%x : !v) rng(%all : !s) draw<0> access [#m]
      ipu.vertices @draw outs(%y : !v) rng(%each : !s) draw<1> access [#m]
      ipu.vertices @count ins(%w : !v) outs(%w : !v) access [#m, #m]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.advance_rng %all : !s
    ipu.advance_rng %each : !s
    ipu.host_store %x to @x : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.host_store %y to @y : !v cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    return
  }
}
