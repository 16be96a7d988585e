//===- AttrConstraints.td - Shared attribute constraints ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_ATTRCONSTRAINTS
#define IPU_MLIR_INTERFACES_ATTRCONSTRAINTS

include "mlir/IR/CommonAttrConstraints.td"

/// An array of pairs of numbers, for example `[[0, 1], [1, 0]]`.
def PairsAttr : TypedArrayAttrBase<
    ConfinedAttr<I64ArrayAttr, [ArrayCount<2>]>, "array of pairs of integers">;

def SymbolsAttr : ConfinedAttr<FlatSymbolRefArrayAttr, [ArrayMinCount<1>]>;

#endif // IPU_MLIR_INTERFACES_ATTRCONSTRAINTS
