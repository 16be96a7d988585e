// Random bits, rounding by them, and states of generators, as a reference in
// numpy has them: with both generators, both engines, in checked runs, on any
// number of threads, and with tensors cut in another way.
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/GENERATOR/counter/' %s > %t/counter.mlir
// RUN: sed 's/GENERATOR/stream/; s/ draw<[^>]*>//; /advance_rng/d' %s > %t/stream.mlir
// RUN: sed 's/grid = .2, 2., blocks = .p0 . 3 : 3, p1 . 5 : 5./grid = [3], blocks = [p0 * 2 : 2, all]/' %t/counter.mlir > %t/rows-counter.mlir
// RUN: sed 's/grid = .2, 2., blocks = .p0 . 3 : 3, p1 . 5 : 5./grid = [3], blocks = [p0 * 2 : 2, all]/' %t/stream.mlir > %t/rows-stream.mlir
// RUN: ipu-opt %t/counter.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 engine=interp results=%t/a})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/a counter 0 2 2
// RUN: ipu-opt %t/counter.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 engine=jit threads=2 seed=81985529216486895 results=%t/b})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/b counter 81985529216486895 2 2
// RUN: ipu-opt %t/rows-counter.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 check seed=18446744073709551615 results=%t/c})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/c counter 18446744073709551615 3 1
// RUN: ipu-opt %t/rows-counter.mlir --pass-pipeline='builtin.module(func.func(ipu-merge-steps,ipu-liveness,ipu-estimate-cost),ipu-execute{inputs=x=random:1 threads=2 seed=3 results=%t/h})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/h counter 3 3 1
// RUN: ipu-opt %t/stream.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 engine=interp threads=3 seed=7 results=%t/d})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/d stream 7 2 2
// RUN: ipu-opt %t/stream.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 seed=18446744073709551615 results=%t/e})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/e stream 18446744073709551615 2 2
// RUN: ipu-opt %t/rows-stream.mlir --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{inputs=x=random:1 check results=%t/f})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/f stream 0 3 1
// RUN: ipu-opt %t/rows-stream.mlir --pass-pipeline='builtin.module(func.func(ipu-merge-steps,ipu-liveness,ipu-estimate-cost),ipu-execute{inputs=x=random:1 threads=2 results=%t/g})' -o /dev/null
// RUN: %python %S/Inputs/random-reference.py %t/g stream 0 3 1

