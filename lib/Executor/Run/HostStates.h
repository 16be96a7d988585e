//===- HostStates.h - States on the host ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions convert between the host's tensor of a state and the parts of
// the state on the replicas. The host's tensor may have an additional dimension
// for groups or replicas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Host/HostTensor.h"

namespace mlir::ipu {

/// Returns the value that a state has when the program is loaded. The tensor
/// has the written type of the state. `seed` is the seed that the user gives.
FailureOr<HostTensor> getInitialValue(const HostState &state,
                                      RngGenerator generator, uint64_t seed);

/// Returns the type that the host writes. If the state has several groups, the
/// type contains one tensor for each group.
RankedTensorType getWrittenType(const HostState &state);

/// Returns the type that the host reads. If `state.readsReplicas` is true, the
/// type contains one tensor for each replica. Otherwise, if the state has
/// several groups, it contains one tensor for each group.
RankedTensorType getReadType(const HostState &state);

/// Returns the part of `tensor` for each replica. `tensor` has the written
/// type. Replicas with equal values get the same pointer, which points into
/// `tensor` or into `buffers`.
std::vector<const char *>
distributeState(const HostState &state, const HostTensor &tensor,
                std::vector<std::vector<char>> &buffers);

/// Returns the tensor of the read type. `read` writes the part on a replica to
/// `to`.
FailureOr<HostTensor>
collectState(const HostState &state,
             function_ref<LogicalResult(int64_t replica, char *to)> read);

/// expandState() converts a tensor of the written type to the tensor of the
/// read type that the host would read after it wrote the tensor. narrowState()
/// converts in the reverse direction; it takes the values of the least replica
/// of each group.
HostTensor expandState(const HostState &state, const HostTensor &written);
HostTensor narrowState(const HostState &state, const HostTensor &read);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_HOSTSTATES_H
