//===- ElementDifference.h - Difference of two replicas ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H

#include "../Memory/DeviceMemory.h"

namespace mlir::ipu {

/// An element, by its position, with the bits that two replicas hold of it.
struct ElementDifference {
  int64_t position;
  uint64_t bits[2];
};

/// The first of `size` elements of which two replicas hold different values, as
/// the host would see them. An element that is undefined on one of them differs
/// from nothing.
std::optional<ElementDifference> findDifference(Type elementType, int64_t size,
                                                const ElementsSeen &a,
                                                const ElementsSeen &b);

/// Replicas as "{0, 2}"; not all of many.
std::string formatReplicas(ArrayRef<int64_t> replicas);

/// Gives what a replica holds of a tensor.
using LookFn = function_ref<void(int64_t replica, ElementsSeen &seen)>;

/// Fails, with an error at `op`, if `replicas`, of which the host reads one,
/// hold different values of the tensor `name`.
LogicalResult checkReadOnce(Operation *op, StringRef name, Type elementType,
                            ArrayRef<int64_t> shape, ArrayRef<int64_t> replicas,
                            LookFn look);

/// Fails so if replicas of which the host reads one differ in `state`.
LogicalResult checkReadOnce(const HostState &state, LookFn look);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H
