//===- ExpandRandom.cpp - Expansion of ops on random numbers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a codelet for engines, possibly with `ipu.element_number`,
// `ipu.random_bits`, `ipu.philox` and `ipu.round_stochastic`. Out: the same
// codelet with arith, memref and scf ops instead, so that all engines compute
// the same, and with arguments for values that differ between vertices.
//
//===----------------------------------------------------------------------===//

#include "../Support/RandomArithmetic.h"
#include "EngineCodelets.h"

#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// RandomExpander
//===----------------------------------------------------------------------===//

namespace {
class RandomExpander {
public:
  RandomExpander(CodeletOp codelet, RngGenerator generator)
      : codelet(codelet), generator(generator) {}

  FailureOr<RandomArguments> run();

private:
  LogicalResult check();
  LogicalResult checkStream(RandomBitsOp op);
  LogicalResult checkLoops(Operation *op);
  void addArguments();
  void addCounter(ImplicitLocOpBuilder &b);
  void expand(Operation *op);
  Value buildNumber(ImplicitLocOpBuilder &b, ValueRange indices);
  Value buildCounterBits(ImplicitLocOpBuilder &b, RandomBitsOp op);
  Value buildStreamBits(ImplicitLocOpBuilder &b, RandomBitsOp op);

  CodeletOp codelet;
  RngGenerator generator;
  SmallVector<Operation *> ops;
  RandomArguments result;
  /// Of generators: what the vertex's tile has, and its first words if they are
  /// a counter.
  Value state;
  SmallVector<Value> words;
  /// Of a counter: the word of the first draw.
  Value firstDraw;
  /// Of the numbered output: where its region lies in the variable.
  Value offset;
  SmallVector<Value> strides;
};
} // namespace

