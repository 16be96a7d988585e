//===- EffectDependences.h - Dependences by effects -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the earlier ops after which an op has to stay because of its effects.
// Dependences that follow from others are omitted, so that N ops with E effects
// have O(N + E) dependences, which are found in O(N + E) time.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_EFFECTS_EFFECTDEPENDENCES_H
#define IPU_MLIR_ANALYSIS_EFFECTS_EFFECTDEPENDENCES_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::ipu {

/// The effects of a sequence of ops, which grows at its end. The ops are
/// identified by numbers.
class EffectDependences {
public:
  /// Receives the number of an op after which the added op has to stay. It may
  /// receive a number several times.
  using NotifyFn = function_ref<void(unsigned before)>;

  /// Adds the effects of op number `op`. A number may be added several times in
  /// succession, with different effects.
  void add(unsigned op, const EffectSummary &effects, NotifyFn notify);
  /// Adds a read of `view` of the location by op number `op`.
  void addRead(unsigned op, const MemoryLocation &location,
               const std::optional<StridedView> &view, NotifyFn notify);

private:
  /// An access is the elements of a location that an op reads or writes.
  struct Access {
    unsigned op;
    ElementRegions elements;
  };
  /// The accesses to a location on which later accesses may depend.
  struct History {
    SmallVector<Access, 1> reads, writes;
  };

  void addAccess(unsigned op, const MemoryLocation &location,
                 const MemoryLocationEffects &effects, NotifyFn notify);
  static void addTo(History &history, unsigned op,
                    const MemoryLocationEffects &effects, NotifyFn notify);

  llvm::DenseMap<MemoryLocation, History> histories;
  /// The locations of a resource that have a symbol.
  llvm::DenseMap<SideEffects::Resource *, llvm::SetVector<MemoryLocation>>
      symbolsOf;
  /// The last op with unknown effects, and the ops with effects after it.
  std::optional<unsigned> lastUnknown;
  SmallVector<unsigned> sinceUnknown;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_EFFECTDEPENDENCES_H
