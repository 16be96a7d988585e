//===- CollectiveVerifiers.cpp - Verifiers of collectives -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::AxisRef;

//===----------------------------------------------------------------------===//
// All collectives
//===----------------------------------------------------------------------===//

namespace {
/// Both sides of a collective in numbers.
struct Collective {
  Operation *op;
  TensorShardingAttr in;
  TensorShardingAttr out;
  MeshAttr mesh;
  SmallVector<AxisList> inDims;
  SmallVector<AxisList> outDims;

  std::string format(ArrayRef<AxisRef> list) const {
    std::string text = "{";
    for (auto [i, ref] : llvm::enumerate(list))
      text += (i ? ", " : "") +
              getAxisRefAttr(op->getContext(), ref, mesh).toString();
    return text + "}";
  }
};
} // namespace

/// What is unreduced changes only by `change`.
static LogicalResult verifyUnreducedChange(const Collective &collective,
                                           const UnreducedChange &change = {}) {
  if (std::optional<std::string> fault = findUnreducedFault(
          collective.in, collective.out, collective.op, change))
    return collective.op->emitOpError(*fault);
  return success();
}

static SmallVector<AxisList> getDims(TensorShardingAttr sharding,
                                     MeshAttr mesh) {
  SmallVector<AxisList> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    dims.push_back(getAxisList(dim.getAxes(), mesh));
  return dims;
}

/// Checks what holds for all collectives, and fills `collective`.
template <typename OpT>
static LogicalResult verifyCommon(OpT op, bool mayLackSharding,
                                  bool mayChangeMesh, Collective &collective) {
  TensorShardingAttr out = op.getOutSharding();
  TensorShardingAttr in = getUseSharding(op.getTensor());
  if (!in) {
    if (!mayLackSharding) // c1
      return op.emitOpError("collective on operand without sharding");
    in = TensorShardingAttr::getFullyOpen(op.getContext(), out.getRank(),
                                          out.getMeshOrRef());
  }
  if (failed(verifySharding(out, op.getType(), op,
                            [&] { return op.emitOpError(); }))) // c2
    return failure();
  MeshAttr outMesh = out.getMesh(op.getOperation());
  MeshAttr inMesh = in.getMesh(op.getOperation());
  if (!mayChangeMesh && inMesh != outMesh) { // c3
    InFlightDiagnostic diag = op.emitOpError("result mesh does not match "
                                             "operand mesh");
    diag.attachNote(op.getTensor().getLoc()) << "operand mesh: " << inMesh;
    return diag;
  }
  if (in.getRank() != out.getRank()) // c4
    return op.emitOpError("result sharding has rank ")
           << out.getRank() << " but operand sharding has rank "
           << in.getRank();
  collective = {
      op, in, out, outMesh, getDims(in, outMesh), getDims(out, outMesh)};
  return success();
}

static LogicalResult verifyLists(Operation *op, ArrayRef<AxisRefListAttr> lists,
                                 MeshAttr mesh) {
  SmallVector<ArrayRef<AxisRefAttr>> refs;
  for (AxisRefListAttr list : lists)
    refs.push_back(list.getValue());
  return verifyAxisLists(refs, mesh, [op] { return op->emitOpError(); });
}

/// Takes `suffix` from the end of `list`, part by part.
static bool removeSuffix(AxisList &list, ArrayRef<AxisRef> suffix) {
  for (const AxisRef &ref : llvm::reverse(suffix)) {
    if (list.empty() || !sharding::isSuffixOf(ref, list.back()))
      return false;
    std::optional<AxisRef> rest =
        sharding::getPrefixWithoutOverlap(list.back(), ref);
    list.pop_back();
    if (rest)
      list.push_back(*rest);
  }
  return true;
}

static void appendAll(AxisList &list, ArrayRef<AxisRef> axes) {
  for (const AxisRef &ref : axes)
    sharding::appendMerged(list, ref);
}

/// The axes of each dimension, as many lists as dimensions.
static LogicalResult verifyDimAxes(const Collective &collective,
                                   ListOfAxisRefListsAttr axes) {
  if (axes.getValue().size() != collective.outDims.size())
    return collective.op->emitOpError("result sharding has rank ")
           << collective.outDims.size() << " but collective axes has rank "
           << axes.getValue().size();
  return verifyLists(collective.op, axes.getValue(), collective.mesh);
}

/// The result's axes of a dimension are `expected`.
static LogicalResult verifyDim(const Collective &collective, unsigned dim,
                               ArrayRef<AxisRef> expected) {
  if (collective.outDims[dim] == AxisList(expected.begin(), expected.end()))
    return success();
  return collective.op->emitOpError("result sharding doesn't match expected "
                                    "sharding ")
         << collective.format(expected) << " on dimension " << dim;
}

