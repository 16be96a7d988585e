// The program of moe-stablehlo.mlir in linalg. Each product is a linalg.contract.
//   ipu-opt --sdy-propagation-pipeline examples/sharding/moe-linalg.mlir
sdy.mesh @mesh = <["data"=2, "expert"=4]>

// Maps of the one-hot tensors: group g, token s, expert e, slot c.
#gs = affine_map<(g, s, e, c) -> (g, s)>
#gsec = affine_map<(g, s, e, c) -> (g, s, e, c)>
// Maps of the products that distribute and collect tokens, with feature m.
#gsec_m = affine_map<(g, s, e, c, m) -> (g, s, e, c)>
#gsm = affine_map<(g, s, e, c, m) -> (g, s, m)>
#egcm = affine_map<(g, s, e, c, m) -> (e, g, c, m)>
// Maps of the products in each expert: input feature i, output feature o.
#egci = affine_map<(e, g, c, i, o) -> (e, g, c, i)>
#eio = affine_map<(e, g, c, i, o) -> (e, i, o)>
#egco = affine_map<(e, g, c, i, o) -> (e, g, c, o)>

func.func public @main(
    %x: tensor<16x32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {?}, {?}]>},
    %expert: tensor<16x32xi32>,
    %slot: tensor<16x32xi32>,
    %gate: tensor<16x32xf32>,
    %w1: tensor<8x64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {?}, {?}]>},
    %w2: tensor<8x128x64xf32>) -> tensor<16x32x64xf32> {
  %zero = arith.constant 0.0 : f32

  // Create the one-hot tensors by one op.
  %0 = tensor.empty() : tensor<16x32x8x6xf32>
  %dispatch = linalg.generic {indexing_maps = [#gs, #gs, #gsec], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expert, %slot : tensor<16x32xi32>, tensor<16x32xi32>) outs(%0 : tensor<16x32x8x6xf32>) {
  ^bb0(%e: i32, %c: i32, %out_element: f32):
    %e_index = arith.index_cast %e : i32 to index
    %c_index = arith.index_cast %c : i32 to index
    %this_e = linalg.index 2 : index
    %this_c = linalg.index 3 : index
    %is_e = arith.cmpi eq, %e_index, %this_e : index
    %is_c = arith.cmpi eq, %c_index, %this_c : index
    %is_here = arith.andi %is_e, %is_c : i1
    %here = arith.uitofp %is_here : i1 to f32
    linalg.yield %here : f32
  } -> tensor<16x32x8x6xf32>
  %1 = tensor.empty() : tensor<16x32x8x6xf32>
  %combine = linalg.generic {indexing_maps = [#gsec, #gs, #gsec], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%dispatch, %gate : tensor<16x32x8x6xf32>, tensor<16x32xf32>) outs(%1 : tensor<16x32x8x6xf32>) {
  ^bb0(%here: f32, %weight: f32, %out_element: f32):
    %weighted = arith.mulf %here, %weight : f32
    linalg.yield %weighted : f32
  } -> tensor<16x32x8x6xf32>

  // Distribute the tokens to the experts.
  %2 = tensor.splat %zero : tensor<8x16x6x64xf32>
  %packed = linalg.contract indexing_maps = [#gsec_m, #gsm, #egcm] ins(%dispatch, %x : tensor<16x32x8x6xf32>, tensor<16x32x64xf32>) outs(%2 : tensor<8x16x6x64xf32>) -> tensor<8x16x6x64xf32>
  %outgoing = sdy.sharding_constraint %packed <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %received = sdy.sharding_constraint %outgoing <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>

  // Compute each expert.
  %3 = tensor.splat %zero : tensor<8x16x6x128xf32>
  %4 = linalg.contract indexing_maps = [#egci, #eio, #egco] ins(%received, %w1 : tensor<8x16x6x64xf32>, tensor<8x64x128xf32>) outs(%3 : tensor<8x16x6x128xf32>) -> tensor<8x16x6x128xf32>
  %5 = tensor.splat %zero : tensor<8x16x6x128xf32>
  %6 = tensor.empty() : tensor<8x16x6x128xf32>
  %hidden = linalg.max ins(%4, %5 : tensor<8x16x6x128xf32>, tensor<8x16x6x128xf32>) outs(%6 : tensor<8x16x6x128xf32>) -> tensor<8x16x6x128xf32>
  %7 = tensor.splat %zero : tensor<8x16x6x64xf32>
  %out = linalg.contract indexing_maps = [#egci, #eio, #egco] ins(%hidden, %w2 : tensor<8x16x6x128xf32>, tensor<8x128x64xf32>) outs(%7 : tensor<8x16x6x64xf32>) -> tensor<8x16x6x64xf32>

  // Collect the results of the tokens.
  %answers = sdy.sharding_constraint %out <@mesh, [{"expert"}, {"data"}, {}, {}]> : tensor<8x16x6x64xf32>
  %returned = sdy.sharding_constraint %answers <@mesh, [{}, {"data", "expert"}, {}, {}]> : tensor<8x16x6x64xf32>
  %8 = tensor.splat %zero : tensor<16x32x64xf32>
  %y = linalg.contract indexing_maps = [#gsec_m, #egcm, #gsm] ins(%combine, %returned : tensor<16x32x8x6xf32>, tensor<8x16x6x64xf32>) outs(%8 : tensor<16x32x64xf32>) -> tensor<16x32x64xf32>
  return %y : tensor<16x32x64xf32>
}
