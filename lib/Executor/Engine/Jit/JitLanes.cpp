//===- JitLanes.cpp - Reductions in lanes as loops over vectors -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms of loops, whose iterations each work on a separate element:
//
//   for lane = 0 to L:                          for lane = 0 to H:
//     s = for i = lane to dim x step L:           sums[lane] =
//           combine with x[.., i]                   combine(sums[lane],
//     sums[lane] = s                                        sums[lane + H])
//
// become ops on vectors of L and H lanes. Each lane performs the operations of
// its iteration, in the same order. The greatest or least element of a chain is
// found by comparing integers in the order of floats, with NaNs beyond
// infinity: a comparison of floats that handles zeros and NaNs takes as long as
// ten comparisons of integers, and each comparison waits for the previous one.
// If loops of the second form then combine the lanes of such a chain until one
// lane is left, these loops also compare integers.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ipu;

/// Longer vectors take many registers.
static constexpr int64_t kMaxLanes = 32;

namespace {
class LaneVectorizer {
public:
  LaneVectorizer(scf::ForOp loop,
                 llvm::DenseMap<Operation *, Operation *> &sources)
      : loop(loop), sources(sources), b(loop.getLoc(), loop) {}

  /// Replaces the loop if it has one of the forms, perhaps with those of
  /// `tree`.
  bool run();
  ArrayRef<scf::ForOp> getTree() const { return tree; }

private:
  bool matchesChains();
  bool matchesTree();
  bool matchesElementwise(Operation &op) const;
  /// Whether `op` reads `buffer[..., last]`, whose lanes are neighbours.
  bool matchesLoad(memref::LoadOp op, Value last) const;
  bool isInvariant(Value value) const {
    return !loop->isAncestor(value.getParentRegion()->getParentOp());
  }

  Operation *findExtreme();
  bool isTreeOf(Value buffer, OperationName combiner);
  void findTree(OperationName combiner);
  Value buildExtreme(Value lhs, Value rhs, bool isMaximum);
  Value buildOrder(Value bits);
  Value buildKeys(Value floats, bool isMaximum);

  void buildChains();
  void buildTree();
  VectorType getVectorType(Type element) const {
    return VectorType::get(numLanes, element);
  }
  Value buildElementwise(Block &block, IRMapping &mapping, Value result);
  void loadAll(Block &block, Value position, Value mask, IRMapping &mapping);

  scf::ForOp loop;
  llvm::DenseMap<Operation *, Operation *> &sources;
  ImplicitLocOpBuilder b;
  int64_t numLanes = 0;
  scf::ForOp chain;
  memref::StoreOp store;
  SmallVector<Operation *> invariants;
  /// Of the chains' buffer, whose first element is all that is read then.
  SmallVector<scf::ForOp> tree;
};
} // namespace

static bool isConstant(OpFoldResult value, int64_t expected) {
  return getConstantIntValue(value) == expected;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Whether the op does the same on vectors.
bool LaneVectorizer::matchesElementwise(Operation &op) const {
  auto isScalar = [](Type type) {
    return type.isSignlessInteger() || isa<FloatType>(type);
  };
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
         op.getNumRegions() == 0 && op.getNumResults() == 1 &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// Whether a vector lies in memory as so many elements do: one of i1 has a bit
/// for each.
static bool isStoredAsVector(MemRefType type) {
  return !type.getElementType().isInteger(1) &&
         !type.getElementType().isIndex();
}

bool LaneVectorizer::matchesLoad(memref::LoadOp op, Value last) const {
  MemRefType type = op.getMemRefType();
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() > 0 && isStoredAsVector(type) &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 && op.getIndices().back() == last &&
         isInvariant(op.getMemRef()) &&
         llvm::all_of(op.getIndices().drop_back(),
                      [&](Value index) { return isInvariant(index); });
}

bool LaneVectorizer::matchesChains() {
  Value lane = loop.getInductionVar();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<memref::DimOp, arith::ConstantOp>(op)) {
      if (!llvm::all_of(op.getOperands(),
                        [&](Value value) { return isInvariant(value); }))
        return false;
      invariants.push_back(&op);
      continue;
    }
    if (auto inner = dyn_cast<scf::ForOp>(op); inner && !chain)
      chain = inner;
    else if (auto last = dyn_cast<memref::StoreOp>(op); last && !store)
      store = last;
    else
      return false;
  }
  if (!chain || !store || chain.getNumRegionIterArgs() != 1 ||
      chain.getLowerBound() != lane || !isConstant(chain.getStep(), numLanes) ||
      !isInvariant(chain.getInitArgs().front()) ||
      store.getValue() != chain.getResult(0) || !isInvariant(store.getMemRef()))
    return false;
  MemRefType lanes = store.getMemRefType();
  auto end = chain.getUpperBound().getDefiningOp<memref::DimOp>();
  if (!end || !lanes.getLayout().isIdentity() || lanes.getRank() != 1 ||
      lanes.getDimSize(0) != numLanes || store.getIndices().front() != lane)
    return false;
  for (Operation &op : chain.getBody()->without_terminator()) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load && !matchesElementwise(op))
      return false;
    // The loop ends where the buffer does.
    if (load && (!matchesLoad(load, chain.getInductionVar()) ||
                 load.getMemRef() != end.getSource() ||
                 end.getConstantIndex() != load.getMemRefType().getRank() - 1))
      return false;
  }
  return chain.getResult(0).hasOneUse();
}

