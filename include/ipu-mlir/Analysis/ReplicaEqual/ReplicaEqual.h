//===- ReplicaEqual.h - Replica-equal analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines, for each tensor of a program, the replicas that are known to hold
// equal values. For an SSA value, there is one answer, which holds after the
// value is computed. For a ref, there are two answers for each op: one for the
// elements before the op, and one for the elements after it. The result is the
// greatest solution of the rules of all ops (`ReplicaEqualOpInterface`). Each
// run starts with the values that variables and remote buffers have at the end
// of the previous run. A condition may decide whether, or how often, a replica
// computes a value. Such a value is equal only on replicas on which the
// condition is equal. See docs/replica-equal.md.
//
// A function is analysed once for all calls: the partitions of its arguments
// are the meet over all calls. If a function modifies a tensor, it must access
// this tensor under one name only (pop-verify-graphs). A function that violates
// this rule is analysed as if it modified all refs.
//
// Time and memory are O(N F). N is the number of ops and operands, plus the
// number of writes in regions and calls. F is the greatest number of times that
// the partition of a value becomes finer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu {

/// Calls of a function that pass a value with different replica partitions. The
/// partitions may be equal in the first run of the program and differ from the
/// second run on, because the second run starts with values that the first run
/// computed.
struct ReplicaDisagreement {
  /// The kind of the passed value. `Argument` is an argument, or the tensor to
  /// which an argument refers. `State` is the state of a symbol. `Control` is
  /// the number of times that a replica executes the call.
  enum class Kind { Argument, State, Control };

  FunctionOpInterface callee;
  Kind kind;
  unsigned argument;
  SymbolRefAttr state;
  /// The partition in the callee, which is the meet over all calls.
  ReplicaPartition partition;
  /// All calls, in the order of the program, with the partitions that they
  /// pass.
  SmallVector<std::pair<CallOpInterface, ReplicaPartition>> calls;
};

/// One op on the path by which a difference between replicas passes through the
/// program, and two replicas that differ at this op.
struct ReplicaDifference {
  Operation *op;
  int64_t first, second;
};

/// A value that the host reads from only one replica of a group, although the
/// replicas of the group may hold different values. The value is a result of
/// the program, or state that is equal on these replicas when the program
/// starts.
struct ReplicaDrift {
  /// The op that defines the symbol of the state, or the function of the
  /// program.
  Operation *op;
  std::optional<unsigned> result;
  int64_t first, second;
  /// The path from the op where the difference starts to the op that writes the
  /// state or computes the result. The path is empty if the paths of earlier
  /// drifts and explanations already contain very many ops.
  SmallVector<ReplicaDifference> path;
};

/// The flows by which a difference between replicas passes from one tensor to
/// another, in addition to the rules of ops.
enum class ReplicaFlow {
  /// Differences pass from a condition to all values that regions of an op
  /// compute. The condition is the value that decides which of these regions
  /// are executed, and how often.
  Decision,
  /// Differences pass from one iteration of a loop to the next.
  Iteration,
  /// An op may write one value to several memory regions. Differences pass from
  /// this value to all of these memory regions. Without this flow, differences
  /// only pass to the first of these memory regions.
  Overlap,
  /// Differences pass from the operands of a call to its callee.
  Call,
  /// Differences pass from the end of a run of the program's function to the
  /// start of the next run.
  Run,
};

/// The assumptions of the analysis about the ops, the state and the control
/// flow of a program. A subclass can add facts that are not in the program:
/// additional refinements of results, inputs for which the host gives the same
/// value to all replicas, or the fact that there is only one run. The analysis
/// queries this class only in ReplicaEqual::create(). Each method must give the
/// same answer whenever it is called.
class ReplicaEqualSemantics {
public:
  virtual ~ReplicaEqualSemantics();

  /// Computes the partitions after an op that has a rule. As for
  /// ReplicaEqualOpInterface::inferReplicaEqual, `outputs` initially holds the
  /// result of the default rule, and the method must be monotone.
  virtual void infer(ReplicaEqualOpInterface op,
                     const ReplicaEqualInputs &inputs,
                     ReplicaEqualOutputs &outputs) const;
  /// Returns the partitions of the state of a symbol when the program starts
  /// for the first time.
  virtual SmallVector<ReplicaStateStart>
  getStarts(ReplicaStateOpInterface symbol, ReplicaEqualContext &context) const;
  /// For an op without regions, returns a partition that refines all outputs of
  /// the op: the results of the op and the elements that the op writes. The
  /// partition of each output becomes the meet of the returned partition and
  /// the partition that the op's rule gives. Returns null if the outputs are
  /// not refined.
  virtual ReplicaPartition getRefinement(Operation *op,
                                         ReplicaEqualContext &context) const;
  /// Returns whether the analysis replaces an op by the constant or value to
  /// which it folds, instead of using the op's rule.
  virtual bool folds(Operation *op) const;
  /// Returns whether differences between replicas pass through `flow` at `op`.
  /// The op is an op with regions (Decision, Iteration), an op that writes
  /// (Overlap), a call (Call), or a function (Run).
  virtual bool passes(ReplicaFlow flow, Operation *op) const;
};