#m = #ipu.map<[6, 10], grid = [2, 2], blocks = [p0 * 3 : 3, p1 * 5 : 5]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
!f = memref<6x10xf32, #m>
!h = memref<6x10xf16, #m>
!i = memref<6x10xi32, #m>
!s = memref<4x6x4xi32, #s>
!bf = memref<?x?xf32, strided<[?, 1], offset: ?>>
!bh = memref<?x?xf16, strided<[?, 1], offset: ?>>
!bi = memref<?x?xi32, strided<[?, 1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>, ipu.rng = #ipu<rng_generator GENERATOR>} {
  ipu.codelet @put_number(%y : !bi) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : !bi) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %n = ipu.element_number %y[%i, %j] : !bi
      linalg.yield %n : i32
    }
  }
  ipu.codelet @put_hash(%x : !bi, %y : !bi) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : !bi) outs(%y : !bi) {
    ^bb0(%a : i32, %o : i32):
      %c = arith.constant 12345 : i32
      %w:4 = ipu.philox key(%a, %c) counter(%c, %a, %c, %a)
      %s = arith.subi %w#0, %w#1 : i32
      %t = arith.subi %s, %w#2 : i32
      %u = arith.xori %t, %w#3 : i32
      linalg.yield %u : i32
    }
  }
  ipu.codelet @put_bits(%y : !bi) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : !bi) {
    ^bb0(%o : i32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %r = ipu.random_bits %y[%i, %j] : !bi
      linalg.yield %r : i32
    }
  }
  // Loops of its own, of which the inner one draws in order.
  ipu.codelet @round(%x : !bf, %y : !bh) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %y, %c0 : !bh
    %n = memref.dim %y, %c1 : !bh
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %a = memref.load %x[%i, %j] : !bf
        %r = ipu.random_bits %y[%i, %j] : !bh
        %z = ipu.round_stochastic %a, %r overflow nan : f32 to f16
        memref.store %z, %y[%i, %j] : !bh
      }
    }
  }
  ipu.codelet @scale(%x : !bh, %y : !bh) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : !bh) outs(%y : !bh) {
    ^bb0(%a : f16, %o : f16):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.constant 1.1 : f32
      %b = arith.extf %a : f16 to f32
      %d = arith.mulf %b, %c : f32
      %r = ipu.random_bits %y[%i, %j] : !bh
      %z = ipu.round_stochastic %d, %r overflow clip : f32 to f16
      linalg.yield %z : f16
    }
  }
  ipu.storage @all.storage : !s
  ipu.storage @none.storage : !s
  ipu.rng_state @all in @all.storage #pop.replica_partition<all of 2> modifier 0
  ipu.rng_state @none in @none.storage #pop.replica_partition<none of 2> modifier 4095
  ipu.stream @x host_to_device : tensor<6x10xf32>
  ipu.stream @back device_to_host : tensor<6x10xf32>
  ipu.stream @number device_to_host : tensor<6x10xi32>
  ipu.stream @hash device_to_host : tensor<6x10xi32>
  ipu.stream @bits device_to_host replicated : tensor<6x10xi32>
  ipu.stream @same device_to_host replicated : tensor<6x10xf16>
  ipu.stream @other device_to_host replicated : tensor<6x10xf16>
  ipu.stream @product device_to_host replicated : tensor<6x10xf16>
  ipu.stream @mixed device_to_host replicated : tensor<6x10xf16>
  ipu.stream @all_after device_to_host replicated : tensor<4x6x4xi32>
  ipu.stream @none_after device_to_host replicated : tensor<4x6x4xi32>
  func.func @main() {
    %x = ipu.var "x" : !f
    %number = ipu.var "number" : !i
    %hash = ipu.var "hash" : !i
    %bits = ipu.var "bits" : !i
    %same = ipu.var "same" : !h
    %other = ipu.var "other" : !h
    %product = ipu.var "product" : !h
    %mixed = ipu.var "mixed" : !h
    %all = ipu.var "all" of @all.storage : !s
    %none = ipu.var "none" of @none.storage : !s
    ipu.host_load @x to %x : !f
    ipu.compute_set "number" {
      ipu.vertices @put_number outs(%number : !i) access [#m]
      ipu.vertices @put_bits outs(%bits : !i) rng(%all : !s) draw<3, offset = -2> access [#m]
    }
    ipu.compute_set "hash" {
      ipu.vertices @put_hash ins(%number : !i) outs(%hash : !i) access [#m, #m]
    }
    ipu.compute_set "round" {
      ipu.vertices @round ins(%x : !f) outs(%same : !h) rng(%all : !s) draw<3> access [#m, #m]
      ipu.vertices @round ins(%x : !f) outs(%other : !h) rng(%none : !s) draw<268435455> access [#m, #m]
    }
    ipu.advance_rng %all : !s
    ipu.collective all_reduce mul %other to %product rng(%all : !s) draw<4> {overflow = #ipu<rounding_overflow nan>} : !h to !h
    ipu.collective all_reduce mul %other to %product rng(%none : !s) draw<4, offset = 5> {overflow = #ipu<rounding_overflow clip>} : !h to !h
    // Replicas round other values, and go on with equal states.
    ipu.compute_set "scale" {
      ipu.vertices @scale ins(%other : !h) outs(%mixed : !h) rng(%all : !s) draw<3> access [#m, #m]
    }
    ipu.advance_rng %all : !s
    ipu.advance_rng %none : !s
    ipu.host_store %x to @back : !f
    ipu.host_store %number to @number : !i
    ipu.host_store %hash to @hash : !i
    ipu.host_store %bits to @bits : !i
    ipu.host_store %same to @same : !h
    ipu.host_store %other to @other : !h
    ipu.host_store %product to @product : !h
    ipu.host_store %mixed to @mixed : !h
    ipu.host_store %all to @all_after : !s
    ipu.host_store %none to @none_after : !s
    return
  }
}
