//===- FusionCost.cpp - Bytes and operations of a schedule ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule, and the cost of an element of each tensor. Out: the bytes and
// operations of the nest, and positions for which the nest has few bytes and
// operations.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/FusionCost.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

double mlir::fuse::evaluateExtent(AffineExpr extent,
                                  const CostParameters &parameters) {
  // Extents may exceed 64 bits when multiplied, so this is not done by
  // substitution.
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return constant.getValue();
  if (isa<AffineSymbolExpr, AffineDimExpr>(extent))
    return parameters.assumedExtent;
  auto binary = cast<AffineBinaryOpExpr>(extent);
  double lhs = evaluateExtent(binary.getLHS(), parameters);
  double rhs = evaluateExtent(binary.getRHS(), parameters);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::CeilDiv:
    return std::ceil(lhs / rhs);
  case AffineExprKind::FloorDiv:
    return std::floor(lhs / rhs);
  default:
    return std::fmod(lhs, rhs);
  }
}

//===----------------------------------------------------------------------===//
// Estimate
//===----------------------------------------------------------------------===//

namespace {
/// A loop around a statement: its extent, and which of the tensor's loops it is
/// (none: a loop of others, which repeats the statement).
struct PathLoop {
  ClassId loopClass;
  double extent;
  std::optional<unsigned> own;
};
using Path = SmallVector<PathLoop>;

class Estimator {
public:
  Estimator(const Schedule &schedule, ArrayRef<TensorCost> costs,
            const CostParameters &parameters)
      : schedule(schedule), costs(costs), parameters(parameters) {}

  std::optional<FusionEstimate> run();

private:
  Path makePath(TensorId tensor, const LoopClasses &classes) const;
  /// The tensor's own loops, shared with none.
  Path makeOwnPath(TensorId tensor) const;
  double getExtent(AxisId axis) const {
    return evaluateExtent(schedule.getAxis(axis).extent, parameters);
  }
  double getPoints(ArrayRef<AxisId> axes) const {
    double points = 1;
    for (AxisId axis : axes)
      points *= getExtent(axis);
    return points;
  }
  /// Elements of a result.
  double getElements(TensorId tensor) const {
    const Tensor &t = schedule.getTensor(tensor);
    return t.logical.empty() ? 1 : getPoints(t.logical.front());
  }
  double getBufferBytes(TensorId tensor) const;
  /// Whether its elements go through memory.
  bool isInMemory(TensorId tensor, double bufferBytes) const {
    const Tensor &t = schedule.getTensor(tensor);
    return t.isInput || t.isOutput || bufferBytes > parameters.cacheBytes;
  }
  /// Which loops of a path move over the elements of the operand.
  SmallVector<bool> getMoving(TensorId reader, const Operand &operand,
                              const Path &path) const;
  /// Bytes of the operand that the loops from `depth` on touch.
  double getFootprint(TensorId reader, const Operand &operand, const Path &path,
                      unsigned depth) const;
  double getReadBytes(TensorId reader, const Operand &operand,
                      const Path &path) const;
  /// Whether an earlier reader, in loops around both, has just read the same.
  bool isReadBefore(TensorId reader, const Operand &operand) const;

  const Schedule &schedule;
  ArrayRef<TensorCost> costs;
  const CostParameters &parameters;
  std::vector<Path> paths;
};
} // namespace

Path Estimator::makePath(TensorId tensor, const LoopClasses &classes) const {
  Path path;
  ArrayRef<ClassId> own = classes.getClasses(tensor);
  for (ClassId loopClass : classes.getLoopsAround(tensor)) {
    if (!classes[loopClass].hasLoop)
      continue;
    PathLoop loop;
    loop.loopClass = loopClass;
    loop.extent = evaluateExtent(classes[loopClass].extent, parameters);
    const ClassId *at = llvm::find(own, loopClass);
    if (at != own.end())
      loop.own = at - own.begin();
    path.push_back(loop);
  }
  return path;
}

