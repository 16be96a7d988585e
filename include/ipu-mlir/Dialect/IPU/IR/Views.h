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

/// Returns the dimensions of `view` with several elements, in descending order
/// of stride.
SmallVector<unsigned> getOrderOfStrides(const StridedView &view);

/// Returns the dimensions of `domain` from `at` on whose product is `size`, and
/// advances `at` beyond them. Returns std::nullopt if there are no such
/// dimensions.
std::optional<ArrayRef<int64_t>> takeFactors(ArrayRef<int64_t> domain,
                                             size_t &at, int64_t size);

/// Permutes `mapping` as TileMappingAttr::permute does. The permuted dimensions
/// have the sizes `sizes`, which the domain of `mapping` may factorise. Returns
/// null if `mapping` has no such domain.
TileMappingAttr permuteFactors(TileMappingAttr mapping, ArrayRef<int64_t> sizes,
                               ArrayRef<unsigned> order);

/// `mapping` is the tile mapping of a buffer. Returns the tile mapping of the
/// elements of `view`, in row-major order of the view. The view must contain
/// each element of the buffer once, and its dimensions must be the dimensions
/// of the buffer in some order. Otherwise, returns null. The result has a
/// layout only if `mapping` has one.
TileMappingAttr getTileMappingOfView(TileMappingAttr mapping,
                                     const StridedView &view);

/// Returns `mapping` with the layout that it has by default if it has none. The
/// order of storage then stays the same if the dimensions are permuted.
TileMappingAttr withExplicitLayout(TileMappingAttr mapping);

/// `mapping` is the tile mapping of a buffer, and `view` is a view of the
/// buffer. Returns whether each tile holds the elements of the view that
/// `access` assigns to the tile, in the order of `access`, and no others.
bool isHeldAs(TileMappingAttr mapping, const StridedView &view,
              TileMappingAttr access);

/// Returns whether the vertices can access operand `buffer` where the variable
/// is, without a copy. Only the last stride of some arguments of codelets is
/// dynamic; other arguments cannot be views in another order.
bool isLocal(VerticesOp vertices, CodeletOp codelet, unsigned buffer);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_VIEWS_H
