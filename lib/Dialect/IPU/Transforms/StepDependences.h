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

/// An access of a step, or of an op in it: a read or write of the elements of a
/// variable that `view` selects. The end of the live range of a variable is a
/// write.
struct StepAccess {
  VarOp variable;
  Value view;
  bool isWrite = false;
};

struct StepAccesses {
  SmallVector<StepAccess> list;
  /// Whether the step may have other effects, according to its memory effects:
  /// a call.
  bool isBarrier = false;
  /// Whether the step uses the host, streaming memory or code, which compute
  /// sets and exchanges never do. Such steps keep their order.
  bool usesResources = false;
};

/// Returns the accesses of `op`, and of all ops in it, to variables.
StepAccesses getStepAccesses(Operation *op);

/// Steps with numbered positions, and the steps after which another step must
/// come. The time of a query is nearly independent of the number of steps: of
/// many accesses to one variable, only the latest are compared element by
/// element.
class StepDependences {
public:
  /// Positions may be added in any order.
  void add(int64_t place, const StepAccesses &accesses);

  /// Returns the last position whose step must be before a step with
  /// `accesses`, because one of the two writes an element that the other
  /// accesses. -1 if there is none.
  int64_t getLastConflict(const StepAccesses &accesses) const;
  int64_t getLastConflict(const StepAccess &access) const;

private:
  struct Record {
    int64_t place;
    Value view;
    /// The last position of this record and of all records before it.
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
