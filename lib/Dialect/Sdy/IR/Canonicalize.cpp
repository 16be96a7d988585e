//===- Canonicalize.cpp - Simplification of reshards and collectives
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

/// A reshard of a reshard that nothing else uses: only the last counts.
LogicalResult ReshardOp::canonicalize(ReshardOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshardOp>();
  if (!inner || !inner->hasOneUse())
    return rewriter.notifyMatchFailure(op, "no reshard of one use before it");
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
      return rewriter.notifyMatchFailure(op, "unknown manual axis");
    devices *= mesh.getAxisSize(axis.getValue());
  }
  if (devices != 1)
    return rewriter.notifyMatchFailure(op, "manual axes of several devices");
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

LogicalResult AllGatherOp::canonicalize(AllGatherOp op,
                                        PatternRewriter &rewriter) {
  if (!isEmpty(op.getAxes()))
    return rewriter.notifyMatchFailure(op, "gathers axes");
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

/// A slice of what was gathered over the same axes.
LogicalResult AllSliceOp::canonicalize(AllSliceOp op,
                                       PatternRewriter &rewriter) {
  if (isEmpty(op.getAxes())) {
    rewriter.replaceOp(op, op.getTensor());
    return success();
  }
  auto gather = op.getTensor().getDefiningOp<AllGatherOp>();
  if (!gather || gather.getAxes() != op.getAxes())
    return rewriter.notifyMatchFailure(op, "no gather of the same axes");
  rewriter.replaceOp(op, gather.getTensor());
  return success();
}

LogicalResult ReduceScatterOp::canonicalize(ReduceScatterOp op,
                                            PatternRewriter &rewriter) {
  if (!isEmpty(op.getReduceScatterAxes()))
    return rewriter.notifyMatchFailure(op, "scatters axes");
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

/// Sums of what was replicated or sharded and only declared to be parts.
LogicalResult AllReduceOp::canonicalize(AllReduceOp op,
                                        PatternRewriter &rewriter) {
  ArrayRef<AxisRefAttr> axes = op.getReductionAxes().getValue();
  if (axes.empty()) {
    rewriter.replaceOp(op, op.getTensor());
    return success();
  }
  if (op.getReductionKind() != ReductionKind::Sum)
    return rewriter.notifyMatchFailure(op, "no sum");
  if (auto parts = op.getTensor().getDefiningOp<ReplicatedToUnreducedOp>()) {
    if (parts.getAxes() != op.getReductionAxes())
      return rewriter.notifyMatchFailure(op, "other axes");
    rewriter.replaceOp(op, parts.getTensor());
    return success();
  }
  auto parts = op.getTensor().getDefiningOp<ShardedToUnreducedOp>();
  if (!parts)
    return rewriter.notifyMatchFailure(op, "no parts of a known tensor");
  SmallVector<AxisRefAttr> gathered;
  for (AxisRefListAttr list : parts.getAxes().getValue())
    llvm::append_range(gathered, list.getValue());
  if (gathered.size() != axes.size() ||
      !llvm::all_of(gathered, [&](AxisRefAttr ref) {
        return llvm::is_contained(axes, ref);
      }))
    return rewriter.notifyMatchFailure(op, "other axes");
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
    return rewriter.notifyMatchFailure(op,
                                       "no all_to_all of one use before it");
  SmallVector<AllToAllParamAttr> params(inner.getParams().getValue());
  for (AllToAllParamAttr param : op.getParams().getValue()) {
    for (AllToAllParamAttr other : inner.getParams().getValue())
      for (int64_t dim : {param.getSrcDim(), param.getTgtDim()})
        if (dim == other.getSrcDim() || dim == other.getTgtDim())
          return rewriter.notifyMatchFailure(op, "a dimension of both");
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

/// The shardings are the same, so every device keeps what it has.
LogicalResult CollectivePermuteOp::canonicalize(CollectivePermuteOp op,
                                                PatternRewriter &rewriter) {
  TensorShardingAttr in = getSharding(op.getTensor());
  TensorShardingAttr out = op.getOutSharding();
  if (!in || in.getMesh(op.getOperation()) != out.getMesh(op.getOperation()) ||
      in.getDimShardings() != out.getDimShardings() ||
      in.getUnreducedAxes() != out.getUnreducedAxes())
    return rewriter.notifyMatchFailure(op, "the sharding changes");
  rewriter.replaceOp(op, op.getTensor());
  return success();
}
