//===- StepDependences.cpp - Dependences between steps ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepDependences.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

/// Accesses to one variable that are compared view by view.
static constexpr size_t kMaxCompared = 64;
/// Views of more elements that are no regions are taken to overlap.
static constexpr int64_t kMaxElements = int64_t(1) << 14;

StepAccesses mlir::ipu::getStepAccesses(Operation *op) {
  StepAccesses result;
  op->walk([&](Operation *inner) {
    if (isa<VarOp, SyncOp>(inner) || inner->hasTrait<OpTrait::IsTerminator>())
      return;
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface) {
      // What a loop or branch does besides what its body does are effects of
      // its own.
      result.isBarrier |=
          !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
          !isMemoryEffectFree(inner);
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value view = effect.getValue();
      VarOp variable = view ? getVariable(view) : VarOp();
      if (variable)
        result.list.push_back(
            {variable, view, !isa<MemoryEffects::Read>(effect.getEffect())});
      else if (!view &&
               effect.getResource() != SideEffects::DefaultResource::get())
        result.usesResources = true;
      else
        result.isBarrier = true;
    }
  });
  return result;
}

void StepDependences::add(int64_t place, const StepAccesses &accesses) {
  lastPosition = std::max(lastPosition, place);
  if (accesses.isBarrier)
    lastBarrier = std::max(lastBarrier, place);
  for (const StepAccess &access : accesses.list) {
    Records &records = (access.isWrite ? writes : reads)[access.variable];
    int64_t last =
        records.empty() ? place : std::max(records.back().lastPosition, place);
    records.push_back({place, access.view, last});
  }
}

void StepDependences::findConflict(const Records &records, Value view,
                                   int64_t &last) {
  size_t compared = 0;
  for (const Record &record : llvm::reverse(records)) {
    if (record.lastPosition <= last)
      return;
    if (compared++ == kMaxCompared) {
      last = record.lastPosition;
      return;
    }
    if (record.place > last && overlap(record.view, view, kMaxElements))
      last = record.place;
  }
}

int64_t StepDependences::getLastConflict(const StepAccess &access) const {
  int64_t last = lastBarrier;
  auto find = [&](const llvm::DenseMap<Operation *, Records> &records) {
    auto it = records.find(access.variable);
    if (it != records.end())
      findConflict(it->second, access.view, last);
  };
  find(writes);
  if (access.isWrite)
    find(reads);
  return last;
}

int64_t StepDependences::getLastConflict(const StepAccesses &accesses) const {
  if (accesses.isBarrier)
    return lastPosition;
  int64_t last = lastBarrier;
  for (const StepAccess &access : accesses.list)
    last = std::max(last, getLastConflict(access));
  return last;
}