bool LaneVectorizer::matchesTree() {
  Value lane = loop.getInductionVar();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto sum = dyn_cast<arith::AddIOp>(op);
        sum && sum.getType().isIndex()) {
      if (sum.getLhs() != lane || !isConstant(sum.getRhs(), numLanes))
        return false;
      continue;
    }
    if (auto last = dyn_cast<memref::StoreOp>(op); last && !store) {
      store = last;
      continue;
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    if (store || (!load && !matchesElementwise(op)))
      return false;
    if (!load)
      continue;
    Value index = load.getMemRefType().getRank() == 1
                      ? load.getIndices().front()
                      : Value();
    if (index != lane && !(index && index.getDefiningOp<arith::AddIOp>()))
      return false;
    if (!load.getMemRef().getDefiningOp<memref::AllocaOp>() ||
        !isStoredAsVector(load.getMemRefType()) ||
        !load.getMemRefType().hasStaticShape() ||
        load.getMemRefType().getDimSize(0) < 2 * numLanes)
      return false;
  }
  if (!store || store.getMemRefType().getRank() != 1 ||
      store.getIndices().front() != lane || isInvariant(store.getValue()))
    return false;
  // All of them are in one buffer.
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getMemRef() != store.getMemRef())
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The elementwise ops of `block` on vectors; `result` is one of its values.
Value LaneVectorizer::buildElementwise(Block &block, IRMapping &mapping,
                                       Value result) {
  auto lookup = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value wide =
        vector::BroadcastOp::create(b, getVectorType(value.getType()), value);
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &op : block.without_terminator()) {
    if (!matchesElementwise(op) || mapping.contains(op.getResult(0)))
      continue;
    if (isa<arith::ConstantOp>(op)) {
      mapping.map(op.getResult(0), lookup(b.clone(op)->getResult(0)));
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.addOperands(lookup(operand));
    state.addTypes(getVectorType(op.getResult(0).getType()));
    state.addAttributes(op.getAttrs());
    mapping.map(op.getResult(0), b.create(state)->getResult(0));
  }
  return lookup(result);
}

/// Loads what the chain's turn at `position` loads, of lanes of `mask` if there
/// is one.
void LaneVectorizer::loadAll(Block &block, Value position, Value mask,
                             IRMapping &mapping) {
  for (auto load : block.getOps<memref::LoadOp>()) {
    SmallVector<Value> indices(load.getIndices());
    indices.back() = position;
    VectorType type = getVectorType(load.getType());
    Operation *wide;
    if (mask) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
      wide = vector::MaskedLoadOp::create(b, type, load.getMemRef(), indices,
                                          mask, zero);
    } else {
      wide = vector::LoadOp::create(b, type, load.getMemRef(), indices);
    }
    if (Operation *source = sources.lookup(load))
      sources[wide] = source;
    mapping.map(load.getResult(), wide->getResult(0));
  }
}

