//===- PopComputeInterface.td - Ops that may compute in f16 *- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPCOMPUTEINTERFACE
#define IPU_MLIR_DIALECT_POP_IR_POPCOMPUTEINTERFACE

include "mlir/IR/OpBase.td"

def Pop_ComputeOpInterface : OpInterface<"ComputeOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op that consists of several operations on floats. The attribute `compute` of the
    op is the element type of their results: f16, or absent. Without `compute`, the
    operations on floats narrower than f32 are in f32, and only the result of the op is
    rounded. Decomposition consumes the attribute: the types of the ops that replace the
    op say in which type they compute. Sums are always accumulated in f32.
  }];
  let methods = [
    InterfaceMethod<"Returns the attribute, or null.", "::mlir::TypeAttr",
                    "getComputeAttr">,
    InterfaceMethod<"Sets the attribute.", "void", "setComputeAttr",
      (ins "::mlir::TypeAttr":$compute)>,
    InterfaceMethod<[{
      Returns the element type in which the op computes: `compute` or, without
      `compute`, f32 for narrower floats and otherwise the element type.
    }], "::mlir::Type", "getTypeOfComputation", (ins), [{}], [{
      return ::mlir::pop::detail::getTypeOfComputation(
          $_op.getComputeAttr(), $_op.getInput().getType().getElementType());
    }]>,
  ];
  let verify = [{
    return ::mlir::pop::detail::verifyCompute(
        $_op, ::llvm::cast<ConcreteOp>($_op).getComputeAttr(),
        ::llvm::cast<ConcreteOp>($_op).getInput().getType().getElementType());
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPCOMPUTEINTERFACE
