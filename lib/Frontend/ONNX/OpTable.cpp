//===- OpTable.cpp - Table of imported operators --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Opsets.h"
#include <tuple>

using namespace mlir;
using namespace mlir::ipu::onnx;

using OpTable = llvm::StringMap<const OpEntry *>;

static OpTable makeTable(ArrayRef<ArrayRef<OpEntry>> families) {
  OpTable table;
  for (ArrayRef<OpEntry> family : families)
    for (const OpEntry &entry : family)
      table[entry.name] = &entry;
  return table;
}

static const OpTable &getTable() {
  static const OpTable kTable =
      makeTable({getActivationOps(), getAttentionOps(),     getCastOps(),
                 getConstantOps(),   getContractionOps(),   getControlFlowOps(),
                 getDataSizeOps(),   getEinsumOps(),        getElementwiseOps(),
                 getIndexingOps(),   getLinearAlgebraOps(), getLoopOps(),
                 getLossOps(),       getNormalizationOps(), getOrderingOps(),
                 getPoolingOps(),    getQuantizationOps(),  getRandomOps(),
                 getRecurrentOps(),  getReductionOps(),     getResizeOps(),
                 getSamplingOps(),   getScatterOps(),       getSelectionOps(),
                 getShapeOps(),      getSignalOps(),        getUnpoolingOps()});
  return kTable;
}

static const OpTable &getMicrosoftTable() {
  static const OpTable kTable =
      makeTable({getMicrosoftAttentionOps(), getMicrosoftOps(),
                 getMicrosoftQuantizationOps()});
  return kTable;
}

const OpEntry *ipu::onnx::lookUpOp(const proto::NodeProto &node) {
  if (isDefaultDomain(node.domain()))
    return getTable().lookup(node.op_type());
  if (node.domain() == kMicrosoftDomain)
    return getMicrosoftTable().lookup(node.op_type());
  return nullptr;
}

std::vector<SupportedOp> ipu::onnx::getSupportedONNXOps() {
  std::vector<SupportedOp> ops;
  for (const auto &item : getTable())
    ops.push_back({"", item.second->name, item.second->firstOpset,
                   getVersions(item.second->name), item.second->notes});
  for (const auto &item : getMicrosoftTable())
    ops.push_back({kMicrosoftDomain,
                   item.second->name,
                   item.second->firstOpset,
                   {1},
                   item.second->notes});
  llvm::sort(ops, [](const SupportedOp &a, const SupportedOp &b) {
    return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
  });
  return ops;
}
