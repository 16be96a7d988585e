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
    An op that moves the code of functions to a memory. The op overwrites the code of
    these functions in this memory. The old code of such a function is therefore needed
    only until its last use before the op. A use is a call of the function, or an op that
    copies the function's code from this memory.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the functions whose code the op moves to executable memory, so that they can
      be called after the op. The list is empty if the op moves code to other memory.
    }], "::llvm::SmallVector<::mlir::SymbolRefAttr>", "getLoadedGraphs">,
    InterfaceMethod<"Returns the functions whose code the op moves to `location`.",
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
