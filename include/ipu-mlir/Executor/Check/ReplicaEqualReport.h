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
  /// The op's name, where it is in the source, and the first variable that it
  /// writes.
  std::string op, location, variable;
  /// Whether it has no operands: what it writes follows from the program alone.
  bool isConstant = false;
  /// How often it was executed.
  int64_t executions = 0;
  /// The class of each replica, numbered by their least replica: what is
  /// claimed, and the coarsest partition on which the values were found equal
  /// in all executions; one class if there were none.
  std::vector<int64_t> annotated, observed;
  /// Whether `observed` says nothing: nothing was compared, and the op writes a
  /// part of a variable.
  bool isUnknown = false;
};

struct ReplicaEqualReport {
  int64_t replicas = 0;
  /// Whether values were compared; else those are found equal that were stored
  /// once, where an op writes all of a variable.
  bool isCompared = false;
  /// In order of the program.
  std::vector<ReplicaEqualAnnotationReport> annotations;
};

/// As JSON; partitions are written as pop-print-replica-equal does.
void writeReplicaEqualReport(const ReplicaEqualReport &report, raw_ostream &os);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_CHECK_REPLICAEQUALREPORT_H
