//===- PayloadHelpers.h - Requests of scripts -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts payload ops of transform scripts to tensors of fusions, and errors
// of requests to silenceable errors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace mlir::fuse {

/// Runs a request of the transform op `script`. If the request emits errors,
/// returns one silenceable error at `script`. This error has a note at
/// `target`, a note at the location of each emitted error, and the notes of the
/// emitted errors.
DiagnosedSilenceableFailure
attempt(Operation *script, Operation *target,
        function_ref<LogicalResult(FusionSchedule::EmitErrorFn)> request);

/// The fusion that contains an op, and the tensor of the op.
struct PayloadTensor {
  FusionSchedule fusion;
  TensorId tensor;
};
/// Reads the fusion that contains `op`. Fails, with an error, if `op` does not
/// compute a tensor of a fusion.
FailureOr<PayloadTensor> readTensor(Operation *op,
                                    FusionSchedule::EmitErrorFn emitError);

/// Reads the fusion that contains `payload`. Fails, with an error, if `payload`
/// is neither an op that computes a tensor of a fusion nor a block argument of
/// a fusion.
FailureOr<PayloadTensor> readProducer(transform::MappedValue payload,
                                      FusionSchedule::EmitErrorFn emitError);
/// Returns the op at which errors for a payload are reported.
Operation *getPayloadOp(transform::MappedValue payload);

/// Calls `request` with the tensor of each op in `targets`. Stops at the first
/// error.
DiagnosedSilenceableFailure
forEachTensor(Operation *script, ArrayRef<Operation *> targets,
              function_ref<LogicalResult(FusionSchedule &, TensorId,
                                         FusionSchedule::EmitErrorFn)>
                  request);

/// Calls `request` with the tensor of each payload op of `target` (without
/// duplicates) and with the loop numbers in `axes`. For a number that is
/// `ShapedType::kDynamic`, the next value of `dynamicAxes` determines the
/// number. Stops at the first error.
DiagnosedSilenceableFailure forEachTensor(
    Operation *script, const transform::TransformState &state, Value target,
    ArrayRef<int64_t> axes, ValueRange dynamicAxes,
    function_ref<LogicalResult(FusionSchedule &, TensorId, ArrayRef<int64_t>,
                               FusionSchedule::EmitErrorFn)>
        request);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H