/// The op of a chain that is nothing but maximumf or minimumf of f32 or f64.
Operation *LaneVectorizer::findExtreme() {
  Block &block = *chain.getBody();
  Operation *last = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(last) ||
      last->getBlock() != &block || !last->getResult(0).hasOneUse())
    return nullptr;
  Type type = last->getResult(0).getType();
  auto isElement = [&](Value value) {
    auto load = value.getDefiningOp<memref::LoadOp>();
    return load && load->getBlock() == &block;
  };
  Value sum = chain.getRegionIterArgs().front();
  Value lhs = last->getOperand(0), rhs = last->getOperand(1);
  bool isPlain =
      (lhs == sum && isElement(rhs)) || (rhs == sum && isElement(lhs));
  return isPlain && (type.isF32() || type.isF64()) ? last : nullptr;
}

/// Whether the loop does nothing but combine halves of `buffer`.
bool LaneVectorizer::isTreeOf(Value buffer, OperationName combiner) {
  auto end = getConstantIntValue(loop.getUpperBound());
  if (!isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1) ||
      !end || loop.getNumRegionIterArgs() > 0)
    return false;
  numLanes = *end;
  if (!matchesTree() || store.getMemRef() != buffer)
    return false;
  Operation *op = store.getValue().getDefiningOp();
  if (!op || op->getName() != combiner)
    return false;
  auto lhs = op->getOperand(0).getDefiningOp<memref::LoadOp>();
  auto rhs = op->getOperand(1).getDefiningOp<memref::LoadOp>();
  return lhs && rhs && lhs.getIndices().front() != rhs.getIndices().front();
}

/// Finds the loops that combine all lanes of the chains.
void LaneVectorizer::findTree(OperationName combiner) {
  Value buffer = store.getMemRef();
  Operation *next = loop->getNextNode();
  SmallVector<scf::ForOp> found;
  for (int64_t lanes = numLanes; lanes > 1; lanes /= 2) {
    auto half = dyn_cast_or_null<scf::ForOp>(next);
    if (!half || lanes % 2 != 0 ||
        !isConstant(half.getUpperBound(), lanes / 2) ||
        !LaneVectorizer(half, sources).isTreeOf(buffer, combiner))
      return;
    found.push_back(half);
    next = half->getNextNode();
  }
  for (Operation *user : buffer.getUsers()) {
    auto load = dyn_cast<memref::LoadOp>(user);
    bool isFirst = load && isConstant(load.getIndices().front(), 0);
    if (!isFirst && !loop->isAncestor(user) &&
        llvm::none_of(found,
                      [&](scf::ForOp half) { return half->isAncestor(user); }))
      return;
  }
  tree = std::move(found);
}

Value LaneVectorizer::buildExtreme(Value lhs, Value rhs, bool isMaximum) {
  return isMaximum ? arith::MaxSIOp::create(b, lhs, rhs).getResult()
                   : arith::MinSIOp::create(b, lhs, rhs).getResult();
}

/// Bits of floats as integers in the order of floats, and the way back.
Value LaneVectorizer::buildOrder(Value bits) {
  auto type = cast<VectorType>(bits.getType());
  unsigned width = type.getElementTypeBitWidth();
  auto getConstant = [&](const APInt &value) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  };
  Value sign =
      arith::ShRSIOp::create(b, bits, getConstant(APInt(width, width - 1)));
  Value flipped = arith::AndIOp::create(
      b, sign, getConstant(APInt::getSignedMaxValue(width)));
  return arith::XOrIOp::create(b, bits, flipped);
}

Value LaneVectorizer::buildKeys(Value floats, bool isMaximum) {
  auto type = cast<VectorType>(floats.getType());
  auto element = cast<FloatType>(type.getElementType());
  Value nan = arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(type, APFloat::getQNaN(element.getFloatSemantics(),
                                                    /*Negative=*/!isMaximum)));
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, floats, floats);
  Value chosen = arith::SelectOp::create(b, isNaN, nan, floats);
  auto bits = VectorType::get(numLanes, b.getIntegerType(element.getWidth()));
  return buildOrder(arith::BitcastOp::create(b, bits, chosen));
}

