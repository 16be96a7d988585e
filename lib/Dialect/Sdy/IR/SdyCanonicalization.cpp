//===- SdyCanonicalization.cpp - Simpler reshards and collectives ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// A reshard of a reshard that nothing else uses: only the last counts.
LogicalResult ReshardOp::canonicalize(ReshardOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshardOp>();
  if (!inner || !inner->hasOneUse())
    return rewriter.notifyMatchFailure(
        op, "the input is not a reshard with one use");
  // Parts of a maximum do not become partial values at once.
  if (findUnreducedReshardFault(getUseSharding(inner.getInput()),
                                op.getSharding(), op))
    return rewriter.notifyMatchFailure(op,
                                       "one reshard cannot make both changes");
  rewriter.modifyOpInPlace(
      op, [&] { op.getInputMutable().assign(inner.getInput()); });
  rewriter.eraseOp(inner);
  return success();
}

/// Drops arguments that the body does not use, and the op if it has nothing
/// left or if its manual axes have one device in all.
LogicalResult ManualComputationOp::canonicalize(ManualComputationOp op,
                                                PatternRewriter &rewriter) {
  Block &body = op.getBody().front();
  if (op.getTensors().empty() && op.getResults().empty() &&
      body.without_terminator().empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  llvm::BitVector unused(body.getNumArguments());
  for (BlockArgument argument : body.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  if (unused.any()) {
    SmallVector<TensorShardingAttr> shardings;
    for (auto [i, sharding] :
         llvm::enumerate(op.getInShardings().getShardings()))
      if (!unused.test(i))
        shardings.push_back(sharding);
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(unused);
      op->eraseOperands(unused);
      op.setInShardingsAttr(
          TensorShardingPerValueAttr::get(op.getContext(), shardings));
    });
    return success();
  }
  MeshAttr mesh;
  for (TensorShardingPerValueAttr side :
       {op.getInShardings(), op.getOutShardings()})
    for (TensorShardingAttr sharding : side.getShardings())
      if (!mesh || mesh.empty())
        mesh = sharding.getMesh(op.getOperation());
  int64_t devices = 1;
  for (StringAttr axis : op.getManualAxes().getValue()) {
    if (!mesh || !mesh.hasAxis(axis.getValue()))
      return rewriter.notifyMatchFailure(
          op, "the mesh does not have a manual axis");
    devices *= mesh.getAxisSize(axis.getValue());
  }
  if (devices != 1)
    return rewriter.notifyMatchFailure(op,
                                       "the manual axes have several devices");
  Operation *terminator = body.getTerminator();
  rewriter.inlineBlockBefore(&body, op, op.getTensors());
  // Its operands are values of the block around now, not arguments.
  rewriter.replaceOp(op, terminator->getOperands());
  rewriter.eraseOp(terminator);
  return success();
}

/// Whether no dimension has axes.
static bool isEmpty(ListOfAxisRefListsAttr axes) {
  return llvm::all_of(axes.getValue(), [](AxisRefListAttr list) {
    return list.getValue().empty();
  });
}

bool sdy::canForward(Value value, Value result) {
  TensorShardingAttr in, out;
  for (Operation *user : result.getUsers()) {
    if (!isCollective(user))
      continue;
    if (!out) {
      in = getUseSharding(value);
      out = getUseSharding(result);
      if (!in || !out || in.getMesh(user) != out.getMesh(user))
        return false;
    }
    // Replicated axes are not reduced along, and from one name of a mesh to
    // another nothing is permuted.
    if ((isa<AllReduceOp>(user) &&
         in.getReplicatedAxes() != out.getReplicatedAxes()) ||
        (isa<CollectivePermuteOp>(user) &&
         in.getMeshOrRef() != out.getMeshOrRef()))
      return false;
  }
  return true;
}

/// Replaces a collective by a tensor that is sharded as its result.
static LogicalResult forward(Operation *op, Value tensor,
                             PatternRewriter &rewriter) {
  if (!canForward(tensor, op->getResult(0)))
    return rewriter.notifyMatchFailure(
        op, "a collective uses the sharding of the result");
  rewriter.replaceOp(op, tensor);
  return success();
}

LogicalResult AllGatherOp::canonicalize(AllGatherOp op,
                                        PatternRewriter &rewriter) {
  if (!isEmpty(op.getAxes()))
    return rewriter.notifyMatchFailure(op, "the op gathers axes");
  return forward(op, op.getTensor(), rewriter);
}

