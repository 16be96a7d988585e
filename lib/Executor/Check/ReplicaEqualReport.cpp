//===- ReplicaEqualReport.cpp - Report of equal replicas --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"

#include "ipu-mlir/Replica/ReplicaPartition.h"

// Debian's header throws unless told not to.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::ipu;

/// Keys in the order in which they are added.
using Json = nlohmann::ordered_json;

static std::string toString(ArrayRef<int64_t> classes) {
  ReplicaPartitions partitions(classes.size());
  std::string text;
  llvm::raw_string_ostream(text) << partitions.get(classes);
  return text;
}

void mlir::ipu::writeReplicaEqualReport(const ReplicaEqualReport &report,
                                        raw_ostream &os) {
  Json ops = Json::array();
  for (const ReplicaEqualAnnotationReport &annotation : report.annotations)
    ops.push_back(
        {{"op", annotation.op},
         {"location", annotation.location},
         {"variable", annotation.variable},
         {"constant", annotation.isConstant},
         {"executions", annotation.executions},
         {"annotated", toString(annotation.annotated)},
         {report.isCompared ? "observed" : "stored",
          annotation.isUnknown ? Json()
                               : Json(toString(annotation.observed))}});
  Json json = {{"replicas", report.replicas}, {"ops", std::move(ops)}};
  // Names may hold any bytes.
  os << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}
