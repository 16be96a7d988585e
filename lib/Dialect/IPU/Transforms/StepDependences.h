//===- StepDependences.h - Dependences between steps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPDEPENDENCES_H
#define IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPDEPENDENCES_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include <vector>

namespace mlir::ipu {

/// An access of a step: a read or a write of the elements of `variable` that
/// `view` selects. The end of the live range of a variable counts as a write.
struct StepAccess {
  VarOp variable;
  Value view;
  bool isWrite = false;
};

struct StepAccesses {
  SmallVector<StepAccess> list;
  /// Whether the step may have other memory effects, as calls have.
  bool isBarrier = false;
  /// Whether the step uses the host, streaming memory or code. Compute sets and
  /// exchanges never use these. Steps that use them keep their order.
  bool usesResources = false;
};

/// Returns the accesses to variables of `op` and of all ops in its regions.
StepAccesses getStepAccesses(Operation *op);

/// Finds dependences between steps. Each step has a position: its number in the
/// order of the steps. The time of a query is nearly independent of the number
/// of steps, because only the latest accesses to a variable are compared
/// element by element.
class StepDependences {
public:
  /// Adds a step with the given position and accesses. Positions may be added
  /// in any order.
  void add(int64_t place, const StepAccesses &accesses);

  /// Returns the last position whose step conflicts with `accesses`, or -1 if
  /// there is none. Two steps conflict if one step writes an element that the
  /// other step accesses.
  int64_t getLastConflict(const StepAccesses &accesses) const;
  int64_t getLastConflict(const StepAccess &access) const;

private:
  struct Record {
    int64_t place;
    Value view;
    /// The greatest position among this record and all records before it.
    int64_t lastPosition;
  };
  using Records = std::vector<Record>;
  static void findConflict(const Records &records, Value view, int64_t &last);

  llvm::DenseMap<Operation *, Records> reads, writes;
  int64_t lastBarrier = -1;
  int64_t lastPosition = -1;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPDEPENDENCES_H
