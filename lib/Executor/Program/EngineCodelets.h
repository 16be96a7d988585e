//===- EngineCodelets.h - The codelets of a program -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace mlir::ipu {

/// The additional arguments of an engine's codelet, after the arguments of the
/// program's codelet, if it needs random numbers. First, the RNG state of the
/// tile. Then, for generator `counter`, two indices: the word of the codelet's
/// first draw, and its offset. Then indices for the offset and the strides of
/// the region of an output in its whole variable. Therefore vertices that draw
/// other bits can share a codelet.
struct RandomArguments {
  /// Whether there is an RNG state.
  bool draws = false;
  /// The argument that holds the output, or -1.
  int numbered = -1;
};

/// Replaces ops on random numbers by other ops.
FailureOr<RandomArguments> expandRandomOps(CodeletOp codelet,
                                           RngGenerator generator);

/// The number of words of a vertex's row for an argument of an engine's
/// codelet: offset, sizes and strides of a buffer, or an index.
inline int64_t getNumColumns(Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  return buffer ? 1 + 2 * buffer.getRank() : 1;
}

/// The number of words of the RNG state, which has rank 2.
constexpr int64_t kRngColumns = 5;
/// The number of words for the word and the offset of a draw.
constexpr int64_t kDrawColumns = 2;

/// An attribute of a linalg op of an engine's codelet: only the ops after it
/// read its output, which is undefined after a vertex.
constexpr StringRef kScratchOutputAttrName = "scratch_output";

struct EngineCodelet {
  /// The number of the body.
  unsigned number = 0;
  RandomArguments random;
  /// Whether a vertex certainly writes all elements of its outputs before it
  /// reads any of them.
  bool definesAll = false;
};

/// Codelets for engines: equal bodies occur once, named linalg ops are
/// generalised, and all ops are supported by engines.
class EngineCodelets {
public:
  EngineCodelets(MLIRContext *context, RngGenerator generator);

  /// Emits a diagnostic if no engine can run `codelet`.
  FailureOr<EngineCodelet> add(CodeletOp codelet);

  OwningOpRef<ModuleOp> module;
  std::vector<CodeletOp> codelets;
  /// In generic form, without names.
  std::vector<std::string> texts;

private:
  RngGenerator generator;
  llvm::DenseMap<Operation *, EngineCodelet> known;
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

/// The loops of a linalg op on buffers. Each runs from 0 to a dimension of an
/// operand.
struct LoopRange {
  unsigned operand = 0;
  unsigned dim = 0;
};
SmallVector<LoopRange> getLoopRanges(linalg::LinalgOp op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H
