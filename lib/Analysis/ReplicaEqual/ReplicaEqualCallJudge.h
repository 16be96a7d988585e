//===- ReplicaEqualCallJudge.h - Calls that disagree ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the arguments of the calls of a function before they reach the
// function. Afterwards, a difference at one call may appear at all calls: the
// function may write it to the arguments of other calls, for example in a loop
// or in the next run.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H

#include "ReplicaEqualBuilder.h"

namespace mlir::ipu::replica_equal {

class CallJudge {
public:
  CallJudge(EquationBuilder &program, ReplicaEqualContext &context);

  /// Compares calls that pass one of these nodes. Called while equations are
  /// solved.
  void judge(ArrayRef<Lowering> lowered);
  /// The calls that disagreed after some run and still disagree, or would
  /// disagree if the difference did not pass through their function.
  SmallVector<ReplicaDisagreement> getDisagreements() const;

private:
  /// The nodes that all calls of a function pass to one of its nodes.
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

/// Two replicas that are equal in `coarse` but not in `fine`.
std::optional<std::pair<int64_t, int64_t>>
findSeparated(ReplicaPartition coarse, ReplicaPartition fine);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALCALLJUDGE_H
