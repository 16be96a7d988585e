//===- IPUInterfaces.td - Interfaces of steps --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUINTERFACES
#define IPU_MLIR_DIALECT_IPU_IR_IPUINTERFACES

include "mlir/IR/OpBase.td"

def IPU_StepOpInterface : OpInterface<"StepOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    A step of a program is an op that takes time and has a row in the profile. Each
    step implements this interface itself. Other libraries attach further interfaces
    to the steps: `StepCostOpInterface` for the cost of a step,
    `StepMemoryOpInterface` for its memory needs, and `ExecutableOpInterface` for its
    execution.
  }];
  let methods = [
    InterfaceMethod<"Returns the estimated cost of the step, or null if it was not "
                    "estimated yet.",
      "::mlir::ipu::StepCostAttr", "getCostAttr">,
    InterfaceMethod<"Sets the estimated cost of the step.",
      "void", "setCostAttr", (ins "::mlir::ipu::StepCostAttr":$cost)>,
    InterfaceMethod<"Returns the category of the step's time in the profile.",
      "::mlir::ipu::StepKind", "getStepKind">,
    InterfaceMethod<"Returns the name of the step in the profile.",
      "::std::string", "getStepName">,
    InterfaceMethod<[{
      Returns the kind of op from which the step comes, such as `pop.conv`.
    }], "::std::string", "getSourceOp">,
    InterfaceMethod<[{
      Returns the name of a host copy, or an empty string. A host copy belongs to no
      op of the source, so it has this name instead of a name in its location.
    }], "::std::string", "getHostCopyName", (ins), [{}], [{
        return ::std::string();
      }]>,
    InterfaceMethod<[{
      Returns whether only the I/O tiles, if the target has any, execute the step
      while all other tiles continue with later steps. The tile mappings of the
      step's operands do not affect this result.
    }], "bool", "isOnIOTilesOnly", (ins), [{}], [{
        return false;
      }]>,
    InterfaceMethod<"Returns the operands that are RNG states from which the step draws.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getRngOperands", (ins),
      [{}], [{
        return {};
      }]>,
  ];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUINTERFACES
