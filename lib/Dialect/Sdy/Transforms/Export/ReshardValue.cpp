//===- ReshardValue.cpp - Reshards of values ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReshardValue.h"

#include "../DataFlowEdges.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "ipu-mlir/Sharding/CollectivePlan.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::AxisRef;

bool ValueSharding::isFullyReplicated() const {
  return !isMaximal() && !isUnreduced() &&
         llvm::all_of(axes.dims, [](const sharding::DimSharding &dim) {
           return dim.axes.empty();
         });
}

static bool haveSameDims(const ValueSharding &a, const ValueSharding &b) {
  return llvm::all_of(llvm::zip_equal(a.axes.dims, b.axes.dims), [](auto dims) {
    return std::get<0>(dims).axes == std::get<1>(dims).axes;
  });
}

bool sdy::isSameDistribution(const ValueSharding &a, const ValueSharding &b) {
  if (a.isFullyReplicated() || b.isFullyReplicated())
    return a.isFullyReplicated() && b.isFullyReplicated();
  if (a.mesh != b.mesh)
    return false;
  return a.isMaximal() ||
         (haveSameDims(a, b) && a.axes.unreduced == b.axes.unreduced &&
          (!a.isUnreduced() || a.getKind() == b.getKind()));
}

bool sdy::haveSameParts(const ValueSharding &a, const ValueSharding &b) {
  if (!a.isUnreduced() || !b.isUnreduced())
    return a.isUnreduced() == b.isUnreduced();
  if (a.getKind() != b.getKind())
    return false;
  if (a.mesh.getAxes() == b.mesh.getAxes())
    return a.axes.unreduced == b.axes.unreduced;
  if (a.mesh.getDeviceIds() != b.mesh.getDeviceIds() ||
      a.mesh.getTotalSize() != b.mesh.getTotalSize())
    return false;
  std::optional<AxisList> axes = sharding::changeMesh(
      a.axes.unreduced, getMeshSizes(a.mesh), getMeshSizes(b.mesh));
  return axes && getSorted(*axes) == b.axes.unreduced;
}

AxisList sdy::getSorted(ArrayRef<AxisRef> axes) {
  SmallVector<AxisRef> sorted(axes);
  llvm::sort(sorted, sharding::isBefore);
  AxisList merged;
  for (const AxisRef &axis : sorted)
    sharding::appendMerged(merged, axis);
  return merged;
}

AxisList sdy::getIntersection(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  return sharding::getDifference(a, sharding::getDifference(a, b));
}