/// A slice of what was gathered over the same axes.
LogicalResult AllSliceOp::canonicalize(AllSliceOp op,
                                       PatternRewriter &rewriter) {
  if (isEmpty(op.getAxes()))
    return forward(op, op.getTensor(), rewriter);
  auto gather = op.getTensor().getDefiningOp<AllGatherOp>();
  if (!gather || gather.getAxes() != op.getAxes())
    return rewriter.notifyMatchFailure(
        op, "the operand is not an all_gather along the same axes");
  return forward(op, gather.getTensor(), rewriter);
}

LogicalResult ReduceScatterOp::canonicalize(ReduceScatterOp op,
                                            PatternRewriter &rewriter) {
  if (!isEmpty(op.getReduceScatterAxes()))
    return rewriter.notifyMatchFailure(op, "the op scatters axes");
  return forward(op, op.getTensor(), rewriter);
}

/// The longest part of `slice`, from its beginning, that is made of parts of
/// `reduction`.
static sharding::AxisList
getReducedPrefix(ArrayRef<sharding::AxisRef> slice,
                 ArrayRef<sharding::AxisRef> reduction) {
  sharding::AxisList prefix;
  for (std::optional<sharding::AxisRef> rest : slice)
    while (rest) {
      const sharding::AxisRef *reduced =
          llvm::find_if(reduction, [&](const sharding::AxisRef &axis) {
            return sharding::overlaps(axis, *rest) &&
                   axis.preSize <= rest->preSize;
          });
      if (reduced == reduction.end() || !sharding::canCoexist(*reduced, *rest))
        return prefix;
      sharding::appendMerged(prefix, *sharding::getOverlap(*reduced, *rest));
      rest = sharding::getSuffixWithoutOverlap(*rest, *reduced);
    }
  return prefix;
}

/// The slice that all users of `op` are; null if there are none or others.
static AllSliceOp getOnlySlice(AllReduceOp op) {
  AllSliceOp only;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<AllSliceOp>(user);
    if (!slice || (only && (slice.getAxes() != only.getAxes() ||
                            slice.getOutSharding() != only.getOutSharding())))
      return {};
    only = slice;
  }
  return only;
}

/// A sum that is only sliced, along all axes it is over: each device sums up
/// its part. What else is sliced is sliced after.
static LogicalResult makeReduceScatter(AllReduceOp op,
                                       PatternRewriter &rewriter) {
  AllSliceOp slice = getOnlySlice(op);
  TensorShardingAttr sum = op.getOutSharding();
  MeshAttr mesh = sum.getMesh(op.getOperation());
  if (!slice || !mesh || mesh != slice.getOutSharding().getMesh(op))
    return rewriter.notifyMatchFailure(
        op, "the users are not slices with one sharding");
  MLIRContext *context = op.getContext();
  auto getRefs = [&](ArrayRef<sharding::AxisRef> axes) {
    return llvm::map_to_vector(axes, [&](const sharding::AxisRef &axis) {
      return getAxisRefAttr(context, axis, mesh);
    });
  };
  sharding::AxisList reduction =
      getAxisList(op.getReductionAxes().getValue(), mesh);
  sharding::AxisList consumed;
  SmallVector<AxisRefListAttr> scattered, rest;
  SmallVector<DimensionShardingAttr> dims;
  for (auto [list, dim] :
       llvm::zip_equal(slice.getAxes().getValue(), sum.getDimShardings())) {
    sharding::AxisList axes = getAxisList(list.getValue(), mesh);
    sharding::AxisList prefix = getReducedPrefix(axes, reduction);
    sharding::AxisList all = getAxisList(dim.getAxes(), mesh);
    for (const sharding::AxisRef &axis : prefix)
      sharding::appendMerged(all, axis);
    consumed.append(prefix);
    scattered.push_back(AxisRefListAttr::get(context, getRefs(prefix)));
    rest.push_back(AxisRefListAttr::get(
        context, getRefs(sharding::getDifference(axes, prefix))));
    dims.push_back(DimensionShardingAttr::get(
        context, getRefs(all), dim.getIsClosed(), dim.getPriority()));
  }
  if (!sharding::getDifference(reduction, consumed).empty())
    return rewriter.notifyMatchFailure(
        op, "the op reduces along axes that are not sliced");
  // What is scattered is not replicated any more.
  sharding::AxisList replicated = sharding::getDifference(
      getAxisList(sum.getReplicatedAxes(), mesh), consumed);
  llvm::erase_if(replicated, [&](const sharding::AxisRef &axis) {
    return llvm::any_of(consumed, [&](const sharding::AxisRef &other) {
      return sharding::overlaps(axis, other);
    });
  });
  bool isAll = llvm::all_of(
      rest, [](AxisRefListAttr list) { return list.getValue().empty(); });
  TensorShardingAttr out =
      isAll
          ? slice.getOutSharding()
          : TensorShardingAttr::get(context, sum.getMeshOrRef(), dims,
                                    getRefs(replicated), sum.getUnreducedAxes(),
                                    sum.getReductionKind());
  rewriter.setInsertionPoint(op);
  Value result = ReduceScatterOp::create(
      rewriter, op.getLoc(), op.getType(), op.getTensor(),
      ListOfAxisRefListsAttr::get(context, scattered), out,
      op.getReductionKind());
  if (!isAll)
    result = AllSliceOp::create(rewriter, slice.getLoc(), op.getType(), result,
                                ListOfAxisRefListsAttr::get(context, rest),
                                slice.getOutSharding());
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    rewriter.replaceOp(user, result);
  rewriter.eraseOp(op);
  return success();
}

