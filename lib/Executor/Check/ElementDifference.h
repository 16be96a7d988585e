//===- ElementDifference.h - Difference of two replicas ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H

#include "../Memory/DeviceMemory.h"

namespace mlir::ipu {

/// The position of an element, and the bits of the element on two replicas.
struct ElementDifference {
  int64_t position;
  uint64_t bits[2];
};

/// Returns the first of `size` elements for which the host would read different
/// values from two replicas, or std::nullopt if there is none. `a` and `b` are
/// the elements of the two replicas. An element that is undefined on one of the
/// replicas does not count as a difference.
std::optional<ElementDifference> findDifference(Type elementType, int64_t size,
                                                const ElementsSeen &a,
                                                const ElementsSeen &b);

/// Returns a text for `replicas` in the form "{0, 2}". A long list is
/// abbreviated.
std::string formatReplicas(ArrayRef<int64_t> replicas);

/// A function that sets `seen` to the value of a tensor on a replica.
using LookFn = function_ref<void(int64_t replica, ElementsSeen &seen)>;

/// The host reads the tensor `name` from only one of `replicas`. Emits an error
/// at `op` if these replicas hold different values of the tensor.
LogicalResult checkReadOnce(Operation *op, StringRef name, Type elementType,
                            ArrayRef<int64_t> shape, ArrayRef<int64_t> replicas,
                            LookFn look);

/// Emits an error at the op of `state` if the host reads the state from only
/// one replica of a set of replicas, and these replicas hold different values.
LogicalResult checkReadOnce(const HostState &state, LookFn look);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H
