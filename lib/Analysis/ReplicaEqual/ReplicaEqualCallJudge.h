//===- ReplicaEqualCallJudge.h - Calls that disagree ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CallJudge compares, for each function, the arguments that its calls pass. It
// compares them before they reach the function. Later, a difference at one call
// may appear at all calls, because the function may write it to the arguments
// of other calls. This happens, for example, in a loop or in the next run.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H

#include "ReplicaEqualBuilder.h"

namespace mlir::ipu::replica_equal {

class CallJudge {
public:
  CallJudge(EquationBuilder &program, ReplicaEqualContext &context);

  /// Compares the calls that pass one of the nodes of `lowered`. Must be called
  /// while the equations are solved.
  void judge(ArrayRef<Lowering> lowered);
  /// Returns the disagreements that judge() found. If calls that disagreed pass
  /// equal partitions in the solution of the equations, the disagreement is
  /// returned only if the partitions became equal because the difference at one
  /// call reached another call through the function.
  SmallVector<ReplicaDisagreement> getDisagreements() const;

private:
  /// The nodes that all calls of a function pass to one node of the function.
  struct Subject {
    FunctionOpInterface callee;
    ReplicaDisagreement::Kind kind;
    unsigned argument;
    SymbolRefAttr state;
    ArrayRef<PassedNode> passed;
    /// The partitions that the calls passed when they first disagreed; empty if
    /// they never disagreed.
    SmallVector<ReplicaPartition> found = {};
  };

  void addSubjects(FunctionOpInterface callee, FunctionNodes &nodes);
  void judge(Subject &subject) const;
  bool stillMatters(const Subject &subject) const;
  ReplicaDisagreement
  makeDisagreement(const Subject &subject,
                   const llvm::DenseMap<Operation *, unsigned> &order) const;

  EquationBuilder &program;
  ReplicaEqualContext &context;
  std::vector<Subject> subjects;
  llvm::DenseMap<Node, SmallVector<unsigned, 1>> subjectsOf;
};

/// Returns two replicas that are equal in `coarse` but not in `fine`, or
/// std::nullopt if there are none.
std::optional<std::pair<int64_t, int64_t>>
findSeparated(ReplicaPartition coarse, ReplicaPartition fine);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H
