//===- PopGradientInterface.td - Gradients of ops ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRADIENTINTERFACE
#define IPU_MLIR_DIALECT_POP_IR_POPGRADIENTINTERFACE

include "mlir/IR/OpBase.td"

def Pop_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op that has gradients. Operands that are not floats (indices, seeds) have no
    gradients.
  }];
  let methods = [
    InterfaceMethod<[{
      For each operand, builds the ops that compute the contribution of the results'
      gradients to the operand's gradient, and adds this contribution to the operand's
      gradient. The method requests the forward values that it needs; only requested
      values are kept or recomputed. With some values of its attributes, an op may have no
      gradient. In this case, the method emits an error and fails.
    }], "::llvm::LogicalResult", "buildGradients",
    (ins "::mlir::pop::GradientBuilder &":$builder)>,
  ];
}

/// An op with gradients. In the table of docs/autodiff.md, `text` describes the
/// gradients by one formula for each operand that has a gradient.
class Pop_Gradient<string text>
    : DeclareOpInterfaceMethods<Pop_DifferentiableOpInterface> {
  string gradient = text;
}

/// An op whose gradients are zero. `text` is the reason.
class Pop_ZeroGradient<string text> : NativeOpTrait<"ZeroGradient"> {
  string gradient = "0: " # text;
  let cppNamespace = "::mlir::pop";
}

/// An op that has floats, or refs to floats, as operands and results, but has
/// no gradient. `text` is the reason.
class Pop_NoGradient<string text> : NativeOpTrait<"NoGradient"> {
  string reason = text;
  let cppNamespace = "::mlir::pop";
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRADIENTINTERFACE
