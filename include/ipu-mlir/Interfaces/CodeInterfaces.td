//===- CodeInterfaces.td - Interfaces of ops that move code ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_CODEINTERFACES
#define IPU_MLIR_INTERFACES_CODEINTERFACES

include "mlir/IR/OpBase.td"

def CodeLoadOpInterface : OpInterface<"CodeLoadOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that moves the code of functions. The code that it brings to a memory
    of the tiles was not needed there since its last call, or its last copy from
    there.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the functions that can be called after this op: those whose code it
      brings to executable memory. Empty if it moves code elsewhere.
    }], "::llvm::SmallVector<::mlir::SymbolRefAttr>", "getLoadedGraphs">,
    InterfaceMethod<"Returns the functions whose code the op brings to `location`.",
      "::llvm::SmallVector<::mlir::SymbolRefAttr>", "getWrittenGraphs",
      (ins "::mlir::ipu::CodeLocation":$location), [{}], [{
        if (location != ::mlir::ipu::CodeLocation::Executable)
          return {};
        return $_op.getLoadedGraphs();
      }]>,
    InterfaceMethod<"Returns the functions whose code the op copies from `location`.",
      "::llvm::SmallVector<::mlir::SymbolRefAttr>", "getReadGraphs",
      (ins "::mlir::ipu::CodeLocation":$location), [{}], [{
        return {};
      }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_CODEINTERFACES
