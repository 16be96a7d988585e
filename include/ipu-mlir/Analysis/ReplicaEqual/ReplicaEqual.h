//===- ReplicaEqual.h - Replica-equal analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each tensor of a program, the replicas that are known to hold equal
// values: for SSA values once they are computed, for refs before and after each
// op. The result is the greatest solution of the rules of all ops
// (`ReplicaEqualOpInterface`), where variables and remote buffers start a run
// as they ended the last one. Values that only some replicas compute, or not
// equally often, are refined by the condition that decides this. See
// docs/replica-equal.md.
//
// A function has one result for all calls: the partitions of its arguments are
// the meet over all calls. No function may access a tensor that it modifies
// under two names (pop-verify-graphs); one that does is analysed as if it
// modified all refs.
//
// Time and memory are linear in ops, operands and writes of regions and calls,
// times the number of times that a partition gets finer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
#define IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H

#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu {

/// Calls of a function that pass something which is not equal on the same
/// replicas for all of them, when the program is run for the first time or
/// later. The next run may start with what the function made of it.
struct ReplicaDisagreement {
  /// Part of what an argument is or refers to, part of what the state of a
  /// symbol is, or which replicas execute the call equally often.
  enum class Kind { Argument, State, Control };

  FunctionOpInterface callee;
  Kind kind;
  unsigned argument;
  SymbolRefAttr state;
  /// What the callee gets: the meet of all calls.
  ReplicaPartition partition;
  /// All calls, in order of the program, with what they pass.
  SmallVector<std::pair<CallOpInterface, ReplicaPartition>> calls;
};

/// An op that a difference goes through, and two replicas that differ there.
struct ReplicaDifference {
  Operation *op;
  int64_t first, second;
};

/// What the host reads once for replicas that may hold different values of it:
/// state that starts equal on them, or a result of the program.
struct ReplicaDrift {
  /// The symbol of the state, or the program.
  Operation *op;
  std::optional<unsigned> result;
  int64_t first, second;
  /// From the op where the difference starts to the one that writes the state
  /// or makes the result; empty of the last ones if paths are very long.
  SmallVector<ReplicaDifference> path;
};

/// Ways on which a difference between replicas gets from one tensor to another,
/// beside the rules of ops.
enum class ReplicaFlow {
  /// From what decides which regions of an op are executed, and how often, to
  /// all that they make.
  Decision,
  /// From one iteration of a loop to the next.
  Iteration,
  /// From what an op writes to all of the elements that it writes, rather than
  /// the first ones.
  Overlap,
  /// From what a call passes to its callee.
  Call,
  /// From the end of a run of a program's function to the start of the next.
  Run,
};

/// What an analysis takes the ops, the state and the control flow of a program
/// to mean. A subclass can know more than the program says: what else results
/// are refined by, that the host gives all replicas the same, that there is one
/// run only. It is asked while an analysis is created; answers must not depend
/// on when.
class ReplicaEqualSemantics {
public:
  virtual ~ReplicaEqualSemantics();

  /// What is equal after an op that has a rule: what that says. See the op's
  /// `inferReplicaEqual` for what `outputs` holds, and for what must hold.
  virtual void infer(ReplicaEqualOpInterface op,
                     const ReplicaEqualInputs &inputs,
                     ReplicaEqualOutputs &outputs) const;
  /// What is equal in the state of a symbol when the program first starts.
  virtual SmallVector<ReplicaStateStart>
  getStarts(ReplicaStateOpInterface symbol, ReplicaEqualContext &context) const;
  /// A partition that the results of an op without regions, and what it writes,
  /// are refined by, beside its rule; null for none.
  virtual ReplicaPartition getRefinement(Operation *op,
                                         ReplicaEqualContext &context) const;
  /// Whether an op is known to be what it folds to, a constant or another
  /// value, rather than to compute anything.
  virtual bool folds(Operation *op) const;
  /// Whether differences pass on this way at `op`: the op with regions, the one
  /// that writes, the call, or the function.
  virtual bool passes(ReplicaFlow flow, Operation *op) const;
};

/// What a program holds; see above. Valid as long as the program is unchanged.
class ReplicaEqual {
public:
  /// Fails, with located errors, where groups do not fit `numReplicas`.
  static FailureOr<ReplicaEqual>
  create(ModuleOp module, int64_t numReplicas,
         const ReplicaEqualSemantics &semantics = {});
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

  /// Why what these ask for is not equal on all replicas: the ops that a
  /// difference goes through, from the one that makes it, of two replicas that
  /// differ. Empty if it is equal on all, or when very much was explained.
  using Path = SmallVector<ReplicaDifference>;
  Path explain(Value value) const;
  Path explainModified(OpOperand &operand) const;
  Path explainControl(Block *block) const;

  /// In the order of functions; several if calls disagree on several parts.
  ArrayRef<ReplicaDisagreement> getDisagreements() const;
  /// In the order of symbols, then those of results.
  ArrayRef<ReplicaDrift> getDrifts() const;

private:
  struct Impl;
  explicit ReplicaEqual(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The number of replicas that was asked for or, if that is 0, of the module's
/// target. Warns if there is neither.
int64_t getNumReplicas(ModuleOp module, int64_t asked);

/// `all`, `none` or classes.
std::string toString(ReplicaPartition partition);

/// Notes the ops that a difference goes through; of many those at its ends.
void noteReplicaDifference(InFlightDiagnostic &diag,
                           ArrayRef<ReplicaDifference> path);

/// Prints, for each function in the order of the program, what each op gets and
/// makes.
void printReplicaEqual(ModuleOp module, const ReplicaEqual &analysis,
                       llvm::raw_ostream &os);

/// Remarks on each result and each modified ref that is not equal on all
/// replicas, with the way of a difference.
void explainReplicaEqual(ModuleOp module, const ReplicaEqual &analysis);

/// Warns, once for each argument and each symbol, of calls that disagree.
void warnOfReplicaDisagreements(const ReplicaEqual &analysis);

/// Warns at state and results of which replicas may hold different values but
/// the host reads one, with the way of the difference.
void warnOfReplicaDrifts(const ReplicaEqual &analysis);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPLICAEQUAL_REPLICAEQUAL_H