/// Axes leave the ends of dimensions.
static LogicalResult verifyGathered(const Collective &collective,
                                    ListOfAxisRefListsAttr axes) {
  if (failed(verifyDimAxes(collective, axes)))
    return failure();
  for (auto [dim, list] : llvm::enumerate(axes.getValue())) {
    AxisList rest = collective.inDims[dim];
    AxisList gathered = getAxisList(list.getValue(), collective.mesh);
    if (!removeSuffix(rest, gathered))
      return collective.op->emitOpError("can't apply gathering axes ")
             << collective.format(gathered) << " to operand axes "
             << collective.format(collective.inDims[dim]) << " on dimension "
             << dim;
    if (failed(verifyDim(collective, dim, rest)))
      return failure();
  }
  return success();
}

/// Axes join the ends of dimensions.
static LogicalResult verifySliced(const Collective &collective,
                                  ListOfAxisRefListsAttr axes) {
  if (failed(verifyDimAxes(collective, axes)))
    return failure();
  for (auto [dim, list] : llvm::enumerate(axes.getValue())) {
    AxisList expected = collective.inDims[dim];
    appendAll(expected, getAxisList(list.getValue(), collective.mesh));
    if (failed(verifyDim(collective, dim, expected)))
      return failure();
  }
  return success();
}

/// The axes of all dimensions.
static AxisList getAllAxes(const Collective &collective,
                           ListOfAxisRefListsAttr lists) {
  AxisList all;
  for (AxisRefListAttr list : lists.getValue())
    all.append(getAxisList(list.getValue(), collective.mesh));
  return all;
}

/// The result's unreduced axes are the operand's and `added`.
static LogicalResult verifyAddedUnreduced(const Collective &collective,
                                          const AxisList &added) {
  if (collective.out.getReductionKind() != ReductionKind::Sum)
    return collective.op->emitOpError("expected unreduced axes of kind sum but "
                                      "got ")
           << stringifyReductionKind(collective.out.getReductionKind());
  AxisList all = getAxisList(collective.in.getUnreducedAxes(), collective.mesh);
  all.append(added);
  llvm::sort(all, sharding::isBefore);
  AxisList expected;
  appendAll(expected, all);
  AxisList out =
      getAxisList(collective.out.getUnreducedAxes(), collective.mesh);
  if (out != expected)
    return collective.op->emitOpError("result unreduced axes ")
           << collective.format(out) << " don't match expected ones "
           << collective.format(expected);
  return verifyUnreducedChange(collective, {/*introduces=*/ReductionKind::Sum});
}

//===----------------------------------------------------------------------===//
// Each
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, false, false, collective)) ||
      failed(verifyGathered(collective, getAxes())))
    return failure();
  return verifyUnreducedChange(collective);
}

LogicalResult AllSliceOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, true, false, collective)) ||
      failed(verifySliced(collective, getAxes())))
    return failure();
  return verifyUnreducedChange(collective);
}

LogicalResult ReduceScatterOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, true, false, collective)) ||
      failed(verifySliced(collective, getReduceScatterAxes())))
    return failure();
  return verifyUnreducedChange(
      collective, {/*introduces=*/std::nullopt, getReductionKind(),
                   getAllAxes(collective, getReduceScatterAxes())});
}

LogicalResult ShardedToUnreducedOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, false, false, collective)) ||
      failed(verifyGathered(collective, getAxes())))
    return failure();
  return verifyAddedUnreduced(collective, getAllAxes(collective, getAxes()));
}

/// An axis of `axes` that overlaps one of `others`, if any.
static const AxisRef *findOverlap(ArrayRef<AxisRef> axes,
                                  ArrayRef<AxisRef> others) {
  for (const AxisRef &ref : axes)
    for (const AxisRef &other : others)
      if (sharding::overlaps(ref, other))
        return &ref;
  return nullptr;
}

/// Axes of dimensions, and replicated ones.
static AxisList getBoundAxes(TensorShardingAttr sharding, MeshAttr mesh) {
  AxisList axes = getAxisList(sharding.getReplicatedAxes(), mesh);
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    axes.append(getAxisList(dim.getAxes(), mesh));
  return axes;
}

