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
/// a function occur once in the order of steps, before the function's first
/// call, although every call executes them. Therefore a variable that is live
/// across a call is live from the first step of the called function.
class SharedLiveRanges {
public:
  /// The next steps, in the order of steps, belong to a new function, until
  /// endFunction() names it. Functions are nested in the order of their first
  /// calls: a callee begins and ends inside of its caller. `isPrivate` returns
  /// whether only the function and its callees use a storage.
  void beginFunction(int64_t step);
  void endFunction(Operation *function,
                   function_ref<bool(unsigned variable)> isPrivate);
  /// The steps from beginLoop(step) to endLoop(last) form a loop: each of them
  /// may be executed again after the other steps of the loop.
  void beginLoop(int64_t step);
  void endLoop(int64_t last);

  /// Records that `step` may use the storage `variable`. If `overwrites` is
  /// set, each execution of the function executes the step, and the step writes
  /// all elements and reads none.
  void use(unsigned variable, int64_t step, bool overwrites = false);
  /// Records that `step` calls a function whose steps were already added. If
  /// `isAlways` is set, each execution of the caller executes the call.
  void call(Operation *callee, int64_t step, bool isAlways);

  /// Sets the live range of each storage that a step uses. Extends the live
  /// ranges of all variables that are live across calls.
  void finish(MutableArrayRef<MemoryVariable> variables) const;

private:
  using Variables = llvm::SetVector<unsigned>;
  struct Function {
    /// The first step of this function and of its callees.
    int64_t first = 0;
    /// The storage that this function and its callees use, and the part of it
    /// whose first use overwrites it. Storage that is private to this function
    /// and overwritten keeps nothing between calls, so that callers do not use
    /// it.
    Variables uses;
    llvm::DenseSet<unsigned> overwritten;
    /// The first step of the outermost loop that is not yet ended.
    int64_t loopBegin = 0;
    unsigned loopDepth = 0;
    Variables usesInLoop;
  };
  struct Call {
    int64_t step, first;
  };

  std::vector<Function> stack;
  llvm::DenseMap<Operation *, Function> functions;
  /// The calls in the order of steps.
  std::vector<Call> calls;
  llvm::DenseMap<unsigned, std::pair<int64_t, int64_t>> hulls;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_SHAREDLIVERANGES_H
