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

/// What a state holds when the program is loaded, of the written type; `seed`
/// is the user's.
FailureOr<HostTensor> getInitialValue(const HostState &state,
                                      RngGenerator generator, uint64_t seed);

/// What the host writes: a tensor for each group, if there are several.
RankedTensorType getWrittenType(const HostState &state);

/// What the host reads: a tensor for each group or, if the state says so, for
/// each replica, if there are several.
RankedTensorType getReadType(const HostState &state);

/// What replicas hold of `tensor`, which is of the written type. Those that
/// hold the same get the same memory, which is that of `tensor` or of
/// `buffers`.
std::vector<const char *>
distributeState(const HostState &state, const HostTensor &tensor,
                std::vector<std::vector<char>> &buffers);

/// The tensor of the read type; `read` gives what a replica holds.
FailureOr<HostTensor>
collectState(const HostState &state,
             function_ref<LogicalResult(int64_t replica, char *to)> read);

/// From a tensor of the written type to one of the read type, as if it had been
/// on the device; and back: of several replicas of a group the least counts.
HostTensor expandState(const HostState &state, const HostTensor &written);
HostTensor narrowState(const HostState &state, const HostTensor &read);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H