/// A list of axes that is in order and not empty; the dimensions stay.
static LogicalResult verifyAxesOfWhole(const Collective &collective,
                                       ArrayRef<AxisRefAttr> refs) {
  Operation *op = collective.op;
  auto emitError = [op] { return op->emitOpError(); };
  if (failed(verifyAxisLists({refs}, collective.mesh, emitError)) ||
      failed(verifySorted(refs, collective.mesh, "collective", emitError)))
    return failure();
  for (auto [dim, axes] : llvm::enumerate(collective.inDims))
    if (failed(verifyDim(collective, dim, axes)))
      return failure();
  return success();
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, false, false, collective)) ||
      failed(verifyAxesOfWhole(collective, getAxes().getValue())))
    return failure();
  AxisList axes = getAxisList(getAxes().getValue(), collective.mesh);
  if (axes.empty())
    return emitOpError("expected at least one axis");
  AxisList bound;
  for (const AxisList &dim : collective.inDims)
    bound.append(dim);
  bound.append(getAxisList(collective.in.getUnreducedAxes(), collective.mesh));
  if (const AxisRef *overlap = findOverlap(axes, bound))
    return emitOpError("axis ")
           << collective.format(*overlap)
           << " overlaps with operand sharding or unreduced axes";
  return verifyAddedUnreduced(collective, axes);
}

LogicalResult AllReduceOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, true, false, collective)) ||
      failed(verifyAxesOfWhole(collective, getReductionAxes().getValue())))
    return failure();
  AxisList axes = getAxisList(getReductionAxes().getValue(), collective.mesh);
  if (const AxisRef *overlap =
          findOverlap(axes, getBoundAxes(collective.in, collective.mesh)))
    return emitOpError("reduction axis ")
           << collective.format(*overlap)
           << " overlaps with operand sharding or replicated axes";
  AxisList unreduced =
      getAxisList(collective.out.getUnreducedAxes(), collective.mesh);
  if (const AxisRef *overlap = findOverlap(axes, unreduced))
    return emitOpError("reduction axis ")
           << collective.format(*overlap)
           << " overlaps with result unreduced axes";
  return verifyUnreducedChange(
      collective, {/*introduces=*/std::nullopt, getReductionKind(), axes});
}

LogicalResult AllToAllOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, false, false, collective)))
    return failure();
  ArrayRef<AllToAllParamAttr> params = getParams().getValue();
  if (params.empty())
    return emitOpError("parameter list is empty");
  SmallVector<ArrayRef<AxisRefAttr>> lists;
  SmallVector<bool> isSeen(collective.inDims.size(), false);
  int64_t lastSource = -1;
  for (AllToAllParamAttr param : params) {
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()}) {
      if (dim < 0 || dim >= int64_t(isSeen.size()))
        return emitOpError("dimension ")
               << dim << " is out of range [0, " << isSeen.size() << ")";
      if (isSeen[dim])
        return emitOpError("overlapping source/target dimension: ") << dim;
      isSeen[dim] = true;
    }
    if (param.getSrcDim() <= lastSource)
      return emitOpError("source dimensions must be strictly increasing");
    lastSource = param.getSrcDim();
    lists.push_back(param.getAxes());
  }
  if (failed(verifyAxisLists(lists, collective.mesh,
                             [this] { return emitOpError(); })))
    return failure();
  SmallVector<AxisList> expected = collective.inDims;
  for (AllToAllParamAttr param : params) {
    AxisList axes = getAxisList(param.getAxes(), collective.mesh);
    if (!removeSuffix(expected[param.getSrcDim()], axes))
      return emitOpError("can't move axes ")
             << collective.format(axes) << " from operand axes "
             << collective.format(collective.inDims[param.getSrcDim()])
             << " on dimension " << param.getSrcDim();
    appendAll(expected[param.getTgtDim()], axes);
  }
  for (auto [dim, axes] : llvm::enumerate(expected))
    if (failed(verifyDim(collective, dim, axes)))
      return failure();
  return verifyUnreducedChange(collective);
}

LogicalResult CollectivePermuteOp::verify() {
  Collective collective;
  if (failed(verifyCommon(*this, false, true, collective)))
    return failure();
  MeshAttr inMesh = collective.in.getMesh(getOperation());
  if (!inMesh || inMesh.getAxes() != collective.mesh.getAxes())
    return emitOpError("result mesh has other axes than the operand mesh: ")
           << collective.mesh << " and " << inMesh;
  // One device of several is not another order of the same ones.
  if (inMesh != collective.mesh &&
      (inMesh.isMaximal() || collective.mesh.isMaximal()))
    return emitOpError("cannot move a tensor of one device to another: result "
                       "mesh is ")
           << collective.mesh << " but operand mesh is " << inMesh;
  if (collective.in.getMeshOrRef() != collective.out.getMeshOrRef() &&
      inMesh.getDeviceIds() == collective.mesh.getDeviceIds())
    return emitOpError("result mesh and operand mesh have different names but "
                       "the same device ids");
  for (auto [dim, in, out] :
       llvm::enumerate(collective.inDims, collective.outDims))
    if (sharding::getProduct(in) != sharding::getProduct(out))
      return emitOpError("sharded size of result doesn't match operand on "
                         "dimension ")
             << dim << ": " << sharding::getProduct(out)
             << " != " << sharding::getProduct(in);
  return verifyUnreducedChange(collective);
}
