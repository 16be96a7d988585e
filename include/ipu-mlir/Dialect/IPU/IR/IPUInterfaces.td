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
    A step of a program: an op that takes time, and is a row of the profile.
    This interface is what a step knows by itself. `StepCostOpInterface`,
    `StepMemoryOpInterface` and `ExecutableOpInterface`, which other libraries
    attach to it, give its cost, its memory needs and its execution.
  }];
  let methods = [
    InterfaceMethod<"Returns the estimated cost, null before `ipu-estimate-cost`.",
      "::mlir::ipu::StepCostAttr", "getCostAttr">,
    InterfaceMethod<"Sets the estimated cost.",
      "void", "setCostAttr", (ins "::mlir::ipu::StepCostAttr":$cost)>,
    InterfaceMethod<"Returns what the profile counts the time of the step as.",
      "::mlir::ipu::StepKind", "getStepKind">,
    InterfaceMethod<"Returns what the profile calls the step.",
      "::std::string", "getStepName">,
    InterfaceMethod<[{
      Returns whether I/O tiles, if there are any, do the step while all others go
      on, wherever its operands are.
    }], "bool", "isOnIOTilesOnly", (ins), [{}], [{
        return false;
      }]>,
    InterfaceMethod<"Returns the operands that are RNG states the step draws from.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getRngOperands", (ins),
      [{}], [{
        return {};
      }]>,
  ];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUINTERFACES
