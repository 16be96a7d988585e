//===- ExpandRandom.cpp - Writes ops on random numbers as others ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a codelet for engines, maybe with `ipu.element_number`,
// `ipu.random_bits`, `ipu.philox` and `ipu.round_stochastic`. Out: the same
// with arith, memref and scf ops in their place, so that all engines do the
// same, and with arguments for what vertices differ in.
//
//===----------------------------------------------------------------------===//

#include "Codelets.h"
#include "ipu-mlir/Executor/Random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// Integer arithmetic of one width, with constants.
class Words {
public:
  Words(ImplicitLocOpBuilder &b, unsigned width)
      : b(b), type(b.getIntegerType(width)), width(width) {}

  Value get(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt(width, value, /*isSigned=*/false,
                                        /*implicitTrunc=*/true)));
  }
  /// Cuts off, or fills up with zeros.
  Value get(Value value) {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    if (from == width)
      return value;
    return from < width ? arith::ExtUIOp::create(b, type, value).getResult()
                        : arith::TruncIOp::create(b, type, value).getResult();
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value bitAnd(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value bitXOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  /// Shifts by the width or more give 0.
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shr(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value shl(Value x, unsigned by) { return shl(x, get(uint64_t(by))); }
  Value shr(Value x, unsigned by) { return shr(x, get(uint64_t(by))); }
  Value rotl(Value x, unsigned by) {
    return bitOr(shl(x, by), shr(x, width - by));
  }
  Value maxSigned(Value x, Value y) { return arith::MaxSIOp::create(b, x, y); }
  Value isEqual(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

private:
  ImplicitLocOpBuilder &b;
  Type type;
  unsigned width;
};
} // namespace

static std::array<Value, 4> buildPhilox(ImplicitLocOpBuilder &b,
                                        std::array<Value, 2> key,
                                        std::array<Value, 4> counter) {
  Words w32(b, 32), w64(b, 64);
  Value even = w64.get(0xD2511F53), odd = w64.get(0xCD9E8D57);
  Value steps[2] = {w32.get(0x9E3779B9), w32.get(0xBB67AE85)};
  for (int round = 0; round < 10; ++round) {
    Value evens = w64.mul(w64.get(counter[0]), even);
    Value odds = w64.mul(w64.get(counter[2]), odd);
    auto mix = [&](Value product, Value word, Value keyWord) {
      Value high = w32.get(w64.shr(product, 32));
      return w32.bitXOr(w32.bitXOr(high, word), keyWord);
    };
    counter = {mix(odds, counter[1], key[0]), w32.get(odds),
               mix(evens, counter[3], key[1]), w32.get(evens)};
    for (int i = 0; i < 2; ++i)
      key[i] = w32.add(key[i], steps[i]);
  }
  return counter;
}

/// As roundStochastic(), which says why, on 64 bits.
static Value buildRounding(ImplicitLocOpBuilder &b, RoundStochasticOp op) {
  Words w(b, 64);
  auto type = cast<FloatType>(op.getInput().getType());
  RoundedFormat format = getRoundedFormat(op.getType());
  unsigned width = type.getWidth();
  unsigned mantissaBits = type.getFPMantissaWidth() - 1;
  int64_t bias = width == 64 ? 1023 : 127;
  uint64_t signBit = uint64_t(1) << (width - 1);
  uint64_t implicitBit = uint64_t(1) << mantissaBits;
  Value zero = w.get(uint64_t(0)), one = w.get(1);
  Value bits = w.get(
      arith::BitcastOp::create(b, b.getIntegerType(width), op.getInput()));
  Value magnitude = w.bitAnd(bits, w.get(signBit - 1));
  Value exponent = w.shr(magnitude, mantissaBits);
  Value significand = w.bitAnd(magnitude, w.get(implicitBit - 1));
  significand = w.select(w.isEqual(exponent, zero), significand,
                         w.bitOr(significand, w.get(implicitBit)));
  Value above = w.sub(w.maxSigned(exponent, one),
                      w.get(static_cast<uint64_t>(bias + format.minExponent)));
  Value dropped = w.add(w.maxSigned(w.sub(zero, above), zero),
                        w.get(mantissaBits - format.mantissaBits));
  Value whole = w.shr(significand, dropped);
  Value rest = w.sub(significand, w.shl(whole, dropped));
  Value threshold = width == 64 ? w.shr(rest, w.sub(dropped, w.get(32)))
                                : w.shr(w.shl(rest, 32), dropped);
  Value isUp = w.isLess(w.get(op.getBits()), threshold);
  Value result =
      w.add(w.add(w.shl(w.maxSigned(above, zero), format.mantissaBits), whole),
            w.get(isUp));

  Value largest = w.get(format.largest), nan = w.get(format.nan);
  Value sign = w.shl(w.shr(bits, width - 1), format.width - 1);
  Value overflows = w.isLess(largest, result);
  bool clips = op.getOverflow() == pop::RoundingOverflow::Clip;
  if (clips)
    result = w.select(overflows, largest, result);
  Value withSign = w.bitOr(sign, result);
  if (!format.hasNegativeZero)
    withSign = w.select(w.isEqual(result, zero), zero, withSign);
  if (!clips)
    withSign = w.select(overflows, nan, withSign);
  Value infinity =
      w.get(((uint64_t(1) << (width - 1 - mantissaBits)) - 1) << mantissaBits);
  Value infinite = format.infinity == format.nan
                       ? nan
                       : w.bitOr(sign, w.get(format.infinity));
  withSign = w.select(w.isEqual(magnitude, infinity), infinite, withSign);
  withSign = w.select(w.isLess(infinity, magnitude), nan, withSign);
  return arith::BitcastOp::create(b, op.getType(),
                                  Words(b, format.width).get(withSign));
}

//===----------------------------------------------------------------------===//
// RandomExpander
//===----------------------------------------------------------------------===//

namespace {
class RandomExpander {
public:
  RandomExpander(CodeletOp codelet, pop::RngGenerator generator)
      : codelet(codelet), generator(generator) {}

  FailureOr<RandomArguments> run();

private:
  LogicalResult check();
  LogicalResult checkStream(RandomBitsOp op);
  LogicalResult checkLoops(Operation *op);
  void addArguments();
  void expand(Operation *op);
  Value buildNumber(ImplicitLocOpBuilder &b, ValueRange indices);
  Value buildCounterBits(ImplicitLocOpBuilder &b, RandomBitsOp op);
  Value buildStreamBits(ImplicitLocOpBuilder &b, RandomBitsOp op);

  CodeletOp codelet;
  pop::RngGenerator generator;
  SmallVector<Operation *> ops;
  RandomArguments result;
  /// Of generators: what the vertex's tile has, and its first words if they are
  /// a counter.
  Value state;
  SmallVector<Value> words;
  /// Of the numbered output: where its box lies in the variable.
  Value offset;
  SmallVector<Value> strides;
};
} // namespace

FailureOr<RandomArguments> RandomExpander::run() {
  codelet.walk([&](Operation *op) {
    if (isa<ElementNumberOp, RandomBitsOp, PhiloxOp, RoundStochasticOp>(op))
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
      op->emitOpError("draws in a loop that is no parallel one");
  diag.attachNote(generic.getLoc()) << "loops defined here";
  return diag;
}

/// The place of `op` in the body of its codelet.
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
    InFlightDiagnostic diag =
        op.emitOpError("draws from generator 'stream' where another op does");
    diag.attachNote(other->getLoc()) << "the other is here";
    return diag;
  }
  if (!op->getParentOfType<linalg::GenericOp>())
    return success();
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (!loop || loop.getDim() != dim)
      return op.emitOpError() << "expects index " << dim
                              << " to be that of the loop, in order, for "
                                 "generator 'stream'";
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
    if (generator == pop::RngGenerator::Counter)
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
    // The words of a counter stay during a compute set.
    if (generator == pop::RngGenerator::Counter) {
      b.setLoc((*llvm::find_if(ops, [](Operation *op) {
                 return isa<RandomBitsOp>(op);
               }))->getLoc());
      Value zero = arith::ConstantIndexOp::create(b, 0);
      for (int64_t word = 0; word < kRngWords; ++word) {
        Value at = arith::ConstantIndexOp::create(b, word);
        words.push_back(
            memref::LoadOp::create(b, state, ValueRange({zero, at})));
      }
    }
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
  Value draw = Words(b, 32).get(op.getDraw());
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
  Value s0 = load(0), s1 = load(2);
  Value x = w64.bitXOr(s0, s1), a = w64.bitAnd(s0, s1);
  Value drawn = w64.bitXOr(x, w64.bitOr(w64.rotl(a, 1), w64.rotl(a, 2)));

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
    Value next[2] = {
        w64.bitXOr(w64.bitXOr(w64.rotl(s0, 55), x), w64.shl(x, 14)),
        w64.rotl(x, 36)};
    for (int64_t word = 0; word < kRngWords; ++word) {
      Value half = w64.shr(next[word / 2], word % 2 * 32);
      memref::StoreOp::create(b, w32.get(half), state,
                              ValueRange({worker, index(word)}));
    }
  }
  Value shift = arith::MulIOp::create(b, lane, index(16));
  Value own =
      w64.shr(drawn, arith::IndexCastOp::create(b, b.getI64Type(), shift));
  return w32.shl(w32.get(own), 16);
}

void RandomExpander::expand(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Value, 4> values;
  if (auto element = dyn_cast<ElementNumberOp>(op)) {
    values.push_back(buildNumber(b, element.getIndices()));
  } else if (auto random = dyn_cast<RandomBitsOp>(op)) {
    values.push_back(generator == pop::RngGenerator::Counter
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

FailureOr<RandomArguments>
mlir::ipu::expandRandomOps(CodeletOp codelet, pop::RngGenerator generator) {
  return RandomExpander(codelet, generator).run();
}
