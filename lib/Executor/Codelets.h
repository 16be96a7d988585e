//===- Codelets.h - The codelets of a program ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CODELETS_H
#define IPU_MLIR_LIB_EXECUTOR_CODELETS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace mlir::ipu {

/// Codelets as engines get them: equal bodies once, named linalg ops
/// generalised, and nothing in them that an engine does not know.
class EngineCodelets {
public:
  explicit EngineCodelets(MLIRContext *context);

  /// The number of `codelet`'s body. Emits a diagnostic if no engine can run
  /// it.
  FailureOr<unsigned> add(CodeletOp codelet);

  OwningOpRef<ModuleOp> module;
  std::vector<CodeletOp> codelets;

private:
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::StringMap<unsigned> numberOfText;
};

/// Whether codelets may have values and buffers with elements of this type.
bool isCodeletScalarType(Type type);

/// sum of coefficients[d] * d + constant.
struct LinearExpr {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
std::optional<LinearExpr> getLinearExpr(AffineExpr expr, unsigned numDims);

/// The loops of a linalg op on buffers: each runs from 0 to a dimension of an
/// operand.
struct LoopRange {
  unsigned operand = 0;
  unsigned dim = 0;
};
SmallVector<LoopRange> getLoopRanges(linalg::LinalgOp op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CODELETS_H
