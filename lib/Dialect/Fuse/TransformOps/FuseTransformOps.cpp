//===- FuseTransformOps.cpp - The language of schedules ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h"

#include "PayloadHelpers.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/Actions.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/LowerToLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

#ifndef NDEBUG
// Headers call it when assertions are on, and a libMLIR without them lacks it.
void mlir::transform::detail::checkImplementsTransformOpInterface(
    StringRef /*name*/, MLIRContext * /*context*/) {}
#endif

using EmitErrorFn = FusionSchedule::EmitErrorFn;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `{word, key = value, ...}` or nothing.
static ParseResult
parseOptions(OpAsmParser &parser,
             function_ref<ParseResult(StringRef, SMLoc)> parseOption) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  auto parseEntry = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    return failure(parser.parseKeyword(&key) || parseOption(key, loc));
  };
  return failure(parser.parseCommaSeparatedList(parseEntry) ||
                 parser.parseRBrace());
}

static ParseResult parseWord(OpAsmParser &parser, StringAttr &attribute) {
  StringRef word;
  if (parser.parseEqual() || parser.parseKeyword(&word))
    return failure();
  attribute = parser.getBuilder().getStringAttr(word);
  return success();
}

static ParseResult parseBool(OpAsmParser &parser, BoolAttr &attribute) {
  return failure(parser.parseEqual() || parser.parseAttribute(attribute));
}

/// Prints options as `parseOptions` reads them.
static void printOptions(OpAsmPrinter &printer, ArrayRef<std::string> options) {
  if (options.empty())
    return;
  printer << " {";
  llvm::interleaveComma(options, printer.getStream());
  printer << "}";
}

static ParseResult parseComputeAtOptions(OpAsmParser &parser, StringAttr &mode,
                                         UnitAttr &recompute, BoolAttr &hoist) {
  return parseOptions(parser, [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "mode")
      return parseWord(parser, mode);
    if (key == "hoist")
      return parseBool(parser, hoist);
    if (key != "recompute")
      return parser.emitError(loc)
             << "expects 'mode', 'recompute' or 'hoist' but got '" << key
             << "'";
    recompute = parser.getBuilder().getUnitAttr();
    return success();
  });
}

static std::string printBool(StringRef key, BoolAttr value) {
  return (key + " = " + (value.getValue() ? "true" : "false")).str();
}

static void printComputeAtOptions(OpAsmPrinter &printer, Operation *,
                                  StringAttr mode, UnitAttr recompute,
                                  BoolAttr hoist) {
  SmallVector<std::string> options;
  if (mode && mode.getValue() != "standard")
    options.push_back("mode = " + mode.getValue().str());
  if (recompute)
    options.push_back("recompute");
  if (hoist)
    options.push_back(printBool("hoist", hoist));
  printOptions(printer, options);
}

static ParseResult parseLowerOptions(OpAsmParser &parser, StringAttr &loops,
                                     BoolAttr &peel) {
  return parseOptions(parser, [&](StringRef key, SMLoc loc) -> ParseResult {
    if (key == "loops")
      return parseWord(parser, loops);
    if (key == "peel")
      return parseBool(parser, peel);
    return parser.emitError(loc)
           << "expects 'loops' or 'peel' but got '" << key << "'";
  });
}

