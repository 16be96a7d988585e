// RUN: ipu-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(fuse-form,fuse-auto-schedule,fuse-print-schedule))' -o /dev/null | FileCheck %s --check-prefix=SERIAL
// RUN: ipu-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(fuse-form,fuse-auto-schedule{reduction-order=blocked},fuse-print-schedule))' -o /dev/null | FileCheck %s --check-prefix=BLOCKED
// RUN: ipu-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(fuse-form,fuse-auto-schedule{vector-width=1},fuse-print-schedule))' -o /dev/null | FileCheck %s --check-prefix=SCALAR
// RUN: ipu-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(func.func(fuse-form,fuse-auto-schedule))' --remarks-filter=ipu-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A maximum may be taken in lanes in any case. The sum of the program's order
// is over four rows at once; as blocked, in lanes.
// SERIAL: M.rf [i0o, i0i, r:i1o, i1i:vectorize] @2/0
// SERIAL-NEXT: M [i0o, i0i, r:i1i:vectorize] @2/2
// SERIAL-NEXT: E [i0o, i0i, i1o, i1i:vectorize] @1/2
// SERIAL-NEXT: Z [i0o, r:i1o, r:i1i, i0i:unroll] @1/1
// SERIAL-NEXT: Y [i0o, i0i, i1o, i1i:vectorize] @0/1

// BLOCKED: M.rf [i0, r:i1o, i1i:vectorize] @1/0
// BLOCKED-NEXT: M [i0, r:i1i:vectorize] @1/1
// BLOCKED-NEXT: E [i0, i1o, i1i:vectorize] @1/1
// BLOCKED-NEXT: Z.rf [i0, i1o, r:i1io, i1ii:vectorize] @2/1
// BLOCKED-NEXT: Z.rf1 [i0, i1o, r:i1ii:vectorize] @1/2
// BLOCKED-NEXT: Z.rf2 [i0, r:i1oo, i1oi:vectorize] @1/1
// BLOCKED-NEXT: Z [i0, r:i1oi:vectorize] @1/1
// BLOCKED-NEXT: Y [i0, i1o, i1i:vectorize] @0/1

// SCALAR: M [i0, r:i1] @1/0
// SCALAR-NEXT: E [i0, i1] @1/1
// SCALAR-NEXT: Z [i0, r:i1] @1/1
// SCALAR-NEXT: Y [i0, i1] @0/1

// Written: M, E, Z, Y; read: X twice, M, E twice, Z. Left: X, read in 63 vectors
// of 16 for each row, and Y.
// REMARK: remark: [Passed] Fused | Category:ipu-fuse | bytesSaved=1022976, recompute=1.000000e+00
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %full = tensor.empty() : tensor<64x1000xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<64x1000xf32>)
    outs(%max_init : tensor<64xf32>) dimensions = [1] {fuse.name = "M"}
  %exp = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<64x1000xf32>, tensor<64xf32>) outs(%full : tensor<64x1000xf32>)
      attrs = {fuse.name = "E"} {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<64x1000xf32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<64x1000xf32>)
    outs(%sum_init : tensor<64xf32>) dimensions = [1] {fuse.name = "Z"}
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x1000xf32>, tensor<64xf32>) outs(%full : tensor<64x1000xf32>)
      attrs = {fuse.name = "Y"} {
  ^bb0(%e: f32, %z: f32, %out: f32):
    %q = arith.divf %e, %z : f32
    linalg.yield %q : f32
  } -> tensor<64x1000xf32>
  return %y : tensor<64x1000xf32>
}

// More than one block: steps in lanes of a block, lanes of a block, then the
// same with the results of blocks. Order that nobody cares for needs none of it.
// SERIAL: S.rf [r:i0o, i0i:vectorize]
// SERIAL-NEXT: S [r:i0i:vectorize]
// BLOCKED: S.rf [i0o, r:i0io, i0ii:vectorize] @1/0
// BLOCKED-NEXT: S.rf1 [i0o, r:i0ii:vectorize] @0/1
// BLOCKED-NEXT: S.rf2 [r:i0oo, i0oi:vectorize] @0/0
// BLOCKED-NEXT: S [r:i0oi:vectorize] @0/0
// SCALAR: S [r:i0]
func.func @a_sum_in_any_order(%x: tensor<5000xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<5000xf32>) outs(%init : tensor<f32>) attrs = {fuse.name = "S"} {
  ^bb0(%a: f32, %acc: f32):
    %next = arith.addf %acc, %a fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// Products keep their order; vectors are of columns.
// SERIAL: P [i0, i1o, r:i2, i1i:vectorize] @2/0
// SERIAL-NEXT: R [i0, i1o, i1i:vectorize] @0/2
// BLOCKED: P [i0, i1o, r:i2, i1i:vectorize] @2/0
// BLOCKED-NEXT: R [i0, i1o, i1i:vectorize] @0/2
// SCALAR: P [i0, i1, r:i2] @2/0
func.func @products(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul {fuse.name = "P"} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.exp {fuse.name = "R"} ins(%0 : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Sums of columns: vectors of columns, lanes of the blocked order are rows.
// SERIAL: C [r:i0, i1o, i1i:vectorize]
// BLOCKED: C.rf [r:i0o, i0i, i1o, i1i:vectorize]
// BLOCKED-NEXT: C [i1o, i1i, r:i0i:vectorize]
func.func @columns(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %few = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%few : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>)
    outs(%init : tensor<64xf32>) dimensions = [0] {fuse.name = "C"}
  return %s : tensor<64xf32>
}
