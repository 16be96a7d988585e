//===- LoopOps.cpp - Handles and loops --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file implements transform.fuse.tensors and the ops that change loops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h"

#include "PayloadHelpers.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"

using namespace mlir;
using namespace mlir::fuse;

using EmitErrorFn = FusionSchedule::EmitErrorFn;

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
    return emitOpError() << "expects " << getNames().size()
                         << " results, one for each name, but got "
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
      return emitError()
             << "tensor '" << name
             << "' is an input of the fusion and has neither an op nor loops; "
                "expects the result for this tensor to be a value handle";
    } else {
      FusionOp fusionOp = fusion.getFusion();
      for (Value argument : fusionOp.getBody().getArguments())
        if (fusion.getTensor(argument) == tensor)
          values.push_back(argument);
      // A view of an input.
      for (Operation &inner : fusionOp.getBody().front())
        for (Value result : inner.getResults())
          if (fusion.getTensor(result) == tensor)
            values.push_back(result);
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

/// Checks the numbers of loops; `expected`: how many, if that is known.
template <typename OpTy>
static LogicalResult verifyAxes(OpTy op,
                                std::optional<size_t> expected = std::nullopt) {
  ArrayRef<int64_t> axes = op.getAxes();
  size_t numDynamic = llvm::count_if(axes, ShapedType::isDynamic);
  if (numDynamic != op.getDynamicAxes().size())
    return op.emitOpError()
           << "expects as many handles to loop numbers as there are loop "
              "numbers that are not constant ("
           << numDynamic << ") but got " << op.getDynamicAxes().size();
  if (expected && axes.size() != *expected)
    return op.emitOpError()
           << "expects " << *expected << (*expected == 1 ? " loop" : " loops")
           << " but got " << axes.size();
  return success();
}

LogicalResult transform::FuseSplitOp::verify() { return verifyAxes(*this, 1); }

DiagnosedSilenceableFailure
transform::FuseSplitOp::apply(TransformRewriter &rewriter,
                              TransformResults &results,
                              TransformState &state) {
  SmallVector<Param> outer, inner;
  DiagnosedSilenceableFailure done = forEachTensor(
      *this, state, getTarget(), getAxes(), getDynamicAxes(),
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

LogicalResult transform::FuseMergeOp::verify() { return verifyAxes(*this, 2); }

DiagnosedSilenceableFailure
transform::FuseMergeOp::apply(TransformRewriter &, TransformResults &,
                              TransformState &state) {
  return forEachTensor(*this, state, getTarget(), getAxes(), getDynamicAxes(),
                       [&](FusionSchedule &fusion, TensorId tensor,
                           ArrayRef<int64_t> axes, EmitErrorFn emitError) {
                         return fusion.apply(
                             fusion.schedule.merge(tensor, axes[0], axes[1]),
                             emitError);
                       });
}

LogicalResult transform::FuseReorderOp::verify() { return verifyAxes(*this); }

DiagnosedSilenceableFailure
transform::FuseReorderOp::apply(TransformRewriter &, TransformResults &,
                                TransformState &state) {
  return forEachTensor(*this, state, getTarget(), getAxes(), getDynamicAxes(),
                       [&](FusionSchedule &fusion, TensorId tensor,
                           ArrayRef<int64_t> axes, EmitErrorFn emitError) {
                         return fusion.apply(
                             fusion.schedule.reorder(tensor, axes), emitError);
                       });
}

template <typename OpTy>
static DiagnosedSilenceableFailure
setLoopType(OpTy op, transform::TransformState &state, LoopType type) {
  return forEachTensor(
      op, state, op.getTarget(), op.getAxes(), op.getDynamicAxes(),
      [&](FusionSchedule &fusion, TensorId tensor, ArrayRef<int64_t> axes,
          EmitErrorFn emitError) {
        return fusion.apply(fusion.schedule.setLoopType(tensor, axes[0], type),
                            emitError);
      });
}

LogicalResult transform::FuseParallelizeOp::verify() {
  return verifyAxes(*this, 1);
}
LogicalResult transform::FuseVectorizeOp::verify() {
  return verifyAxes(*this, 1);
}
LogicalResult transform::FuseUnrollOp::verify() { return verifyAxes(*this, 1); }

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
    return emitOpError() << "expects at least one loop over which the partial "
                            "result reduces but got none";
  return verifyAxes(*this);
}

DiagnosedSilenceableFailure
transform::FuseRFactorOp::apply(TransformRewriter &rewriter,
                                TransformResults &results,
                                TransformState &state) {
  SmallVector<Operation *> partials;
  HandleKeeper keeper(rewriter);
  DiagnosedSilenceableFailure done = forEachTensor(
      *this, state, getTarget(), getAxes(), getDynamicAxes(),
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
// cache_read
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure transform::FuseCacheReadOp::apply(
    TransformRewriter &, TransformResults &results, TransformState &state) {
  SmallVector<Operation *> caches;
  for (Value input : state.getPayloadValues(getInput())) {
    DiagnosedSilenceableFailure done =
        attempt(*this, getPayloadOp(input),
                [&](EmitErrorFn emitError) -> LogicalResult {
                  FailureOr<PayloadTensor> from =
                      readProducer(input, emitError);
                  if (failed(from))
                    return failure();
                  FailureOr<TensorId> cache =
                      from->fusion.cacheRead(from->tensor, emitError);
                  if (succeeded(cache))
                    caches.push_back(from->fusion.getOp(*cache));
                  return cache;
                });
    if (!done.succeeded())
      return done;
  }
  results.set(cast<OpResult>(getCache()), caches);
  return DiagnosedSilenceableFailure::success();
}
