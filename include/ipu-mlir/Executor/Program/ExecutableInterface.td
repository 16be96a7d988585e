//===- ExecutableInterface.td - Execution interface of ops --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE
#define IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE

include "mlir/IR/OpBase.td"

def ExecutableOpInterface : OpInterface<"ExecutableOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that the executor can run as a part of a program. `registerExecutableModels`
    attaches an implementation of this interface to each op of the ipu dialect.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds to the program the nodes that execute the op, and checks all conditions for
      the execution of these nodes. Emits an error if the op cannot be executed.
    }], "::llvm::LogicalResult", "addToProgram",
      (ins "::mlir::ipu::ProgramReader &":$reader)>,
  ];
}

#endif // IPU_MLIR_EXECUTOR_PROGRAM_EXECUTABLEINTERFACE
