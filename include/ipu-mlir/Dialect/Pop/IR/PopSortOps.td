//===- PopSortOps.td - Sorts -------------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPSORTOPS
#define IPU_MLIR_DIALECT_POP_IR_POPSORTOPS

include "ipu-mlir/Dialect/Pop/IR/PopBase.td"

def Pop_SortOp : Pop_PureOp<"sort", [
    Pop_Infer, Pop_Codelet, Pop_Decompose, Pop_Plan,
    Pop_Gradient<"dx = dy in the order before the sort, for each operand x">]> {
  let summary = "Sort along an axis";
  let description = [{
    A row consists of the positions along `axis` at fixed positions of all other
    dimensions. The op sorts the positions of each row by the elements of the first
    operands, which are the keys: there is one key for each element of `orders`. Keys are
    compared lexicographically. All operands are permuted in the same way, bit for bit.
    Positions whose keys are all equal keep their order. The orders are:

    - `ascending`, `descending`: the order of numbers, or the reverse order. -0 equals
      +0. A NaN is greater than every number, and equals another NaN.
    - `total_ascending`, `total_descending`: as above, but -0 is less than +0. Of the
      total order of IEEE 754, this order differs only for NaNs: pop does not distinguish
      them.

    With `indexed`, all elements of the last key in a row are different, and each is less
    than the greatest number of its type. No two positions then have equal keys, so that
    tiles can use an algorithm that does not keep the order of equal keys. `pop-decompose`
    adds the positions before the sort as such a key where it is needed.

    (C1) There is at least one operand, and all operands have the same shape.
    (C2) `axis` is a dimension of the operands.
    (C3) There are at least one order and at most as many orders as operands.
    (C4) With `indexed`, the last order is `ascending`, and its key has elements of type
    i32 or i64.
    (C5) The results have the types of the operands.

    ```mlir
    %y = pop.sort %x by [descending] {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    %keys, %values = pop.sort %k, %v by [ascending] {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    ```
  }];
  let arguments = (ins Variadic<Pop_Tensor>:$inputs,
                       TypedArrayAttrBase<Pop_SortOrderAttr, "orders of keys">:$orders,
                       I64Attr:$axis, UnitAttr:$indexed);
  let results = (outs Variadic<Pop_Tensor>:$results);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs,
                   "::llvm::ArrayRef<::mlir::pop::SortOrder>":$orders,
                   "int64_t":$axis, CArg<"bool", "false">:$indexed)>
  ];
  let assemblyFormat = [{
    $inputs `by` custom<SortOrders>($orders) attr-dict `:`
    functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// Returns the order of key `i`.
    ::mlir::pop::SortOrder getOrder(unsigned i) {
      return ::llvm::cast<::mlir::pop::SortOrderAttr>(getOrders()[i]).getValue();
    }
    ::llvm::SmallVector<::mlir::pop::SortOrder> getOrderValues();
    unsigned getNumKeys() { return getOrders().size(); }
    ::mlir::RankedTensorType getInputType(unsigned i) {
      return ::llvm::cast<::mlir::RankedTensorType>(getInputs()[i].getType());
    }
    /// Returns the number of positions of a row.
    int64_t getRowSize() { return getInputType(0).getDimSize(getAxis()); }
  }];
  let hasFolder = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPSORTOPS
