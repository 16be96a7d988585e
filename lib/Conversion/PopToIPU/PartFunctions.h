//===- PartFunctions.h - Equal parts of ops as calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The serial parts of an op are mostly equal but for the elements that they
// read. As calls of one function, their code is on the tiles once.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_CONVERSION_POPTOIPU_PARTFUNCTIONS_H
#define IPU_MLIR_LIB_CONVERSION_POPTOIPU_PARTFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ipu {

/// Computes what `result`, a concatenation of parts, is used for alone in each
/// of the parts, as far as that gives the same bits: sums of other dimensions
/// and roundings to nearest.
void sinkUsesIntoParts(Value result);

class PartFunctions {
public:
  explicit PartFunctions(ModuleOp module) : symbols(module) {}

  /// Makes equal ones of `parts`, the ops that one op of a function was split
  /// into, calls of one function, together with what is computed of their
  /// results alone. What the parts are concatenated to is written call by call.
  void share(ArrayRef<Operation *> parts);

  int64_t getNumFunctions() const { return numFunctions; }

private:
  func::FuncOp create(func::FuncOp caller, ArrayRef<Operation *> ops);

  SymbolTable symbols;
  int64_t numFunctions = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_CONVERSION_POPTOIPU_PARTFUNCTIONS_H
