// Where factors do not divide: full tiles apart from the rest, tight bounds of what is
// left, conditions where neither will do.

// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops=layout=identity --canonicalize --cse | FileCheck %s
// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops="peel=false layout=identity" --canonicalize --cse | FileCheck %s --check-prefix=NOPEEL
// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops="loops=scf layout=identity" --canonicalize --cse | FileCheck %s --check-prefix=SCF

// Splits of 10 by 4 and of 6 by 4.
// CHECK-LABEL: func.func @uneven_splits(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 4 {
// CHECK:   %[[V3:.+]]:2 = affine.for %[[I4:.+]] = 0 to 2 iter_args(%[[A5:.+]] = %{{.*}}, %[[A6:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:     %[[V7:.+]]:2 = affine.for %[[I8:.+]] = 0 to 4 iter_args(%[[A9:.+]] = %[[A5]], %[[A10:.+]] = %[[A6]]) -> (f32, f32) {
// CHECK:       %[[V11:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]] * 4 + %[[I8]]] : memref<6x10xf32>
// CHECK:       %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : f32
// CHECK:       %[[V13:.+]] = arith.addf %[[A9]], %[[V12]] : f32
// CHECK:       %[[V14:.+]] = arith.addf %[[A10]], %[[V12]] : f32
// CHECK:       affine.yield %[[V13]], %[[V14]] : f32, f32
// CHECK:     affine.yield %[[V7]]#0, %[[V7]]#1 : f32, f32
// CHECK:   %[[V15:.+]]:2 = affine.for %[[I16:.+]] = 0 to 2 iter_args(%[[A17:.+]] = %[[V3]]#0, %[[A18:.+]] = %[[V3]]#1) -> (f32, f32) {
// CHECK:     %[[V19:.+]] = affine.load %[[X0]][%[[I2]], %[[I16]] + 8] : memref<6x10xf32>
// CHECK:     %[[V20:.+]] = arith.addf %[[V19]], %{{.*}} : f32
// CHECK:     %[[V21:.+]] = arith.addf %[[A17]], %[[V20]] : f32
// CHECK:     %[[V22:.+]] = arith.addf %[[A18]], %[[V20]] : f32
// CHECK:     affine.yield %[[V21]], %[[V22]] : f32, f32
// CHECK:   %[[V23:.+]] = arith.addf %[[V15]]#0, %[[V15]]#1 : f32
// CHECK:   %[[V24:.+]] = arith.addf %[[V23]], %{{.*}} : f32
// CHECK:   affine.store %[[V24]], %[[B1]][%[[I2]]] : memref<6xf32>
// CHECK: affine.for %[[I25:.+]] = 0 to 2 {
// CHECK:   %[[V26:.+]]:2 = affine.for %[[I27:.+]] = 0 to 2 iter_args(%[[A28:.+]] = %{{.*}}, %[[A29:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:     %[[V30:.+]]:2 = affine.for %[[I31:.+]] = 0 to 4 iter_args(%[[A32:.+]] = %[[A28]], %[[A33:.+]] = %[[A29]]) -> (f32, f32) {
// CHECK:       %[[V34:.+]] = affine.load %[[X0]][%[[I25]] + 4, %[[I27]] * 4 + %[[I31]]] : memref<6x10xf32>
// CHECK:       %[[V35:.+]] = arith.addf %[[V34]], %{{.*}} : f32
// CHECK:       %[[V36:.+]] = arith.addf %[[A32]], %[[V35]] : f32
// CHECK:       %[[V37:.+]] = arith.addf %[[A33]], %[[V35]] : f32
// CHECK:       affine.yield %[[V36]], %[[V37]] : f32, f32
// CHECK:     affine.yield %[[V30]]#0, %[[V30]]#1 : f32, f32
// CHECK:   %[[V38:.+]]:2 = affine.for %[[I39:.+]] = 0 to 2 iter_args(%[[A40:.+]] = %[[V26]]#0, %[[A41:.+]] = %[[V26]]#1) -> (f32, f32) {
// CHECK:     %[[V42:.+]] = affine.load %[[X0]][%[[I25]] + 4, %[[I39]] + 8] : memref<6x10xf32>
// CHECK:     %[[V43:.+]] = arith.addf %[[V42]], %{{.*}} : f32
// CHECK:     %[[V44:.+]] = arith.addf %[[A40]], %[[V43]] : f32
// CHECK:     %[[V45:.+]] = arith.addf %[[A41]], %[[V43]] : f32
// CHECK:     affine.yield %[[V44]], %[[V45]] : f32, f32
// CHECK:   %[[V46:.+]] = arith.addf %[[V38]]#0, %[[V38]]#1 : f32
// CHECK:   %[[V47:.+]] = arith.addf %[[V46]], %{{.*}} : f32
// CHECK:   affine.store %[[V47]], %[[B1]][%[[I25]] + 4] : memref<6xf32>
// CHECK: %[[B48:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6xf32> to tensor<6xf32>
// NOPEEL-LABEL: func.func @uneven_splits(
// NOPEEL: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// NOPEEL: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// NOPEEL: affine.for %[[I2:.+]] = 0 to 2 {
// NOPEEL:   affine.for %[[I3:.+]] = 0 to min affine_map<(d0) -> (d0 * -4 + 6, 4)>(%[[I2]]) {
// NOPEEL:     %[[V4:.+]]:2 = affine.for %[[I5:.+]] = 0 to 3 iter_args(%[[A6:.+]] = %{{.*}}, %[[A7:.+]] = %{{.*}}) -> (f32, f32) {
// NOPEEL:       %[[V8:.+]]:2 = affine.for %[[I9:.+]] = 0 to min affine_map<(d0) -> (d0 * -4 + 10, 4)>(%[[I5]]) iter_args(%[[A10:.+]] = %[[A6]], %[[A11:.+]] = %[[A7]]) -> (f32, f32) {
// NOPEEL:         %[[V12:.+]] = affine.load %[[X0]][%[[I2]] * 4 + %[[I3]], %[[I5]] * 4 + %[[I9]]] : memref<6x10xf32>
// NOPEEL:         %[[V13:.+]] = arith.addf %[[V12]], %{{.*}} : f32
// NOPEEL:         %[[V14:.+]] = arith.addf %[[A10]], %[[V13]] : f32
// NOPEEL:         %[[V15:.+]] = arith.addf %[[A11]], %[[V13]] : f32
// NOPEEL:         affine.yield %[[V14]], %[[V15]] : f32, f32
// NOPEEL:       affine.yield %[[V8]]#0, %[[V8]]#1 : f32, f32
// NOPEEL:     %[[V16:.+]] = arith.addf %[[V4]]#0, %[[V4]]#1 : f32
// NOPEEL:     %[[V17:.+]] = arith.addf %[[V16]], %{{.*}} : f32
// NOPEEL:     affine.store %[[V17]], %[[B1]][%[[I2]] * 4 + %[[I3]]] : memref<6xf32>
// NOPEEL: %[[B18:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6xf32> to tensor<6xf32>
// SCF-LABEL: func.func @uneven_splits(
// SCF: %[[B0:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// SCF: scf.for %[[I1:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   %[[V2:.+]]:2 = scf.for %[[I3:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A4:.+]] = %{{.*}}, %[[A5:.+]] = %{{.*}}) -> (f32, f32) {
// SCF:     %[[V6:.+]]:2 = scf.for %[[I7:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A8:.+]] = %[[A4]], %[[A9:.+]] = %[[A5]]) -> (f32, f32) {
// SCF:       %[[V10:.+]] = arith.muli %[[I3]], %{{.*}} : index
// SCF:       %[[V11:.+]] = arith.addi %[[V10]], %[[I7]] : index
// SCF:       %[[V12:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V11]]] : tensor<6x10xf32>
// SCF:       %[[V13:.+]] = arith.addf %[[V12]], %{{.*}} : f32
// SCF:       %[[V14:.+]] = arith.addf %[[A8]], %[[V13]] : f32
// SCF:       %[[V15:.+]] = arith.addf %[[A9]], %[[V13]] : f32
// SCF:       scf.yield %[[V14]], %[[V15]] : f32, f32
// SCF:     scf.yield %[[V6]]#0, %[[V6]]#1 : f32, f32
// SCF:   %[[V16:.+]]:2 = scf.for %[[I17:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A18:.+]] = %[[V2]]#0, %[[A19:.+]] = %[[V2]]#1) -> (f32, f32) {
// SCF:     %[[V20:.+]] = arith.addi %[[I17]], %{{.*}} : index
// SCF:     %[[V21:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V20]]] : tensor<6x10xf32>
// SCF:     %[[V22:.+]] = arith.addf %[[V21]], %{{.*}} : f32
// SCF:     %[[V23:.+]] = arith.addf %[[A18]], %[[V22]] : f32
// SCF:     %[[V24:.+]] = arith.addf %[[A19]], %[[V22]] : f32
// SCF:     scf.yield %[[V23]], %[[V24]] : f32, f32
// SCF:   %[[V25:.+]] = arith.addf %[[V16]]#0, %[[V16]]#1 : f32
// SCF:   %[[V26:.+]] = arith.addf %[[V25]], %{{.*}} : f32
// SCF:   memref.store %[[V26]], %[[B0]][%[[I1]]] : memref<6xf32>
// SCF: scf.for %[[I27:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   %[[V28:.+]]:2 = scf.for %[[I29:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A30:.+]] = %{{.*}}, %[[A31:.+]] = %{{.*}}) -> (f32, f32) {
// SCF:     %[[V32:.+]]:2 = scf.for %[[I33:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A34:.+]] = %[[A30]], %[[A35:.+]] = %[[A31]]) -> (f32, f32) {
// SCF:       %[[V36:.+]] = arith.addi %[[I27]], %{{.*}} : index
// SCF:       %[[V37:.+]] = arith.muli %[[I29]], %{{.*}} : index
// SCF:       %[[V38:.+]] = arith.addi %[[V37]], %[[I33]] : index
// SCF:       %[[V39:.+]] = tensor.extract %{{.*}}[%[[V36]], %[[V38]]] : tensor<6x10xf32>
// SCF:       %[[V40:.+]] = arith.addf %[[V39]], %{{.*}} : f32
// SCF:       %[[V41:.+]] = arith.addf %[[A34]], %[[V40]] : f32
// SCF:       %[[V42:.+]] = arith.addf %[[A35]], %[[V40]] : f32
// SCF:       scf.yield %[[V41]], %[[V42]] : f32, f32
// SCF:     scf.yield %[[V32]]#0, %[[V32]]#1 : f32, f32
// SCF:   %[[V43:.+]]:2 = scf.for %[[I44:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A45:.+]] = %[[V28]]#0, %[[A46:.+]] = %[[V28]]#1) -> (f32, f32) {
// SCF:     %[[V47:.+]] = arith.addi %[[I27]], %{{.*}} : index
// SCF:     %[[V48:.+]] = arith.addi %[[I44]], %{{.*}} : index
// SCF:     %[[V49:.+]] = tensor.extract %{{.*}}[%[[V47]], %[[V48]]] : tensor<6x10xf32>
// SCF:     %[[V50:.+]] = arith.addf %[[V49]], %{{.*}} : f32
// SCF:     %[[V51:.+]] = arith.addf %[[A45]], %[[V50]] : f32
// SCF:     %[[V52:.+]] = arith.addf %[[A46]], %[[V50]] : f32
// SCF:     scf.yield %[[V51]], %[[V52]] : f32, f32
// SCF:   %[[V53:.+]] = arith.addf %[[V43]]#0, %[[V43]]#1 : f32
// SCF:   %[[V54:.+]] = arith.addf %[[V53]], %{{.*}} : f32
// SCF:   %[[V55:.+]] = arith.addi %[[I27]], %{{.*}} : index
// SCF:   memref.store %[[V54]], %[[B0]][%[[V55]]] : memref<6xf32>
// SCF: %[[B56:.+]] = bufferization.to_tensor %[[B0]] restrict writable : memref<6xf32> to tensor<6xf32>
func.func @uneven_splits(%T0: tensor<6x10xf32>) -> tensor<6xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<6xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%e_T1 : tensor<6x10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 4>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x10xf32>
    %e_T2 = tensor.empty() : tensor<6xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<6xf32>) -> tensor<6xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<6x10xf32>) outs(%f_T2 : tensor<6xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    %e_T3 = tensor.empty() : tensor<6xf32>
    %f_T3 = linalg.fill ins(%zero : f32) outs(%e_T3 : tensor<6xf32>) -> tensor<6xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<6x10xf32>) outs(%f_T3 : tensor<6xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    %e_T4 = tensor.empty() : tensor<6xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%T2, %T3 : tensor<6xf32>, tensor<6xf32>) outs(%e_T4 : tensor<6xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a], split(0, 4, inner)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<6xf32>
    fuse.yield %T4 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}


