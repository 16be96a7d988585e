//===- PayloadHelpers.cpp - Requests of scripts -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PayloadHelpers.h"

#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::fuse;

DiagnosedSilenceableFailure fuse::attempt(
    Operation *script, Operation *target,
    function_ref<LogicalResult(FusionSchedule::EmitErrorFn)> request) {
  std::vector<Diagnostic> errors;
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(
        script->getContext(), [&](Diagnostic &diagnostic) {
          // Scripts of other functions may run at the same time.
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
              llvm::get_threadid() != thread)
            return failure();
          errors.push_back(std::move(diagnostic));
          return success();
        });
    if (succeeded(request([&] { return emitError(script->getLoc()); })))
      return DiagnosedSilenceableFailure::success();
  }

  DiagnosedSilenceableFailure result = emitSilenceableFailure(script);
  result << (errors.empty() ? "failed to apply" : errors.front().str());
  if (target)
    result.attachNote(target->getLoc()) << "target op";
  for (auto [number, error] : llvm::enumerate(errors)) {
    if (number > 0)
      result.attachNote(error.getLocation()) << error.str();
    else if (error.getLocation() != script->getLoc() &&
             (!target || error.getLocation() != target->getLoc()))
      result.attachNote(error.getLocation()) << "op is here";
    for (Diagnostic &note : error.getNotes())
      result.attachNote(note.getLocation()) << note.str();
  }
  return result;
}

FailureOr<PayloadTensor>
fuse::readTensor(Operation *op, FusionSchedule::EmitErrorFn emitError) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (linalgOp && !linalgOp.hasPureTensorSemantics())
    return emitError() << "expects a linalg op on tensors but got '"
                       << op->getName() << "' on " << op->getOperandTypes();
  if (!isScheduleTensor(op))
    return emitError() << "expects a linalg op on tensors, other than "
                          "'linalg.fill', but got '"
                       << op->getName() << "'";
  auto fusion = dyn_cast_or_null<FusionOp>(op->getParentOp());
  if (!fusion)
    return emitError() << "expects an op in a 'fuse.fusion', which 'fuse-form' "
                          "creates, but got '"
                       << op->getName() << "' outside of a fusion";
  FailureOr<FusionSchedule> schedule = FusionSchedule::read(fusion);
  if (failed(schedule))
    return failure();
  TensorId tensor = *schedule->getTensor(op);
  return PayloadTensor{std::move(*schedule), tensor};
}

FailureOr<PayloadTensor>
fuse::readProducer(transform::MappedValue payload,
                   FusionSchedule::EmitErrorFn emitError) {
  if (auto *op = dyn_cast<Operation *>(payload))
    return readTensor(op, emitError);
  Value value = cast<Value>(payload);
  Operation *op = value.getDefiningOp();
  auto fusion = dyn_cast<FusionOp>(value.getParentBlock()->getParentOp());
  if (op && (!fusion || isScheduleTensor(op)))
    return readTensor(op, emitError);
  if (!fusion || !isa<RankedTensorType>(value.getType()))
    return emitError() << "expects a tensor that is an input of a "
                          "'fuse.fusion' but got a value of type "
                       << value.getType() << ", defined by '"
                       << getPayloadOp(payload)->getName() << "'";
  FailureOr<FusionSchedule> schedule = FusionSchedule::read(fusion);
  if (failed(schedule))
    return failure();
  std::optional<TensorId> tensor = schedule->getTensor(value);
  if (!tensor)
    return readTensor(op, emitError);
  return PayloadTensor{std::move(*schedule), *tensor};
}

Operation *fuse::getPayloadOp(transform::MappedValue payload) {
  if (auto *op = dyn_cast<Operation *>(payload))
    return op;
  Value value = cast<Value>(payload);
  Operation *op = value.getDefiningOp();
  return op ? op : value.getParentBlock()->getParentOp();
}

/// Numbers of loops as a script gives them, for payload op `index` of `count`.
static FailureOr<SmallVector<int64_t>>
getAxes(const transform::TransformState &state, ArrayRef<int64_t> axes,
        ValueRange dynamicAxes, unsigned index, unsigned count,
        FusionSchedule::EmitErrorFn emitError) {
  SmallVector<int64_t> result;
  unsigned numDynamic = 0;
  for (int64_t axis : axes) {
    if (!ShapedType::isDynamic(axis)) {
      result.push_back(axis);
      continue;
    }
    ArrayRef<Attribute> numbers = state.getParams(dynamicAxes[numDynamic++]);
    if (numbers.size() != 1 && numbers.size() != count)
      return emitError()
             << "expects one loop number, or as many loop numbers as ops ("
             << count << "), but got " << numbers.size();
    auto number =
        dyn_cast<IntegerAttr>(numbers[numbers.size() == 1 ? 0 : index]);
    if (!number || !number.getValue().isSignedIntN(64))
      return emitError() << "expects a loop number but got "
                         << numbers[numbers.size() == 1 ? 0 : index];
    result.push_back(number.getValue().getSExtValue());
  }
  return result;
}

DiagnosedSilenceableFailure
fuse::forEachTensor(Operation *script, ArrayRef<Operation *> targets,
                    function_ref<LogicalResult(FusionSchedule &, TensorId,
                                               FusionSchedule::EmitErrorFn)>
                        request) {
  for (Operation *target : targets) {
    DiagnosedSilenceableFailure result =
        attempt(script, target,
                [&](FusionSchedule::EmitErrorFn emitError) -> LogicalResult {
                  FailureOr<PayloadTensor> payload =
                      readTensor(target, emitError);
                  if (failed(payload))
                    return failure();
                  return request(payload->fusion, payload->tensor, emitError);
                });
    if (!result.succeeded())
      return result;
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure fuse::forEachTensor(
    Operation *script, const transform::TransformState &state, Value target,
    ArrayRef<int64_t> axes, ValueRange dynamicAxes,
    function_ref<LogicalResult(FusionSchedule &, TensorId, ArrayRef<int64_t>,
                               FusionSchedule::EmitErrorFn)>
        request) {
  // What comes twice may be replaced at its first time.
  llvm::SetVector<Operation *> targets(llvm::from_range,
                                       state.getPayloadOps(target));
  unsigned number = 0;
  return forEachTensor(
      script, targets.getArrayRef(),
      [&](FusionSchedule &fusion, TensorId tensor,
          FusionSchedule::EmitErrorFn emitError) -> LogicalResult {
        FailureOr<SmallVector<int64_t>> numbers = getAxes(
            state, axes, dynamicAxes, number++, targets.size(), emitError);
        if (failed(numbers))
          return failure();
        return request(fusion, tensor, *numbers, emitError);
      });
}
