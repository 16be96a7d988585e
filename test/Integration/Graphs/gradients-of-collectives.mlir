// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-autodiff{func=max},pop-autodiff{func=part},pop-autodiff{func=broadcast},pop-to-ipu-pipeline,ipu-execute)" -o /dev/null

// Gradients of the sum of the losses of 4 replicas, with ones as the gradients of
// the results on all of them.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {

// Equal values of the replicas of a group share the gradient.
func.func private @max(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.all_reduce max %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @max_backward(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

// The last replica has a part that is not in the tensor.
func.func private @part(%x: tensor<3xf32>) -> tensor<1xf32> {
  %0 = pop.replica_slice %x : tensor<3xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @part_backward(tensor<1xf32>) -> tensor<3xf32>

func.func private @broadcast(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.broadcast %x {root = 2 : i64} : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @broadcast_backward(tensor<f32>) -> tensor<f32>

func.func @main() {
  %replica = pop.replica_index : tensor<i32>
  // Replicas 0 and 2 have [1, 2] and [3, 2].
  %values = pop.constant dense<[[1.0, 2.0], [0.0, 0.0], [3.0, 2.0], [0.0, 0.0]]> : tensor<4x2xf32>
  %x = pop.gather %values, %replica : (tensor<4x2xf32>, tensor<i32>) -> tensor<2xf32>
  %ones = pop.constant dense<1.0> : tensor<2xf32>
  %dx = call @max_backward(%ones, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %all = pop.all_gather %dx : tensor<2xf32> to tensor<8xf32>
  pop.expect_eq %all, dense<[0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]> : tensor<8xf32>

  %one = pop.constant dense<1.0> : tensor<1xf32>
  %dpart = call @part_backward(%one) : (tensor<1xf32>) -> tensor<3xf32>
  %parts = pop.all_gather %dpart : tensor<3xf32> to tensor<12xf32>
  pop.expect_eq %parts, dense<[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]> : tensor<12xf32>

  %scalar = pop.constant dense<1.0> : tensor<f32>
  %droot = call @broadcast_backward(%scalar) : (tensor<f32>) -> tensor<f32>
  %wide = pop.reshape %droot : tensor<f32> to tensor<1xf32>
  %roots = pop.all_gather %wide : tensor<1xf32> to tensor<4xf32>
  pop.expect_eq %roots, dense<[0.0, 0.0, 4.0, 0.0]> : tensor<4xf32>
  return
}
}
