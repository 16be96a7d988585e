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

/// In which steps the variables of several functions are live. The steps of a
/// function have one position in the order of steps, before the first call of
/// it, though they run at every call: what is live across a call is live from
/// there on.
class SharedLiveRanges {
public:
  /// What comes next, in the order of steps, is of this function. Functions
  /// nest as their first calls do.
  void beginFunction(int64_t step);
  void endFunction(Operation *function);
  /// Up to `endLoop(last)`, steps may run again after others of the loop.
  void beginLoop(int64_t step);
  void endLoop(int64_t last);

  /// Storage `variable` may be used in `step`.
  void use(unsigned variable, int64_t step);
  /// `step` calls a function that has ended.
  void call(Operation *callee, int64_t step);

  /// Sets the live ranges of used storage, and extends those of all variables
  /// that are live across calls.
  void finish(MutableArrayRef<MemoryVariable> variables) const;

private:
  using Variables = llvm::SetVector<unsigned>;
  struct Function {
    /// The first step of this function and of all that it calls.
    int64_t first = 0;
    Variables uses;
    /// Of the outermost loop.
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
