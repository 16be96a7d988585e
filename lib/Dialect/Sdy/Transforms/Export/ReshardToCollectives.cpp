//===- ReshardToCollectives.cpp - Conversion of reshards ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: reshards. Out: collectives that lead from the operand's sharding to that
// of the reshard, as planned by sharding::planCollectives. Partial values are
// reduced before these collectives and created after them. If two meshes have
// the same devices in the same order, but different axes, the collectives lead
// to a sharding by the first mesh's axes that is the same for each device; a
// reshard to the other mesh, which moves no data, stays. Other reshards between
// meshes with different axes, and from or to a maximal mesh, stay.
//
//===----------------------------------------------------------------------===//

#include "../Calls/CallUtils.h"
#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Sharding/CollectivePlan.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_RESHARDTOCOLLECTIVESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::CollectiveStep;

namespace {
/// The collectives that replace one reshard.
class ReshardLowering {
public:
  /// Manual axes of callers may be those of `calledIn`.
  ReshardLowering(ReshardOp op, SymbolTable &symbols, ArrayAttr calledIn);

  /// Whether collectives can do it.
  bool isPossible() const { return possible; }
  /// Whether nothing has to be done.
  bool isRedundant() const {
    return steps.empty() && reduced.empty() && added.empty();
  }
  /// Whether those that use the result may use the operand.
  bool canForward() { return sdy::canForward(op.getInput(), op.getResult()); }
  /// Creates the collectives and replaces the reshard.
  void run();

private:
  void plan();
  AxisList getFreeAxes() const;
  SmallVector<AxisRefAttr> getRefs(ArrayRef<sharding::AxisRef> axes) const {
    return llvm::map_to_vector(axes, [&](const sharding::AxisRef &axis) {
      return getAxisRefAttr(context, axis, outMesh);
    });
  }
  AxisRefListAttr getList(ArrayRef<sharding::AxisRef> axes) const {
    return AxisRefListAttr::get(context, getRefs(axes));
  }
  ListOfAxisRefListsAttr getLists(ArrayRef<AxisList> axes) const {
    auto lists = llvm::map_to_vector(
        axes, [&](const AxisList &dim) { return getList(dim); });
    return ListOfAxisRefListsAttr::get(context, lists);
  }
  TensorShardingAttr getCurrent() const;
  bool isAdded(ArrayRef<AxisList> axes) const;
  template <typename OpT, typename... Args>
  void create(Args &&...args) {
    value = OpT::create(builder, op.getLoc(), op.getType(), value,
                        std::forward<Args>(args)...)
                .getResult();
  }
  void create(const CollectiveStep &step, bool isLast);

  ReshardOp op;
  MLIRContext *context;
  OpBuilder builder;
  TensorShardingAttr in, out;
  MeshAttr inMesh, outMesh;
  ArrayAttr calledIn;
  bool possible = false;
  SmallVector<CollectiveStep> steps;
  /// Unreduced axes: summed up first, left alone, introduced last.
  AxisList reduced, kept, added;

  // As far as collectives have been created.
  Value value;
  SmallVector<AxisList> dims;
  AxisList unreduced;
  ReductionKind kind = ReductionKind::Sum;
  Attribute meshOrRef;
};
} // namespace

static SmallVector<AxisList> getDims(TensorShardingAttr sharding,
                                     MeshAttr mesh) {
  return llvm::map_to_vector(sharding.getDimShardings(),
                             [&](DimensionShardingAttr dim) {
                               return getAxisList(dim.getAxes(), mesh);
                             });
}

/// The sizes of `rank` dimensions; unknown ones of what is no ranked tensor.
static SmallVector<int64_t> getShape(Type type, int64_t rank) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() && shaped.getRank() == rank)
    return SmallVector<int64_t>(shaped.getShape());
  return SmallVector<int64_t>(rank, ShapedType::kDynamic);
}

ReshardLowering::ReshardLowering(ReshardOp op, SymbolTable &symbols,
                                 ArrayAttr calledIn)
    : op(op), context(op->getContext()), builder(op),
      in(getUseSharding(op.getInput())), out(op.getSharding()),
      outMesh(out.getMesh(symbols)), calledIn(calledIn), value(op.getInput()) {
  if (!in)
    in = TensorShardingAttr::getFullyClosed(context, out.getRank(),
                                            out.getMeshOrRef());
  inMesh = in.getMesh(symbols);
  if (!inMesh || !outMesh || in.getRank() != out.getRank())
    return;
  if (inMesh.getAxes() != outMesh.getAxes() || inMesh.isMaximal()) {
    // Nothing to exchange if all devices have all, whatever their meshes are.
    possible = inMesh == outMesh ||
               (!inMesh.isMaximal() && !outMesh.isMaximal() &&
                in.isFullyReplicated() && out.isFullyReplicated());
    return;
  }
  plan();
}

/// The axes along which shards may be sliced on the way. Manual ones are not,
/// nor those along which devices have partial values.
AxisList ReshardLowering::getFreeAxes() const {
  AxisList used = kept, all;
  SmallVector<AxisList> both = getDims(out, outMesh);
  both.append(dims);
  for (const AxisList &dim : both)
    used.append(dim);
  ArrayAttr manual = getManualAxesAround(op, calledIn);
  SmallVector<int64_t> sizes = getMeshSizes(inMesh);
  for (unsigned i = 0; i < sizes.size(); ++i) {
    StringRef name = inMesh.getAxes()[i].getName();
    if (llvm::none_of(manual.getAsRange<StringAttr>(), [&](StringAttr other) {
          return other.getValue() == name;
        }))
      all.push_back(sharding::getFullAxis(i, sizes));
  }
  return sharding::getDifference(all, used);
}

void ReshardLowering::plan() {
  dims = getDims(in, inMesh);
  meshOrRef = in.getMeshOrRef();
  kind = in.getReductionKind();
  unreduced = getAxisList(in.getUnreducedAxes(), inMesh);
  AxisList after = getAxisList(out.getUnreducedAxes(), outMesh);
  // Partial values of one kind are none of another.
  bool isOfOneKind = kind == out.getReductionKind();
  reduced = isOfOneKind ? sharding::getDifference(unreduced, after) : unreduced;
  kept = sharding::getDifference(unreduced, reduced);
  added = isOfOneKind ? sharding::getDifference(after, unreduced) : after;
  // Only partial values of sums can be made.
  possible = added.empty() || out.getReductionKind() == ReductionKind::Sum;
  bool changesDevices = inMesh.getDeviceIds() != outMesh.getDeviceIds();
  steps = sharding::planCollectives(dims, getDims(out, outMesh),
                                    getShape(op.getType(), out.getRank()),
                                    changesDevices, getFreeAxes());
  if (!steps.empty())
    return;
  // Partial values are not the same on all devices, and collectives that follow
  // need the mesh, or a sharding at all.
  if (changesDevices && (!after.empty() || !canForward()))
    steps = {{CollectiveStep::Kind::CollectivePermute, {}, {}, dims}};
  else if ((isRedundant() && !canForward()) ||
           (!added.empty() && !getUseSharding(op.getInput())))
    steps = {{CollectiveStep::Kind::AllSlice,
              SmallVector<AxisList>(dims.size()),
              {},
              dims}};
}

TensorShardingAttr ReshardLowering::getCurrent() const {
  auto dimShardings = llvm::map_to_vector(dims, [&](const AxisList &dim) {
    return DimensionShardingAttr::get(context, getRefs(dim),
                                      /*is_closed=*/true, std::nullopt);
  });
  return TensorShardingAttr::get(context, meshOrRef, dimShardings,
                                 /*replicated=*/{}, getRefs(unreduced), kind);
}

/// Whether all axes are unreduced in the end, and were not before.
bool ReshardLowering::isAdded(ArrayRef<AxisList> axes) const {
  return llvm::all_of(axes, [&](const AxisList &dim) {
    return sharding::getDifference(dim, added).empty();
  });
}

void ReshardLowering::create(const CollectiveStep &step, bool isLast) {
  dims = step.result;
  // Only a permutation changes the mesh; but to another name of the same one it
  // may not.
  if ((step.kind == CollectiveStep::Kind::CollectivePermute) ==
      (inMesh != outMesh))
    meshOrRef = out.getMeshOrRef();
  switch (step.kind) {
  case CollectiveStep::Kind::AllSlice:
    return create<AllSliceOp>(getLists(step.axes), getCurrent());
  case CollectiveStep::Kind::CollectivePermute:
    return create<CollectivePermuteOp>(getCurrent());
  case CollectiveStep::Kind::AllToAll: {
    auto params =
        llvm::map_to_vector(step.moves, [&](const CollectiveStep::Move &move) {
          return AllToAllParamAttr::get(context, getRefs(move.axes),
                                        move.source, move.target);
        });
    return create<AllToAllOp>(AllToAllParamListAttr::get(context, params),
                              getCurrent());
  }
  case CollectiveStep::Kind::AllGather:
    if (!isLast || !isAdded(step.axes))
      return create<AllGatherOp>(getLists(step.axes), getCurrent());
    // Partial values of a sum that are zero elsewhere: nothing is exchanged.
    for (const AxisList &dim : step.axes) {
      AxisList axes = dim;
      llvm::sort(axes, sharding::isBefore);
      unreduced.append(axes);
      added = sharding::getDifference(added, axes);
    }
    llvm::sort(unreduced, sharding::isBefore);
    AxisList merged;
    for (const sharding::AxisRef &axis : unreduced)
      sharding::appendMerged(merged, axis);
    unreduced = merged;
    return create<ShardedToUnreducedOp>(getLists(step.axes), getCurrent());
  }
  llvm_unreachable("unknown kind of step");
}

