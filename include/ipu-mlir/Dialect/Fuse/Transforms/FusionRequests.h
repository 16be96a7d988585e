//===- FusionRequests.h - Requests of passes and transform ops --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with which passes and transform ops change schedules. Each of these
// functions makes several calls of FusionSchedule. Passes identify tensors by
// names. Transform ops identify tensors by the ops that compute them.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

namespace mlir::fuse {

/// Reads all fusions in `root`. Returns their schedules in program order.
FailureOr<std::vector<FusionSchedule>> readFusions(Operation *root);

/// Emits an error at `loc` that states the first name in `names` that is not
/// the name of a tensor in `fusions`. If all names exist, the error states that
/// no single fusion has all of them. Returns failure.
LogicalResult reportUnknownTensors(Location loc,
                                   ArrayRef<FusionSchedule> fusions,
                                   ArrayRef<StringRef> names);

/// Finds the first fusion in `root` that has tensors with all of `names`. Calls
/// `fn` with this fusion, the tensors, and a function that emits errors at the
/// op of the first tensor. Emits an error if there is no such fusion.
LogicalResult
withTensors(Operation *root, ArrayRef<StringRef> names,
            function_ref<LogicalResult(FusionSchedule &, ArrayRef<TensorId>,
                                       FusionSchedule::EmitErrorFn)>
                fn);

/// Finds the first fusion in `root` that has a tensor `name`, which must not be
/// an input. Calls `fn` with this fusion, the tensor, and a function that emits
/// errors at the op of the tensor. Emits an error if there is no such fusion.
LogicalResult
withTensor(Operation *root, StringRef name,
           function_ref<LogicalResult(FusionSchedule &, TensorId,
                                      FusionSchedule::EmitErrorFn)>
               fn);

/// Applies fuse::computeAt to a fusion, and writes the fusion. If `recompute`
/// is set and the request is refused, clones the producer. A reader of the
/// producer reads the clone instead if the reader is `consumer`, or if
/// `consumer` depends on the reader. There must be such readers, and the
/// producer must also have other readers or be an output of the fusion;
/// otherwise, the request stays refused. Then computes the clone at `position`,
/// and emits a remark with the number of elements that are computed twice. A
/// clone changes the tensor ids.
LogicalResult computeAt(FusionSchedule &fusion, TensorId producer,
                        TensorId consumer, int64_t position,
                        const ComputeAtOptions &options, bool recompute,
                        FusionSchedule::EmitErrorFn emitError);

/// Emits `violation` at the op of the tensor that violates the condition.
/// Returns failure.
LogicalResult reportAtTensor(const FusionSchedule &fusion,
                             const Violation &violation);

/// Emits a remark at each op that computes its elements more than once. The
/// remark states how often the op computes each element, and the loops of other
/// tensors that repeat the computation. The schedule must be legal.
void remarkRepetitions(const FusionSchedule &fusion,
                       const LoopClasses &classes);

/// Checks with verifyLegality and verifyLoopTypes that the schedule can be
/// lowered, and builds its loop nest in `nest`. Fails, with a diagnostic, if
/// the schedule is not legal.
LogicalResult verifySchedule(const FusionSchedule &fusion,
                             const LoopClasses &classes, LoopNest &nest);

/// Prints one line for each tensor that is not an input, in program order.
void printSchedule(const FusionSchedule &fusion, raw_ostream &os);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONREQUESTS_H
