//===- ReplicaEqualInterfaces.h - Replica-equal interfaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops with a replica-equal rule. If all inputs of an op
// without a rule are equal on some replicas, the results of the op are also
// equal on these replicas. See docs/replica-equal.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H

#include "ipu-mlir/Replica/ReplicaPartition.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::ipu {

/// The state that a symbol declares. If `part` is set, only the part of the
/// state with this number. For example, the parts of a remote buffer are its
/// rows.
struct ReplicaState {
  SymbolRefAttr symbol;
  std::optional<int64_t> part;
};

/// An access of an op to state. A write replaces the accessed part. If it is
/// not known which part the op accesses, the write may replace any of the
/// parts, but only one of them.
struct ReplicaStateUse {
  ReplicaState state;
  bool reads = false, writes = false;
  /// If `state.part` does not select the part, the number of the operand that
  /// selects it. The operand is an integer or a tensor with one element.
  std::optional<unsigned> partOperand = std::nullopt;
};

struct ReplicaStateStart {
  ReplicaState state;
  ReplicaPartition partition;
  /// Whether the state has `partition` at the start of each run, whatever the
  /// previous run has written.
  bool isEachRun = false;
};

/// The context of replica-equal rules. It caches results that are expensive to
/// compute.
class ReplicaEqualContext {
public:
  explicit ReplicaEqualContext(int64_t numReplicas) : partitions(numReplicas) {}

  ReplicaPartitions partitions;

  /// Returns the groups of `attr`. Calls `resolve` once for each attribute.
  /// Returns null if `resolve` fails; an error was then reported, and
  /// hasFailed() holds.
  const ReplicaGroups *
  getGroups(Attribute attr, function_ref<FailureOr<ReplicaGroups>()> resolve);

  /// Returns the result of `rule`. Calls `rule` once for each combination of
  /// `name`, `attr`, `number` and `input`, which must determine the result
  /// completely.
  ReplicaPartition getCached(StringLiteral name, Attribute attr, int64_t number,
                             ReplicaPartition input,
                             function_ref<ReplicaPartition()> rule);

  void setFailed() { failed = true; }
  bool hasFailed() const { return failed; }

private:
  using Key = std::pair<std::pair<const void *, const void *>,
                        std::pair<int64_t, const void *>>;

  bool failed = false;
  llvm::DenseMap<Attribute, std::unique_ptr<ReplicaGroups>> groups;
  llvm::DenseMap<Key, ReplicaPartition> cache;
};

struct ReplicaEqualInputs {
  ReplicaEqualContext &context;
  /// The partition of each operand. For a ref that the op reads, this is the
  /// partition of the elements of the ref before the op. For other refs, it is
  /// the partition in which all replicas are in one class.
  ArrayRef<ReplicaPartition> operands;
  /// The partition of each use of state. If the op reads the state, this is the
  /// partition before the op. Otherwise, it is the partition in which all
  /// replicas are in one class.
  ArrayRef<ReplicaPartition> states;
};

struct ReplicaEqualOutputs {
  /// The partition of each result. For a ref that the op creates, this is the
  /// partition of the elements of the ref.
  SmallVector<ReplicaPartition> results;
  /// The partition of each operand after the op. For a ref that the op writes,
  /// this is the partition of the elements of the ref. The partitions of all
  /// other operands are ignored.
  SmallVector<ReplicaPartition> operands;
  /// The partition of each use of state after the op.
  SmallVector<ReplicaPartition> states;

  /// Sets all partitions to `partition`.
  void setAll(ReplicaPartition partition);
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
