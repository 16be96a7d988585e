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

/// What an engine's codelet has after the arguments of the program's, if it
/// needs random numbers: the state of the tile's generators; then, of counters,
/// indices that are the word of the codelet's first draw and its offset; then
/// indices that are the offset and the strides of an output's region in its
/// whole variable. So vertices that draw other bits share a codelet.
struct RandomArguments {
  /// Whether there is a state.
  bool draws = false;
  /// The argument that has the output, or -1.
  int numbered = -1;
};

/// Writes ops on random numbers as others.
FailureOr<RandomArguments> expandRandomOps(CodeletOp codelet,
                                           RngGenerator generator);

/// Words that a vertex's row has for an argument of an engine's codelet:
/// offset, sizes and strides of a buffer, or an index.
inline int64_t getNumColumns(Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  return buffer ? 1 + 2 * buffer.getRank() : 1;
}

/// Those of the RNG state, which has rank 2.
constexpr int64_t kRngColumns = 5;
/// Those of the word and the offset of a draw.
constexpr int64_t kDrawColumns = 2;

/// Attribute of a linalg op of an engine's codelet: nothing but the ops after
/// it reads its output, which is undefined after a vertex.
constexpr StringRef kScratchOutputAttrName = "scratch_output";

struct EngineCodelet {
  /// Of the body.
  unsigned number = 0;
  RandomArguments random;
  /// Whether a vertex surely writes all elements of its outputs before it reads
  /// any of them.
  bool definesAll = false;
};

/// Codelets as engines get them: equal bodies once, named linalg ops
/// generalised, and nothing in them that an engine does not know.
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

/// The loops of a linalg op on buffers: each runs from 0 to a dimension of an
/// operand.
struct LoopRange {
  unsigned operand = 0;
  unsigned dim = 0;
};
SmallVector<LoopRange> getLoopRanges(linalg::LinalgOp op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H