Path Estimator::makeOwnPath(TensorId tensor) const {
  Path path;
  for (auto [i, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    path.push_back({ClassId(i), getExtent(axis), unsigned(i)});
  return path;
}

double Estimator::getBufferBytes(TensorId tensor) const {
  const Tensor &t = schedule.getTensor(tensor);
  if (t.isInput || t.isOutput)
    return getElements(tensor) * costs[tensor].bytes;
  double elements = 1;
  for (AxisId id : ArrayRef(t.loop).drop_front(t.computeAt)) {
    const Axis &axis = schedule.getAxis(id);
    if (!axis.isReduction() && !axis.isBroadcast())
      elements *= getExtent(id);
  }
  return elements * costs[tensor].bytes;
}

SmallVector<bool> Estimator::getMoving(TensorId reader, const Operand &operand,
                                       const Path &path) const {
  SmallVector<bool> moving;
  for (const PathLoop &loop : path)
    moving.push_back(
        loop.own &&
        llvm::any_of(
            schedule.getRoots(schedule.getTensor(reader).loop[*loop.own]),
            [&](AxisId root) {
              return llvm::is_contained(operand.axes, std::optional(root));
            }));
  return moving;
}

double Estimator::getFootprint(TensorId reader, const Operand &operand,
                               const Path &path, unsigned depth) const {
  double bytes = costs[operand.producer].bytes;
  SmallVector<bool> moving = getMoving(reader, operand, path);
  for (unsigned i = depth; i < path.size(); ++i)
    if (moving[i])
      bytes *= path[i].extent;
  return bytes;
}

double Estimator::getReadBytes(TensorId reader, const Operand &operand,
                               const Path &path) const {
  // From the inside: a loop over other elements moves more of them; any other
  // moves the same again unless they are still in the cache.
  SmallVector<bool> moving = getMoving(reader, operand, path);
  double footprint = costs[operand.producer].bytes, bytes = footprint;
  for (size_t i = path.size(); i-- > 0;) {
    if (moving[i])
      footprint *= path[i].extent;
    if (moving[i] || footprint > parameters.cacheBytes)
      bytes *= path[i].extent;
  }
  return bytes;
}

bool Estimator::isReadBefore(TensorId reader, const Operand &operand) const {
  for (TensorId other : schedule.getConsumers(operand.producer)) {
    if (other == reader)
      return false;
    unsigned shared = 0;
    while (shared < paths[reader].size() && shared < paths[other].size() &&
           paths[reader][shared].loopClass == paths[other][shared].loopClass)
      ++shared;
    if (shared != 0 && getFootprint(reader, operand, paths[reader], shared) <=
                           parameters.cacheBytes)
      return true;
  }
  return false;
}

std::optional<FusionEstimate> Estimator::run() {
  LoopClasses classes = LoopClasses::build(schedule);
  if (verifyLegality(schedule, classes))
    return std::nullopt;
  for (TensorId tensor = 0; tensor < schedule.getNumTensors(); ++tensor)
    paths.push_back(makePath(tensor, classes));

  FusionEstimate result;
  result.tensors.resize(schedule.getNumTensors());
  for (TensorId tensor : schedule.getProgramOrder())
    result.tensors[tensor].bufferBytes = getBufferBytes(tensor);
  for (TensorId tensor : schedule.getProgramOrder()) {
    const Tensor &t = schedule.getTensor(tensor);
    if (t.isInput)
      continue;
    TensorEstimate &estimate = result.tensors[tensor];
    for (const PathLoop &loop : paths[tensor])
      estimate.recompute *=
          loop.own ? std::max(1.0, loop.extent / getExtent(t.loop[*loop.own]))
                   : loop.extent;
    double operations = getPoints(t.root) * costs[tensor].operations;
    double written = getElements(tensor) * costs[tensor].bytes;
    estimate.operations = operations * estimate.recompute;
    if (isInMemory(tensor, estimate.bufferBytes))
      estimate.bytes = written * estimate.recompute;
    double unfusedBytes = written;
    Path own = makeOwnPath(tensor);
    for (const Operand &operand : t.operands) {
      unfusedBytes += getReadBytes(tensor, operand, own);
      if (isInMemory(operand.producer,
                     result.tensors[operand.producer].bufferBytes) &&
          !isReadBefore(tensor, operand))
        estimate.bytes += getReadBytes(tensor, operand, paths[tensor]);
    }
    result.operations += estimate.operations;
    result.bytes += estimate.bytes;
    result.unfusedOperations += operations;
    result.unfusedBytes += unfusedBytes;
  }
  return result;
}

std::optional<FusionEstimate>
mlir::fuse::estimateCost(const Schedule &schedule, ArrayRef<TensorCost> costs,
                         const CostParameters &parameters) {
  return Estimator(schedule, costs, parameters).run();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

FusionEstimate mlir::fuse::choosePositions(Schedule &schedule,
                                           ArrayRef<TensorCost> costs,
                                           const CostParameters &parameters) {
  inlineMost(schedule);
  std::optional<FusionEstimate> best =
      estimateCost(schedule, costs, parameters);
  if (!best)
    return {};
  // Estimates take time in the size of the fusion each.
  int64_t budget = std::max<int64_t>(
      64, (int64_t(1) << 20) / std::max(1u, schedule.getNumTensors()));
  for (TensorId tensor : llvm::reverse(schedule.getProgramOrder())) {
    unsigned chosen = schedule.getTensor(tensor).computeAt;
    if (best->tensors[tensor].recompute <= 1)
      continue;
    for (unsigned position = chosen; position-- > 0 && budget > 0; --budget) {
      schedule.getTensor(tensor).computeAt = position;
      std::optional<FusionEstimate> estimate =
          estimateCost(schedule, costs, parameters);
      if (!estimate ||
          estimate->getCost(parameters) >= best->getCost(parameters))
        continue;
      best = std::move(estimate);
      chosen = position;
    }
    schedule.getTensor(tensor).computeAt = chosen;
  }
  return *best;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// A set of tensors and those that depend on it. The first node has all others
/// as successors.
struct Group {
  TensorId leader = 0;
  SmallVector<Group *> successors;
};
} // namespace

template <>
struct llvm::GraphTraits<Group *> {
  using NodeRef = Group *;
  using ChildIteratorType = SmallVectorImpl<Group *>::iterator;
  static NodeRef getEntryNode(Group *group) { return group; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->successors.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->successors.end();
  }
};

std::vector<unsigned> mlir::fuse::groupByNest(const Schedule &schedule) {
  llvm::EquivalenceClasses<TensorId> groups;
  auto forEachEdge = [&](llvm::function_ref<void(TensorId, TensorId)> fn) {
    for (TensorId tensor : schedule.getProgramOrder())
      if (!schedule.getTensor(tensor).isInput)
        for (TensorId consumer : schedule.getConsumers(tensor))
          fn(tensor, consumer);
  };
  for (TensorId tensor : schedule.getProgramOrder())
    groups.insert(tensor);
  forEachEdge([&](TensorId producer, TensorId consumer) {
    // A broadcast costs no loop where it is read.
    const Tensor &t = schedule.getTensor(producer);
    if (t.computeAt != 0 || llvm::all_of(t.loop, [&](AxisId axis) {
          return schedule.getAxis(axis).isBroadcast();
        }))
      groups.unionSets(producer, consumer);
  });

  // Nests that depend on each other in a cycle become one.
  std::vector<Group> nodes(schedule.getNumTensors() + 1);
  Group &entry = nodes.back();
  for (TensorId tensor : schedule.getProgramOrder()) {
    nodes[tensor].leader = tensor;
    entry.successors.push_back(&nodes[tensor]);
  }
  forEachEdge([&](TensorId producer, TensorId consumer) {
    nodes[groups.getLeaderValue(producer)].successors.push_back(
        &nodes[groups.getLeaderValue(consumer)]);
  });
  for (auto it = llvm::scc_begin(&entry); !it.isAtEnd(); ++it)
    for (Group *node : *it)
      if (node != &entry)
        groups.unionSets((*it).front()->leader, node->leader);

  std::vector<unsigned> numbers(schedule.getNumTensors(), ~0u);
  llvm::DenseMap<TensorId, unsigned> ofLeader;
  for (TensorId tensor : schedule.getProgramOrder())
    if (!schedule.getTensor(tensor).isInput)
      numbers[tensor] = ofLeader
                            .insert({groups.getLeaderValue(tensor),
                                     unsigned(ofLeader.size())})
                            .first->second;
  return numbers;
}
