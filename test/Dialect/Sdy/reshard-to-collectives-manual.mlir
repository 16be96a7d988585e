// RUN: ipu-opt %s --sdy-reshard-to-collectives | FileCheck %s

sdy.mesh @four = <["a"=2, "b"=2, "c"=2, "d"=2]>

// No shards are sliced along an axis along which a computation, or one that calls the
// function, is manual.
// CHECK-LABEL: func @manual_along_the_other_axis
func.func @manual_along_the_other_axis(%a: tensor<48x48xf32> {sdy.sharding = #sdy.sharding<@four, [{"c", "b", "a"}, {}]>}) -> tensor<48x48xf32> {
  // CHECK: sdy.manual_computation
  // CHECK-NOT: all_slice {{.*}}"c"
  // CHECK: sdy.return
  %0 = sdy.manual_computation(%a) in_shardings=[<@four, [{"c", "b", "a"}, {}]>] out_shardings=[<@four, [{"c", "a"}, {"d", "b"}]>] manual_axes={"c"} (%b: tensor<24x48xf32>) {
    %1 = sdy.reshard %b <@four, [{"b", "a"}, {}]> : tensor<24x48xf32>
    %2 = sdy.reshard %1 <@four, [{"a"}, {"d", "b"}]> : tensor<24x48xf32>
    %3 = func.call @called(%2) : (tensor<24x48xf32>) -> tensor<24x48xf32>
    sdy.return %2 : tensor<24x48xf32>
  } : (tensor<48x48xf32>) -> tensor<48x48xf32>
  return %0 : tensor<48x48xf32>
}

// CHECK-LABEL: func private @called
func.func private @called(%a: tensor<24x48xf32>) -> tensor<24x48xf32> {
  // CHECK-NOT: all_slice {{.*}}"c"
  // CHECK: return
  %0 = sdy.reshard %a <@four, [{"b", "a"}, {}]> : tensor<24x48xf32>
  %1 = sdy.reshard %0 <@four, [{"a"}, {"d", "b"}]> : tensor<24x48xf32>
  return %1 : tensor<24x48xf32>
}
