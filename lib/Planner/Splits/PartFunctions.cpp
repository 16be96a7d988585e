//===- PartFunctions.cpp - Equal parts of ops as calls ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartFunctions.h"

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Uses of all parts
//===----------------------------------------------------------------------===//

/// Returns whether `op` must not be applied to parts of its operand. Random
/// bits depend on the number of an element in the whole tensor, and a given
/// tile mapping is for all elements.
static bool isForWhole(Operation *op) {
  return op->hasAttr(IPUDialect::kTileMappingAttrName) ||
         (mayRoundStochastically(op) &&
          op->getParentOfType<ModuleOp>()->hasAttr(
              pop::PopDialect::kStochasticRoundingAttrName));
}

/// Returns the dimension of the result of `op` that corresponds to dimension
/// `axis` of its operand, if `op` can be applied to each part along this
/// dimension. With `mayMerge`, the dimension may also be merged with the
/// dimensions after it. Otherwise returns -1.
static int64_t getAxisThrough(Operation *op, int64_t axis, bool mayMerge) {
  if (auto reduce = dyn_cast<pop::ReduceOp>(op)) {
    if (llvm::is_contained(reduce.getAxes(), axis))
      return -1;
    return reduce.getKeepDims()
               ? axis
               : axis - llvm::count_if(reduce.getAxes(), [&](int64_t other) {
                   return other < axis;
                 });
  }
  if (isa<pop::CastOp>(op))
    return getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() <
                   getElementTypeOrSelf(op->getOperand(0))
                       .getIntOrFloatBitWidth()
               ? axis
               : -1;
  if (!isa<pop::ReshapeOp>(op))
    return -1;
  // A dimension corresponds if it has the same size and the same number of
  // elements in the dimensions after it. The numbers of elements before it are
  // then also equal.
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> to =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  int64_t inside = computeProduct(from.drop_front(axis + 1)), product = 1;
  for (int64_t dim = to.size(); dim-- > 0; product *= to[dim])
    if (product == inside && to[dim] == from[axis])
      return dim;
  bool isOutermost = computeProduct(from.take_front(axis)) == 1;
  return mayMerge && isOutermost && !to.empty() &&
                 inside % computeProduct(to.drop_front()) == 0
             ? 0
             : -1;
}

/// Returns whether `reduce` adds the elements along dimension `axis` alone, one
/// after the other, and does not round the sum to a narrower type.
static bool isChainAlong(pop::ReduceOp reduce, int64_t axis) {
  Type type = reduce.getType().getElementType();
  pop::AccumAttr order = reduce.getAccumAttr();
  return reduce.getKind() == pop::ReduceKind::Sum && !reduce.getKeepDims() &&
         reduce.getAxes() == ArrayRef(axis) &&
         pop::getComputeType(type) == type && order && order.getLanes() == 1 &&
         order.getBlock() >= reduce.getInput().getType().getDimSize(axis);
}

/// `reduce` adds the partial sums that `concat` consists of. Adds the partial
/// sums of each part to the sum of the parts before it as soon as they are
/// computed. The order of the additions does not change.
static void accumulateParts(pop::ConcatOp concat, pop::ReduceOp reduce) {
  RankedTensorType type = reduce.getType();
  auto axis = static_cast<int64_t>(concat.getAxis());
  pop::PopBuilder b(concat);
  auto place = [&](Value value) {
    pop::inheritPlacement(reduce, value.getDefiningOp());
    return value;
  };
  Value sum;
  for (Value part : concat.getInputs()) {
    b.setInsertionPointAfterValue(part);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(part.getType()).getShape());
    if (sum) {
      if (getElementTypeOrSelf(part) != type.getElementType())
        part = place(b.cast(part, type.getElementType()));
      if (shape[axis] == 1) {
        part = b.reshape(part, type.getShape());
        sum = place(b.create<pop::AddOp>(sum, part));
        continue;
      }
      shape[axis] = 1;
      sum = b.reshape(sum, shape);
      part = place(b.create<pop::ConcatOp>(ValueRange{sum, part}, axis));
    }
    int64_t count = cast<RankedTensorType>(part.getType()).getDimSize(axis);
    sum = place(b.create<pop::ReduceOp>(
        type, pop::ReduceKind::Sum, part, ArrayRef<int64_t>(axis),
        /*keep_dims=*/false,
        pop::AccumAttr::get(b.getContext(), count, /*lanes=*/1)));
  }
  reduce.replaceAllUsesWith(sum);
  reduce.erase();
  concat.erase();
}

