//===- StepIPUs.cpp - IPUs that take part in steps --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepIPUs.h"

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

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