/// Sums of what was replicated or sharded and only declared to be parts.
LogicalResult AllReduceOp::canonicalize(AllReduceOp op,
                                        PatternRewriter &rewriter) {
  ArrayRef<AxisRefAttr> axes = op.getReductionAxes().getValue();
  if (axes.empty())
    return forward(op, op.getTensor(), rewriter);
  if (succeeded(makeReduceScatter(op, rewriter)))
    return success();
  if (op.getReductionKind() != ReductionKind::Sum)
    return rewriter.notifyMatchFailure(op, "the reduction is not a sum");
  if (auto parts = op.getTensor().getDefiningOp<ReplicatedToUnreducedOp>()) {
    if (parts.getAxes() != op.getReductionAxes())
      return rewriter.notifyMatchFailure(op, "the axes differ");
    return forward(op, parts.getTensor(), rewriter);
  }
  auto parts = op.getTensor().getDefiningOp<ShardedToUnreducedOp>();
  if (!parts)
    return rewriter.notifyMatchFailure(
        op, "the operand is not made of the parts of a tensor");
  SmallVector<AxisRefAttr> gathered;
  for (AxisRefListAttr list : parts.getAxes().getValue())
    llvm::append_range(gathered, list.getValue());
  if (gathered.size() != axes.size() ||
      !llvm::all_of(gathered, [&](AxisRefAttr ref) {
        return llvm::is_contained(axes, ref);
      }))
    return rewriter.notifyMatchFailure(op, "the axes differ");
  rewriter.replaceOpWithNewOp<AllGatherOp>(op, op.getType(), parts.getTensor(),
                                           parts.getAxes(),
                                           op.getOutSharding());
  return success();
}

/// Moves one after the other between other dimensions are one move.
LogicalResult AllToAllOp::canonicalize(AllToAllOp op,
                                       PatternRewriter &rewriter) {
  auto inner = op.getTensor().getDefiningOp<AllToAllOp>();
  if (!inner || !inner->hasOneUse())
    return rewriter.notifyMatchFailure(
        op, "the operand is not an all_to_all with one use");
  SmallVector<AllToAllParamAttr> params(inner.getParams().getValue());
  for (AllToAllParamAttr param : op.getParams().getValue()) {
    for (AllToAllParamAttr other : inner.getParams().getValue())
      for (int64_t dim : {param.getSrcDim(), param.getTgtDim()})
        if (dim == other.getSrcDim() || dim == other.getTgtDim())
          return rewriter.notifyMatchFailure(
              op, "both ops change the same dimension");
    params.push_back(param);
  }
  llvm::sort(params, [](AllToAllParamAttr a, AllToAllParamAttr b) {
    return a.getSrcDim() < b.getSrcDim();
  });
  rewriter.replaceOpWithNewOp<AllToAllOp>(
      op, op.getType(), inner.getTensor(),
      AllToAllParamListAttr::get(op.getContext(), params), op.getOutSharding());
  rewriter.eraseOp(inner);
  return success();
}

/// Whether dimensions have the same axes; it does not matter whether they are
/// open, or which priority they have.
static bool haveSameAxes(TensorShardingAttr a, TensorShardingAttr b) {
  auto getAxes = [](DimensionShardingAttr dim) { return dim.getAxes(); };
  return llvm::equal(llvm::map_range(a.getDimShardings(), getAxes),
                     llvm::map_range(b.getDimShardings(), getAxes));
}

/// The shardings are the same, so every device keeps what it has.
LogicalResult CollectivePermuteOp::canonicalize(CollectivePermuteOp op,
                                                PatternRewriter &rewriter) {
  TensorShardingAttr in = getUseSharding(op.getTensor());
  TensorShardingAttr out = op.getOutSharding();
  if (!in || in.getMesh(op.getOperation()) != out.getMesh(op.getOperation()) ||
      !haveSameAxes(in, out) || in.getUnreducedAxes() != out.getUnreducedAxes())
    return rewriter.notifyMatchFailure(op, "the op changes the sharding");
  return forward(op, op.getTensor(), rewriter);
}
