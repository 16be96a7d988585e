//===- ReplicaEqualInterfaces.h - Replica-equal interfaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops with a replica-equal rule. The results of an op without
// a rule are equal on the replicas on which all of its inputs are equal. See
// docs/replica-equal.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H

#include "ipu-mlir/Replica/ReplicaPartition.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::ipu {

/// A part of the state of a symbol, such as a row of a remote buffer. If `part`
/// is not set, it is the whole state.
struct ReplicaState {
  SymbolRefAttr symbol;
  std::optional<int64_t> part;
};

/// An access of an op to state. A write replaces the accessed part. If the part
/// is not known, the write replaces one of the parts.
struct ReplicaStateUse {
  ReplicaState state;
  bool reads = false, writes = false;
  /// The number of the operand that selects the part, if `state` does not
  /// select it. The operand is an integer or a tensor with one element.
  std::optional<unsigned> partOperand = std::nullopt;
};

struct ReplicaStateStart {
  ReplicaState state;
  ReplicaPartition partition;
  /// Whether each run starts with this state, independently of the previous
  /// run.
  bool isEachRun = false;
};

/// The context for the rules of ops, which caches expensive results.
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
  /// partition of its elements before the op. For other refs, it is the
  /// partition of all replicas.
  ArrayRef<ReplicaPartition> operands;
  /// The partition of each use of state: the partition before the op if the op
  /// reads the state, and otherwise the partition of all replicas.
  ArrayRef<ReplicaPartition> states;
};

struct ReplicaEqualOutputs {
  /// The partition of each result. For a ref that the op creates, this is the
  /// partition of its elements.
  SmallVector<ReplicaPartition> results;
  /// The partition of each operand after the op. Only the partitions of the
  /// elements of refs that the op writes are used.
  SmallVector<ReplicaPartition> operands;
  /// The partition of each use of state after the op.
  SmallVector<ReplicaPartition> states;

  /// Sets all partitions to `partition`.
  void setAll(ReplicaPartition partition);
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
