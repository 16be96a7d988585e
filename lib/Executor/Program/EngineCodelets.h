//===- EngineCodelets.h - The codelets of a program -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H

#include "BlockLoops.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace mlir::ipu {

/// Describes the arguments that an engine's codelet has after those of the
/// program's codelet if it uses random numbers. Vertices that draw different
/// bits can share a codelet because they differ only in the values of these
/// arguments. The arguments are the following, in this order:
///
/// - the RNG state of the tile, if the codelet draws random bits;
///
/// - two indices that are the members of CounterDraw for the codelet's first
/// draw, if the codelet draws random bits from generator `counter`;
///
/// - indices for the offset and the strides of the region of argument
/// `numbered` in its whole variable, if `numbered` is not -1.
struct RandomArguments {
  /// Whether the codelet has an argument for the RNG state.
  bool draws = false;
  /// The number of the argument for the output whose elements are numbered, or
  /// -1.
  int numbered = -1;
};

/// Replaces ops on random numbers by other ops, and adds the arguments that
/// these need.
FailureOr<RandomArguments> expandRandomOps(CodeletOp codelet,
                                           RngGenerator generator);

/// Returns the number of words that an argument of an engine's codelet has in
/// the row of a vertex. A buffer has its offset, sizes and strides; an index
/// has one word.
inline int64_t getNumColumns(Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  return buffer ? 1 + 2 * buffer.getRank() : 1;
}

/// The number of words of the RNG state in the row of a vertex. The state has
/// rank 2.
constexpr int64_t kRngColumns = 5;
/// The number of words in the row of a vertex for a CounterDraw, which has two
/// members.
constexpr int64_t kDrawColumns = 2;

/// The name of an attribute of a linalg op of an engine's codelet. The
/// attribute states that only later ops of the codelet read the output of the
/// op. The output is undefined after the vertex was executed.
constexpr StringRef kScratchOutputAttrName = "scratch_output";

struct EngineCodelet {
  /// The index of the codelet in EngineCodelets::codelets.
  unsigned number = 0;
  RandomArguments random;
  /// Whether a vertex is known to write all elements of its outputs before it
  /// reads any of these elements.
  bool definesAll = false;
  /// If the body is a loop over blocks of addends: the loop, and the index and
  /// `definesAll` of the codelet without it.
  std::optional<BlockLoop> loop;
  unsigned inBlocks = 0;
  bool definesAllInBlocks = false;
};

/// The codelets of a program in the form that engines execute. Codelets with
/// equal bodies are stored once, named linalg ops are generalised, and engines
/// support all ops.
class EngineCodelets {
public:
  EngineCodelets(MLIRContext *context, RngGenerator generator);

  /// Adds `codelet`. Emits an error if engines do not support it.
  FailureOr<EngineCodelet> add(CodeletOp codelet);

  OwningOpRef<ModuleOp> module;
  std::vector<CodeletOp> codelets;
  /// The text of each of `codelets`, in generic form and without a name.
  std::vector<std::string> texts;

private:
  unsigned addText(CodeletOp codelet);

  RngGenerator generator;
  llvm::DenseMap<Operation *, EngineCodelet> known;
  llvm::StringMap<unsigned> numberOfText;
};

/// Returns whether codelets may have values and buffers with elements of this
/// type.
bool isCodeletScalarType(Type type);

/// The linear expression sum(coefficients[d] * d) + constant over the
/// dimensions d.
struct LinearExpr {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
std::optional<LinearExpr> getLinearExpr(AffineExpr expr, unsigned numDims);

/// A loop of a linalg op on buffers. The loop runs from 0 to the size of
/// dimension `dim` of operand `operand`.
struct LoopRange {
  unsigned operand = 0;
  unsigned dim = 0;
};
SmallVector<LoopRange> getLoopRanges(linalg::LinalgOp op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_ENGINECODELETS_H
