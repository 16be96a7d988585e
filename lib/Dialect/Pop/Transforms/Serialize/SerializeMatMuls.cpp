//===- SerializeMatMuls.cpp - Matmuls in parts ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module, some of whose matmuls are marked. Out: the same module, where
// marked matmuls and, with the option `factor`, large matmuls are parts that
// run one after the other.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "SlicedUpdate.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_SERIALIZEMATMULSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// Divides matmuls into parts.
class Serializer {
public:
  /// Matmuls without a mark have at most `factor` parts. Dimension `mode` of
  /// them is divided or, if it is not given, the best one.
  Serializer(int64_t factor, std::optional<SerializeMode> mode,
             int64_t minBytes, EffectfulOps &effectful)
      : factor(factor), mode(mode), minBytes(minBytes), effectful(effectful) {}

  LogicalResult serialize(MatmulOp op);

private:
  /// A division, and the bytes of the tensors that one part needs.
  struct Choice {
    Serialization serialization;
    int64_t bytes;
  };

  FailureOr<std::optional<Choice>> chooseMarked(MatmulOp op,
                                                const Serialization &mark);
  std::optional<Choice> chooseUnmarked(MatmulOp op);
  Choice getChoice(MatmulOp op, SerializeMode mode, int64_t factor);
  std::optional<SlicedUpdate> findUpdate(MatmulOp op, SerializeMode mode);
  MatmulOp widen(MatmulOp op);
  void build(MatmulOp op, const Serialization &serialization);
  void replace(MatmulOp op, Value value);

  int64_t factor;
  std::optional<SerializeMode> mode;
  int64_t minBytes;
  EffectfulOps &effectful;
};
} // namespace

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static bool isNarrow(MatmulOp op) {
  Type type = op.getType().getElementType();
  return getComputeType(type) != type;
}

static bool draws(MatmulOp op) {
  return op->hasAttr(PopDialect::kDrawAttrName);
}

/// Returns whether the results of blocks are rounded with random bits, which
/// depend on the positions of the results among all results of the matmul.
static bool drawsForBlocks(MatmulOp op) {
  return draws(op) && op.getAccumAttr().getPartials();
}

static void remarkStays(MatmulOp op, const Twine &reason) {
  remark::missed(op.getLoc(), getGraphRemark("SerializeMatMuls"))
      << ("the matmul is not divided: " + reason).str();
}

/// Returns the update by the result of `op` that can be done in parts, if
/// `mode` divides the result.
std::optional<SlicedUpdate> Serializer::findUpdate(MatmulOp op,
                                                   SerializeMode mode) {
  int64_t dimFromEnd = getResultDimFromEnd(mode);
  // The whole result of a matmul that draws is rounded.
  if (dimFromEnd == 0 || draws(op))
    return std::nullopt;
  return SlicedUpdate::find(op, op.getType().getRank() - dimFromEnd, effectful);
}

Serializer::Choice Serializer::getChoice(MatmulOp op, SerializeMode mode,
                                         int64_t factor) {
  bool isConsumed = findUpdate(op, mode).has_value();
  return {{mode, factor}, MatmulBytes(op).getOfParts(mode, factor, isConsumed)};
}

FailureOr<std::optional<Serializer::Choice>>
Serializer::chooseMarked(MatmulOp op, const Serialization &mark) {
  if (mark.factor == 1)
    return std::optional<Choice>();
  MatmulDivision division(op, mark.mode);
  StringRef mode = stringifySerializeMode(mark.mode);
  if (drawsForBlocks(op) && !mark.isLimit)
    return op.emitOpError()
           << "has attribute '" << kSerializeAttrName
           << "', which contradicts the order " << op.getAccumAttr()
           << ": expects 'partials' f32 if results of blocks are rounded "
              "stochastically";
  if (!mark.isLimit && !division.isPossible(mark.factor)) {
    InFlightDiagnostic error = op.emitOpError()
                               << "expects 'factor' of '" << kSerializeAttrName
                               << "' to be one of [";
    llvm::interleaveComma(division.getPossibleFactors(), error);
    return error << "] for mode '" << mode << "' and the order "
                 << op.getAccumAttr() << " but got " << mark.factor;
  }
  int64_t factor = division.getGreatestFactor(mark.factor);
  if (factor > 1 && !drawsForBlocks(op))
    return std::optional(getChoice(op, mark.mode, factor));
  remarkStays(op, "no number of parts of at most " + Twine(mark.factor) +
                      " is possible for mode '" + mode + "'");
  return std::optional<Choice>();
}