/// The result of the analysis for a program. It is valid as long as the program
/// is unchanged.
class ReplicaEqual {
public:
  /// Analyses `module` for `numReplicas` replicas. Emits errors and fails if
  /// groups of replicas do not fit this number.
  static FailureOr<ReplicaEqual>
  create(ModuleOp module, int64_t numReplicas,
         const ReplicaEqualSemantics &semantics = {});
  ReplicaEqual(ReplicaEqual &&);
  ~ReplicaEqual();

  ReplicaPartitions &getPartitions() const;

  /// Returns the partition of a tensor. For a ref, this is the partition of its
  /// elements when the ref is created or, for an argument, when the function
  /// starts.
  ReplicaPartition get(Value value) const;
  /// Returns the partition of an operand that an op reads. For a ref, this is
  /// the partition of the elements to which it refers, before the op.
  ReplicaPartition getInput(OpOperand &operand) const;
  /// Returns the ref operands whose elements an op or its callee may modify, in
  /// the order of operands. Each operand is returned with the partition of its
  /// elements after the op.
  SmallVector<std::pair<OpOperand *, ReplicaPartition>>
  getModified(Operation *op) const;
  /// Returns the meet of the partitions of all outputs of an op. The outputs
  /// are the op's results, and the elements and the state that the op modifies.
  /// For an op without outputs, returns the meet of the partitions of its
  /// inputs and of getControl().
  ReplicaPartition getOverall(Operation *op) const;
  /// Returns the partition in which replicas of one class execute the ops of a
  /// block equally often.
  ReplicaPartition getControl(Block *block) const;

  /// Explain why a value is not equal on all replicas. Return the ops on the
  /// path of a difference, each with two replicas that differ. The path begins
  /// with the op that creates the difference. Return an empty path if the value
  /// is equal on all replicas, or after a large number of explanations.
  using Path = SmallVector<ReplicaDifference>;
  Path explain(Value value) const;
  Path explainModified(OpOperand &operand) const;
  Path explainControl(Block *block) const;

  /// Returns the disagreements in the order of functions. A function has
  /// several entries if calls disagree on several passed values.
  ArrayRef<ReplicaDisagreement> getDisagreements() const;
  /// Returns the drifts of state, in the order of symbols, and then the drifts
  /// of results.
  ArrayRef<ReplicaDrift> getDrifts() const;
  /// Returns whether the state of `symbol` may become different on replicas on
  /// which the state is equal when the program starts. Unlike getDrifts(), this
  /// includes state that the host reads from all replicas.
  bool mayDrift(ReplicaStateOpInterface symbol) const;

private:
  struct Impl;
  explicit ReplicaEqual(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Returns `asked` or, if `asked` is 0, the number of replicas of the module's
/// target. Emits a warning if `asked` is 0 and the module has no target.
int64_t getNumReplicas(ModuleOp module, int64_t asked);

/// Returns the text of a partition: `all`, `none` or its classes.
std::string toString(ReplicaPartition partition);

/// Attaches notes for the ops on the path of a difference. If there are many
/// ops, only the ops at both ends of the path have notes.
void noteReplicaDifference(InFlightDiagnostic &diag,
                           ArrayRef<ReplicaDifference> path);

/// Prints, for each function in the order of the program, the partitions of the
/// inputs and outputs of each op.
void printReplicaEqual(ModuleOp module, const ReplicaEqual &analysis,
                       llvm::raw_ostream &os);

/// Emits a remark for each result and each modified ref that is not equal on
/// all replicas, with the path of a difference.
void explainReplicaEqual(ModuleOp module, const ReplicaEqual &analysis);

/// Warns, once for each argument and each symbol, about calls that disagree.
void warnOfReplicaDisagreements(const ReplicaEqual &analysis);

/// Warns about each drift (see getDrifts()), with the path of the difference.
void warnOfReplicaDrifts(const ReplicaEqual &analysis);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
