//===- PopGradientInterface.td - Gradients of ops -----------*- tablegen -*-===//
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
    An op that has gradients. Operands that are no floats (indices, seeds) have
    none.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds what the gradients of the results contribute to those of the operands
      and adds it to these. Forward values that this takes are asked for, and only
      those are kept or computed again. Fails after a located error where the op
      with these attributes has no gradient.
    }], "::llvm::LogicalResult", "buildGradients",
    (ins "::mlir::pop::GradientBuilder &":$builder)>,
  ];
}

/// An op with gradients. `text` says what they are for the table of
/// docs/autodiff.md: one formula for each operand that has one.
class Pop_Gradient<string text>
    : DeclareOpInterfaceMethods<Pop_DifferentiableOpInterface> {
  string gradient = text;
}

/// An op whose gradients are zero. `text` says why.
class Pop_ZeroGradient<string text> : NativeOpTrait<"ZeroGradient"> {
  string gradient = "0: " # text;
  let cppNamespace = "::mlir::pop";
}

/// An op that has floats as operands and results, or refs of them, and has no
/// gradient. `text` says why.
class Pop_NoGradient<string text> : NativeOpTrait<"NoGradient"> {
  string reason = text;
  let cppNamespace = "::mlir::pop";
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRADIENTINTERFACE
