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

/// Returns the elements of its variable that `value` selects.
StridedView getView(Value value);

/// Returns the least and the greatest element of its variable that a view
/// selects. The view must not be empty. Returns std::nullopt if they overflow.
std::optional<std::pair<int64_t, int64_t>> getRange(const StridedView &view);

/// Views of variables with more elements are not enumerated element by element.
constexpr int64_t kMaxEnumerated = int64_t(1) << 28;

/// Returns whether two views of one variable have a common element. The result
/// is exact for regions with a step. For other views, it is exact if the
/// variable and the views have at most `maxEnumerated` elements, and otherwise
/// true.
bool overlap(Value a, Value b, int64_t maxEnumerated = kMaxEnumerated);
/// The same for views of any tensor of `size` elements.
bool overlap(const StridedView &a, const StridedView &b, int64_t size,
             int64_t maxEnumerated = kMaxEnumerated);

/// Returns whether `view` selects each of `numElements` elements at most once.
bool showsOnce(const StridedView &view, int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_VIEWS_H
