//===- PositionOps.cpp - Positions and lowering -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file implements the ops that set positions, and the op that lowers
// fusions to loops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/TransformOps/FuseTransformOps.h"

#include "PayloadHelpers.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/LowerToLoops.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

using EmitErrorFn = FusionSchedule::EmitErrorFn;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Asks for the position that the op says, for each of its tensors.
template <typename OpTy>
static DiagnosedSilenceableFailure
setPositions(OpTy op, transform::TransformState &state,
             MaybeViolation (*set)(Schedule &, TensorId, int64_t)) {
  auto targets = llvm::to_vector(state.getPayloadOps(op.getTarget()));
  return forEachTensor(
      op, targets,
      [&](FusionSchedule &fusion, TensorId tensor, EmitErrorFn emitError) {
        return fusion.apply(set(fusion.schedule, tensor, op.getPosition()),
                            emitError);
      });
}

DiagnosedSilenceableFailure
transform::FusePropagateOp::apply(TransformRewriter &, TransformResults &,
                                  TransformState &state) {
  return setPositions(
      *this, state, [](Schedule &schedule, TensorId tensor, int64_t position) {
        return propagate(schedule, tensor, position);
      });
}

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
                   << "' are in different fusions";
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
  return setPositions(*this, state, inlineAt);
}

DiagnosedSilenceableFailure
transform::FuseComputeWithOp::apply(TransformRewriter &, TransformResults &,
                                    TransformState &state) {
  return setPositions(*this, state, computeWith);
}

DiagnosedSilenceableFailure
transform::FuseInlineMostOp::apply(TransformRewriter &, TransformResults &,
                                   TransformState &state) {
  // Ops of a fusion count all at once.
  llvm::MapVector<Operation *, SmallVector<Operation *>> fusions;
  llvm::DenseSet<Operation *> whole;
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
      whole.insert(op);
    });
    if (!hasFusion) {
      DiagnosedSilenceableFailure error =
          emitSilenceableError()
          << "expects linalg ops in a 'fuse.fusion', or an op that contains a "
             "'fuse.fusion', but got '"
          << target->getName() << "'";
      error.attachNote(target->getLoc()) << "target op";
      return error;
    }
  }
  for (auto &[op, ops] : fusions) {
    DiagnosedSilenceableFailure done = attempt(
        *this, op, [&, op = op, &ops = ops](EmitErrorFn) -> LogicalResult {
          FailureOr<FusionSchedule> fusion =
              FusionSchedule::read(cast<FusionOp>(op));
          if (failed(fusion))
            return failure();
          llvm::BitVector only(fusion->schedule.getNumTensors());
          for (Operation *tensor : ops)
            only.set(*fusion->getTensor(tensor));
          inlineMost(fusion->schedule, whole.contains(op) ? nullptr : &only,
                     getHoist());
          fusion->write();
          return success();
        });
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
  if (getLayout() != "dynamic" && getLayout() != "identity")
    return emitOpError()
           << "expects 'layout' to be dynamic or identity but got '"
           << getLayout() << "'";
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
    // The layout of what a call returns is asked of its callee.
    if (Block *block = scope->getBlock())
      block->getOperations().insertAfter(scope->getIterator(), *copy);
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
  options.identityLayout = getLayout() == "identity";
  llvm::SetVector<Operation *> remaining, fusions;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    if (target->getParentOfType<FusionOp>()) {
      DiagnosedSilenceableFailure error =
          emitSilenceableError() << "expects a 'fuse.fusion', or an op that "
                                    "contains a fusion, but got '"
                                 << target->getName() << "' inside of a fusion";
      error.attachNote(target->getLoc()) << "target op";
      return error;
    }
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
