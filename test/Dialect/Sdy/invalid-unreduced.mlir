// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// Collectives keep what is unreduced, and of which kind, unless it is what they
// reduce along.

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @gathered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // expected-error @+1 {{'sdy.all_gather' op cannot remove unreduced axis "y" of kind sum}}
  %1 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @sliced(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"y"}>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"x"}, {}], unreduced=max{"y"}> : tensor<8x8xf32>
  // expected-error @+1 {{'sdy.all_slice' op cannot change the kind of unreduced axis "y" from max to min}}
  %1 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"x"}, {}], unreduced=min{"y"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @sliced_first(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{'sdy.all_slice' op cannot introduce unreduced axis "y" of kind sum}}
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @moved(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
  // expected-error @+1 {{'sdy.all_to_all' op cannot remove unreduced axis "y":(2)2 of kind sum}}
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@m, [{}, {"x"}], unreduced={"y":(1)2}> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[1, 2, 3, 0]>
func.func @permuted(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) {
  %0 = sdy.collective_permute %a out_sharding=<@turned, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  // expected-error @+1 {{'sdy.collective_permute' op cannot remove unreduced axis "y" of kind sum}}
  %1 = sdy.collective_permute %a out_sharding=<@turned, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @one = <[], device_ids=[1]>
sdy.mesh @two = <[], device_ids=[2]>
func.func @moved_to_another_device(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  // expected-error @+1 {{cannot move a tensor of one device to another: result mesh is #sdy.mesh<[], device_ids=[2]> but operand mesh is #sdy.mesh<[], device_ids=[1]>}}
  %0 = sdy.collective_permute %a out_sharding=<@two, []> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @reduced(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  %1 = sdy.all_reduce {"x", "y":(1)2} %a out_sharding=<@m, [{}, {}], unreduced={"y":(2)2}> : tensor<8x8xf32>
  %2 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // expected-error @+1 {{'sdy.all_reduce' op cannot remove unreduced axis "y" that it does not reduce along}}
  %3 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @scattered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x", "y"}>}) {
  %0 = sdy.reduce_scatter max [{}, {"x"}] %a out_sharding=<@m, [{}, {"x"}], unreduced=max{"y"}> : tensor<8x8xf32>
  // expected-error @+1 {{'sdy.reduce_scatter' op cannot remove unreduced axis "y":(2)2 that it does not reduce along}}
  %1 = sdy.reduce_scatter max [{"y":(1)2}, {"x"}] %a out_sharding=<@m, [{"y":(1)2}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=4]>
func.func @more_parts(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}], unreduced=max{"x"}>}) {
  // expected-error @+1 {{'sdy.sharded_to_unreduced' op cannot change the kind of unreduced axis "x" from max to sum}}
  %0 = sdy.sharded_to_unreduced [{"y"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return
}
