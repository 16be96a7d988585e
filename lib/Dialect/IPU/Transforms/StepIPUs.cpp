//===- StepIPUs.cpp - IPUs that take part in steps --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepIPUs.h"

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::ipu;

const llvm::SmallBitVector &StepIPUs::getIPUs(TileMappingAttr mapping) {
  auto [it, isNew] = ofMapping.try_emplace(mapping, target.ipus);
  if (!isNew)
    return it->second;
  TileCounts elements =
      getElementsPerTile(mapping, target.getTilesPerReplica());
  for (const TileRun &run : elements.getRuns())
    if (run.value > 0)
      it->second.set(run.begin / target.tiles,
                     (run.end - 1) / target.tiles + 1);
  return it->second;
}

llvm::SmallBitVector StepIPUs::getIPUs(Operation *step) {
  llvm::SmallBitVector ipus(target.ipus);
  if (target.ipus == 1)
    return ipus.set();
  step->walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      if (auto variable = dyn_cast<MemRefType>(type))
        ipus |= getIPUs(getTileMapping(variable));
  });
  return ipus;
}

StepIPUs::Contents StepIPUs::readContents(Operation *op) {
  Contents contents{getIPUs(op), {}};
  auto addFunction = [&](Operation *user, Attribute name) {
    if (auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(
            user, cast<FlatSymbolRefAttr>(name)))
      contents.functions.insert(function);
  };
  op->walk([&](Operation *inner) {
    if (auto sync = dyn_cast<SyncOp>(inner)) {
      if (std::optional<ArrayRef<int64_t>> named = sync.getIpus())
        for (int64_t ipu : *named)
          contents.ipus.set(ipu);
      else
        contents.ipus.set();
    } else if (auto call = dyn_cast<CallOp>(inner)) {
      addFunction(call, call.getCalleeAttr());
    } else if (auto copy = dyn_cast<CodeCopyOp>(inner)) {
      addFunction(copy, copy.getFunctionAttr());
    } else if (auto load = dyn_cast<CodeLoadOp>(inner)) {
      for (Attribute function : load.getFunctions())
        addFunction(load, function);
    }
  });
  return contents;
}

llvm::SmallBitVector StepIPUs::getControlIPUs(Operation *control) {
  if (target.ipus == 1)
    return getIPUs(control);
  // Functions may call each other in a circle, which only later passes refuse.
  auto [ipus, functions] = readContents(control);
  for (size_t next = 0; next < functions.size(); ++next) {
    auto [it, isNew] = ofFunction.try_emplace(functions[next]);
    if (isNew)
      it->second = readContents(functions[next]);
    ipus |= it->second.ipus;
    functions.insert_range(it->second.functions);
  }
  return ipus;
}
