//===- ReplicaEqual.h - Which values replicas share -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each tensor of a program, which replicas are known to hold the same: of
// values once they are computed, of refs before and after each op. The greatest
// solution of the rules of all ops (`ReplicaEqualOpInterface`), where variables
// and remote buffers start a run as they ended the last one. What is executed
// by some replicas only, or not equally often, is refined by what decides that.
// See docs/replica-equal.md.
//
// Functions have one answer for all calls: their arguments are equal where they
// are at each call. No function may meet what it modifies under two names
// (pop-verify-graphs); one that does is analysed as if it did so to all refs.
//
// Time and memory are linear in ops, operands and what regions and calls write,
// times how often a partition gets finer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu {

/// Calls of a function that pass an argument which is not equal on the same
/// replicas for all of them.
struct ReplicaDisagreement {
  FunctionOpInterface callee;
  unsigned argument;
  /// What the callee gets: the meet of all calls.
  ReplicaPartition partition;
  /// All calls, in order of the program, with what they pass.
  SmallVector<std::pair<CallOpInterface, ReplicaPartition>> calls;
};

/// Makes an analysis wrong, to test what is to find that.
struct ReplicaEqualFaults {
  /// Changes what an op or the start of a state gives by its rule; must not get
  /// coarser where an input gets finer.
  std::function<void(Operation *, const ReplicaEqualInputs &,
                     ReplicaEqualOutputs &)>
      changeRule;
  std::function<void(Operation *, ReplicaEqualContext &, ReplicaStateStart &)>
      changeStart;
  /// Whether what decides what an op executes refines nothing.
  std::function<bool(Operation *)> ignoresDecision;
  /// Loops pass nothing to their next iteration.
  bool ignoresIterations = false;
  /// Writes change no parts that they overlap only.
  bool ignoresOverlaps = false;
  /// Functions get what their first call passes.
  bool ignoresCalls = false;
  /// Runs leave nothing to the next one.
  bool ignoresRuns = false;
};

/// What a program holds; see above. Valid as long as the program is unchanged.
class ReplicaEqual {
public:
  /// A partition that the results of an op, and what it writes, are refined by,
  /// beside its rule; null for none. Must always be the same for an op.
  using RefineFn =
      std::function<ReplicaPartition(Operation *, ReplicaEqualContext &)>;

  /// Fails, with located errors, where groups do not fit `numReplicas`.
  static FailureOr<ReplicaEqual> create(ModuleOp module, int64_t numReplicas,
                                        RefineFn refine = {},
                                        ReplicaEqualFaults faults = {});
  ReplicaEqual(ReplicaEqual &&);
  ~ReplicaEqual();

  ReplicaPartitions &getPartitions() const;

  /// Of a tensor. Of a ref: what it refers to when it is made, or when the
  /// function starts that it is an argument of.
  ReplicaPartition get(Value value) const;
  /// What an op gets by an operand: of a ref that it reads, what that refers
  /// to.
  ReplicaPartition getInput(OpOperand &operand) const;
  /// The ref operands that an op, or what it calls, may modify, in order, with
  /// what they refer to after it.
  SmallVector<std::pair<OpOperand *, ReplicaPartition>>
  getModified(Operation *op) const;
  /// What the op makes: the meet of results and of what it modifies. Of an op
  /// that makes nothing: the meet of what it gets.
  ReplicaPartition getOverall(Operation *op) const;
  /// Which replicas execute the ops of a block equally often.
  ReplicaPartition getControl(Block *block) const;

  /// In the order of functions and arguments.
  ArrayRef<ReplicaDisagreement> getDisagreements() const;

private:
  struct Impl;
  explicit ReplicaEqual(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Prints, for each function in the order of the program, what each op makes.
void printReplicaEqual(ModuleOp module, const ReplicaEqual &analysis,
                       llvm::raw_ostream &os);

/// Warns at each argument on which calls disagree.
void warnOfReplicaDisagreements(const ReplicaEqual &analysis);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