// Sizes known only at run time: as many tiles as fit, then the rest.
// CHECK-LABEL: func.func @symbolic_splits(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x?xf32> to memref<?x?xf32>
// CHECK: %[[V1:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V2:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[B3:.+]] = memref.alloc(%[[V1]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK: affine.for %[[I4:.+]] = 0 to affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V1]]] {
// CHECK:   affine.for %[[I5:.+]] = 0 to 4 {
// CHECK:     %[[V6:.+]]:2 = affine.for %[[I7:.+]] = 0 to affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V2]]] iter_args(%[[A8:.+]] = %{{.*}}, %[[A9:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:       %[[V10:.+]]:2 = affine.for %[[I11:.+]] = 0 to 4 iter_args(%[[A12:.+]] = %[[A8]], %[[A13:.+]] = %[[A9]]) -> (f32, f32) {
// CHECK:         %[[V14:.+]] = affine.load %[[X0]][%[[I4]] * 4 + %[[I5]], %[[I7]] * 4 + %[[I11]]] : memref<?x?xf32>
// CHECK:         %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// CHECK:         %[[V16:.+]] = arith.addf %[[A12]], %[[V15]] : f32
// CHECK:         %[[V17:.+]] = arith.addf %[[A13]], %[[V15]] : f32
// CHECK:         affine.yield %[[V16]], %[[V17]] : f32, f32
// CHECK:       affine.yield %[[V10]]#0, %[[V10]]#1 : f32, f32
// CHECK:     %[[V18:.+]]:2 = affine.for %[[I19:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V2]]] to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V2]]] iter_args(%[[A20:.+]] = %[[V6]]#0, %[[A21:.+]] = %[[V6]]#1) -> (f32, f32) {
// CHECK:       %[[V22:.+]]:2 = affine.for %[[I23:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -4 + s0, 4)>(%[[I19]])[%[[V2]]] iter_args(%[[A24:.+]] = %[[A20]], %[[A25:.+]] = %[[A21]]) -> (f32, f32) {
// CHECK:         %[[V26:.+]] = affine.load %[[X0]][%[[I4]] * 4 + %[[I5]], %[[I19]] * 4 + %[[I23]]] : memref<?x?xf32>
// CHECK:         %[[V27:.+]] = arith.addf %[[V26]], %{{.*}} : f32
// CHECK:         %[[V28:.+]] = arith.addf %[[A24]], %[[V27]] : f32
// CHECK:         %[[V29:.+]] = arith.addf %[[A25]], %[[V27]] : f32
// CHECK:         affine.yield %[[V28]], %[[V29]] : f32, f32
// CHECK:       affine.yield %[[V22]]#0, %[[V22]]#1 : f32, f32
// CHECK:     %[[V30:.+]] = arith.addf %[[V18]]#0, %[[V18]]#1 : f32
// CHECK:     %[[V31:.+]] = arith.addf %[[V30]], %{{.*}} : f32
// CHECK:     affine.store %[[V31]], %[[B3]][%[[I4]] * 4 + %[[I5]]] : memref<?xf32>
// CHECK: affine.for %[[I32:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V1]]] to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V1]]] {
// CHECK:   affine.for %[[I33:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -4 + s0, 4)>(%[[I32]])[%[[V1]]] {
// CHECK:     %[[V34:.+]]:2 = affine.for %[[I35:.+]] = 0 to affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V2]]] iter_args(%[[A36:.+]] = %{{.*}}, %[[A37:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:       %[[V38:.+]]:2 = affine.for %[[I39:.+]] = 0 to 4 iter_args(%[[A40:.+]] = %[[A36]], %[[A41:.+]] = %[[A37]]) -> (f32, f32) {
// CHECK:         %[[V42:.+]] = affine.load %[[X0]][%[[I32]] * 4 + %[[I33]], %[[I35]] * 4 + %[[I39]]] : memref<?x?xf32>
// CHECK:         %[[V43:.+]] = arith.addf %[[V42]], %{{.*}} : f32
// CHECK:         %[[V44:.+]] = arith.addf %[[A40]], %[[V43]] : f32
// CHECK:         %[[V45:.+]] = arith.addf %[[A41]], %[[V43]] : f32
// CHECK:         affine.yield %[[V44]], %[[V45]] : f32, f32
// CHECK:       affine.yield %[[V38]]#0, %[[V38]]#1 : f32, f32
// CHECK:     %[[V46:.+]]:2 = affine.for %[[I47:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V2]]] to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V2]]] iter_args(%[[A48:.+]] = %[[V34]]#0, %[[A49:.+]] = %[[V34]]#1) -> (f32, f32) {
// CHECK:       %[[V50:.+]]:2 = affine.for %[[I51:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -4 + s0, 4)>(%[[I47]])[%[[V2]]] iter_args(%[[A52:.+]] = %[[A48]], %[[A53:.+]] = %[[A49]]) -> (f32, f32) {
// CHECK:         %[[V54:.+]] = affine.load %[[X0]][%[[I32]] * 4 + %[[I33]], %[[I47]] * 4 + %[[I51]]] : memref<?x?xf32>
// CHECK:         %[[V55:.+]] = arith.addf %[[V54]], %{{.*}} : f32
// CHECK:         %[[V56:.+]] = arith.addf %[[A52]], %[[V55]] : f32
// CHECK:         %[[V57:.+]] = arith.addf %[[A53]], %[[V55]] : f32
// CHECK:         affine.yield %[[V56]], %[[V57]] : f32, f32
// CHECK:       affine.yield %[[V50]]#0, %[[V50]]#1 : f32, f32
// CHECK:     %[[V58:.+]] = arith.addf %[[V46]]#0, %[[V46]]#1 : f32
// CHECK:     %[[V59:.+]] = arith.addf %[[V58]], %{{.*}} : f32
// CHECK:     affine.store %[[V59]], %[[B3]][%[[I32]] * 4 + %[[I33]]] : memref<?xf32>
// CHECK: %[[B60:.+]] = bufferization.to_tensor %[[B3]] restrict writable : memref<?xf32> to tensor<?xf32>
// NOPEEL-LABEL: func.func @symbolic_splits(
// NOPEEL: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x?xf32> to memref<?x?xf32>
// NOPEEL: %[[V1:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// NOPEEL: %[[V2:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// NOPEEL: %[[B3:.+]] = memref.alloc(%[[V1]]) {alignment = 64 : i64} : memref<?xf32>
// NOPEEL: affine.for %[[I4:.+]] = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V1]]] {
// NOPEEL:   affine.for %[[I5:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -4 + s0, 4)>(%[[I4]])[%[[V1]]] {
// NOPEEL:     %[[V6:.+]]:2 = affine.for %[[I7:.+]] = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V2]]] iter_args(%[[A8:.+]] = %{{.*}}, %[[A9:.+]] = %{{.*}}) -> (f32, f32) {
// NOPEEL:       %[[V10:.+]]:2 = affine.for %[[I11:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -4 + s0, 4)>(%[[I7]])[%[[V2]]] iter_args(%[[A12:.+]] = %[[A8]], %[[A13:.+]] = %[[A9]]) -> (f32, f32) {
// NOPEEL:         %[[V14:.+]] = affine.load %[[X0]][%[[I4]] * 4 + %[[I5]], %[[I7]] * 4 + %[[I11]]] : memref<?x?xf32>
// NOPEEL:         %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// NOPEEL:         %[[V16:.+]] = arith.addf %[[A12]], %[[V15]] : f32
// NOPEEL:         %[[V17:.+]] = arith.addf %[[A13]], %[[V15]] : f32
// NOPEEL:         affine.yield %[[V16]], %[[V17]] : f32, f32
// NOPEEL:       affine.yield %[[V10]]#0, %[[V10]]#1 : f32, f32
// NOPEEL:     %[[V18:.+]] = arith.addf %[[V6]]#0, %[[V6]]#1 : f32
// NOPEEL:     %[[V19:.+]] = arith.addf %[[V18]], %{{.*}} : f32
// NOPEEL:     affine.store %[[V19]], %[[B3]][%[[I4]] * 4 + %[[I5]]] : memref<?xf32>
// NOPEEL: %[[B20:.+]] = bufferization.to_tensor %[[B3]] restrict writable : memref<?xf32> to tensor<?xf32>
// SCF-LABEL: func.func @symbolic_splits(
// SCF: %[[V0:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// SCF: %[[V1:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// SCF: %[[V2:.+]] = arith.divui %[[V0]], %{{.*}} : index
// SCF: %[[V3:.+]] = arith.divui %[[V1]], %{{.*}} : index
// SCF: %[[V4:.+]] = arith.addi %[[V1]], %{{.*}} : index
// SCF: %[[V5:.+]] = arith.divui %[[V4]], %{{.*}} : index
// SCF: %[[V6:.+]] = arith.addi %[[V0]], %{{.*}} : index
// SCF: %[[V7:.+]] = arith.divui %[[V6]], %{{.*}} : index
// SCF: %[[B8:.+]] = memref.alloc(%[[V0]]) {alignment = 64 : i64} : memref<?xf32>
// SCF: scf.for %[[I9:.+]] = %{{.*}} to %[[V2]] step %{{.*}} {
// SCF:   scf.for %[[I10:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[V11:.+]]:2 = scf.for %[[I12:.+]] = %{{.*}} to %[[V3]] step %{{.*}} iter_args(%[[A13:.+]] = %{{.*}}, %[[A14:.+]] = %{{.*}}) -> (f32, f32) {
// SCF:       %[[V15:.+]]:2 = scf.for %[[I16:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A17:.+]] = %[[A13]], %[[A18:.+]] = %[[A14]]) -> (f32, f32) {
// SCF:         %[[V19:.+]] = arith.muli %[[I9]], %{{.*}} : index
// SCF:         %[[V20:.+]] = arith.addi %[[V19]], %[[I10]] : index
// SCF:         %[[V21:.+]] = arith.muli %[[I12]], %{{.*}} : index
// SCF:         %[[V22:.+]] = arith.addi %[[V21]], %[[I16]] : index
// SCF:         %[[V23:.+]] = tensor.extract %{{.*}}[%[[V20]], %[[V22]]] : tensor<?x?xf32>
// SCF:         %[[V24:.+]] = arith.addf %[[V23]], %{{.*}} : f32
// SCF:         %[[V25:.+]] = arith.addf %[[A17]], %[[V24]] : f32
// SCF:         %[[V26:.+]] = arith.addf %[[A18]], %[[V24]] : f32
// SCF:         scf.yield %[[V25]], %[[V26]] : f32, f32
// SCF:       scf.yield %[[V15]]#0, %[[V15]]#1 : f32, f32
// SCF:     %[[V27:.+]]:2 = scf.for %[[I28:.+]] = %[[V3]] to %[[V5]] step %{{.*}} iter_args(%[[A29:.+]] = %[[V11]]#0, %[[A30:.+]] = %[[V11]]#1) -> (f32, f32) {
// SCF:       %[[V31:.+]] = arith.muli %[[I28]], %{{.*}}-4 : index
// SCF:       %[[V32:.+]] = arith.addi %[[V31]], %[[V1]] : index
// SCF:       %[[V33:.+]] = arith.minsi %[[V32]], %{{.*}} : index
// SCF:       %[[V34:.+]]:2 = scf.for %[[I35:.+]] = %{{.*}} to %[[V33]] step %{{.*}} iter_args(%[[A36:.+]] = %[[A29]], %[[A37:.+]] = %[[A30]]) -> (f32, f32) {
// SCF:         %[[V38:.+]] = arith.muli %[[I9]], %{{.*}} : index
// SCF:         %[[V39:.+]] = arith.addi %[[V38]], %[[I10]] : index
// SCF:         %[[V40:.+]] = arith.muli %[[I28]], %{{.*}} : index
// SCF:         %[[V41:.+]] = arith.addi %[[V40]], %[[I35]] : index
// SCF:         %[[V42:.+]] = tensor.extract %{{.*}}[%[[V39]], %[[V41]]] : tensor<?x?xf32>
// SCF:         %[[V43:.+]] = arith.addf %[[V42]], %{{.*}} : f32
// SCF:         %[[V44:.+]] = arith.addf %[[A36]], %[[V43]] : f32
// SCF:         %[[V45:.+]] = arith.addf %[[A37]], %[[V43]] : f32
// SCF:         scf.yield %[[V44]], %[[V45]] : f32, f32
// SCF:       scf.yield %[[V34]]#0, %[[V34]]#1 : f32, f32
// SCF:     %[[V46:.+]] = arith.addf %[[V27]]#0, %[[V27]]#1 : f32
// SCF:     %[[V47:.+]] = arith.addf %[[V46]], %{{.*}} : f32
// SCF:     %[[V48:.+]] = arith.muli %[[I9]], %{{.*}} : index
// SCF:     %[[V49:.+]] = arith.addi %[[V48]], %[[I10]] : index
// SCF:     memref.store %[[V47]], %[[B8]][%[[V49]]] : memref<?xf32>
// SCF: scf.for %[[I50:.+]] = %[[V2]] to %[[V7]] step %{{.*}} {
// SCF:   %[[V51:.+]] = arith.muli %[[I50]], %{{.*}}-4 : index
// SCF:   %[[V52:.+]] = arith.addi %[[V51]], %[[V0]] : index
// SCF:   %[[V53:.+]] = arith.minsi %[[V52]], %{{.*}} : index
// SCF:   scf.for %[[I54:.+]] = %{{.*}} to %[[V53]] step %{{.*}} {
// SCF:     %[[V55:.+]]:2 = scf.for %[[I56:.+]] = %{{.*}} to %[[V3]] step %{{.*}} iter_args(%[[A57:.+]] = %{{.*}}, %[[A58:.+]] = %{{.*}}) -> (f32, f32) {
// SCF:       %[[V59:.+]]:2 = scf.for %[[I60:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A61:.+]] = %[[A57]], %[[A62:.+]] = %[[A58]]) -> (f32, f32) {
// SCF:         %[[V63:.+]] = arith.muli %[[I50]], %{{.*}} : index
// SCF:         %[[V64:.+]] = arith.addi %[[V63]], %[[I54]] : index
// SCF:         %[[V65:.+]] = arith.muli %[[I56]], %{{.*}} : index
// SCF:         %[[V66:.+]] = arith.addi %[[V65]], %[[I60]] : index
// SCF:         %[[V67:.+]] = tensor.extract %{{.*}}[%[[V64]], %[[V66]]] : tensor<?x?xf32>
// SCF:         %[[V68:.+]] = arith.addf %[[V67]], %{{.*}} : f32
// SCF:         %[[V69:.+]] = arith.addf %[[A61]], %[[V68]] : f32
// SCF:         %[[V70:.+]] = arith.addf %[[A62]], %[[V68]] : f32
// SCF:         scf.yield %[[V69]], %[[V70]] : f32, f32
// SCF:       scf.yield %[[V59]]#0, %[[V59]]#1 : f32, f32
// SCF:     %[[V71:.+]]:2 = scf.for %[[I72:.+]] = %[[V3]] to %[[V5]] step %{{.*}} iter_args(%[[A73:.+]] = %[[V55]]#0, %[[A74:.+]] = %[[V55]]#1) -> (f32, f32) {
// SCF:       %[[V75:.+]] = arith.muli %[[I72]], %{{.*}}-4 : index
// SCF:       %[[V76:.+]] = arith.addi %[[V75]], %[[V1]] : index
// SCF:       %[[V77:.+]] = arith.minsi %[[V76]], %{{.*}} : index
// SCF:       %[[V78:.+]]:2 = scf.for %[[I79:.+]] = %{{.*}} to %[[V77]] step %{{.*}} iter_args(%[[A80:.+]] = %[[A73]], %[[A81:.+]] = %[[A74]]) -> (f32, f32) {
// SCF:         %[[V82:.+]] = arith.muli %[[I50]], %{{.*}} : index
// SCF:         %[[V83:.+]] = arith.addi %[[V82]], %[[I54]] : index
// SCF:         %[[V84:.+]] = arith.muli %[[I72]], %{{.*}} : index
// SCF:         %[[V85:.+]] = arith.addi %[[V84]], %[[I79]] : index
// SCF:         %[[V86:.+]] = tensor.extract %{{.*}}[%[[V83]], %[[V85]]] : tensor<?x?xf32>
// SCF:         %[[V87:.+]] = arith.addf %[[V86]], %{{.*}} : f32
// SCF:         %[[V88:.+]] = arith.addf %[[A80]], %[[V87]] : f32
// SCF:         %[[V89:.+]] = arith.addf %[[A81]], %[[V87]] : f32
// SCF:         scf.yield %[[V88]], %[[V89]] : f32, f32
// SCF:       scf.yield %[[V78]]#0, %[[V78]]#1 : f32, f32
// SCF:     %[[V90:.+]] = arith.addf %[[V71]]#0, %[[V71]]#1 : f32
// SCF:     %[[V91:.+]] = arith.addf %[[V90]], %{{.*}} : f32
// SCF:     %[[V92:.+]] = arith.muli %[[I50]], %{{.*}} : index
// SCF:     %[[V93:.+]] = arith.addi %[[V92]], %[[I54]] : index
// SCF:     memref.store %[[V91]], %[[B8]][%[[V93]]] : memref<?xf32>
// SCF: %[[B94:.+]] = bufferization.to_tensor %[[B8]] restrict writable : memref<?xf32> to tensor<?xf32>
func.func @symbolic_splits(%T0: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = fuse.fusion ins(%T0 : tensor<?x?xf32>) -> tensor<?xf32> {
  ^bb0(%in_T0: tensor<?x?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_T0, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_T0, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<?x?xf32>) outs(%e_T1 : tensor<?x?xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 4>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T2 = tensor.empty(%d_a) : tensor<?xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<?xf32>) -> tensor<?xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<?x?xf32>) outs(%f_T2 : tensor<?xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<?xf32>
    %e_T3 = tensor.empty(%d_a) : tensor<?xf32>
    %f_T3 = linalg.fill ins(%zero : f32) outs(%e_T3 : tensor<?xf32>) -> tensor<?xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<?x?xf32>) outs(%f_T3 : tensor<?xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), split(0, 4, inner), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<?xf32>
    %e_T4 = tensor.empty(%d_a) : tensor<?xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%T2, %T3 : tensor<?xf32>, tensor<?xf32>) outs(%e_T4 : tensor<?xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a], split(0, 4, inner)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<?xf32>
    fuse.yield %T4 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}


