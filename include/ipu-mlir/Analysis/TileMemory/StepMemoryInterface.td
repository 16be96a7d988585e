//===- StepMemoryInterface.td - Memory needs of steps ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE
#define IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE

include "mlir/IR/OpBase.td"

def StepMemoryOpInterface : OpInterface<"StepMemoryOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op of a program that says what it needs of the memory of tiles: a step, or
    an op that begins or ends the live range of a variable. The ops of the ipu
    dialect do so by models that `registerStepMemoryModels` attaches.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds what the op needs to the memory problem of its program. Emits an error
      if something that it depends on is missing.
    }], "::llvm::LogicalResult", "addToMemoryProblem",
      (ins "::mlir::ipu::ProblemReader &":$reader)>,
  ];
}

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE
