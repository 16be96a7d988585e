//===- ComputeCost.cpp - Cycles and operations of compute sets --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VertexClasses.h"
#include "VertexCost.h"

#include <map>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

/// Gives the workers' parts of each vertex to the contexts that are free first.
/// The supervisor starts vertices one after the other without waiting; a
/// vertex on the matrix unit has the tile to itself.
static Count schedule(const TargetModel &target,
                      ArrayRef<VertexTasks> vertices) {
  Count now;
  // Contexts by the time at which they are free.
  std::map<int64_t, int64_t> contexts = {{0, target.workers}};
  for (const VertexTasks &vertex : vertices) {
    if (vertex.tasks.empty()) {
      now = std::max(now.get(), contexts.rbegin()->first);
      now += vertex.supervisor;
      contexts = {{now.get(), target.workers}};
      continue;
    }
    now += vertex.supervisor;
    for (WorkerTask task : vertex.tasks)
      while (task.workers > 0) {
        auto [free, count] = *contexts.begin();
        contexts.erase(contexts.begin());
        int64_t taken = std::min(count, task.workers);
        if (taken < count)
          contexts[free] += count - taken;
        Count end = Count(std::max(now.get(), free)) + task.cycles;
        contexts[end.get()] += taken;
        task.workers -= taken;
      }
  }
  return std::max(now.get(), contexts.rbegin()->first);
}

int64_t mlir::ipu::getTileCycles(const TargetModel &target,
                                 ArrayRef<Vertex> vertices, CostLevel level) {
  if (level == CostLevel::Fast) {
    Count cycles;
    for (const Vertex &vertex : vertices)
      cycles +=
          getVertexCycles(target, vertex.cost, vertex.inputs, vertex.outputs);
    return cycles.get();
  }
  SmallVector<VertexTasks> tasks;
  for (const Vertex &vertex : vertices)
    if (getVertexCycles(target, vertex.cost, vertex.inputs, vertex.outputs) > 0)
      tasks.push_back(
          getVertexTasks(target, vertex.cost, vertex.inputs, vertex.outputs));
  return schedule(target, tasks).get();
}

//===----------------------------------------------------------------------===//
// All tiles
//===----------------------------------------------------------------------===//

namespace {
/// The `ipu.vertices` of a compute set, by classes of tiles.
struct VertexGroupClasses {
  VertexGroupClasses(VerticesOp op, int64_t numTiles)
      : op(op), cost(SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
                         op, op.getCodeletAttr())
                         .getCost()),
        numInputs(op.getInputs().size()), types(op.getOperandTypes()),
        classes(getVertexClasses(op, numTiles)) {}

  Vertex getVertex(const VertexClass &vertexClass) const {
    Vertex vertex;
    vertex.cost = cost;
    for (auto [index, sizes] : llvm::enumerate(vertexClass.sizes)) {
      VertexOperand operand = {sizes, getElementTypeOrSelf(types[index])};
      (index < numInputs ? vertex.inputs : vertex.outputs).push_back(operand);
    }
    return vertex;
  }

  /// Operations of all vertices.
  Count getFlops() const {
    Count flops;
    for (const VertexClass &vertexClass : classes.classes) {
      Vertex vertex = getVertex(vertexClass);
      flops += Count(vertexClass.numTiles) *
               getVertexFlops(cost, vertex.inputs, vertex.outputs);
    }
    return flops;
  }

  VerticesOp op;
  CodeletCostAttr cost;
  size_t numInputs;
  TypeRange types;
  VertexClasses classes;
};
} // namespace

static std::vector<VertexGroupClasses> getGroups(const TargetModel &target,
                                                 ComputeSetOp op) {
  std::vector<VertexGroupClasses> groups;
  for (auto vertices : op.getBody().getOps<VerticesOp>())
    groups.emplace_back(vertices, target.getTilesPerReplica());
  return groups;
}

/// Cycles of each tile: worked out once for tiles that have vertices of the
/// same classes.
static TileCounts getTileCycles(const TargetModel &target,
                                ArrayRef<VertexGroupClasses> groups,
                                CostLevel level) {
  auto classes = llvm::map_to_vector(
      groups, [](const auto &group) { return &group.classes.classOfTile; });
  if (classes.empty())
    return TileCounts(target.getTilesPerReplica());
  std::map<std::vector<int64_t>, int64_t> known;
  return TileCounts::combine(classes, [&](ArrayRef<int64_t> classOfGroup) {
    auto [it, isNew] = known.try_emplace(classOfGroup.vec(), 0);
    if (!isNew)
      return it->second;
    SmallVector<Vertex> vertices;
    for (auto [group, number] : llvm::zip_equal(groups, classOfGroup))
      if (number > 0)
        vertices.push_back(group.getVertex(group.classes.classes[number - 1]));
    return it->second = getTileCycles(target, vertices, level);
  });
}

TileCounts mlir::ipu::getComputeTileCycles(const TargetModel &target,
                                           ComputeSetOp op, CostLevel level) {
  return ::getTileCycles(target, getGroups(target, op), level);
}

StepCostAttr mlir::ipu::getComputeCost(const TargetModel &target,
                                       ComputeSetOp op, CostLevel level) {
  std::vector<VertexGroupClasses> groups = getGroups(target, op);
  Count flops;
  for (const VertexGroupClasses &group : groups)
    flops += group.getFlops();
  return makeStepCost(op.getContext(), target,
                      ::getTileCycles(target, groups, level), {},
                      target.compute_set_cycles, flops.get(), 0);
}

SmallVector<StepPart> mlir::ipu::getComputeParts(const TargetModel &target,
                                                 ComputeSetOp op,
                                                 CostLevel level) {
  std::vector<VertexGroupClasses> groups = getGroups(target, op);
  TileCounts tileCycles = ::getTileCycles(target, groups, level);
  SmallVector<int64_t> slowest;
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu) {
    int64_t begin = ipu * target.tiles;
    slowest.push_back(tileCycles.getMax(begin, begin + target.tiles).first);
  }
  SmallVector<StepPart> parts;
  for (const VertexGroupClasses &group : groups) {
    StepPart &part = parts.emplace_back();
    part.op = group.op;
    part.flops = group.getFlops().get();
    for (int64_t tile : slowest) {
      int64_t number = group.classes.classOfTile.get(tile);
      part.cycles.push_back(
          number == 0
              ? 0
              : getTileCycles(
                    target, group.getVertex(group.classes.classes[number - 1]),
                    CostLevel::Fast));
    }
  }
  return parts;
}

/// A vertex of the kind that does most operations of a compute set; none if
/// there are no operations.
static std::optional<Vertex>
getMainVertex(ArrayRef<VertexGroupClasses> groups) {
  std::optional<Vertex> vertex;
  Count most;
  for (const VertexGroupClasses &group : groups) {
    Count flops = group.getFlops();
    if (!(most < flops))
      continue;
    most = flops;
    vertex = group.getVertex(group.classes.classes.front());
  }
  return vertex;
}

FlopUnit mlir::ipu::getFlopUnit(const TargetModel &target, ComputeSetOp op) {
  std::vector<VertexGroupClasses> groups = getGroups(target, op);
  std::optional<Vertex> vertex = getMainVertex(groups);
  if (!vertex)
    return FlopUnit::VectorF32;
  return getFlopUnit(target, vertex->cost, vertex->inputs, vertex->outputs);
}

std::optional<ContractionMethod>
mlir::ipu::getContractionMethod(const TargetModel &target, ComputeSetOp op) {
  std::vector<VertexGroupClasses> groups = getGroups(target, op);
  std::optional<Vertex> vertex = getMainVertex(groups);
  if (!vertex)
    return std::nullopt;
  return getContractionMethod(target, vertex->cost, vertex->inputs,
                              vertex->outputs);
}

int64_t mlir::ipu::getPeakFlops(const TargetModel &target, FlopUnit unit) {
  switch (unit) {
  case FlopUnit::VectorF32:
    return std::max<int64_t>(target.vector_bytes / 4, 1);
  case FlopUnit::VectorF16:
    return std::max<int64_t>(target.vector_bytes / 2, 1);
  case FlopUnit::MatrixF32:
    return std::max<int64_t>(
        (Count(target.amp_k_f32) * target.amp_n * 2).get() / 8, 1);
  case FlopUnit::MatrixF16:
    return std::max<int64_t>((Count(target.amp_k) * target.amp_n * 2).get() / 4,
                             1);
  case FlopUnit::MatrixF8:
    return (Count(target.amp_k_f8) * target.amp_n * 2).get() / 4;
  }
  llvm_unreachable("covered switch");
}

StringRef mlir::ipu::stringifyFlopUnit(FlopUnit unit) {
  switch (unit) {
  case FlopUnit::VectorF32:
    return "vector_f32";
  case FlopUnit::VectorF16:
    return "vector_f16";
  case FlopUnit::MatrixF32:
    return "matrix_f32";
  case FlopUnit::MatrixF16:
    return "matrix_f16";
  case FlopUnit::MatrixF8:
    return "matrix_f8";
  }
  llvm_unreachable("covered switch");
}
