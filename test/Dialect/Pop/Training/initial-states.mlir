// RUN: ipu-opt %s --pop-add-optimizer | FileCheck %s

// A state starts from values in a resource as from dense ones: 1.5 and -2.0 in
// f16.
//
// CHECK: pop.default = dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>, pop.name = "Master___w"
func.func @main(%w: tensor<2xf16> {pop.name = "w", pop.default = dense_resource<values> : tensor<2xf16>})
    -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<argument 0>}) attributes {pop.optimizer = #pop.optimizer<sgd0, master = true>} {
  return %w : tensor<2xf16>
}

{-#
  dialect_resources: {
    builtin: {
      values: "0x02000000003E00C0"
    }
  }
#-}