static void printLowerOptions(OpAsmPrinter &printer, Operation *,
                              StringAttr loops, BoolAttr peel) {
  SmallVector<std::string> options;
  if (loops && loops.getValue() != "affine")
    options.push_back("loops = " + loops.getValue().str());
  if (peel && !peel.getValue())
    options.push_back(printBool("peel", peel));
  printOptions(printer, options);
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Requests for one op after another
//===----------------------------------------------------------------------===//

/// Calls `request` with the tensor of each payload op of `target` and its
/// number.
static DiagnosedSilenceableFailure
forEachTensor(Operation *script, ArrayRef<Operation *> targets,
              function_ref<LogicalResult(FusionSchedule &, TensorId, unsigned,
                                         EmitErrorFn)>
                  request) {
  for (auto [number, target] : llvm::enumerate(targets)) {
    DiagnosedSilenceableFailure result = attempt(
        script, target,
        [&, number = number,
         target = target](EmitErrorFn emitError) -> LogicalResult {
          FailureOr<PayloadTensor> payload = readTensor(target, emitError);
          if (failed(payload))
            return failure();
          return request(payload->fusion, payload->tensor, number, emitError);
        });
    if (!result.succeeded())
      return result;
  }
  return DiagnosedSilenceableFailure::success();
}

/// The same with the numbers of loops of an op that has them.
template <typename OpTy>
static DiagnosedSilenceableFailure
forEachTensor(OpTy op, transform::TransformState &state,
              function_ref<LogicalResult(FusionSchedule &, TensorId,
                                         ArrayRef<int64_t>, EmitErrorFn)>
                  request) {
  auto targets = llvm::to_vector(state.getPayloadOps(op.getTarget()));
  return forEachTensor(op, targets,
                       [&](FusionSchedule &fusion, TensorId tensor,
                           unsigned number,
                           EmitErrorFn emitError) -> LogicalResult {
                         FailureOr<SmallVector<int64_t>> axes =
                             getAxes(state, op.getAxes(), op.getDynamicAxes(),
                                     number, targets.size(), emitError);
                         if (failed(axes))
                           return failure();
                         return request(fusion, tensor, *axes, emitError);
                       });
}

/// The same with the position of an op that has one.
template <typename OpTy>
static DiagnosedSilenceableFailure
placeTensors(OpTy op, transform::TransformState &state,
             MaybeViolation (*set)(Schedule &, TensorId, int64_t)) {
  auto targets = llvm::to_vector(state.getPayloadOps(op.getTarget()));
  return forEachTensor(op, targets,
                       [&](FusionSchedule &fusion, TensorId tensor, unsigned,
                           EmitErrorFn emitError) {
                         return fusion.apply(
                             set(fusion.schedule, tensor, op.getPosition()),
                             emitError);
                       });
}

template <typename OpTy>
static LogicalResult verifyNumAxes(OpTy op, size_t expected) {
  if (op.getAxes().size() != expected)
    return op.emitOpError()
           << "expects " << expected << (expected == 1 ? " loop" : " loops")
           << " but got " << op.getAxes().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

void transform::FuseTensorsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  onlyReadsHandle(getTargetMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  onlyReadsPayload(effects);
}

LogicalResult transform::FuseTensorsOp::verify() {
  if (getNames().size() != getNumResults())
    return emitOpError() << "expects as many results as names, "
                         << getNames().size() << ", but got "
                         << getNumResults();
  return success();
}

/// Adds what is called `name` in the fusions.
static LogicalResult findTensors(ArrayRef<FusionSchedule> fusions,
                                 StringRef name, bool wantsValues,
                                 SmallVectorImpl<Operation *> &ops,
                                 SmallVectorImpl<Value> &values,
                                 EmitErrorFn emitError) {
  for (const FusionSchedule &fusion : fusions) {
    std::optional<TensorId> tensor = fusion.schedule.lookup(name);
    if (!tensor)
      continue;
    linalg::LinalgOp op = fusion.getOp(*tensor);
    if (op && wantsValues) {
      llvm::append_range(values, op->getResults());
    } else if (op) {
      ops.push_back(op);
    } else if (!wantsValues) {
      return emitError() << "tensor '" << name
                         << "' is an input of the fusion: it has no loops and "
                            "expects a handle to values";
    } else {
      FusionOp fusionOp = fusion.getFusion();
      for (Value argument : fusionOp.getBody().getArguments())
        if (fusion.getTensor(argument) == tensor)
          values.push_back(argument);
    }
  }
  return success();
}

DiagnosedSilenceableFailure
transform::FuseTensorsOp::apply(TransformRewriter &, TransformResults &results,
                                TransformState &state) {
  SmallVector<SmallVector<Operation *>> ops(getNumResults());
  SmallVector<SmallVector<Value>> values(getNumResults());
  std::vector<FusionSchedule> fusions;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    DiagnosedSilenceableFailure read =
        attempt(*this, target, [&](EmitErrorFn) -> LogicalResult {
          FailureOr<std::vector<FusionSchedule>> some = readFusions(target);
          if (failed(some))
            return failure();
          llvm::move(*some, std::back_inserter(fusions));
          return success();
        });
    if (!read.succeeded())
      return read;
  }

  for (auto [number, name] :
       llvm::enumerate(getNames().getAsValueRange<StringAttr>())) {
    bool wantsValues =
        isa<TransformValueHandleTypeInterface>(getResult(number).getType());
    auto targets = state.getPayloadOps(getTarget());
    if (targets.empty())
      continue;
    DiagnosedSilenceableFailure found = attempt(
        *this, *targets.begin(),
        [&, number = number,
         name = name](EmitErrorFn emitError) -> LogicalResult {
          if (failed(findTensors(fusions, name, wantsValues, ops[number],
                                 values[number], emitError)))
            return failure();
          if (ops[number].empty() && values[number].empty())
            return reportUnknownTensors(getLoc(), fusions, name);
          return success();
        });
    if (!found.succeeded())
      return found;
  }
  for (OpResult result : getOperation()->getOpResults()) {
    unsigned number = result.getResultNumber();
    if (isa<TransformValueHandleTypeInterface>(result.getType()))
      results.setValues(result, values[number]);
    else
      results.set(result, ops[number]);
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult transform::FuseSplitOp::verify() {
  return verifyNumAxes(*this, 1);
}

DiagnosedSilenceableFailure
transform::FuseSplitOp::apply(TransformRewriter &rewriter,
                              TransformResults &results,
                              TransformState &state) {
  SmallVector<Param> outer, inner;
  DiagnosedSilenceableFailure done = forEachTensor(
      *this, state,
      [&](FusionSchedule &fusion, TensorId tensor, ArrayRef<int64_t> axes,
          EmitErrorFn emitError) -> LogicalResult {
        std::optional<unsigned> position =
            fusion.schedule.normalizeAxis(tensor, axes[0]);
        if (failed(
                fusion.apply(fusion.schedule.split(tensor, axes[0], getFactor(),
                                                   /*inner=*/!getOuter()),
                             emitError)))
          return failure();
        outer.push_back(rewriter.getI64IntegerAttr(*position));
        inner.push_back(rewriter.getI64IntegerAttr(*position + 1));
        return success();
      });
  if (!done.succeeded())
    return done;
  results.setParams(cast<OpResult>(getOuterAxis()), outer);
  results.setParams(cast<OpResult>(getInnerAxis()), inner);
  return done;
}

LogicalResult transform::FuseMergeOp::verify() {
  return verifyNumAxes(*this, 2);
}

DiagnosedSilenceableFailure
transform::FuseMergeOp::apply(TransformRewriter &, TransformResults &,
                              TransformState &state) {
  return forEachTensor(*this, state,
                       [&](FusionSchedule &fusion, TensorId tensor,
                           ArrayRef<int64_t> axes, EmitErrorFn emitError) {
                         return fusion.apply(
                             fusion.schedule.merge(tensor, axes[0], axes[1]),
                             emitError);
                       });
}

DiagnosedSilenceableFailure
transform::FuseReorderOp::apply(TransformRewriter &, TransformResults &,
                                TransformState &state) {
  return forEachTensor(*this, state,
                       [&](FusionSchedule &fusion, TensorId tensor,
                           ArrayRef<int64_t> axes, EmitErrorFn emitError) {
                         return fusion.apply(
                             fusion.schedule.reorder(tensor, axes), emitError);
                       });
}

template <typename OpTy>
static DiagnosedSilenceableFailure
setLoopType(OpTy op, transform::TransformState &state, LoopType type) {
  return forEachTensor(op, state,
                       [&](FusionSchedule &fusion, TensorId tensor,
                           ArrayRef<int64_t> axes, EmitErrorFn emitError) {
                         return fusion.apply(
                             fusion.schedule.setLoopType(tensor, axes[0], type),
                             emitError);
                       });
}

LogicalResult transform::FuseParallelizeOp::verify() {
  return verifyNumAxes(*this, 1);
}
LogicalResult transform::FuseVectorizeOp::verify() {
  return verifyNumAxes(*this, 1);
}
LogicalResult transform::FuseUnrollOp::verify() {
  return verifyNumAxes(*this, 1);
}

DiagnosedSilenceableFailure
transform::FuseParallelizeOp::apply(TransformRewriter &, TransformResults &,
                                    TransformState &state) {
  return setLoopType(*this, state, LoopType::Parallel);
}
DiagnosedSilenceableFailure
transform::FuseVectorizeOp::apply(TransformRewriter &, TransformResults &,
                                  TransformState &state) {
  return setLoopType(*this, state, LoopType::Vectorize);
}
DiagnosedSilenceableFailure
transform::FuseUnrollOp::apply(TransformRewriter &, TransformResults &,
                               TransformState &state) {
  return setLoopType(*this, state, LoopType::Unroll);
}

DiagnosedSilenceableFailure
transform::FusePropagateOp::apply(TransformRewriter &, TransformResults &,
                                  TransformState &state) {
  return placeTensors(
      *this, state, [](Schedule &schedule, TensorId tensor, int64_t position) {
        return propagate(schedule, tensor, position);
      });
}

namespace {
/// Lets handles follow ops that rfactor replaces by ops of another name.
class HandleKeeper : public RewriterBase::Listener {
public:
  explicit HandleKeeper(transform::TransformRewriter &rewriter)
      : rewriter(rewriter) {}
  using RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    // Fails if there is no handle to it, which is fine.
    (void)rewriter.notifyPayloadOperationReplaced(
        op, values.front().getDefiningOp());
  }

private:
  transform::TransformRewriter &rewriter;
};
} // namespace

LogicalResult transform::FuseRFactorOp::verify() {
  if (getAxes().empty())
    return emitOpError() << "expects loops to reduce first but got none";
  return success();
}

DiagnosedSilenceableFailure
transform::FuseRFactorOp::apply(TransformRewriter &rewriter,
                                TransformResults &results,
                                TransformState &state) {
  SmallVector<Operation *> partials;
  HandleKeeper keeper(rewriter);
  DiagnosedSilenceableFailure done = forEachTensor(
      *this, state,
      [&](FusionSchedule &fusion, TensorId tensor, ArrayRef<int64_t> axes,
          EmitErrorFn emitError) -> LogicalResult {
        FailureOr<TensorId> partial =
            fusion.rfactor(tensor, axes, emitError, &keeper);
        if (failed(partial))
          return failure();
        partials.push_back(fusion.getOp(*partial));
        return success();
      });
  if (done.succeeded())
    results.set(cast<OpResult>(getPartial()), partials);
  return done;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult transform::FuseComputeAtOp::verify() {
  if (!symbolizeInlineMode(getMode()))
    return emitOpError() << "expects 'mode' to be standard, best_effort or "
                            "most_inlined but got '"
                         << getMode() << "'";
  return success();
}

DiagnosedSilenceableFailure
transform::FuseComputeAtOp::apply(TransformRewriter &, TransformResults &,
                                  TransformState &state) {
  SmallVector<MappedValue> producers;
  if (isa<TransformValueHandleTypeInterface>(getProducer().getType()))
    llvm::append_range(producers, state.getPayloadValues(getProducer()));
  else
    llvm::append_range(producers, state.getPayloadOps(getProducer()));
  auto consumers = llvm::to_vector(state.getPayloadOps(getConsumer()));
  if (producers.size() != consumers.size())
    return emitSilenceableError()
           << "expects as many producers as consumers but got "
           << producers.size() << " and " << consumers.size();

  ComputeAtOptions options;
  options.mode = *symbolizeInlineMode(getMode());
  options.hoist = getHoist();
  for (auto [producer, consumer] : llvm::zip_equal(producers, consumers)) {
    DiagnosedSilenceableFailure done = attempt(
        *this, getPayloadOp(producer),
        [&, producer = producer,
         consumer = consumer](EmitErrorFn emitError) -> LogicalResult {
          FailureOr<PayloadTensor> from = readProducer(producer, emitError);
          if (failed(from))
            return failure();
          std::optional<TensorId> to = from->fusion.getTensor(consumer);
          if (!to) {
            FailureOr<PayloadTensor> other = readTensor(consumer, emitError);
            if (failed(other))
              return failure();
            return emitError()
                   << "tensors '"
                   << from->fusion.schedule.getTensor(from->tensor).name
                   << "' and '"
                   << other->fusion.schedule.getTensor(other->tensor).name
                   << "' are not of one fusion";
          }
          return computeAt(from->fusion, from->tensor, *to, getPosition(),
                           options, getRecompute(), emitError);
        });
    if (!done.succeeded())
      return done;
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
transform::FuseInlineAtOp::apply(TransformRewriter &, TransformResults &,
                                 TransformState &state) {
  return placeTensors(*this, state, inlineAt);
}

DiagnosedSilenceableFailure
transform::FuseComputeWithOp::apply(TransformRewriter &, TransformResults &,
                                    TransformState &state) {
  return placeTensors(*this, state, computeWith);
}

DiagnosedSilenceableFailure
transform::FuseInlineMostOp::apply(TransformRewriter &, TransformResults &,
                                   TransformState &state) {
  // Ops of a fusion count all at once; none: the whole fusion.
  llvm::MapVector<Operation *, SmallVector<Operation *>> fusions;
  auto inlineAll = [&](FusionOp op, ArrayRef<Operation *> ops) {
    return [&, op, ops](EmitErrorFn) -> LogicalResult {
      FailureOr<FusionSchedule> fusion = FusionSchedule::read(op);
      if (failed(fusion))
        return failure();
      llvm::BitVector only(fusion->schedule.getNumTensors());
      for (Operation *tensor : ops)
        only.set(*fusion->getTensor(tensor));
      inlineMost(fusion->schedule, ops.empty() ? nullptr : &only, getHoist());
      fusion->write();
      return success();
    };
  };
  for (Operation *target : state.getPayloadOps(getTarget())) {
    if (isScheduleTensor(target) &&
        isa_and_nonnull<FusionOp>(target->getParentOp())) {
      fusions[target->getParentOp()].push_back(target);
      continue;
    }
    bool hasFusion = false;
    target->walk([&](FusionOp op) {
      hasFusion = true;
      fusions[op];
    });
    if (!hasFusion) {
      DiagnosedSilenceableFailure error =
          emitSilenceableError()
          << "expects linalg ops in a 'fuse.fusion', or what has a "
             "'fuse.fusion' in it, but got '"
          << target->getName() << "'";
      error.attachNote(target->getLoc()) << "target op";
      return error;
    }
  }
  for (auto &[op, ops] : fusions) {
    DiagnosedSilenceableFailure done =
        attempt(*this, op, inlineAll(cast<FusionOp>(op), ops));
    if (!done.succeeded())
      return done;
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

void transform::FuseLowerOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  consumesHandle(getTargetMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  modifiesPayload(effects);
}

LogicalResult transform::FuseLowerOp::verify() {
  if (getLoops() != "affine" && getLoops() != "scf")
    return emitOpError() << "expects 'loops' to be affine or scf but got '"
                         << getLoops() << "'";
  return success();
}

/// Whether copies of the fusions can be lowered, since one that cannot is of no
/// use afterwards.
static LogicalResult canLower(ArrayRef<FusionOp> fusions,
                              const LowerToLoopsOptions &options) {
  llvm::MapVector<Operation *, SmallVector<FusionOp>> scopes;
  for (FusionOp fusion : fusions)
    scopes[fusion->getParentWithTrait<OpTrait::IsIsolatedFromAbove>()]
        .push_back(fusion);
  for (auto &[scope, inScope] : scopes) {
    IRMapping mapping;
    OwningOpRef<Operation *> copy(scope->clone(mapping));
    for (FusionOp fusion : inScope)
      if (failed(lowerToLoops(
              cast<FusionOp>(mapping.lookup(fusion.getOperation())), options)))
        return failure();
  }
  return success();
}

DiagnosedSilenceableFailure
transform::FuseLowerOp::apply(TransformRewriter &, TransformResults &results,
                              TransformState &state) {
  LowerToLoopsOptions options;
  options.affine = getLoops() == "affine";
  options.peel = getPeel();
  llvm::SetVector<Operation *> remaining, fusions;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    remaining.insert(isa<FusionOp>(target) ? target->getParentOp() : target);
    target->walk([&](FusionOp op) { fusions.insert(op); });
  }
  SmallVector<FusionOp> ops = llvm::map_to_vector(
      fusions, [](Operation *op) { return cast<FusionOp>(op); });
  DiagnosedSilenceableFailure able =
      attempt(*this, /*target=*/nullptr,
              [&](EmitErrorFn) { return canLower(ops, options); });
  if (!able.succeeded())
    return able;
  for (FusionOp op : ops)
    if (failed(lowerToLoops(op, options)))
      return emitDefaultDefiniteFailure(op);
  results.set(cast<OpResult>(getResult()), remaining.getArrayRef());
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace mlir::fuse {
// Its type has a name, by which a plugin and its host know that they mean the
// same extension.
class FuseTransformExtension
    : public transform::TransformDialectExtension<FuseTransformExtension> {
public:
  using Base::Base;

  void init() {
    declareDependentDialect<FuseDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<bufferization::BufferizationDialect>();
    declareGeneratedDialect<complex::ComplexDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"
        >();
  }
};
} // namespace mlir::fuse

void fuse::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<FuseTransformExtension>();
}
