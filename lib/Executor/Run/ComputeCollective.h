//===- ComputeCollective.h - Values of collectives --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions compute the results of collectives on host buffers. Each
// replica has one buffer, which holds a tensor in row-major order and without
// padding.
//
// The following rules define the bits of a reduction. The values of the members
// of a group are combined in ascending order of the members' indices. Floats
// narrower than f32 are combined in f32, and all other types in their own type.
// Results are rounded once. For a mean, the sum is divided by the size of the
// group before the rounding; a mean of integers is rounded towards zero.
// Integer arithmetic wraps. A minimum or maximum is NaN if one of the values is
// NaN, and -0 is less than +0. A NaN result is positive and quiet, and has no
// payload.
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

/// Writes the result of `replica` to `target`. `sources` contains the buffer of
/// each replica; the function reads the buffers that the groups of `collective`
/// select. If the collective has a rounding, `bits` contains the random bits
/// for each element of the target.
void computeCollective(const Collective &collective,
                       ArrayRef<const char *> sources, int64_t replica,
                       char *target, ArrayRef<uint32_t> bits = {});

/// Computes elements [begin, end) of the result of an all-reduce, and writes
/// them to the same elements of `target`. The other parameters are those of
/// computeCollective().
void computeAllReduce(const Collective &collective,
                      ArrayRef<const char *> sources, int64_t replica,
                      int64_t begin, int64_t end, char *target,
                      ArrayRef<uint32_t> bits = {});

/// Computes `target[i] = operation(sources[0][i], sources[1][i], ...)` for each
/// `i` in [0, size). If there is a `rounding`, the function rounds element `i`
/// with `bits[i]`.
void reduceElements(CollectiveOperator operation, CollectiveElements elements,
                    ArrayRef<const char *> sources, int64_t size, char *target,
                    const std::optional<CollectiveRounding> &rounding = {},
                    ArrayRef<uint32_t> bits = {});

/// Returns the random bits for each element of a variable with the layout
/// `layout`. The bits are drawn from `state`, the RNG state of a replica. If
/// the generator is `counter`, `draw` selects the bits. If the generator is
/// `stream`, the function advances the state.
std::vector<uint32_t> drawElementBits(RngGenerator generator,
                                      const TileLayout &layout,
                                      int64_t numElements, uint32_t *state,
                                      CounterDraw draw = {});

/// Divides a tensor into `parts` parts along `axis`, and copies part `part` to
/// `target`, a tensor whose size along this axis is getPartSize(). Elements
/// beyond the end of the source are zero.
void copyPart(ArrayRef<int64_t> shape, int64_t axis, int64_t elementBytes,
              const char *source, int64_t part, int64_t parts, char *target);

/// Copies in the reverse direction: `source` holds part `part` of a tensor of
/// shape `shape`, and `target` is this tensor. Elements beyond the end of
/// `shape` are dropped.
void copyFromPart(ArrayRef<int64_t> shape, int64_t axis, int64_t elementBytes,
                  const char *source, int64_t part, int64_t parts,
                  char *target);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_COMPUTECOLLECTIVE_H
