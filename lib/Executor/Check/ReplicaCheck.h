//===- ReplicaCheck.h - Comparison of equal replicas ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op with an `ipu.replica_equal` asserts that the elements that it writes
// are equal on the replicas of each class. After each step of a run, the
// elements that its ops wrote are compared, with the bits that the host would
// see, including undefined elements. docs/replica-equal.md describes the
// reports.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_REPLICACHECK_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_REPLICACHECK_H

#include "ElementDifference.h"
#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

class ReplicaCheck {
public:
  /// Reads the annotations of a program. With `compares`, `memory` stores the
  /// values of each replica separately; otherwise, only the report is made.
  /// Fails, with an error at the op, if an annotation has another number of
  /// replicas than the target. All arguments must outlive the result; `report`
  /// may be null.
  static FailureOr<std::unique_ptr<ReplicaCheck>>
  create(const Program &program, DeviceMemory &memory, ThreadPool &pool,
         bool compares, ReplicaEqualReport *report);

  /// Must be called after `node` was executed. Fails, with an error at the op,
  /// at the first difference.
  LogicalResult check(const ProgramNode &node);

private:
  struct Annotation {
    ReplicaPartition partition;
    /// Pairs of replicas that must be equal: the least replica of a class and
    /// each of its other replicas.
    std::vector<std::pair<int64_t, int64_t>> pairs;
    ReplicaPartition found;
    /// Index in the annotations of the report.
    size_t number = 0;
  };
  /// Elements that an op wrote.
  struct Written {
    Operation *op;
    unsigned variable;
    StridedView view;
  };
  /// An element that differs, by its position in the view.
  struct Difference {
    size_t pair;
    ElementDifference element;
  };

  ReplicaCheck(const Program &program, DeviceMemory &memory, ThreadPool &pool,
               bool compares, ReplicaEqualReport *report)
      : program(program), memory(memory), pool(pool), compares(compares),
        report(report), partitions(program.target.replicas) {}

  LogicalResult addAnnotation(Operation *op);
  void addWritten(const ComputeNode &node);
  void addWritten(const VertexGroup &group);
  void addWritten(const ExchangeNode &node);
  void addWritten(const HostCopyNode &node);
  void addWritten(const CollectiveNode &node);
  void addWritten(const ReplicaIndexNode &node);
  void addWritten(const RemoteNode &node);
  template <typename NodeTy>
  void addWritten(const NodeTy &) {}
  void addWhole(Operation *op, unsigned variable);

  /// Checks that values that the host takes from one replica are equal on all
  /// replicas.
  LogicalResult checkStored(const HostCopyNode &node);
  LogicalResult checkActive(Operation *op);
  LogicalResult compare(const Written &part);
  void see(const Written &part, int64_t replica, ElementsSeen &seen);
  std::optional<Difference> findDifference(const Written &part, size_t pair,
                                           ElementsSeen &first,
                                           ElementsSeen &second);
  LogicalResult emit(const Written &part, const Difference &difference);
  std::vector<int64_t> findEqual(const Written &part);
  void extendReport();
  /// Calls `work` for ranges of [0, size), in parallel if several threads may
  /// read the memory.
  void forEach(int64_t size, ThreadPool::Work work);

  const Program &program;
  DeviceMemory &memory;
  ThreadPool &pool;
  bool compares;
  ReplicaEqualReport *report;
  ReplicaPartitions partitions;
  llvm::MapVector<Operation *, Annotation> annotations;
  /// The writes of the current node that have an annotation.
  std::vector<Written> written;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_REPLICACHECK_H
