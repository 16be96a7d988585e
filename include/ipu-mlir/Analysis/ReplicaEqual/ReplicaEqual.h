//===- ReplicaEqual.h - Replica-equal analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines, for each tensor of a program, the replicas that are known to hold
// equal values: for SSA values after they are computed, and for refs before and
// after each op. The result is the greatest solution of the rules of all ops
// (`ReplicaEqualOpInterface`). Each run starts with the values that variables
// and remote buffers have at the end of the previous run. Values that only some
// replicas compute, or that replicas do not compute equally often, are equal
// only on replicas on which the deciding condition is equal. See
// docs/replica-equal.md.
//
// A function is analysed once for all calls: the partitions of its arguments
// are the meet over all calls. No function may access a tensor that it modifies
// under two names (pop-verify-graphs). A function that does so is analysed as
// if it modified all refs.
//
// Time and memory are O(N F) for N ops, operands, and writes of regions and
// calls, if the partition of a value becomes finer at most F times.
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
/// partitions may also differ only from the second run of the program on,
/// because that run starts with values that the first run computed.
struct ReplicaDisagreement {
  /// The kind of the passed value: an argument or the tensor to which it
  /// refers, the state of a symbol, or the set of replicas that execute the
  /// call equally often.
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

/// An op on the path of a difference between replicas, and two replicas that
/// differ at this op.
struct ReplicaDifference {
  Operation *op;
  int64_t first, second;
};

/// A value that the host reads from one replica of a group although the
/// replicas may hold different values. The value is state that starts equal on
/// these replicas, or a result of the program.
struct ReplicaDrift {
  /// The symbol of the state, or the program.
  Operation *op;
  std::optional<unsigned> result;
  int64_t first, second;
  /// The path from the op where the difference starts to the op that writes the
  /// state or computes the result. The path is empty if the paths of earlier
  /// drifts and explanations have very many ops together.
  SmallVector<ReplicaDifference> path;
};

/// The flows by which a difference between replicas passes from one tensor to
/// another, in addition to the rules of ops.
enum class ReplicaFlow {
  /// Differences pass from the value that decides which regions of an op are
  /// executed, and how often, to all values that the regions compute.
  Decision,
  /// Differences pass from one iteration of a loop to the next.
  Iteration,
  /// Differences pass from the value that an op writes to all memory regions
  /// that it writes. Without this flow, they only pass to the first of these
  /// memory regions.
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
/// queries this class during its construction. An answer must not depend on the
/// time of the query.
class ReplicaEqualSemantics {
public:
  virtual ~ReplicaEqualSemantics();

  /// Computes the partitions after an op that has a rule. The contents of
  /// `outputs` before the call, and the requirement that the method is
  /// monotone, are those of ReplicaEqualOpInterface::inferReplicaEqual.
  virtual void infer(ReplicaEqualOpInterface op,
                     const ReplicaEqualInputs &inputs,
                     ReplicaEqualOutputs &outputs) const;
  /// Returns the partitions of the state of a symbol when the program starts
  /// for the first time.
  virtual SmallVector<ReplicaStateStart>
  getStarts(ReplicaStateOpInterface symbol, ReplicaEqualContext &context) const;
  /// For an op without regions, returns a partition that refines the partitions
  /// of the results of the op, and of the elements that the op writes, in
  /// addition to the partitions that the op's rule gives. Returns null if there
  /// is none.
  virtual ReplicaPartition getRefinement(Operation *op,
                                         ReplicaEqualContext &context) const;
  /// Returns whether the analysis replaces an op by the constant or value to
  /// which it folds, instead of using the op's rule.
  virtual bool folds(Operation *op) const;
  /// Returns whether differences between replicas pass through `flow` at `op`:
  /// the op with regions, the op that writes, the call, or the function.
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
  /// Returns the ref operands that an op, or its callee, may modify, in order,
  /// with the partitions of their elements after the op.
  SmallVector<std::pair<OpOperand *, ReplicaPartition>>
  getModified(Operation *op) const;
  /// Returns the partition of all outputs of an op: the meet of its results and
  /// of the elements that it modifies. For an op without outputs, returns the
  /// meet of its inputs.
  ReplicaPartition getOverall(Operation *op) const;
  /// Returns the partition whose classes execute the ops of a block equally
  /// often.
  ReplicaPartition getControl(Block *block) const;

  /// Explain why a value is not equal on all replicas. Return the ops on the
  /// path of a difference, from the op that creates it, each with two replicas
  /// that differ. Return an empty path if the value is equal on all replicas,
  /// or after a large number of explanations.
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
  /// which it starts equal, whether or not the host reads all of them.
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
