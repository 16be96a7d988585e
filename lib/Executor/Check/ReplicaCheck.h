//===- ReplicaCheck.h - Comparison of equal replicas ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `ipu.replica_equal` of an op is an annotation: it states that
// the elements that the op writes are equal on the replicas of each class.
// After each step of a run, ReplicaCheck compares the elements that the ops of
// the step wrote. It compares the bits that the host would see, and whether an
// element is undefined. docs/replica-equal.md describes the reports.
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
  /// Reads the annotations of a program. If `compares` is true, `memory` must
  /// store the values of each replica separately; otherwise, the object only
  /// makes the report and compares no values. Emits an error at an op if the
  /// number of replicas of its annotation differs from that of the target. All
  /// arguments must outlive the result; `report` may be null.
  static FailureOr<std::unique_ptr<ReplicaCheck>>
  create(const Program &program, DeviceMemory &memory, ThreadPool &pool,
         bool compares, ReplicaEqualReport *report);

  /// Compares the elements that `node` wrote. Must be called after `node` was
  /// executed. Emits an error at the op for the first difference.
  LogicalResult check(const ProgramNode &node);

private:
  struct Annotation {
    ReplicaPartition partition;
    /// Pairs of replicas that must be equal. Each pair consists of the least
    /// replica of a class and another replica of the class.
    std::vector<std::pair<int64_t, int64_t>> pairs;
    ReplicaPartition found;
    /// The index of this annotation in the report.
    size_t number = 0;
  };
  /// The elements of a variable that an op wrote.
  struct Written {
    Operation *op;
    unsigned variable;
    StridedView view;
  };
  /// A difference between the replicas of pair number `pair` of an annotation.
  /// The position of `element` is the position in the view.
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

  /// Emits an error if `node` stores the tensor of only one replica to the
  /// host, and the replicas hold different values of it.
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
  /// Calls `work` for ranges of [0, size). The calls run in parallel if several
  /// threads may read the memory.
  void forEach(int64_t size, ThreadPool::Work work);

  const Program &program;
  DeviceMemory &memory;
  ThreadPool &pool;
  bool compares;
  ReplicaEqualReport *report;
  ReplicaPartitions partitions;
  llvm::MapVector<Operation *, Annotation> annotations;
  /// The writes of the current node whose ops have an annotation.
  std::vector<Written> written;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_REPLICACHECK_H
