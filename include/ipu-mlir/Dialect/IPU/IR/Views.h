//===- Views.h - Elements of views ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_VIEWS_H
#define IPU_MLIR_DIALECT_IPU_IR_VIEWS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include <optional>

namespace mlir::ipu {

/// `value` is a variable or a view of a variable. Returns the elements of the
/// variable that `value` selects.
StridedView getView(Value value);

/// Returns the numbers of the first and the last element of a variable that
/// `view` selects. The view must not be empty. Returns std::nullopt if one of
/// the numbers overflows.
std::optional<std::pair<int64_t, int64_t>> getRange(const StridedView &view);

/// The functions of this file enumerate the elements of variables and views
/// only if there are at most this many elements.
constexpr int64_t kMaxEnumerated = int64_t(1) << 28;

/// Returns whether views `a` and `b` of one variable have a common element. If
/// the views are slices with the same strides, and each stride divides the next
/// greater one, the result is exact. For other views, the result is exact if
/// the variable and each of the two views have at most `maxEnumerated`
/// elements; otherwise, it may be true although no element is common.
bool overlap(Value a, Value b, int64_t maxEnumerated = kMaxEnumerated);
/// Returns whether views `a` and `b` of a tensor of `size` elements have a
/// common element. The result is exact under the same conditions as that of the
/// previous function, with a variable of `size` elements.
bool overlap(const StridedView &a, const StridedView &b, int64_t size,
             int64_t maxEnumerated = kMaxEnumerated);

/// Returns whether `view`, of a tensor of `numElements` elements, selects each
/// element at most once. If `numElements` exceeds kMaxEnumerated, the result
/// may be false although no element is selected twice.
bool showsOnce(const StridedView &view, int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_VIEWS_H
