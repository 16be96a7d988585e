//===- Collective.h - Collectives of a program ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An `ipu.collective` op in the form that the executor uses: all attributes are
// numbers. Run/ComputeCollective.h executes it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_COLLECTIVE_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_COLLECTIVE_H

#include "../Support/ScalarValues.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include <optional>
#include <vector>

namespace mlir::ipu {

/// The type of the elements of a tensor. The signedness of integers only
/// affects minima, maxima and means.
struct CollectiveElements {
  ScalarKind kind = ScalarKind::F32;
  bool isUnsigned = false;

  int64_t getBytes() const { return getScalarBytes(kind); }
};

/// The stochastic rounding of the results.
struct CollectiveRounding {
  RoundedFormat format;
  RoundingOverflow overflow = RoundingOverflow::NaN;
  /// The draw of the random bits. Only generator `counter` uses it.
  CounterDraw draw = {};
};

struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// The reduction of all_reduce and reduce_scatter.
  CollectiveOperator operation = CollectiveOperator::Local;
  CollectiveElements elements;
  ReplicaGroups groups = ReplicaGroups::getAll(1);
  SmallVector<int64_t> sourceShape, targetShape;
  /// The axis of all_gather and reduce_scatter, or the axis that all_to_all
  /// splits.
  int64_t axis = 0;
  int64_t concatAxis = 0;
  /// For broadcast: the replica whose tensor is sent, as an index in the group.
  int64_t root = 0;
  /// For permute: for each replica, the replica that sends its tensor to it, or
  /// -1 if there is none.
  std::vector<int64_t> sources;
  std::optional<CollectiveRounding> rounding;
};

/// Returns ceil(size / parts), the size of each part of an axis. The last part
/// is padded.
inline int64_t getPartSize(int64_t size, int64_t parts) {
  return size / parts + (size % parts != 0);
}

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_COLLECTIVE_H
