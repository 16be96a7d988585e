//===- PopCollectiveOps.cpp - Ops across replicas ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the attribute gives the size of the groups, a collective is verified for
// this size, and otherwise for any size. `verifyReplicas` verifies the
// collective again for the number of replicas of a target.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::CollectiveOperator;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopCollectiveOps.cpp.inc"

void PopDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopCollectiveOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// FromScalarOp
//===----------------------------------------------------------------------===//

LogicalResult FromScalarOp::verify() {
  Type from = getInput().getType();
  auto to = cast<IntegerType>(getType().getElementType());
  // c1
  if (from.isIndex() && to.getWidth() == 1)
    return emitOpError()
           << "expects `result` to have elements of more than one bit but got "
           << to;
  if (!from.isIndex() && to.getWidth() != from.getIntOrFloatBitWidth())
    return emitOpError() << "expects `result` to have elements as wide as "
                         << from << " but got " << to;
  return success();
}

OpFoldResult FromScalarOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<IntegerAttr>(adaptor.getInput());
  if (!value)
    return {};
  unsigned width = getType().getElementType().getIntOrFloatBitWidth();
  return DenseElementsAttr::get(getType(), value.getValue().sextOrTrunc(width));
}

//===----------------------------------------------------------------------===//
// What collectives share
//===----------------------------------------------------------------------===//

using GroupSize = std::optional<int64_t>;

/// The size of the groups, if the program says it.
static GroupSize getGroupSize(ReplicaGroupsAttr groups) {
  return groups ? GroupSize(groups.getGroupSize()) : std::nullopt;
}

/// The size of the groups of an op among a number of replicas.
template <typename OpTy>
static FailureOr<GroupSize> resolveGroupSize(OpTy op, int64_t numReplicas) {
  FailureOr<ipu::ReplicaGroups> groups = ipu::resolveReplicaGroups(
      op.getGroupsAttr(), numReplicas, [&] { return op.emitOpError(); });
  if (failed(groups))
    return failure();
  return GroupSize(groups->getGroupSize());
}

static LogicalResult verifyAxis(Operation *op, StringRef name, int64_t axis,
                                RankedTensorType type) {
  if (axis >= 0 && axis < type.getRank())
    return success();
  return op->emitOpError() << "expects `" << name
                           << "` to be at least 0 and less than the rank of "
                           << type << " but got " << axis;
}

/// Checks that elements of `type` can be combined.
static LogicalResult verifyOperator(Operation *op, CollectiveOperator kind,
                                    Type type) {
  StringRef expected;
  switch (kind) {
  case CollectiveOperator::Local:
    return success();
  case CollectiveOperator::LogicalAnd:
  case CollectiveOperator::LogicalOr:
    if (!isa<IntegerType>(type))
      expected = "integers or i1";
    break;
  case CollectiveOperator::Mean:
    if (!isa<FloatType>(type))
      expected = "floats";
    break;
  default:
    if (type.isInteger(1))
      expected = "floats or integers of more than one bit";
  }
  if (expected.empty())
    return success();
  return op->emitOpError() << "expects " << expected << " for `"
                           << ipu::stringifyCollectiveOperator(kind)
                           << "` but got " << type;
}

/// Checks the types of a tensor and of one of the parts that it is split into.
static LogicalResult verifyParts(Operation *op, RankedTensorType whole,
                                 RankedTensorType part, int64_t axis,
                                 GroupSize groupSize) {
  if (failed(verifyAxis(op, "axis", axis, whole)))
    return failure();
  int64_t size = whole.getDimSize(axis);
  int64_t found = part.getRank() == whole.getRank() ? part.getDimSize(axis) : 0;
  int64_t parts = groupSize.value_or(1);
  // Parts of `found` take at least so many replicas.
  if (!groupSize && found > 0 && size > 0)
    parts = llvm::divideCeilSigned(size, found);
  SmallVector<int64_t> shape(whole.getShape());
  shape[axis] = llvm::divideCeilSigned(size, parts);
  if (part == whole.clone(shape))
    return success();
  InFlightDiagnostic error = op->emitOpError();
  if (groupSize)
    error << "expects " << whole << " to be divided into parts of type "
          << whole.clone(shape) << " in groups of " << *groupSize;
  else
    error << "expects equal parts of " << whole << " along dimension " << axis;
  return error << " but got " << part;
}

//===----------------------------------------------------------------------===//
// AllReduceOp
//===----------------------------------------------------------------------===//

LogicalResult AllReduceOp::verify() {
  // c1
  return verifyOperator(*this, getKind(), getType().getElementType());
}

LogicalResult AllReduceOp::verifyReplicas(int64_t numReplicas) {
  // c2
  return resolveGroupSize(*this, numReplicas);
}

//===----------------------------------------------------------------------===//
// AllGatherOp, ReduceScatterOp and ReplicaSliceOp
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  // c1, c2
  return verifyParts(*this, getType(), getInput().getType(), getAxis(),
                     getGroupSize(getGroupsAttr()));
}

LogicalResult AllGatherOp::verifyReplicas(int64_t numReplicas) {
  // c3
  FailureOr<GroupSize> size = resolveGroupSize(*this, numReplicas);
  return failed(size) ? failure()
                      : verifyParts(*this, getType(), getInput().getType(),
                                    getAxis(), *size);
}

LogicalResult ReduceScatterOp::verify() {
  // c1, c2
  if (failed(verifyParts(*this, getInput().getType(), getType(), getAxis(),
                         getGroupSize(getGroupsAttr()))))
    return failure();
  // c3
  return verifyOperator(*this, getKind(), getType().getElementType());
}

