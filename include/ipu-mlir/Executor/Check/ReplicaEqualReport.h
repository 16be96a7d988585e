//===- ReplicaEqualReport.h - Report of equal replicas ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_CHECK_REPLICAEQUALREPORT_H
#define IPU_MLIR_EXECUTOR_CHECK_REPLICAEQUALREPORT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::ipu {

/// The report for an op with a replica-equal annotation.
struct ReplicaEqualAnnotationReport {
  /// The name of the op, its location in the source, and the first variable
  /// that it writes.
  std::string op, location, variable;
  /// Whether the op has no operands, so that its results depend only on the
  /// program.
  bool isConstant = false;
  /// The number of executions of the op.
  int64_t executions = 0;
  /// The class of each replica in two partitions. `annotated` is the partition
  /// in the annotation. `observed` is the coarsest partition on which the
  /// values were equal in all executions; it has one class if there were no
  /// executions. Classes are numbered in the order of their least replicas.
  std::vector<int64_t> annotated, observed;
  /// Whether `observed` has no meaning, because no values were compared and the
  /// op writes only a part of a variable.
  bool isUnknown = false;
};

struct ReplicaEqualReport {
  int64_t replicas = 0;
  /// Whether values were compared. If not, `observed` follows from shared
  /// replica memory: for an op that writes a whole variable, the values of
  /// replicas count as equal if the replicas share one copy of the variable.
  bool isCompared = false;
  /// The annotations in the order of the program.
  std::vector<ReplicaEqualAnnotationReport> annotations;
};

/// Writes the report as JSON. Partitions have the same form as in the output of
/// pop-print-replica-equal.
void writeReplicaEqualReport(const ReplicaEqualReport &report, raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_CHECK_REPLICAEQUALREPORT_H