void LaneVectorizer::buildChains() {
  for (Operation *op : invariants)
    op->moveBefore(loop);
  Block &block = *chain.getBody();
  Value yielded = block.getTerminator()->getOperand(0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, numLanes);
  Value end = chain.getUpperBound();
  Value rest = arith::RemUIOp::create(b, end, step);
  Value wholeEnd = arith::SubIOp::create(b, end, rest);
  Value init = chain.getInitArgs().front();
  VectorType floats = getVectorType(init.getType());
  init = vector::BroadcastOp::create(b, floats, init);
  Operation *extreme = findExtreme();
  bool isMaximum = isa_and_nonnull<arith::MaximumFOp>(extreme);
  if (extreme)
    init = buildKeys(init, isMaximum);

  auto combine = [&](Value position, Value mask, Value sums) -> Value {
    IRMapping mapping;
    mapping.map(chain.getRegionIterArgs().front(), sums);
    loadAll(block, position, mask, mapping);
    if (!extreme)
      return buildElementwise(block, mapping, yielded);
    bool isFirst = !isa<BlockArgument>(extreme->getOperand(0));
    Value element = mapping.lookup(extreme->getOperand(isFirst ? 0 : 1));
    Value keys = buildKeys(element, isMaximum);
    return buildExtreme(sums, keys, isMaximum);
  };
  auto whole = scf::ForOp::create(b, zero, wholeEnd, step, init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(whole.getBody());
    Value sums = combine(whole.getInductionVar(), Value(),
                         whole.getRegionIterArgs().front());
    scf::YieldOp::create(b, sums);
  }
  Value hasRest =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, zero);
  auto partial = scf::IfOp::create(b, init.getType(), hasRest,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(partial.thenBlock());
    Value mask = vector::CreateMaskOp::create(b, getVectorType(b.getI1Type()),
                                              ValueRange(rest));
    Value before = whole.getResult(0);
    Value sums = combine(wholeEnd, mask, before);
    sums = arith::SelectOp::create(b, mask, sums, before);
    scf::YieldOp::create(b, sums);
    b.setInsertionPointToStart(partial.elseBlock());
    scf::YieldOp::create(b, before);
  }
  Value result = partial.getResult(0);
  if (extreme) {
    findTree(extreme->getName());
    for (scf::ForOp half : tree) {
      int64_t lanes = *getConstantIntValue(half.getUpperBound());
      auto getHalf = [&](int64_t begin) {
        return vector::ExtractStridedSliceOp::create(b, result, begin, lanes,
                                                     int64_t(1));
      };
      Value low = getHalf(0), high = getHalf(lanes);
      result = buildExtreme(low, high, isMaximum);
    }
    if (!tree.empty())
      floats = VectorType::get(1, floats.getElementType());
    result = arith::BitcastOp::create(b, floats, buildOrder(result));
  }
  vector::StoreOp::create(b, result, store.getMemRef(), ValueRange(zero));
}

void LaneVectorizer::buildTree() {
  IRMapping mapping;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value half = arith::ConstantIndexOp::create(b, numLanes);
  for (auto load : loop.getBody()->getOps<memref::LoadOp>()) {
    bool isFirst = load.getIndices().front() == loop.getInductionVar();
    mapping.map(load.getResult(),
                vector::LoadOp::create(b, getVectorType(load.getType()),
                                       load.getMemRef(),
                                       ValueRange(isFirst ? zero : half))
                    .getResult());
  }
  Value result = buildElementwise(*loop.getBody(), mapping, store.getValue());
  vector::StoreOp::create(b, result, store.getMemRef(), ValueRange(zero));
}

bool LaneVectorizer::run() {
  auto end = getConstantIntValue(loop.getUpperBound());
  if (!isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1) ||
      !end || *end < 2 || *end > kMaxLanes || loop.getNumRegionIterArgs() > 0)
    return false;
  numLanes = *end;
  if (matchesChains()) {
    buildChains();
  } else {
    chain = scf::ForOp();
    store = memref::StoreOp();
    if (!matchesTree())
      return false;
    buildTree();
  }
  loop.erase();
  return true;
}

void mlir::ipu::vectorizeLanes(
    func::FuncOp function, llvm::DenseMap<Operation *, Operation *> &sources) {
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { loops.push_back(loop); });
  llvm::SmallPtrSet<Operation *, 16> erased;
  for (scf::ForOp loop : loops) {
    if (erased.contains(loop))
      continue;
    SmallVector<Operation *> nested;
    loop.walk([&](scf::ForOp inner) { nested.push_back(inner); });
    LaneVectorizer vectorizer(loop, sources);
    if (!vectorizer.run())
      continue;
    erased.insert(nested.begin(), nested.end());
    for (scf::ForOp half : vectorizer.getTree()) {
      erased.insert(half);
      half.erase();
    }
  }
}