LogicalResult ReduceScatterOp::verifyReplicas(int64_t numReplicas) {
  // c4
  FailureOr<GroupSize> size = resolveGroupSize(*this, numReplicas);
  return failed(size) ? failure()
                      : verifyParts(*this, getInput().getType(), getType(),
                                    getAxis(), *size);
}

LogicalResult ReplicaSliceOp::verify() {
  // c1, c2
  return verifyParts(*this, getInput().getType(), getType(), getAxis(),
                     getGroupSize(getGroupsAttr()));
}

LogicalResult ReplicaSliceOp::verifyReplicas(int64_t numReplicas) {
  // c3
  FailureOr<GroupSize> size = resolveGroupSize(*this, numReplicas);
  return failed(size) ? failure()
                      : verifyParts(*this, getInput().getType(), getType(),
                                    getAxis(), *size);
}

//===----------------------------------------------------------------------===//
// AllToAllOp
//===----------------------------------------------------------------------===//

/// The size of groups that the shapes show, for those that have none.
static int64_t guessGroupSize(AllToAllOp op) {
  RankedTensorType input = op.getInput().getType(), result = op.getType();
  if (op.getSplitAxis() == op.getConcatAxis() ||
      result.getRank() != input.getRank())
    return 1;
  int64_t split = result.getDimSize(op.getSplitAxis());
  return split > 0
             ? std::max<int64_t>(input.getDimSize(op.getSplitAxis()) / split, 1)
             : 1;
}

static LogicalResult verifyAllToAll(AllToAllOp op, GroupSize groupSize) {
  RankedTensorType input = op.getInput().getType();
  int64_t split = op.getSplitAxis(), concat = op.getConcatAxis();
  // c1
  if (failed(verifyAxis(op, "split_axis", split, input)) ||
      failed(verifyAxis(op, "concat_axis", concat, input)))
    return failure();
  // c2
  int64_t size = groupSize ? *groupSize : guessGroupSize(op);
  if (input.getDimSize(split) % size != 0)
    return op.emitOpError()
           << "expects groups of " << size << " to divide dimension " << split
           << " of " << input << " without remainder";
  SmallVector<int64_t> shape(input.getShape());
  shape[split] /= size;
  std::optional<int64_t> joined = llvm::checkedMul(shape[concat], size);
  if (!joined)
    return op.emitOpError()
           << "expects fewer than 2^63 elements in dimension " << concat
           << " of `result` but got " << shape[concat] << " from each of "
           << size << " replicas";
  shape[concat] = *joined;
  if (op.getType() != input.clone(shape))
    return op.emitOpError()
           << "expects `result` of type " << input.clone(shape)
           << " for groups of " << size << " but got " << op.getType();
  return success();
}

LogicalResult AllToAllOp::verify() {
  return verifyAllToAll(*this, getGroupSize(getGroupsAttr()));
}

LogicalResult AllToAllOp::verifyReplicas(int64_t numReplicas) {
  // c3
  FailureOr<GroupSize> size = resolveGroupSize(*this, numReplicas);
  return failed(size) ? failure() : verifyAllToAll(*this, *size);
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyRoot(BroadcastOp op, GroupSize groupSize) {
  // c1
  int64_t root = op.getRoot();
  if (root < 0)
    return op.emitOpError()
           << "expects `root` not to be negative but got " << root;
  if (groupSize && root >= *groupSize)
    return op.emitOpError() << "expects `root` less than " << *groupSize
                            << ", the size of groups, but got " << root;
  return success();
}

LogicalResult BroadcastOp::verify() {
  return verifyRoot(*this, getGroupSize(getGroupsAttr()));
}

LogicalResult BroadcastOp::verifyReplicas(int64_t numReplicas) {
  // c2
  FailureOr<GroupSize> size = resolveGroupSize(*this, numReplicas);
  return failed(size) ? failure() : verifyRoot(*this, *size);
}

//===----------------------------------------------------------------------===//
// CollectivePermuteOp
//===----------------------------------------------------------------------===//

SmallVector<std::pair<int64_t, int64_t>>
CollectivePermuteOp::getSourceTargets() {
  SmallVector<std::pair<int64_t, int64_t>> result;
  for (auto pair : getPairs().getAsRange<ArrayAttr>())
    result.push_back({cast<IntegerAttr>(pair[0]).getInt(),
                      cast<IntegerAttr>(pair[1]).getInt()});
  return result;
}

static LogicalResult verifyPairs(CollectivePermuteOp op, int64_t numReplicas) {
  llvm::SmallDenseSet<int64_t> sources, targets;
  auto check = [&](StringRef what, llvm::SmallDenseSet<int64_t> &found,
                   int64_t replica) -> LogicalResult {
    // c2; a set cannot hold all negative numbers.
    if (replica < 0 || replica >= numReplicas)
      return op.emitOpError()
             << "expects replicas from 0 to " << numReplicas - 1
             << " in `pairs` but got " << replica;
    // c1
    if (!found.insert(replica).second)
      return op.emitOpError()
             << "expects each replica to be a " << what
             << " at most once but got " << replica << " twice";
    return success();
  };
  for (auto [source, target] : op.getSourceTargets())
    if (failed(check("source", sources, source)) ||
        failed(check("target", targets, target)))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  return verifyPairs(*this, ipu::ReplicaGroups::kMaxReplicas);
}

LogicalResult CollectivePermuteOp::verifyReplicas(int64_t numReplicas) {
  return verifyPairs(*this, numReplicas);
}
