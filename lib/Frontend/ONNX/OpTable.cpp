//===- OpTable.cpp - Table of imported operators --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Opsets.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

static llvm::StringMap<const OpEntry *> makeTable() {
  llvm::StringMap<const OpEntry *> table;
  for (ArrayRef<OpEntry> family :
       {getActivationOps(),  getAttentionOps(),   getConstantOps(),
        getContractionOps(), getControlFlowOps(), getDataSizeOps(),
        getElementwiseOps(), getIndexingOps(),    getLinearAlgebraOps(),
        getLoopOps(),        getLossOps(),        getNormalizationOps(),
        getOrderingOps(),    getPoolingOps(),     getRandomOps(),
        getRecurrentOps(),   getReductionOps(),   getResizeOps(),
        getSamplingOps(),    getSelectionOps(),   getShapeOps(),
        getSignalOps(),      getUnpoolingOps()})
    for (const OpEntry &entry : family)
      table[entry.name] = &entry;
  return table;
}

static const llvm::StringMap<const OpEntry *> &getTable() {
  static const llvm::StringMap<const OpEntry *> kTable = makeTable();
  return kTable;
}

const OpEntry *ipu::onnx::lookUpOp(StringRef name) {
  return getTable().lookup(name);
}

std::vector<SupportedOp> ipu::onnx::getSupportedONNXOps() {
  std::vector<SupportedOp> ops;
  for (const auto &item : getTable())
    ops.push_back({item.second->name, item.second->firstOpset,
                   getVersions(item.second->name), item.second->notes});
  llvm::sort(ops, [](const SupportedOp &a, const SupportedOp &b) {
    return a.name < b.name;
  });
  return ops;
}