static SmallVector<AxisRefAttr> getRefs(ArrayRef<AxisRef> axes, MeshAttr mesh) {
  return llvm::map_to_vector(axes, [&](const AxisRef &axis) {
    return getAxisRefAttr(mesh.getContext(), axis, mesh);
  });
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

ValueSharding ValueResharder::get(TensorShardingAttr attr, int64_t rank) const {
  ValueSharding sharding;
  sharding.axes.dims.resize(rank);
  for (sharding::DimSharding &dim : sharding.axes.dims)
    dim.isClosed = true;
  if (!attr)
    return sharding;
  sharding.attr = attr;
  sharding.mesh = attr.getMesh(symbols);
  for (auto [dim, given] :
       llvm::zip(sharding.axes.dims, attr.getDimShardings()))
    dim.axes = getAxisList(given.getAxes(), sharding.mesh);
  sharding.axes.unreduced = getAxisList(attr.getUnreducedAxes(), sharding.mesh);
  return sharding;
}

ValueSharding ValueResharder::get(Value value) const {
  TensorShardingAttr attr;
  if (Value carrier = getShardedValue(value))
    attr = getLocalSharding(carrier);
  return get(attr, getTensorShape(value).size());
}

std::optional<ValueSharding>
ValueResharder::getAnyMesh(MLIRContext *context) const {
  for (MeshOp mesh : cast<ModuleOp>(symbols.getOp()).getOps<MeshOp>())
    if (!mesh.getMesh().isMaximal() && !mesh.getMesh().empty())
      return get(TensorShardingAttr::getFullyClosed(
                     context, 0, FlatSymbolRefAttr::get(mesh.getSymNameAttr())),
                 0);
  return std::nullopt;
}

ValueSharding ValueResharder::make(const ValueSharding &like,
                                   const sharding::TensorSharding &axes,
                                   ReductionKind kind) const {
  MLIRContext *context = like.mesh.getContext();
  ValueSharding made;
  made.mesh = like.mesh;
  made.axes = axes;
  made.axes.replicated.clear();
  SmallVector<DimensionShardingAttr> dims;
  for (sharding::DimSharding &dim : made.axes.dims) {
    dim.isClosed = true;
    dims.push_back(DimensionShardingAttr::get(
        context, getRefs(dim.axes, like.mesh), /*is_closed=*/true,
        /*priority=*/std::nullopt));
  }
  made.attr = TensorShardingAttr::get(
      context, like.attr.getMeshOrRef(), dims, /*replicated=*/{},
      getRefs(axes.unreduced, like.mesh),
      axes.unreduced.empty() ? ReductionKind::Sum : kind);
  return made;
}

ValueSharding ValueResharder::makePartialLike(const ValueSharding &from,
                                              const ValueSharding &to) const {
  if (!from.isUnreduced() && !to.isUnreduced())
    return from;
  sharding::TensorSharding partial = from.axes;
  partial.unreduced = to.axes.unreduced;
  if (!to.isUnreduced())
    return make(from, partial);
  if (!from.attr)
    return make(to, partial);
  if (from.mesh != to.mesh)
    return to;
  for (sharding::DimSharding &dim : partial.dims) {
    AxisList rest = sharding::getDifference(dim.axes, to.axes.unreduced);
    dim.axes.clear();
    for (const AxisRef &axis : rest)
      sharding::appendMerged(dim.axes, axis);
  }
  return make(from, partial, to.getKind());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value ValueResharder::anchor(OpBuilder &builder, Location loc, Value value,
                             const ValueSharding &from) const {
  // The axes of a collective are those of its operand's mesh, even where all
  // devices have all of it.
  if (TensorShardingAttr own = getSharding(value)) {
    ValueSharding given = get(own, from.axes.dims.size());
    if (given.mesh == from.mesh && isSameDistribution(given, from))
      return value;
  }
  return ReshardOp::create(builder, loc, value.getType(), value, from.attr);
}

Value ValueResharder::allReduce(OpBuilder &builder, Location loc, Value value,
                                const ValueSharding &from,
                                ArrayRef<AxisRef> axes,
                                ReductionKind kind) const {
  sharding::TensorSharding reduced = from.axes;
  reduced.unreduced =
      getSorted(sharding::getDifference(reduced.unreduced, axes));
  if (!from.isFullyReplicated())
    value = anchor(builder, loc, value, from);
  return AllReduceOp::create(
      builder, loc, value.getType(), value,
      AxisRefListAttr::get(builder.getContext(),
                           getRefs(getSorted(axes), from.mesh)),
      make(from, reduced).attr, kind);
}

/// Makes `added` unreduced: axes of dimensions are moved to their ends first,
/// so that shards stay where they are; the others are of whole tensors, of
/// which one device keeps all.
Value ValueResharder::introduceUnreduced(OpBuilder &builder, Location loc,
                                         Value value, ValueSharding &current,
                                         ArrayRef<AxisRef> added) const {
  MLIRContext *context = builder.getContext();
  sharding::TensorSharding moved = current.axes, kept = current.axes;
  AxisList rest(added), sharded;
  SmallVector<AxisRefListAttr> lists;
  for (auto [dim, movedDim, keptDim] :
       llvm::zip_equal(current.axes.dims, moved.dims, kept.dims)) {
    AxisList taken;
    for (const AxisRef &axis : dim.axes)
      for (const AxisRef &other : added)
        if (std::optional<AxisRef> part = sharding::getOverlap(axis, other))
          sharding::appendMerged(taken, *part);
    keptDim.axes.clear();
    for (const AxisRef &axis : sharding::getDifference(dim.axes, added))
      sharding::appendMerged(keptDim.axes, axis);
    movedDim.axes = keptDim.axes;
    for (const AxisRef &axis : taken)
      sharding::appendMerged(movedDim.axes, axis);
    rest = sharding::getDifference(rest, getSorted(taken));
    sharded.append(taken);
    lists.push_back(
        AxisRefListAttr::get(context, getRefs(taken, current.mesh)));
  }
  auto addUnreduced = [&](ArrayRef<AxisRef> axes) {
    kept.unreduced.append(axes.begin(), axes.end());
    kept.unreduced = getSorted(kept.unreduced);
  };
  current = make(current, moved);
  value = anchor(builder, loc, value, current);
  if (!sharded.empty()) {
    addUnreduced(sharded);
    current = make(current, kept, ReductionKind::Sum);
    value = ShardedToUnreducedOp::create(
        builder, loc, value.getType(), value,
        ListOfAxisRefListsAttr::get(context, lists), current.attr);
  }
  if (!rest.empty()) {
    addUnreduced(rest);
    current = make(current, kept, ReductionKind::Sum);
    value = ReplicatedToUnreducedOp::create(
        builder, loc, value.getType(), value,
        AxisRefListAttr::get(context, getRefs(getSorted(rest), current.mesh)),
        current.attr);
  }
  return value;
}

/// Only partial values of sums are made of what is not unreduced, or in another
/// way.
static LogicalResult emitCannotMakePartial(const ReshardDescription &describe,
                                           Location loc,
                                           const ValueSharding &from,
                                           const ValueSharding &to,
                                           const AxisRef &axis) {
  StringRef kind = stringifyReductionKind(to.getKind());
  InFlightDiagnostic diag =
      describe.emitError ? describe.emitError() : emitError(loc);
  diag << "cannot compute partial values of kind " << kind << " for "
       << describe.name << ": expected unreduced axis "
       << getAxisRefAttr(loc.getContext(), axis, to.mesh).toString()
       << " of kind " << kind << ", found ";
  if (!from.isUnreduced())
    diag << "none";
  else if (from.mesh.getAxes() != to.mesh.getAxes())
    diag << "another mesh";
  else if (llvm::none_of(from.axes.unreduced, [&](const AxisRef &other) {
             return sharding::overlaps(axis, other);
           }))
    diag << "other axes";
  else
    diag << "kind " << stringifyReductionKind(from.getKind());
  if (describe.attachNote)
    describe.attachNote(diag);
  return diag;
}

FailureOr<Value>
ValueResharder::reshard(OpBuilder &builder, Location loc, Value value,
                        const ValueSharding &from, const ValueSharding &to,
                        const ReshardDescription &describe) const {
  if (isSameDistribution(from, to))
    return value;
  // One of them has an attribute, whose mesh is the other's too.
  sharding::TensorSharding whole;
  whole.dims.resize(getTensorShape(value).size());
  ValueSharding target = to;
  if (!to.attr)
    target = from.isMaximal() ? to : make(from, whole);
  // There are no other devices to be moved to.
  if (!target.attr)
    return value;
  ValueSharding current = from;
  if (!from.attr && !target.isMaximal())
    current = make(target, whole);

  bool hasSameAxes = current.attr && !current.isMaximal() &&
                     current.mesh.getAxes() == target.mesh.getAxes() &&
                     current.getKind() == target.getKind();
  AxisList removed = current.axes.unreduced, added = target.axes.unreduced;
  if (hasSameAxes) {
    removed =
        sharding::getDifference(current.axes.unreduced, target.axes.unreduced);
    added =
        sharding::getDifference(target.axes.unreduced, current.axes.unreduced);
  }
  if (!added.empty() && target.getKind() != ReductionKind::Sum)
    return emitCannotMakePartial(describe, loc, current, target, added.front());
  if (!removed.empty()) {
    value = allReduce(builder, loc, value, current, removed, current.getKind());
    sharding::TensorSharding reduced = current.axes;
    reduced.unreduced =
        getSorted(sharding::getDifference(reduced.unreduced, removed));
    current = make(current, reduced);
  }
  if (!added.empty() && hasSameAxes)
    value = introduceUnreduced(builder, loc, value, current, added);
  if (!added.empty() && !hasSameAxes) {
    sharding::TensorSharding reduced = target.axes;
    reduced.unreduced.clear();
    ValueSharding next = make(target, reduced);
    if (!isSameDistribution(current, next))
      value =
          ReshardOp::create(builder, loc, value.getType(), value, next.attr);
    current = next;
    value = introduceUnreduced(builder, loc, value, current, added);
  }
  if (isSameDistribution(current, target))
    return value;
  // All devices have all of it before one has, and after.
  if (current.isMaximal() != target.isMaximal() &&
      !(current.isMaximal() ? target : current).isFullyReplicated()) {
    ValueSharding next = make(current.isMaximal() ? target : current, whole);
    value = ReshardOp::create(builder, loc, value.getType(), value, next.attr);
  }
  return ReshardOp::create(builder, loc, value.getType(), value, target.attr)
      .getResult();
}

LogicalResult ValueResharder::reshard(OpOperand &operand,
                                      const ValueSharding &to,
                                      AttachNoteFn attachNote) const {
  Operation *op = operand.getOwner();
  OpBuilder builder = makeBuilder(op);
  FailureOr<Value> value =
      reshard(builder, op->getLoc(), operand.get(), get(operand.get()), to,
              {"operand " + std::to_string(operand.getOperandNumber()),
               [op] { return op->emitOpError(); }, attachNote});
  if (succeeded(value))
    operand.set(*value);
  return value;
}
