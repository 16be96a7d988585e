//===- PayloadHelpers.h - Requests of scripts -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts payload ops to tensors of fusions, and errors to silenceable ones.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace mlir::fuse {

/// Runs a request of the op `script`. Errors that the request emits become one
/// silenceable error at `script`. It has notes at `target`, at the locations of
/// the errors, and the notes of the errors.
DiagnosedSilenceableFailure
attempt(Operation *script, Operation *target,
        function_ref<LogicalResult(FusionSchedule::EmitErrorFn)> request);

/// The fusion that contains an op, and the tensor of the op.
struct PayloadTensor {
  FusionSchedule fusion;
  TensorId tensor;
};
/// Fails if the op is not a tensor of a fusion.
FailureOr<PayloadTensor> readTensor(Operation *op,
                                    FusionSchedule::EmitErrorFn emitError);

/// The same for an op or a block argument of a fusion.
FailureOr<PayloadTensor> readProducer(transform::MappedValue payload,
                                      FusionSchedule::EmitErrorFn emitError);
/// Returns the op at which errors for a payload are reported.
Operation *getPayloadOp(transform::MappedValue payload);

/// Calls `request` with the tensor of each of `targets`, up to the first error.
DiagnosedSilenceableFailure
forEachTensor(Operation *script, ArrayRef<Operation *> targets,
              function_ref<LogicalResult(FusionSchedule &, TensorId,
                                         FusionSchedule::EmitErrorFn)>
                  request);

/// The same for the payload of `target`, each op once, with the loop numbers in
/// `axes`. A number that is "dynamic" is taken from `dynamicAxes`.
DiagnosedSilenceableFailure forEachTensor(
    Operation *script, const transform::TransformState &state, Value target,
    ArrayRef<int64_t> axes, ValueRange dynamicAxes,
    function_ref<LogicalResult(FusionSchedule &, TensorId, ArrayRef<int64_t>,
                               FusionSchedule::EmitErrorFn)>
        request);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMOPS_PAYLOADHELPERS_H