FailureOr<RandomArguments> RandomExpander::run() {
  codelet.walk([&](Operation *op) {
    if (isRandomScalarOp(op))
      ops.push_back(op);
  });
  if (failed(check()))
    return failure();
  addArguments();
  for (Operation *op : ops)
    expand(op);
  return result;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// An element is drawn for once, so that no loop may come back to it.
LogicalResult RandomExpander::checkLoops(Operation *op) {
  auto generic = op->getParentOfType<linalg::GenericOp>();
  if (!generic || generic.getNumParallelLoops() == generic.getNumLoops())
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("draws random bits in a loop that is not parallel");
  diag.attachNote(generic.getLoc()) << "loops defined here";
  return diag;
}

/// The position of `op` in the body of its codelet.
static Operation *getOutermost(Operation *op) {
  while (!isa<CodeletOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// Draws of a stream follow one another as elements do.
LogicalResult RandomExpander::checkStream(RandomBitsOp op) {
  if (op.getDraw() != 0)
    return op.emitOpError()
           << "expects draw 0 of generator 'stream' but got " << op.getDraw();
  for (Operation *other : ops) {
    if (other == op)
      break;
    if (!isa<RandomBitsOp>(other) || getOutermost(other) != getOutermost(op))
      continue;
    InFlightDiagnostic diag = op.emitOpError(
        "draws from generator 'stream' for the same elements as another op");
    diag.attachNote(other->getLoc()) << "the other op is here";
    return diag;
  }
  if (!op->getParentOfType<linalg::GenericOp>())
    return success();
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (!loop || loop.getDim() != dim)
      return op.emitOpError()
             << "expects index " << dim << " to be the index of loop " << dim
             << " for generator 'stream'";
  }
  return success();
}

LogicalResult RandomExpander::check() {
  for (Operation *op : ops) {
    if (auto element = dyn_cast<ElementNumberOp>(op))
      result.numbered = cast<BlockArgument>(element.getBuffer()).getArgNumber();
    auto random = dyn_cast<RandomBitsOp>(op);
    if (!random)
      continue;
    result.draws = true;
    if (generator == RngGenerator::Counter)
      result.numbered = cast<BlockArgument>(random.getBuffer()).getArgNumber();
    else if (failed(checkStream(random)))
      return failure();
    if (failed(checkLoops(op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// What all draws of a vertex have in common: the words of the state stay.
void RandomExpander::addCounter(ImplicitLocOpBuilder &b) {
  Block &body = codelet.getBody().front();
  Location loc = codelet.getLoc();
  BlockArgument word = body.addArgument(b.getIndexType(), loc);
  BlockArgument drawOffset = body.addArgument(b.getIndexType(), loc);
  b.setLoc((*llvm::find_if(ops, [](Operation *op) {
             return isa<RandomBitsOp>(op);
           }))->getLoc());
  auto load = [&](int64_t worker, int64_t number) -> Value {
    Value indices[2] = {arith::ConstantIndexOp::create(b, worker),
                        arith::ConstantIndexOp::create(b, number)};
    return memref::LoadOp::create(b, state, indices);
  };
  for (int64_t number = 0; number < kRngWords; ++number)
    words.push_back(load(0, number));
  words[2] = arith::AddIOp::create(
      b, words[2], arith::IndexCastOp::create(b, b.getI32Type(), drawOffset));
  // The fifth word is added to the numbers of all draws.
  firstDraw = arith::AddIOp::create(
      b, load(1, 0), arith::IndexCastOp::create(b, b.getI32Type(), word));
}

void RandomExpander::addArguments() {
  Block &body = codelet.getBody().front();
  Location loc = codelet.getLoc();
  ImplicitLocOpBuilder b(loc, codelet.getContext());
  b.setInsertionPointToStart(&body);
  if (result.draws) {
    auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                         {kRngWords, 1});
    state = body.addArgument(
        MemRefType::get({kRngWorkers, kRngWords}, b.getI32Type(), layout), loc);
    if (generator == RngGenerator::Counter)
      addCounter(b);
  }
  if (result.numbered >= 0) {
    auto buffer = cast<MemRefType>(body.getArgument(result.numbered).getType());
    offset = body.addArgument(b.getIndexType(), loc);
    for (int64_t dim = 0; dim < buffer.getRank(); ++dim)
      strides.push_back(body.addArgument(b.getIndexType(), loc));
  }
  codelet.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
}

Value RandomExpander::buildNumber(ImplicitLocOpBuilder &b, ValueRange indices) {
  Value number = offset;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    number = arith::AddIOp::create(b, number,
                                   arith::MulIOp::create(b, index, stride));
  return arith::IndexCastOp::create(b, b.getI32Type(), number);
}

Value RandomExpander::buildCounterBits(ImplicitLocOpBuilder &b,
                                       RandomBitsOp op) {
  Words w32(b, 32);
  Value draw = w32.add(firstDraw, w32.get(op.getDraw()));
  return buildPhilox(
      b, {words[0], words[1]},
      {buildNumber(b, op.getIndices()), words[2], words[3], draw})[0];
}

/// All lanes of a vector see the same generator; the last of them advances it.
Value RandomExpander::buildStreamBits(ImplicitLocOpBuilder &b,
                                      RandomBitsOp op) {
  Words w32(b, 32), w64(b, 64);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value place = index(0), size = index(1);
  for (auto [dim, at] : llvm::enumerate(op.getIndices())) {
    Value extent = memref::DimOp::create(b, op.getBuffer(), dim);
    size = arith::MulIOp::create(b, size, extent);
    place =
        arith::AddIOp::create(b, arith::MulIOp::create(b, place, extent), at);
  }
  Value lane = arith::RemUIOp::create(b, place, index(4));
  Value worker = arith::RemUIOp::create(
      b, arith::DivUIOp::create(b, place, index(4)), index(kRngWorkers));
  auto load = [&](int64_t word) {
    Value low =
        memref::LoadOp::create(b, state, ValueRange({worker, index(word)}));
    Value high =
        memref::LoadOp::create(b, state, ValueRange({worker, index(word + 1)}));
    return w64.bitOr(w64.get(low), w64.shl(w64.get(high), 32));
  };
  StreamDraw draw = buildStreamDraw(b, load(0), load(2));

  auto isAt = [&](Value value, Value last) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, last);
  };
  Value last = arith::SubIOp::create(b, size, index(1));
  Value isLast =
      arith::OrIOp::create(b, isAt(lane, index(3)), isAt(place, last));
  auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value next[2] = {draw.s0, draw.s1};
    for (int64_t word = 0; word < kRngWords; ++word) {
      Value half = w64.shr(next[word / 2], word % 2 * 32);
      memref::StoreOp::create(b, w32.get(half), state,
                              ValueRange({worker, index(word)}));
    }
  }
  Value shift = arith::MulIOp::create(b, lane, index(16));
  Value own =
      w64.shr(draw.drawn, arith::IndexCastOp::create(b, b.getI64Type(), shift));
  return w32.shl(w32.get(own), 16);
}

void RandomExpander::expand(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Value, 4> values;
  if (auto element = dyn_cast<ElementNumberOp>(op)) {
    values.push_back(buildNumber(b, element.getIndices()));
  } else if (auto random = dyn_cast<RandomBitsOp>(op)) {
    values.push_back(generator == RngGenerator::Counter
                         ? buildCounterBits(b, random)
                         : buildStreamBits(b, random));
  } else if (auto round = dyn_cast<RoundStochasticOp>(op)) {
    values.push_back(buildRounding(b, round));
  } else {
    auto philox = cast<PhiloxOp>(op);
    llvm::append_range(values, buildPhilox(b, {philox.getK0(), philox.getK1()},
                                           {philox.getC0(), philox.getC1(),
                                            philox.getC2(), philox.getC3()}));
  }
  op->replaceAllUsesWith(values);
  op->erase();
}

FailureOr<RandomArguments> mlir::ipu::expandRandomOps(CodeletOp codelet,
                                                      RngGenerator generator) {
  return RandomExpander(codelet, generator).run();
}
