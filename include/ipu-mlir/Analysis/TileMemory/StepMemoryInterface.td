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
    An interface of ops that determine how much tile memory a program needs: steps,
    and ops that begin or end the live range of a variable.
    `registerStepMemoryModels` attaches an implementation of this interface to these
    ops of the ipu dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds the memory needs of the op to the memory problem of its program. The
      memory problem is the input of memory allocation. Emits an error if required
      information is missing.
    }], "::llvm::LogicalResult", "addToMemoryProblem",
      (ins "::mlir::ipu::ProblemReader &":$reader)>,
  ];
}

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE
