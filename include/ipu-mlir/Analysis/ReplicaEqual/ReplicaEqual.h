//===- ReplicaEqual.h - Replica-equal analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each tensor of a program, the replicas that are known to hold equal
// values: for SSA values after they are computed, for refs before and after
// each op. The result is the greatest solution of the rules of all ops
// (`ReplicaEqualOpInterface`). Variables and remote buffers start each run with
// the values of the end of the previous run. Values that only some replicas
// compute, or that replicas compute unequally often, are refined by the
// partition of the condition that decides this. See docs/replica-equal.md.
//
// A function has one result for all calls: the partitions of its arguments are
// the meet over all calls. No function may access a tensor that it modifies
// under two names (pop-verify-graphs). A function that does so is analysed as
// if it modified all refs.
//
// Time and memory are linear in the ops, operands and writes of regions and
// calls, times the number of times that a partition becomes finer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu {

/// Calls of a function that pass a value whose replica partition is not the
/// same in all calls, in the first run of the program or later. The next run
/// may start with values that the function computed from it.
struct ReplicaDisagreement {
  /// Part of the value of an argument or of the tensor to which it refers, part
  /// of the state of a symbol, or the replicas that execute the call equally
  /// often.
  enum class Kind { Argument, State, Control };

  FunctionOpInterface callee;
  Kind kind;
  unsigned argument;
  SymbolRefAttr state;
  /// The partition in the callee: the meet over all calls.
  ReplicaPartition partition;
  /// All calls in the order of the program, with the partitions that they pass.
  SmallVector<std::pair<CallOpInterface, ReplicaPartition>> calls;
};

/// An op on the path of a difference between replicas, and two replicas that
/// differ at this op.
struct ReplicaDifference {
  Operation *op;
  int64_t first, second;
};

/// A value that the host reads once for replicas that may hold different
/// values: state that starts equal on these replicas, or a result of the
/// program.
struct ReplicaDrift {
  /// The symbol of the state, or the program.
  Operation *op;
  std::optional<unsigned> result;
  int64_t first, second;
  /// From the op where the difference starts to the op that writes the state or
  /// computes the result. If paths are very long, the last paths are empty.
  SmallVector<ReplicaDifference> path;
};

/// The flows by which a difference between replicas passes from one tensor to
/// another, in addition to the rules of ops.
enum class ReplicaFlow {
  /// From the value that decides which regions of an op are executed, and how
  /// often, to all values that the regions compute.
  Decision,
  /// From one iteration of a loop to the next.
  Iteration,
  /// From the value that an op writes to all of the elements that it writes,
  /// not only to the first ones.
  Overlap,
  /// From what a call passes to its callee.
  Call,
  /// From the end of a run of a program's function to the start of the next.
  Run,
};

/// The assumptions of the analysis about the ops, the state and the control
/// flow of a program. A subclass can know more than the program says:
/// additional refinements of results, that the host gives the same value to all
/// replicas, or that there is only one run. The analysis queries this class
/// while it is created. The answers must not depend on the time of the query.
class ReplicaEqualSemantics {
public:
  virtual ~ReplicaEqualSemantics();

  /// The partitions after an op that has a rule, by its rule. The op's
  /// `inferReplicaEqual` defines the contents of `outputs` and the
  /// requirements.
  virtual void infer(ReplicaEqualOpInterface op,
                     const ReplicaEqualInputs &inputs,
                     ReplicaEqualOutputs &outputs) const;
  /// The partition of the state of a symbol when the program starts for the
  /// first time.
  virtual SmallVector<ReplicaStateStart>
  getStarts(ReplicaStateOpInterface symbol, ReplicaEqualContext &context) const;
  /// A partition that refines the results of an op without regions, and the
  /// elements that it writes, in addition to the op's rule. Null if there is
  /// none.
  virtual ReplicaPartition getRefinement(Operation *op,
                                         ReplicaEqualContext &context) const;
  /// Whether the analysis takes an op as equal to the constant or value to
  /// which it folds, instead of using the op's rule.
  virtual bool folds(Operation *op) const;
  /// Whether differences pass through this flow at `op`: the op with regions,
  /// the op that writes, the call, or the function.
  virtual bool passes(ReplicaFlow flow, Operation *op) const;
};

/// The result of the analysis for a program; see above. Valid as long as the
/// program is unchanged.
class ReplicaEqual {
public:
  /// Fails, with located errors, if groups do not fit `numReplicas`.
  static FailureOr<ReplicaEqual>
  create(ModuleOp module, int64_t numReplicas,
         const ReplicaEqualSemantics &semantics = {});
  ReplicaEqual(ReplicaEqual &&);
  ~ReplicaEqual();

  ReplicaPartitions &getPartitions() const;

  /// The partition of a tensor. For a ref: the partition of its elements when
  /// the ref is created or, for an argument, when the function starts.
  ReplicaPartition get(Value value) const;
  /// The partition of an operand that an op reads. For a ref that the op reads:
  /// the partition of the elements to which it refers.
  ReplicaPartition getInput(OpOperand &operand) const;
  /// The ref operands that an op, or its callee, may modify, in order, with the
  /// partitions of their elements after the op.
  SmallVector<std::pair<OpOperand *, ReplicaPartition>>
  getModified(Operation *op) const;
  /// The partition of all outputs of an op: the meet of its results and of the
  /// elements that it modifies. For an op without outputs: the meet of its
  /// inputs.
  ReplicaPartition getOverall(Operation *op) const;
  /// Which replicas execute the ops of a block equally often.
  ReplicaPartition getControl(Block *block) const;

  /// Explains why the value is not equal on all replicas: the ops on the path
  /// of a difference, from the op that creates it, and two replicas that
  /// differ. Empty if the value is equal on all replicas, or after a large
  /// number of explanations.
  using Path = SmallVector<ReplicaDifference>;
  Path explain(Value value) const;
  Path explainModified(OpOperand &operand) const;
  Path explainControl(Block *block) const;

  /// In the order of functions. A function has several entries if calls
  /// disagree on several parts.
  ArrayRef<ReplicaDisagreement> getDisagreements() const;
  /// In the order of symbols, then of results.
  ArrayRef<ReplicaDrift> getDrifts() const;

private:
  struct Impl;
  explicit ReplicaEqual(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// `asked` or, if that is 0, the number of replicas of the module's target.
/// Warns if both are missing.
int64_t getNumReplicas(ModuleOp module, int64_t asked);

/// `all`, `none` or classes.
std::string toString(ReplicaPartition partition);

/// Attaches notes for the ops on the path of a difference. If there are many
/// ops, only those at both ends have notes.
void noteReplicaDifference(InFlightDiagnostic &diag,
                           ArrayRef<ReplicaDifference> path);

/// Prints, for each function in the order of the program, the partitions of the
/// inputs and outputs of each op.
void printReplicaEqual(ModuleOp module, const ReplicaEqual &analysis,
                       llvm::raw_ostream &os);

/// Emits a remark on each result and each modified ref that is not equal on all
/// replicas, with the path of a difference.
void explainReplicaEqual(ModuleOp module, const ReplicaEqual &analysis);

/// Warns, once for each argument and each symbol, about calls that disagree.
void warnOfReplicaDisagreements(const ReplicaEqual &analysis);

/// Warns about state and results for which replicas may hold different values
/// but the host reads one value, with the path of the difference.
void warnOfReplicaDrifts(const ReplicaEqual &analysis);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
