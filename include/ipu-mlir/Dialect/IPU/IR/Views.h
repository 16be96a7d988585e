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

/// Which elements of its variable `value` shows.
StridedView getView(Value value);

/// Least and greatest element of its variable that a view shows, which must not
/// be empty; nothing if they overflow.
std::optional<std::pair<int64_t, int64_t>> getRange(const StridedView &view);

/// Views of variables with more elements are not looked at element by element.
constexpr int64_t kMaxEnumerated = int64_t(1) << 28;

/// Whether two views of one variable show a common element. Exact for regions
/// with a step; for others as long as the variable and the views have at most
/// `maxEnumerated` elements, else true.
bool overlap(Value a, Value b, int64_t maxEnumerated = kMaxEnumerated);
/// The same of views of any tensor of `size` elements.
bool overlap(const StridedView &a, const StridedView &b, int64_t size,
             int64_t maxEnumerated = kMaxEnumerated);

/// Whether `view` shows each of `numElements` elements once at most.
bool showsOnce(const StridedView &view, int64_t numElements);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_VIEWS_H
