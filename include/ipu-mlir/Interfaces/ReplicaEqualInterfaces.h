//===- ReplicaEqualInterfaces.h - Replica-equal interfaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops whose results are not equal on exactly the replicas on
// which all of their inputs are equal. See docs/replica-equal.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H

#include "ipu-mlir/Replica/ReplicaPartition.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::ipu {

/// A part of the state of a symbol, such as a row of a remote buffer. Without a
/// number, all of the state.
struct ReplicaState {
  SymbolRefAttr symbol;
  std::optional<int64_t> part;
};

/// An access of an op to state. A write replaces the part. If the part is not
/// known, the write replaces one of the parts.
struct ReplicaStateUse {
  ReplicaState state;
  bool reads = false, writes = false;
  /// The operand that selects the part, an integer or a tensor with one
  /// element, if `state` does not select it.
  std::optional<unsigned> partOperand = std::nullopt;
};

struct ReplicaStateStart {
  ReplicaState state;
  ReplicaPartition partition;
  /// Whether each run starts with this state, independent of the previous run.
  bool isEachRun = false;
};

/// Context for the rules of ops. It caches expensive results.
class ReplicaEqualContext {
public:
  explicit ReplicaEqualContext(int64_t numReplicas) : partitions(numReplicas) {}

  ReplicaPartitions partitions;

  /// The groups of `attr`, resolved once. Null if this fails; then an error was
  /// reported and `hasFailed` is set.
  const ReplicaGroups *
  getGroups(Attribute attr, function_ref<FailureOr<ReplicaGroups>()> resolve);

  /// The result of `rule` for `input`. It is computed once for each name,
  /// attribute and number. These must determine the result completely.
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
  /// One partition for each operand. For a ref: the partition of its elements
  /// before the op if the op reads them, otherwise all.
  ArrayRef<ReplicaPartition> operands;
  /// One partition for each use of state: the partition before the op if the op
  /// reads the state, otherwise all.
  ArrayRef<ReplicaPartition> states;
};

struct ReplicaEqualOutputs {
  /// One partition for each result. For a ref that the op creates: the
  /// partition of its elements.
  SmallVector<ReplicaPartition> results;
  /// One partition for each operand. Only refs that the op writes matter: the
  /// partitions of their elements after the op.
  SmallVector<ReplicaPartition> operands;
  /// One partition for each use of state.
  SmallVector<ReplicaPartition> states;

  /// Sets all partitions.
  void setAll(ReplicaPartition partition);
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