// 10 in parts of 3, each in parts of 5: elements must not come twice.
// CHECK-LABEL: func.func @split_of_inner_part(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xf32> to memref<10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 2 {
// CHECK:   affine.for %[[I3:.+]] = 0 to 3 {
// CHECK:     %[[V4:.+]] = affine.load %[[X0]][%[[I2]] * 3 + %[[I3]]] : memref<10xf32>
// CHECK:     %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// CHECK:     affine.store %[[V5]], %[[B1]][%[[I2]] * 3 + %[[I3]]] : memref<10xf32>
// CHECK: affine.for %[[I6:.+]] = 2 to 4 {
// CHECK:   affine.for %[[I7:.+]] = 0 to min affine_map<(d0) -> (d0 * -3 + 10, 3)>(%[[I6]]) {
// CHECK:     %[[V8:.+]] = affine.load %[[X0]][%[[I6]] * 3 + %[[I7]]] : memref<10xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[V8]], %{{.*}} : f32
// CHECK:     affine.store %[[V9]], %[[B1]][%[[I6]] * 3 + %[[I7]]] : memref<10xf32>
// CHECK: %[[B10:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<10xf32> to tensor<10xf32>
// NOPEEL-LABEL: func.func @split_of_inner_part(
// NOPEEL: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xf32> to memref<10xf32>
// NOPEEL: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// NOPEEL: affine.for %[[I2:.+]] = 0 to 4 {
// NOPEEL:   affine.for %[[I3:.+]] = 0 to min affine_map<(d0) -> (d0 * -3 + 10, 3)>(%[[I2]]) {
// NOPEEL:     %[[V4:.+]] = affine.load %[[X0]][%[[I2]] * 3 + %[[I3]]] : memref<10xf32>
// NOPEEL:     %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// NOPEEL:     affine.store %[[V5]], %[[B1]][%[[I2]] * 3 + %[[I3]]] : memref<10xf32>
// NOPEEL: %[[B6:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<10xf32> to tensor<10xf32>
// SCF-LABEL: func.func @split_of_inner_part(
// SCF: %[[B0:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// SCF: scf.for %[[I1:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   scf.for %[[I2:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[V3:.+]] = arith.muli %[[I1]], %{{.*}} : index
// SCF:     %[[V4:.+]] = arith.addi %[[V3]], %[[I2]] : index
// SCF:     %[[V5:.+]] = tensor.extract %{{.*}}[%[[V4]]] : tensor<10xf32>
// SCF:     %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// SCF:     memref.store %[[V6]], %[[B0]][%[[V4]]] : memref<10xf32>
// SCF: scf.for %[[I7:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   %[[V8:.+]] = arith.muli %[[I7]], %{{.*}}-3 : index
// SCF:   %[[V9:.+]] = arith.addi %[[V8]], %{{.*}} : index
// SCF:   %[[V10:.+]] = arith.minsi %[[V9]], %{{.*}} : index
// SCF:   scf.for %[[I11:.+]] = %{{.*}} to %[[V10]] step %{{.*}} {
// SCF:     %[[V12:.+]] = arith.muli %[[I7]], %{{.*}} : index
// SCF:     %[[V13:.+]] = arith.addi %[[V12]], %[[I11]] : index
// SCF:     %[[V14:.+]] = tensor.extract %{{.*}}[%[[V13]]] : tensor<10xf32>
// SCF:     %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// SCF:     memref.store %[[V15]], %[[B0]][%[[V13]]] : memref<10xf32>
// SCF: %[[B16:.+]] = bufferization.to_tensor %[[B0]] restrict writable : memref<10xf32> to tensor<10xf32>
func.func @split_of_inner_part(%T0: tensor<10xf32>) -> tensor<10xf32> {
  %r = fuse.fusion ins(%T0 : tensor<10xf32>) -> tensor<10xf32> {
  ^bb0(%in_T0: tensor<10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>], iterator_types = ["parallel"]}
        ins(%in_T0 : tensor<10xf32>) outs(%e_T1 : tensor<10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[b], split(0, 3, inner), split(1, 5, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<10xf32>
    fuse.yield %T1 : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}


// Merged loops of symbolic extents: delinearize_index finds the indices.
// CHECK-LABEL: func.func @symbolic_merge(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[B1:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[X2:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x?xf32> to memref<?x?xf32>
// CHECK: %[[V3:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V4:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V5:.+]] = arith.muli %[[V3]], %[[V4]] : index
// CHECK: %[[V6:.+]] = arith.divui %[[V5]], %{{.*}} : index
// CHECK: %[[V7:.+]] = arith.addi %[[V5]], %{{.*}} : index
// CHECK: %[[V8:.+]] = arith.divui %[[V7]], %{{.*}} : index
// CHECK: %[[B9:.+]] = memref.alloc(%[[V3]], %[[V4]]) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK: %[[B10:.+]] = memref.alloc(%[[V3]], %[[V4]]) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK: affine.for %[[I11:.+]] = 0 to %[[V6]] {
// CHECK:   affine.for %[[I12:.+]] = 0 to 16 {
// CHECK:     %[[V13:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I11]], %[[I12]])
// CHECK:     %[[V14:.+]]:2 = affine.delinearize_index %[[V13]] into (%[[V4]]) : index, index
// CHECK:     %[[V15:.+]] = affine.load %[[X2]][%[[V14]]#0, %[[V14]]#1] : memref<?x?xf32>
// CHECK:     %[[V16:.+]] = arith.addf %[[V15]], %{{.*}} : f32
// CHECK:     affine.store %[[V16]], %[[B1]][%[[I12]]] : memref<16xf32>
// CHECK:   affine.for %[[I17:.+]] = 0 to 16 {
// CHECK:     %[[B18:.+]] = affine.load %[[B1]][%[[I17]]] : memref<16xf32>
// CHECK:     %[[V19:.+]] = arith.addf %[[B18]], %{{.*}} : f32
// CHECK:     %[[V20:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I11]], %[[I17]])
// CHECK:     %[[V21:.+]]:2 = affine.delinearize_index %[[V20]] into (%[[V4]]) : index, index
// CHECK:     affine.store %[[V19]], %[[B9]][%[[V21]]#0, %[[V21]]#1] : memref<?x?xf32>
// CHECK:   affine.for %[[I22:.+]] = 0 to 16 {
// CHECK:     %[[B23:.+]] = affine.load %[[B1]][%[[I22]]] : memref<16xf32>
// CHECK:     %[[V24:.+]] = arith.addf %[[B23]], %{{.*}} : f32
// CHECK:     affine.store %[[V24]], %[[B0]][%[[I22]]] : memref<16xf32>
// CHECK:   affine.for %[[I25:.+]] = 0 to 16 {
// CHECK:     %[[B26:.+]] = affine.load %[[B0]][%[[I25]]] : memref<16xf32>
// CHECK:     %[[V27:.+]] = arith.addf %[[B26]], %{{.*}} : f32
// CHECK:     %[[V28:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I11]], %[[I25]])
// CHECK:     %[[V29:.+]]:2 = affine.delinearize_index %[[V28]] into (%[[V4]]) : index, index
// CHECK:     affine.store %[[V27]], %[[B10]][%[[V29]]#0, %[[V29]]#1] : memref<?x?xf32>
// CHECK: affine.for %[[I30:.+]] = %[[V6]] to %[[V8]] {
// CHECK:   affine.for %[[I31:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -16 + s0, 16)>(%[[I30]])[%[[V5]]] {
// CHECK:     %[[V32:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I30]], %[[I31]])
// CHECK:     %[[V33:.+]]:2 = affine.delinearize_index %[[V32]] into (%[[V4]]) : index, index
// CHECK:     %[[V34:.+]] = affine.load %[[X2]][%[[V33]]#0, %[[V33]]#1] : memref<?x?xf32>
// CHECK:     %[[V35:.+]] = arith.addf %[[V34]], %{{.*}} : f32
// CHECK:     affine.store %[[V35]], %[[B1]][%[[I31]]] : memref<16xf32>
// CHECK:   affine.for %[[I36:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -16 + s0, 16)>(%[[I30]])[%[[V5]]] {
// CHECK:     %[[B37:.+]] = affine.load %[[B1]][%[[I36]]] : memref<16xf32>
// CHECK:     %[[V38:.+]] = arith.addf %[[B37]], %{{.*}} : f32
// CHECK:     %[[V39:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I30]], %[[I36]])
// CHECK:     %[[V40:.+]]:2 = affine.delinearize_index %[[V39]] into (%[[V4]]) : index, index
// CHECK:     affine.store %[[V38]], %[[B9]][%[[V40]]#0, %[[V40]]#1] : memref<?x?xf32>
// CHECK:   affine.for %[[I41:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -16 + s0, 16)>(%[[I30]])[%[[V5]]] {
// CHECK:     %[[B42:.+]] = affine.load %[[B1]][%[[I41]]] : memref<16xf32>
// CHECK:     %[[V43:.+]] = arith.addf %[[B42]], %{{.*}} : f32
// CHECK:     affine.store %[[V43]], %[[B0]][%[[I41]]] : memref<16xf32>
// CHECK:   affine.for %[[I44:.+]] = 0 to min affine_map<(d0)[s0] -> (d0 * -16 + s0, 16)>(%[[I30]])[%[[V5]]] {
// CHECK:     %[[B45:.+]] = affine.load %[[B0]][%[[I44]]] : memref<16xf32>
// CHECK:     %[[V46:.+]] = arith.addf %[[B45]], %{{.*}} : f32
// CHECK:     %[[V47:.+]] = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%[[I30]], %[[I44]])
// CHECK:     %[[V48:.+]]:2 = affine.delinearize_index %[[V47]] into (%[[V4]]) : index, index
// CHECK:     affine.store %[[V46]], %[[B10]][%[[V48]]#0, %[[V48]]#1] : memref<?x?xf32>
// CHECK: %[[B49:.+]] = bufferization.to_tensor %[[B9]] restrict writable : memref<?x?xf32> to tensor<?x?xf32>
// CHECK: %[[B50:.+]] = bufferization.to_tensor %[[B10]] restrict writable : memref<?x?xf32> to tensor<?x?xf32>
func.func @symbolic_merge(%T0: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %r:2 = fuse.fusion ins(%T0 : tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf32> {
  ^bb0(%in_T0: tensor<?x?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_T0, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_T0, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<?x?xf32>) outs(%e_T1 : tensor<?x?xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T2 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<?x?xf32>) outs(%e_T2 : tensor<?x?xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T3 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<?x?xf32>) outs(%e_T3 : tensor<?x?xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T4 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T3 : tensor<?x?xf32>) outs(%e_T4 : tensor<?x?xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    fuse.yield %T2, %T4 : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}


// The inner extent is symbolic.
// CHECK-LABEL: func.func @symbolic_outer_split(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x?xf32> to memref<?x?xf32>
// CHECK: %[[V1:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V2:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V3:.+]] = arith.addi %[[V2]], %{{.*}} : index
// CHECK: %[[V4:.+]] = arith.divui %[[V3]], %{{.*}} : index
// CHECK: %[[B5:.+]] = memref.alloc(%[[V1]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK: affine.for %[[I6:.+]] = 0 to %[[V1]] {
// CHECK:   %[[V7:.+]] = affine.for %[[I8:.+]] = 0 to 4 iter_args(%[[A9:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[B10:.+]] = memref.alloc(%[[V4]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK:     %[[V11:.+]] = affine.linearize_index [%[[I8]], %{{.*}}] by (%[[V4]]) : index
// CHECK:     affine.for %[[I12:.+]] = 0 to min affine_map<(d0)[s0] -> (s0 ceildiv 4, -d0 + s0)>(%[[V11]])[%[[V2]]] {
// CHECK:       %[[V13:.+]] = affine.load %[[X0]][%[[I6]], %[[I12]] + %[[V11]]] : memref<?x?xf32>
// CHECK:       %[[V14:.+]] = arith.addf %[[V13]], %{{.*}} : f32
// CHECK:       affine.store %[[V14]], %[[B10]][%[[I12]]] : memref<?xf32>
// CHECK:     %[[V15:.+]] = affine.for %[[I16:.+]] = 0 to min affine_map<(d0)[s0] -> (s0 ceildiv 4, -d0 + s0)>(%[[V11]])[%[[V2]]] iter_args(%[[A17:.+]] = %[[A9]]) -> (f32) {
// CHECK:       %[[B18:.+]] = affine.load %[[B10]][%[[I16]]] : memref<?xf32>
// CHECK:       %[[V19:.+]] = arith.addf %[[A17]], %[[B18]] : f32
// CHECK:       affine.yield %[[V19]] : f32
// CHECK:     memref.dealloc %[[B10]] : memref<?xf32>
// CHECK:     affine.yield %[[V15]] : f32
// CHECK:   affine.store %[[V7]], %[[B5]][%[[I6]]] : memref<?xf32>
// CHECK: %[[B20:.+]] = bufferization.to_tensor %[[B5]] restrict writable : memref<?xf32> to tensor<?xf32>
func.func @symbolic_outer_split(%T0: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = fuse.fusion ins(%T0 : tensor<?x?xf32>) -> tensor<?xf32> {
  ^bb0(%in_T0: tensor<?x?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_T0, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_T0, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<?x?xf32>) outs(%e_T1 : tensor<?x?xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, outer), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T2 = tensor.empty(%d_a) : tensor<?xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<?xf32>) -> tensor<?xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<?x?xf32>) outs(%f_T2 : tensor<?xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, outer)>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<?xf32>
    fuse.yield %T2 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