/// Returns the division for which a part needs the fewest bytes.
std::optional<Serializer::Choice> Serializer::chooseUnmarked(MatmulOp op) {
  int64_t whole = MatmulBytes(op).getWhole();
  if (factor == 1 || whole < minBytes)
    return std::nullopt;
  std::optional<Choice> best;
  for (SerializeMode candidate : kSerializeModes) {
    int64_t parts = MatmulDivision(op, candidate).getGreatestFactor(factor);
    if (mode.value_or(candidate) != candidate || parts == 1 ||
        drawsForBlocks(op))
      continue;
    Choice choice = getChoice(op, candidate, parts);
    if (!best || choice.bytes < best->bytes)
      best = choice;
  }
  if (best && (mode || best->bytes < whole))
    return best;
  remarkStays(op, "no division into at most " + Twine(factor) +
                      " parts needs fewer bytes");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

void Serializer::replace(MatmulOp op, Value value) {
  op.replaceAllUsesWith(value);
  effectful.erase(op);
}

/// Replaces `op` by a matmul whose result is not rounded, and a cast. Sums
/// continue from such results, and random bits depend on the position of an
/// element in the whole result.
MatmulOp Serializer::widen(MatmulOp op) {
  PopBuilder b(op);
  RankedTensorType type = op.getType();
  auto wide = MatmulOp::create(
      b, type.clone(getComputeType(type.getElementType())), op.getLhs(),
      op.getRhs(), op.getAcc(), op.getAccumAttr());
  Value rounded = b.cast(wide, type.getElementType());
  if (Attribute draw = op->getAttr(PopDialect::kDrawAttrName))
    rounded.getDefiningOp()->setAttr(PopDialect::kDrawAttrName, draw);
  replace(op, rounded);
  return wide;
}

void Serializer::build(MatmulOp op, const Serialization &serialization) {
  SerializeMode mode = serialization.mode;
  std::optional<SlicedUpdate> update = findUpdate(op, mode);
  if (isNarrow(op) && (draws(op) || mode == SerializeMode::ReducingDim))
    op = widen(op);
  if (update)
    update->prepare();
  OpBuilder ofUpdate(op);
  PopBuilder b(op);
  Value acc = op.getAcc();
  SmallVector<Value> results;
  for (PartRange range :
       MatmulDivision(op, mode).getParts(serialization.factor)) {
    Value part = buildMatmulPart(b, op, mode, range.start, range.size, acc);
    if (mode == SerializeMode::ReducingDim)
      acc = part;
    else if (update)
      update->build(ofUpdate, range, part);
    else
      results.push_back(part);
  }
  if (mode == SerializeMode::ReducingDim)
    return replace(op, acc);
  if (update)
    return update->finish();
  int64_t rank = op.getType().getRank();
  replace(op, b.concat(results, rank - getResultDimFromEnd(mode)));
}

LogicalResult Serializer::serialize(MatmulOp op) {
  // The order is that of the whole sums, not of those of parts.
  std::optional<Serialization> mark = getSerialization(op);
  if (!op.getAccumAttr() && (mark || factor > 1))
    op.setAccumAttr(op.chooseAccum());
  std::optional<Choice> choice;
  if (mark) {
    FailureOr<std::optional<Choice>> ofMark = chooseMarked(op, *mark);
    if (failed(ofMark))
      return failure();
    choice = *ofMark;
    op->removeAttr(kSerializeAttrName);
  } else {
    choice = chooseUnmarked(op);
  }
  if (!choice)
    return success();
  const Serialization &serialization = choice->serialization;
  remark::passed(op.getLoc(), getGraphRemark("SerializeMatMuls"))
      << remark::metric("mode", stringifySerializeMode(serialization.mode))
      << remark::metric("parts", serialization.factor)
      << remark::metric("bytes-before", MatmulBytes(op).getWhole())
      << remark::metric("bytes-after", choice->bytes);
  build(op, serialization);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static std::optional<SerializeMode> getMode(ChosenSerializeMode mode) {
  switch (mode) {
  case ChosenSerializeMode::Best:
    return std::nullopt;
  case ChosenSerializeMode::InputChannels:
    return SerializeMode::InputChannels;
  case ChosenSerializeMode::ReducingDim:
    return SerializeMode::ReducingDim;
  case ChosenSerializeMode::OutputChannels:
    return SerializeMode::OutputChannels;
  }
  llvm_unreachable("unknown mode");
}

namespace {
struct SerializeMatMulsPass
    : pop::impl::SerializeMatMulsPassBase<SerializeMatMulsPass> {
  using SerializeMatMulsPassBase::SerializeMatMulsPassBase;

  void runOnOperation() override {
    if (failed(verifyOptions()))
      return signalPassFailure();
    EffectfulOps effectful(getAnalysis<GraphEffects>());
    Serializer serializer(factor, getMode(mode), minBytes, effectful);
    SmallVector<MatmulOp> ops;
    getOperation().walk([&](MatmulOp op) { ops.push_back(op); });
    for (MatmulOp op : ops)
      if (failed(serializer.serialize(op)))
        return signalPassFailure();
  }

private:
  LogicalResult verifyOptions();
};
} // namespace

LogicalResult SerializeMatMulsPass::verifyOptions() {
  auto emitError = [&]() {
    return getOperation().emitError() << "'" << getArgument() << "' expects ";
  };
  if (factor < 1 || factor > kMaxSerializeFactor)
    return emitError() << "option 'factor' to be from 1 to "
                       << kMaxSerializeFactor << " but got "
                       << factor.getValue();
  if (minBytes < 0)
    return emitError() << "option 'min-bytes' to be at least 0 but got "
                       << minBytes.getValue();
  if (getMode(mode) && factor == 1)
    return emitError() << "option 'factor' together with option 'mode' but "
                          "got 'factor' 1";
  return success();
}
