// RUN: ipu-opt %s --sdy-manual-axes-cleanup | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s --check-prefix=PIPE

sdy.mesh @mesh = <["w"=4, "one"=1, "x"=2, "y"=2]>
sdy.mesh @none = <[]>

// What is on an empty mesh is on that of the others then.
// CHECK-LABEL: func.func @empty_meshes(
// CHECK: in_shardings=[<@mesh, [{}], replicated={"x", "y"}>, <@mesh, [{"x"}], replicated={"y"}>] out_shardings=[<@mesh, [{}], replicated={"x", "y"}>] manual_axes={"x", "y"}
func.func @empty_meshes(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@none, [{}]>, <@mesh, [{"x"}]>] out_shardings=[<mesh<[]>, [{}]>]
      manual_axes={"y", "x"} (%p: tensor<8xf32>, %q: tensor<4xf32>) {
    %1 = stablehlo.concatenate %q, %q, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %p, %1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Of an axis that is used in part, the rest is replicated, as one part with what
// was.
// CHECK-LABEL: func.func @parts(
// CHECK: in_shardings=[<@mesh, [{"w":(2)2}], replicated={"w":(1)2}>] out_shardings=[<@mesh, [{}], replicated={"w"}>] manual_axes={"w"}
func.func @parts(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"w":(2)2}]>] out_shardings=[<@mesh, [{}], replicated={"w":(2)2}>]
      manual_axes={"w"} (%p: tensor<4xf32>) {
    %1 = stablehlo.tanh %p : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @inlined(
// CHECK: in_shardings=[<mesh<["x"=2, "y"=2]>, [{"x"}], replicated={"y"}>] out_shardings=[<mesh<["x"=2, "y"=2]>, [{}], replicated={"x", "y"}>] manual_axes={"x", "y"}
func.func @inlined(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<mesh<["x"=2, "y"=2]>, [{"x"}]>] out_shardings=[<@none, [{}]>]
      manual_axes={"y", "x"} (%p: tensor<4xf32>) {
    %1 = stablehlo.tanh %p : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Axes of size 1 are axes.
// CHECK-LABEL: func.func @size_one(
// CHECK: in_shardings=[<@mesh, [{"one", "x"}]>] out_shardings=[<@mesh, [{"x"}], replicated={"one"}>] manual_axes={"one", "x"}
// PIPE-LABEL: func.func @size_one(
// PIPE: in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"one", "x"}
func.func @size_one(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"one", "x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x", "one"} (%p: tensor<4xf32>) {
    %1 = stablehlo.tanh %p : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
