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

/// The first of `size` elements whose values for the host differ on two
/// replicas. An element that is undefined on one replica does not differ.
std::optional<ElementDifference> findDifference(Type elementType, int64_t size,
                                                const ElementsSeen &a,
                                                const ElementsSeen &b);

/// Replicas in the form "{0, 2}". A long list is abbreviated.
std::string formatReplicas(ArrayRef<int64_t> replicas);

/// Returns the value of a tensor on a replica.
using LookFn = function_ref<void(int64_t replica, ElementsSeen &seen)>;

/// Fails, with an error at `op`, if `replicas`, of which the host reads one,
/// hold different values of the tensor `name`.
LogicalResult checkReadOnce(Operation *op, StringRef name, Type elementType,
                            ArrayRef<int64_t> shape, ArrayRef<int64_t> replicas,
                            LookFn look);

/// Fails in the same way if replicas of which the host reads one differ in
/// `state`.
LogicalResult checkReadOnce(const HostState &state, LookFn look);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_ELEMENTDIFFERENCE_H