bool mlir::ipu::sinkUsesIntoParts(Value result, bool sumsParts) {
  auto concat = result.getDefiningOp<pop::ConcatOp>();
  bool hasSums = false;
  while (concat && concat->hasOneUse()) {
    Operation *user = *concat->user_begin();
    if (user->getNumOperands() != 1 || user->getBlock() != concat->getBlock() ||
        isForWhole(user))
      break;
    int64_t axis = concat.getAxis();
    int64_t through = getAxisThrough(user, axis, /*mayMerge=*/sumsParts);
    if (auto reduce = dyn_cast<pop::ReduceOp>(user);
        sumsParts && reduce && isChainAlong(reduce, axis)) {
      accumulateParts(concat, reduce);
      return true;
    }
    if (through < 0)
      break;
    hasSums |= isa<pop::ReduceOp>(user);
    auto type = cast<RankedTensorType>(user->getResult(0).getType());
    SmallVector<Value> results;
    pop::PopBuilder b(concat);
    for (Value part : concat.getInputs()) {
      SmallVector<int64_t> shape(type.getShape());
      shape[through] = type.getDimSize(through) *
                       cast<RankedTensorType>(part.getType()).getDimSize(axis) /
                       concat.getType().getDimSize(axis);
      if (Operation *op = part.getDefiningOp())
        b.setInsertionPointAfter(op);
      Operation *own = b.clone(*user);
      own->setOperand(0, part);
      own->getResult(0).setType(type.clone(shape));
      results.push_back(own->getResult(0));
    }
    b.setInsertionPoint(user);
    auto all = pop::ConcatOp::create(b, concat.getLoc(), results, through);
    user->replaceAllUsesWith(all);
    user->erase();
    concat->erase();
    concat = all;
  }
  return hasSums;
}

Value mlir::ipu::getStoredResult(Value result) {
  Value stored = result;
  while (result.hasOneUse()) {
    Operation *user = *result.user_begin();
    if (!isa<pop::ReduceOp, pop::CastOp, pop::ReshapeOp>(user) ||
        isForWhole(user))
      break;
    result = user->getResult(0);
    if (isa<pop::ReduceOp>(user))
      stored = result;
  }
  return stored;
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of a nested concatenation, and its offsets in the result.
struct Piece {
  Value value;
  SmallVector<int64_t> starts;
};
} // namespace

/// Returns the concatenation that is the only user of `value`, directly or
/// through reshapes. Returns null if there is none.
static pop::ConcatOp getConcatOf(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto concat = dyn_cast<pop::ConcatOp>(user))
      return concat;
    if (!isa<pop::ReshapeOp>(user))
      return nullptr;
    value = user->getResult(0);
  }
  return nullptr;
}

/// Returns whether `value` is the result of one of `parts` or a concatenation
/// of such results, directly or through reshapes.
static bool isOfParts(Value value, const llvm::DenseSet<Operation *> &parts) {
  while (auto reshape = value.getDefiningOp<pop::ReshapeOp>())
    value = reshape.getInput();
  Operation *op = value.getDefiningOp();
  if (auto concat = dyn_cast_or_null<pop::ConcatOp>(op))
    return llvm::all_of(concat.getInputs(),
                        [&](Value input) { return isOfParts(input, parts); });
  return op && parts.contains(op);
}

static void findPieces(pop::ConcatOp concat, ArrayRef<int64_t> starts,
                       SmallVectorImpl<Piece> &pieces) {
  SmallVector<int64_t> start(starts);
  for (Value input : concat.getInputs()) {
    auto inner = input.getDefiningOp<pop::ConcatOp>();
    if (inner && inner->hasOneUse() && inner->getBlock() == concat->getBlock())
      findPieces(inner, start, pieces);
    else
      pieces.push_back({input, start});
    start[concat.getAxis()] +=
        cast<RankedTensorType>(input.getType()).getDimSize(concat.getAxis());
  }
}

