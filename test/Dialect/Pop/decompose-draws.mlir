// RUN: ipu-opt %s -pop-decompose | FileCheck %s

// What may round of the parts of an op has its number, and a part of its own; a
// copy and what is computed in f32 have none.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: pop.draw
// CHECK: pop.cast {{.*}} {pop.draw = #pop.draw<7, part = 2, offset = -3>} : tensor<3x3x5xf32> to tensor<3x3x5xf16>
// CHECK-NOT: pop.draw
// CHECK: pop.cast {{.*}} {pop.draw = #pop.draw<7, part = 3, offset = -3>} : tensor<3x5xf32> to tensor<3x5xf16>
// CHECK-NOT: pop.draw
// CHECK-LABEL: func.func @in_place
// CHECK: pop.add {{.*}} {pop.draw = #pop.draw<8>}
// CHECK-NEXT: pop.copy_ %{{[a-z0-9]+}}, %{{[0-9]+}} :
// CHECK: pop.add {{.*}} : tensor<2xf16>
func.func @matmul(%a: tensor<3x50xf16>, %b: tensor<50x5xf16>) -> tensor<3x5xf16> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 20, lanes = 1, partials = f16>, pop.draw = #pop.draw<7, part = 2, offset = -3>} : (tensor<3x50xf16>, tensor<50x5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}
func.func @in_place(%r: !pop.ref<2xf16>, %a: tensor<2xf16>) {
  pop.add_ %r, %a {pop.draw = #pop.draw<8>} : !pop.ref<2xf16>, tensor<2xf16>
  pop.add_ %r, %a : !pop.ref<2xf16>, tensor<2xf16>
  return
}
