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

/// Says at `loc` which of the names no fusion has, or that no fusion has all of
/// them. Returns failure.
LogicalResult reportUnknownTensors(Location loc,
                                   ArrayRef<FusionSchedule> fusions,
                                   ArrayRef<StringRef> names);

/// Calls `fn` with the first fusion in `root` that has tensors of all these
/// names, with the tensors, and with what emits errors at the op of the first
/// one. An error if there is none.
LogicalResult
withTensors(Operation *root, ArrayRef<StringRef> names,
            function_ref<LogicalResult(FusionSchedule &, ArrayRef<TensorId>,
                                       FusionSchedule::EmitErrorFn)>
                fn);

/// The same for one tensor, which is not an input.
LogicalResult
withTensor(Operation *root, StringRef name,
           function_ref<LogicalResult(FusionSchedule &, TensorId,
                                      FusionSchedule::EmitErrorFn)>
               fn);

/// fuse::computeAt on a fusion, which is written. `recompute`: if it is refused
/// because of consumers that `consumer` does not depend on, clones the producer
/// for those that it does depend on, says in a remark how many elements are
/// computed twice, and computes the clone there. The tensor ids change then.
LogicalResult computeAt(FusionSchedule &fusion, TensorId producer,
                        TensorId consumer, int64_t position,
                        const ComputeAtOptions &options, bool recompute,
                        FusionSchedule::EmitErrorFn emitError);

/// Emits the violation at the op of its tensor. Returns failure.
LogicalResult reportAtTensor(const FusionSchedule &fusion,
                             const Violation &violation);

/// Says at each op that is computed more than once how often, and which loops
/// of others it is inside of. The schedule is legal.
void remarkRepetitions(const FusionSchedule &fusion,
                       const LoopClasses &classes);

/// Checks that the schedule can be lowered, by verifyLegality and
/// verifyLoopTypes, and builds its nest.
LogicalResult verifySchedule(const FusionSchedule &fusion,
                             const LoopClasses &classes, LoopNest &nest);

/// One line per tensor in program order, inputs excepted.
void printSchedule(const FusionSchedule &fusion, raw_ostream &os);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H