/// Replaces `concat` by copies that write each operand to its region of the
/// result as soon as it is computed. The next call can then compute its result
/// in the same variable.
static void writePieces(pop::ConcatOp concat) {
  SmallVector<Piece> pieces;
  RankedTensorType type = concat.getType();
  findPieces(concat, SmallVector<int64_t>(type.getRank(), 0), pieces);
  Block *block = concat->getBlock();
  Operation *first = concat;
  for (const Piece &piece : pieces)
    if (Operation *op = piece.value.getDefiningOp();
        op && op->getBlock() == block && op->isBeforeInBlock(first))
      first = op;
  pop::PopBuilder b(concat);
  b.setInsertionPoint(first);
  Location loc = concat.getLoc();
  Value all = pop::AllocOp::create(b, loc, pop::RefType::get(type),
                                   pop::AllocInit::Undef);
  for (const Piece &piece : pieces) {
    Operation *op = piece.value.getDefiningOp();
    if (op && op->getBlock() == block)
      b.setInsertionPointAfter(op);
    else
      b.setInsertionPointAfterValue(all);
    auto pieceType = cast<RankedTensorType>(piece.value.getType());
    Value to =
        pop::RefSliceOp::create(b, loc, all, piece.starts, pieceType.getShape(),
                                SmallVector<int64_t>(type.getRank(), 1));
    pop::CopyInPlaceOp::create(b, loc, to, piece.value);
  }
  b.setInsertionPoint(concat);
  concat.replaceAllUsesWith(pop::ReadOp::create(b, loc, type, all).getResult());
  SmallVector<pop::ConcatOp> dead{concat};
  while (!dead.empty()) {
    pop::ConcatOp last = dead.pop_back_val();
    SmallVector<Value> inputs(last.getInputs());
    last.erase();
    for (Value input : inputs)
      if (auto inner = input.getDefiningOp<pop::ConcatOp>();
          inner && inner.use_empty())
        dead.push_back(inner);
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns `part` and the following ops, each of which is the only user of the
/// previous op.
static pop::OpSequence getOps(Operation *part) {
  pop::OpSequence ops{part};
  while (ops.back()->hasOneUse()) {
    Operation *user = *ops.back()->user_begin();
    if (!isa<pop::ReduceOp, pop::CastOp, pop::ReshapeOp>(user) ||
        user->getBlock() != part->getBlock() || isForWhole(user))
      break;
    ops.push_back(user);
  }
  return ops;
}

static bool isEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b, OperationEquivalence::ignoreValueEquivalence,
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Truncates all `runs` to the ops that are equal in all runs. Then removes
/// reshapes from the ends, because they belong to the ops that follow.
static void trimToCommon(MutableArrayRef<pop::OpSequence> runs) {
  ArrayRef<Operation *> first = runs.front();
  size_t length = first.size();
  for (ArrayRef<Operation *> run : runs) {
    size_t common = 1;
    while (common < std::min(length, run.size()) &&
           isEqual(first[common], run[common]))
      ++common;
    length = std::min(length, common);
  }
  while (length > 1 && isa<pop::ReshapeOp>(first[length - 1]))
    --length;
  for (pop::OpSequence &run : runs)
    run.truncate(length);
}

/// Replaces `runs`, which are equal, by calls of a new function.
SmallVector<func::CallOp> PartFunctions::call(ArrayRef<pop::OpSequence> runs) {
  ++numFunctions;
  Operation *part = runs.front().front();
  auto caller = part->getParentOfType<func::FuncOp>();
  std::string name =
      (caller.getSymName() + "." + part->getName().stripDialect()).str();
  pop::SequenceInterface interface = pop::getSequenceInterface(runs);
  func::FuncOp function = pop::createSequenceFunction(
      name, caller, runs.front(), interface, symbols);
  return pop::replaceSequencesByCalls(runs, interface, function);
}

void PartFunctions::share(ArrayRef<Operation *> parts) {
  // Groups of equal parts. Each part is the first op of a list with the ops
  // that follow it.
  SmallVector<SmallVector<pop::OpSequence>> groups;
  llvm::DenseSet<Operation *> done;
  for (Operation *part : parts) {
    if (isForWhole(part)) {
      done.insert(part);
      continue;
    }
    auto *group = llvm::find_if(groups, [&](const auto &group) {
      return isEqual(group.front().front(), part);
    });
    if (group == groups.end())
      group = &groups.emplace_back();
    group->push_back(getOps(part));
  }
  SmallVector<Value> results;
  for (MutableArrayRef<pop::OpSequence> group : groups) {
    trimToCommon(group);
    if (group.size() < 2) {
      done.insert(group.front().back());
      continue;
    }
    for (func::CallOp call : call(group)) {
      done.insert(call);
      results.push_back(call.getResult(0));
    }
  }
  // Only concatenations that consist of parts alone are replaced.
  llvm::SetVector<Operation *> concats;
  for (Value result : results) {
    pop::ConcatOp outermost;
    for (pop::ConcatOp concat = getConcatOf(result);
         concat && isOfParts(concat, done);
         concat = concat->hasOneUse()
                      ? dyn_cast<pop::ConcatOp>(*concat->user_begin())
                      : nullptr)
      outermost = concat;
    if (outermost)
      concats.insert(outermost);
  }
  for (Operation *concat : concats)
    writePieces(cast<pop::ConcatOp>(concat));
}
