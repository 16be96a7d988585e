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
    An op that moves the code of functions. Before this op, the memory to which it moves
    code does not need to hold the code: the code is not needed there after the last call,
    or the last copy from this memory, that precedes the op.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the functions that can be called after this op, because the op moves their
      code to executable memory. The list is empty if the op moves code to other memory.
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
