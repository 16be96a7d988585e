//===- RegionDataFlowModels.cpp - Edges of region ops, by interface -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RegionBranchOpInterface lists the operands of an op and of its terminators
// that are forwarded to block arguments and results. Values that are connected
// in this way, directly or through others, are one edge. The edge belongs to
// the first result among these values. If there is no result among them, as for
// values that only the condition of scf.while uses, the edge belongs to the
// first argument of the op's first region.
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"
#include "ShapeRules.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct RegionEdge {
  SmallVector<OpOperand *> sources;
  SmallVector<Value> targets;
  /// One of the targets; null if none can carry a sharding.
  Value owner;
};

class RegionEdges {
public:
  explicit RegionEdges(Operation *op) : op(op) {}

  /// What leaves `source` arrives at `target`.
  void join(OpOperand &source, Value target) {
    unsigned id = getLeader(getId(source));
    parents[id] = getLeader(getId(target));
  }

  /// Sources and targets in the order in which they were joined.
  SmallVector<RegionEdge> take();

private:
  unsigned add() {
    parents.push_back(parents.size());
    return parents.size() - 1;
  }
  unsigned getId(Value target) {
    auto [it, isNew] = targets.insert({target, 0});
    return isNew ? it->second = add() : it->second;
  }
  unsigned getId(OpOperand &source) {
    auto [it, isNew] = sources.insert({&source, 0});
    return isNew ? it->second = add() : it->second;
  }
  unsigned getLeader(unsigned id) {
    while (parents[id] != id)
      id = parents[id] = parents[parents[id]];
    return id;
  }
  Value getOwner(ArrayRef<Value> values) const;

  Operation *op;
  llvm::MapVector<Value, unsigned> targets;
  llvm::MapVector<OpOperand *, unsigned> sources;
  SmallVector<unsigned> parents;
};
} // namespace

Value RegionEdges::getOwner(ArrayRef<Value> values) const {
  for (Value value : values)
    if (isa<OpResult>(value))
      return value;
  for (Value value : values)
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner()->isEntryBlock() &&
        argument.getOwner()->getParent() == &op->getRegion(0))
      return value;
  return {};
}

SmallVector<RegionEdge> RegionEdges::take() {
  llvm::MapVector<unsigned, RegionEdge> edges;
  for (auto [target, id] : targets)
    edges[getLeader(id)].targets.push_back(target);
  for (auto [source, id] : sources)
    edges[getLeader(id)].sources.push_back(source);
  SmallVector<RegionEdge> found;
  for (auto &[id, edge] : edges) {
    edge.owner = getOwner(edge.targets);
    auto type = edge.owner ? dyn_cast<RankedTensorType>(edge.owner.getType())
                           : RankedTensorType();
    // Types may be compatible without being equal.
    bool isOne =
        type &&
        llvm::all_of(edge.targets,
                     [&](Value target) { return target.getType() == type; }) &&
        llvm::all_of(edge.sources, [&](OpOperand *source) {
          return source->get().getType() == type;
        });
    if (isOne)
      found.push_back(std::move(edge));
  }
  return found;
}

static void joinByInterface(RegionBranchOpInterface op, RegionEdges &edges) {
  RegionBranchSuccessorMapping mapping;
  op.getSuccessorOperandInputMapping(mapping);
  auto joinOperands = [&](Operation *from) {
    for (OpOperand &operand : from->getOpOperands())
      for (Value target : mapping.lookup(&operand))
        edges.join(operand, target);
  };
  joinOperands(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty())
        joinOperands(&block.back());
}

static void joinYielded(Region &region, ValueRange targets,
                        RegionEdges &edges) {
  for (auto [operand, target] :
       llvm::zip(region.front().getTerminator()->getOpOperands(), targets))
    edges.join(operand, target);
}

/// Operands are the arguments of both regions, of which the second one yields
/// what they are next; results are the last ones.
static void join(tosa::WhileOp op, RegionEdges &edges) {
  for (auto [operand, result, condition, body] :
       llvm::zip(op->getOpOperands(), op->getResults(),
                 op.getCondGraph().getArguments(),
                 op.getBodyGraph().getArguments())) {
    edges.join(operand, result);
    edges.join(operand, condition);
    edges.join(operand, body);
  }
  joinYielded(op.getBodyGraph(), op->getResults(), edges);
}

static void join(tosa::IfOp op, RegionEdges &edges) {
  for (Region &region : op->getRegions()) {
    for (auto [argument, operand] : llvm::zip(
             region.getArguments(), llvm::drop_begin(op->getOpOperands())))
      edges.join(operand, argument);
    joinYielded(region, op->getResults(), edges);
  }
}

/// A shared tensor stays where it is while slices of it are written.
static void join(scf::ForallOp op, RegionEdges &edges) {
  for (auto [operand, argument, result] : llvm::zip_equal(
           op.getOutputsMutable(), op.getRegionIterArgs(), op.getResults())) {
    edges.join(operand, result);
    edges.join(operand, argument);
  }
}

static SmallVector<RegionEdge> getEdges(Operation *op) {
  RegionEdges edges(op);
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    join(forall, edges);
  else if (auto loop = dyn_cast<tosa::WhileOp>(op))
    join(loop, edges);
  else if (auto branches = dyn_cast<tosa::IfOp>(op))
    join(branches, edges);
  else
    joinByInterface(cast<RegionBranchOpInterface>(op), edges);
  return edges.take();
}

namespace {
struct RegionModel : ShardableDataFlowOpInterface::FallbackModel<RegionModel> {
  SmallVector<Value> getEdgeOwners(Operation *op) const {
    SmallVector<Value> owners;
    for (const RegionEdge &edge : getEdges(op))
      owners.push_back(edge.owner);
    // Block arguments first, each kind by number.
    auto getKey = [](Value owner) {
      auto argument = dyn_cast<BlockArgument>(owner);
      return argument
                 ? std::make_pair(0U, argument.getArgNumber())
                 : std::make_pair(1U, cast<OpResult>(owner).getResultNumber());
    };
    llvm::sort(owners, [&](Value a, Value b) { return getKey(a) < getKey(b); });
    return owners;
  }

  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    for (RegionEdge &edge : getEdges(op))
      if (edge.owner == owner)
        return edge.sources;
    return {};
  }

  SmallVector<Value> getOtherTargets(Operation *op, Value owner) const {
    SmallVector<Value> others;
    for (RegionEdge &edge : getEdges(op))
      if (edge.owner == owner)
        llvm::copy_if(edge.targets, std::back_inserter(others),
                      [&](Value target) { return target != owner; });
    return others;
  }

  Value getEdgeOwner(Operation *op, BlockArgument target) const {
    for (const RegionEdge &edge : getEdges(op))
      if (llvm::is_contained(edge.targets, target))
        return edge.owner;
    return {};
  }
};
} // namespace

static bool hasRegionBranches(RegisteredOperationName name) {
  return name.hasInterface<RegionBranchOpInterface>();
}

void sdy::registerRegionDataFlowModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, scf::SCFDialect *dialect) {
    attachToOps<RegionModel>(dialect, hasRegionBranches);
  });
  registry.addExtension(+[](MLIRContext *, affine::AffineDialect *dialect) {
    attachToOps<RegionModel>(dialect, hasRegionBranches);
  });
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    tosa::IfOp::attachInterface<RegionModel>(*context);
    tosa::WhileOp::attachInterface<RegionModel>(*context);
  });
}
