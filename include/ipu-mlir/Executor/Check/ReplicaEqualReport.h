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

/// An op with a replica-equal annotation.
struct ReplicaEqualAnnotationReport {
  /// The name of the op, its location in the source, and the first variable
  /// that it writes.
  std::string op, location, variable;
  /// Whether the op has no operands, so that the program alone determines the
  /// elements that it writes.
  bool isConstant = false;
  /// How often it was executed.
  int64_t executions = 0;
  /// The class of each replica, numbered in the order of the least replicas: in
  /// the annotation, and in the coarsest partition on which the values were
  /// equal in all executions (one class if there were no executions).
  std::vector<int64_t> annotated, observed;
  /// Whether `observed` is meaningless, because nothing was compared and the op
  /// writes a part of a variable.
  bool isUnknown = false;
};

struct ReplicaEqualReport {
  int64_t replicas = 0;
  /// Whether values were compared. Otherwise, values count as equal if they
  /// were stored once and the op writes all of a variable.
  bool isCompared = false;
  /// In order of the program.
  std::vector<ReplicaEqualAnnotationReport> annotations;
};

/// Writes the report as JSON. Partitions have the form of
/// pop-print-replica-equal.
void writeReplicaEqualReport(const ReplicaEqualReport &report, raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_CHECK_REPLICAEQUALREPORT_H
