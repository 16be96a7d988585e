//===- FusionRequests.h - Requests of passes and transform ops --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests that need more than one call of FusionSchedule. Passes identify
// tensors by name, and transform ops by their ops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// Reads all fusions in `root`, in program order.
FailureOr<std::vector<FusionSchedule>> readFusions(Operation *root);

/// Reports at `loc` a name that no fusion has, or that no fusion has all of the
/// names. Returns failure.
LogicalResult reportUnknownTensors(Location loc,
                                   ArrayRef<FusionSchedule> fusions,
                                   ArrayRef<StringRef> names);

/// Calls `fn` with the first fusion in `root` that has tensors of all these
/// names, with these tensors, and with a function that emits errors at the op
/// of the first tensor. An error if there is no such fusion.
LogicalResult
withTensors(Operation *root, ArrayRef<StringRef> names,
            function_ref<LogicalResult(FusionSchedule &, ArrayRef<TensorId>,
                                       FusionSchedule::EmitErrorFn)>
                fn);

/// The same for one tensor that is not an input.
LogicalResult
withTensor(Operation *root, StringRef name,
           function_ref<LogicalResult(FusionSchedule &, TensorId,
                                      FusionSchedule::EmitErrorFn)>
               fn);

/// Applies fuse::computeAt to a fusion, and writes the fusion. With
/// `recompute`, if the request is refused because of consumers on which
/// `consumer` does not depend: clones the producer for the consumers on which
/// `consumer` depends, computes the clone at the position, and emits a remark
/// with the number of elements that are computed twice. The tensor ids then
/// change.
LogicalResult computeAt(FusionSchedule &fusion, TensorId producer,
                        TensorId consumer, int64_t position,
                        const ComputeAtOptions &options, bool recompute,
                        FusionSchedule::EmitErrorFn emitError);

/// Emits the violation at the op of its tensor. Returns failure.
LogicalResult reportAtTensor(const FusionSchedule &fusion,
                             const Violation &violation);

/// Emits a remark at each op that is computed more than once, with the number
/// of times and the loops of other tensors around it. The schedule must be
/// legal.
void remarkRepetitions(const FusionSchedule &fusion,
                       const LoopClasses &classes);

/// Checks with verifyLegality and verifyLoopTypes that the schedule can be
/// lowered, and builds its nest.
LogicalResult verifySchedule(const FusionSchedule &fusion,
                             const LoopClasses &classes, LoopNest &nest);

/// Prints one line for each tensor in program order, without inputs.
void printSchedule(const FusionSchedule &fusion, raw_ostream &os);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H
