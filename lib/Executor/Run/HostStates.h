//===- HostStates.h - States on the host ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between the host's tensor of a state, which has a dimension for
// groups or replicas, and the parts on the replicas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Host/HostTensor.h"

namespace mlir::ipu {

/// The value of a state after the program is loaded, with the written type.
/// `seed` is the seed of the user.
FailureOr<HostTensor> getInitialValue(const HostState &state,
                                      RngGenerator generator, uint64_t seed);

/// The type that the host writes: a tensor for each group, if there are
/// several.
RankedTensorType getWrittenType(const HostState &state);

/// The type that the host reads: a tensor for each group or, depending on the
/// state, for each replica, if there are several.
RankedTensorType getReadType(const HostState &state);

/// The parts on the replicas of `tensor`, which has the written type. Replicas
/// with equal values get the same memory, in `tensor` or in `buffers`.
std::vector<const char *>
distributeState(const HostState &state, const HostTensor &tensor,
                std::vector<std::vector<char>> &buffers);

/// The tensor of the read type. `read` returns the part on a replica.
FailureOr<HostTensor>
collectState(const HostState &state,
             function_ref<LogicalResult(int64_t replica, char *to)> read);

/// Converts a tensor of the written type to the read type, as if it had been on
/// the device; and the reverse. In the reverse direction, the least replica of
/// a group counts.
HostTensor expandState(const HostState &state, const HostTensor &written);
HostTensor narrowState(const HostState &state, const HostTensor &read);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H
