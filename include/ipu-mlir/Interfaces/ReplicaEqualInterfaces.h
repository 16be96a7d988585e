//===- ReplicaEqualInterfaces.h - Replica-equal interfaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops whose results are not simply equal where their inputs
// are. See docs/replica-equal.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H

#include "ipu-mlir/Replica/ReplicaPartition.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::ipu {

/// A part of what a symbol stands for, such as a row of a remote buffer; all of
/// it if there is no number.
struct ReplicaState {
  SymbolRefAttr symbol;
  std::optional<int64_t> part;
};

/// What an op does to state. A write replaces the part; if that may be any part
/// of the state, one of them.
struct ReplicaStateUse {
  ReplicaState state;
  bool reads = false, writes = false;
  /// The operand that says which part it is, an integer or a tensor of one, if
  /// `state` does not.
  std::optional<unsigned> partOperand = std::nullopt;
};

struct ReplicaStateStart {
  ReplicaState state;
  ReplicaPartition partition;
  /// Whether each run starts so, whatever the last one left.
  bool isEachRun = false;
};

/// What ops need for their rules; remembers what is expensive.
class ReplicaEqualContext {
public:
  explicit ReplicaEqualContext(int64_t numReplicas) : partitions(numReplicas) {}

  ReplicaPartitions partitions;

  /// The groups that belong to `attr`, resolved once. Null if that fails; then
  /// an error was reported and `hasFailed`.
  const ReplicaGroups *
  getGroups(Attribute attr, function_ref<FailureOr<ReplicaGroups>()> resolve);

  /// What `rule` makes of `input`, computed once for each name, attribute and
  /// number, which together say all that it depends on.
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
  /// One for each operand. Of a ref: what it refers to before the op if the op
  /// reads that, else all.
  ArrayRef<ReplicaPartition> operands;
  /// One for each use of state: what it holds before the op if the op reads it,
  /// else all.
  ArrayRef<ReplicaPartition> states;
};

struct ReplicaEqualOutputs {
  /// One for each result. Of a ref that the op makes: what it refers to.
  SmallVector<ReplicaPartition> results;
  /// One for each operand, of which those matter that are refs that the op
  /// writes: what they refer to after the op.
  SmallVector<ReplicaPartition> operands;
  /// One for each use of state.
  SmallVector<ReplicaPartition> states;

  /// Sets all of them.
  void setAll(ReplicaPartition partition);
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES_H