void ReshardLowering::run() {
  if (!reduced.empty()) {
    unreduced = kept;
    ReductionKind kindBefore = kind;
    if (kept.empty())
      kind = ReductionKind::Sum;
    create<AllReduceOp>(getList(reduced), getCurrent(), kindBefore);
  }
  for (auto [i, step] : llvm::enumerate(steps))
    create(step, i + 1 == steps.size());
  if (!added.empty()) {
    unreduced = getAxisList(out.getUnreducedAxes(), outMesh);
    create<ReplicatedToUnreducedOp>(getList(added), getCurrent());
  }
  // Openness is not what collectives are about, but it was asked for.
  if (value != op.getInput() && meshOrRef == out.getMeshOrRef())
    setSharding(value, out);
  op.replaceAllUsesWith(value);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Between meshes
//===----------------------------------------------------------------------===//

/// `sharding`, of a tensor on `mesh`, by the axes of `other`, the mesh of
/// `like`. Null if these do not tell the same devices apart.
static TensorShardingAttr changeMesh(TensorShardingAttr sharding, MeshAttr mesh,
                                     TensorShardingAttr like, MeshAttr other) {
  MLIRContext *context = sharding.getContext();
  SmallVector<int64_t> from = getMeshSizes(mesh), to = getMeshSizes(other);
  auto change = [&](ArrayRef<AxisRefAttr> refs)
      -> std::optional<SmallVector<AxisRefAttr>> {
    std::optional<AxisList> axes =
        sharding::changeMesh(getAxisList(refs, mesh), from, to);
    if (!axes)
      return std::nullopt;
    return llvm::map_to_vector(*axes, [&](const sharding::AxisRef &axis) {
      return getAxisRefAttr(context, axis, other);
    });
  };
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings()) {
    auto axes = change(dim.getAxes());
    if (!axes)
      return nullptr;
    dims.push_back(DimensionShardingAttr::get(
        context, *axes, /*is_closed=*/true, /*priority=*/std::nullopt));
  }
  auto unreduced = change(sharding.getUnreducedAxes());
  return unreduced ? TensorShardingAttr::get(context, like.getMeshOrRef(), dims,
                                             /*replicated=*/{}, *unreduced,
                                             sharding.getReductionKind())
                   : nullptr;
}

/// For a reshard to a mesh with other axes of the same devices: a reshard on
/// the mesh of the operand in front of it, after which it only changes the
/// mesh. Null if there is nothing to move, or no such sharding.
static ReshardOp splitOffMoves(ReshardOp op, SymbolTable &symbols) {
  TensorShardingAttr in = getUseSharding(op.getInput());
  TensorShardingAttr out = op.getSharding();
  MeshAttr inMesh = in ? in.getMesh(symbols) : nullptr;
  MeshAttr outMesh = out.getMesh(symbols);
  if (!inMesh || !outMesh || inMesh.isMaximal() || outMesh.isMaximal() ||
      inMesh.getAxes() == outMesh.getAxes() ||
      inMesh.getDeviceIds() != outMesh.getDeviceIds() ||
      inMesh.getTotalSize() != outMesh.getTotalSize())
    return nullptr;
  TensorShardingAttr moved = changeMesh(out, outMesh, in, inMesh);
  TensorShardingAttr given = changeMesh(in, inMesh, in, inMesh);
  if (!moved || moved == given)
    return nullptr;
  OpBuilder builder(op);
  auto reshard = ReshardOp::create(builder, op.getLoc(), op.getType(),
                                   op.getInput(), moved);
  op.getInputMutable().assign(reshard.getResult());
  return reshard;
}

/// The manual axes of all computations that call functions.
static ArrayAttr getAxesOfCalls(ModuleOp module) {
  ArrayAttr axes;
  module.walk(
      [&](CallOpInterface call) { axes = getManualAxesAround(call, axes); });
  return axes;
}

namespace {
struct ReshardToCollectivesPass
    : sdy::impl::ReshardToCollectivesPassBase<ReshardToCollectivesPass> {
  using ReshardToCollectivesPassBase::ReshardToCollectivesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    SmallVector<ReshardOp> reshards;
    getOperation().walk([&](ReshardOp op) { reshards.push_back(op); });
    ArrayAttr calledIn = getAxesOfCalls(getOperation());
    bool hasChanged = false;
    for (ReshardOp op : reshards) {
      if (ReshardOp moves = splitOffMoves(op, symbols)) {
        op = moves;
        hasChanged = true;
      }
      ReshardLowering lowering(op, symbols, calledIn);
      if (!lowering.isPossible() ||
          (lowering.isRedundant() &&
           (keepRedundantReshards || !lowering.canForward())))
        continue;
      lowering.run();
      hasChanged = true;
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
