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

/// A step, or an op in it, reads or writes what `view` shows of a variable. The
/// end of a variable's live range is a write.
struct StepAccess {
  VarOp variable;
  Value view;
  bool isWrite = false;
};

struct StepAccesses {
  SmallVector<StepAccess> list;
  /// Does more than that, as far as its memory effects tell: a call.
  bool isBarrier = false;
  /// Uses the host, streaming memory or code, which no compute set or exchange
  /// does: it stays in order with others that do.
  bool usesResources = false;
};

/// What `op`, with all that it holds, does to variables.
StepAccesses getStepAccesses(Operation *op);

/// Steps in numbered places, and which of them another step has to come after.
/// A question takes about the same time however many steps there are: of many
/// accesses to one variable only the latest are looked at closely.
class StepDependences {
public:
  /// Places may be named in any order.
  void add(int64_t place, const StepAccesses &accesses);

  /// The last position whose step has to be before one with `accesses`: one of
  /// both writes an element that the other touches. -1 if there is none.
  int64_t getLastConflict(const StepAccesses &accesses) const;
  int64_t getLastConflict(const StepAccess &access) const;

private:
  struct Record {
    int64_t place;
    Value view;
    /// The last position of this record and all before it.
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
