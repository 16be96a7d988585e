//===- ComputeCollective.h - Values of collectives --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions on host buffers, one buffer for each replica, in row-major order
// and without padding.
//
// The definition of a reduction determines its bits. The values of the members
// of a group are combined in ascending order of their indices: floats narrower
// than f32 in f32, all other types in their own type. Results are rounded once.
// A mean is the sum divided by the size of the group before it is rounded; a
// mean of integers is rounded towards zero. Integers wrap. A minimum or maximum
// with a NaN is NaN, and -0 is less than +0. NaNs are positive and quiet, and
// have no payload.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_COMPUTECOLLECTIVE_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_COMPUTECOLLECTIVE_H

#include "../Program/Collective.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"

namespace mlir::ipu {

/// Writes the result of `replica` to `target`. `sources` has the buffer of each
/// replica; the groups determine which ones are read. With a rounding, `bits`
/// has random bits for each element of the target.
void computeCollective(const Collective &collective,
                       ArrayRef<const char *> sources, int64_t replica,
                       char *target, ArrayRef<uint32_t> bits = {});

/// The same for elements [begin, end) of an all-reduce.
void computeAllReduce(const Collective &collective,
                      ArrayRef<const char *> sources, int64_t replica,
                      int64_t begin, int64_t end, char *target,
                      ArrayRef<uint32_t> bits = {});

/// `target[i] = op(sources[0][i], sources[1][i], ...)` for `size` elements,
/// rounded with `bits[i]` if there is a `rounding`.
void reduceElements(CollectiveOperator operation, CollectiveElements elements,
                    ArrayRef<const char *> sources, int64_t size, char *target,
                    const std::optional<CollectiveRounding> &rounding = {},
                    ArrayRef<uint32_t> bits = {});

/// Random bits for each element of a variable with the layout `layout`, from
/// the RNG `state` of a replica. For generator `counter`, `draw` selects the
/// bits. For generator `stream`, the state advances.
std::vector<uint32_t> drawElementBits(RngGenerator generator,
                                      const TileLayout &layout,
                                      int64_t numElements, uint32_t *state,
                                      CounterDraw draw = {});

/// Copies part `part` of `parts` along `axis` of a tensor to a tensor with size
/// getPartSize() along this axis. Elements beyond the end are zero.
void copyPart(ArrayRef<int64_t> shape, int64_t axis, int64_t elementBytes,
              const char *source, int64_t part, int64_t parts, char *target);

/// The reverse copy. Elements beyond the end of `shape` are dropped.
void copyFromPart(ArrayRef<int64_t> shape, int64_t axis, int64_t elementBytes,
                  const char *source, int64_t part, int64_t parts,
                  char *target);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_COMPUTECOLLECTIVE_H
