//===- PartitionCache.cpp - Cache of plans of equal ops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/PartitionCache.h"

#include "ipu-mlir/Support/ContentKey.h"

using namespace mlir;
using namespace mlir::ipu;

const PartitionProblem *PartitionCache::getProblem(CodeletOpInterface op,
                                                   ArrayRef<int64_t> domain) {
  ContentKey key;
  key << op->getName().getStringRef() << domain;
  // The key does not contain discardable attributes, such as tile mappings and
  // names of tensors.
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().getValue().contains('.'))
      key << attribute.getName().getAsOpaquePointer()
          << attribute.getValue().getAsOpaquePointer();
  if (FailureOr<TileForm> form = op.getTileForm(domain); succeeded(form))
    key << static_cast<int64_t>(updatesInPlace(op, *form));
  for (Type type : op->getOperandTypes())
    key << type.getAsOpaquePointer();
  for (Type type : op->getResultTypes())
    key << type.getAsOpaquePointer();
  auto [it, isNew] = problems.try_emplace(key.get());
  if (isNew) {
    FailureOr<PartitionProblem> problem = getPartitionProblem(op, domain);
    if (succeeded(problem))
      it->second = std::make_unique<PartitionProblem>(std::move(*problem));
  }
  return it->second.get();
}

/// Divides the dimension of `access` that depends on `loop`, if there is one.
/// Returns whether all parts have the same size and no common elements.
static bool divide(TileAccess &access, unsigned loop, int64_t numPositions,
                   int64_t numParts) {
  bool isDivided = false;
  for (auto [size, dim] : llvm::zip_equal(access.domain, access.dims)) {
    if (dim.loop != static_cast<int64_t>(loop))
      continue;
    if (isDivided || dim.extent != dim.step || size != numPositions * dim.step)
      return false;
    size /= numParts;
    isDivided = true;
  }
  return true;
}

const PartitionProblem *PartitionCache::getPart(const PartitionProblem *problem,
                                                unsigned loop, int64_t numParts,
                                                bool isEven) {
  ContentKey key;
  key << "part" << problem << static_cast<int64_t>(loop) << numParts
      << static_cast<int64_t>(isEven);
  auto [it, isNew] = problems.try_emplace(key.get());
  int64_t numPositions = problem->form.loops[loop];
  if (!isNew || numPositions % numParts != 0)
    return it->second.get();
  PartitionProblem part = *problem;
  part.form.loops[loop] /= numParts;
  if (isEven)
    part.evenLoop = loop;
  auto divideOwn = [&](TileAccess &access) {
    return divide(access, loop, numPositions, numParts);
  };
  if (llvm::all_of(part.form.inputs, divideOwn) &&
      llvm::all_of(part.form.results, divideOwn))
    it->second = std::make_unique<PartitionProblem>(std::move(part));
  return it->second.get();
}

ArrayRef<TilePlan> PartitionCache::getPlans(const PartitionProblem *problem,
                                            const PlanOptions &options,
                                            const TileSpace &space) {
  return getPlans(problem, options, space, enumeratePlans);
}

ArrayRef<TilePlan>
PartitionCache::getNestedPlans(const PartitionProblem *problem,
                               const PlanOptions &options,
                               const TileSpace &space) {
  return getPlans(problem, options, space, enumerateNestedPlans);
}

ArrayRef<TilePlan> PartitionCache::getPlans(const PartitionProblem *problem,
                                            const PlanOptions &options,
                                            const TileSpace &space,
                                            Search search) {
  TargetModel local = space.getTarget(target);
  ContentKey key;
  key << static_cast<int64_t>(search == enumerateNestedPlans) << local.ipus
      << local.tiles << local.io_tiles << problem << options.memoryPerMille
      << static_cast<int64_t>(options.maxPlans)
      << static_cast<int64_t>(options.unsplitLoops) << options.readGrain;
  ++numQueries;
  auto [it, isNew] = plans.try_emplace(key.get());
  if (isNew)
    it->second = search(local, *problem, options);
  else
    ++numHits;
  return it->second;
}
