//===- SharedLiveRanges.h - Live ranges across functions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_SHAREDLIVERANGES_H
#define IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_SHAREDLIVERANGES_H

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {

/// Computes the live ranges of the variables of several functions. The steps of
/// a function have one position in the order of steps, before its first call,
/// although they are executed at every call. Therefore a variable that is live
/// across a call is live from this position.
class SharedLiveRanges {
public:
  /// The next steps, in the order of steps, belong to this function. Functions
  /// are nested like their first calls.
  void beginFunction(int64_t step);
  void endFunction(Operation *function);
  /// The steps up to `endLoop(last)` may be executed again after other steps of
  /// the loop.
  void beginLoop(int64_t step);
  void endLoop(int64_t last);

  /// Storage `variable` may be used in `step`.
  void use(unsigned variable, int64_t step);
  /// `step` calls a function that was read before.
  void call(Operation *callee, int64_t step);

  /// Sets the live ranges of storage that is used, and extends those of all
  /// variables that are live across calls.
  void finish(MutableArrayRef<MemoryVariable> variables) const;

private:
  using Variables = llvm::SetVector<unsigned>;
  struct Function {
    /// The first step of this function and of its callees.
    int64_t first = 0;
    Variables uses;
    /// The start of the outermost loop.
    int64_t loopBegin = 0;
    unsigned loopDepth = 0;
    Variables usesInLoop;
  };
  struct Call {
    int64_t step, first;
  };

  std::vector<Function> stack;
  llvm::DenseMap<Operation *, Function> functions;
  /// In order of steps.
  std::vector<Call> calls;
  llvm::DenseMap<unsigned, std::pair<int64_t, int64_t>> hulls;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_SHAREDLIVERANGES_H
