//===- PopAccumInterface.td - Ops that accumulate ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPACCUMINTERFACE
#define IPU_MLIR_DIALECT_POP_IR_POPACCUMINTERFACE

include "mlir/IR/OpBase.td"

def Pop_AccumOpInterface : OpInterface<"AccumOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op whose result depends on an accumulation order. The attribute `accum` of the
    op gives this order, and is absent until an order is chosen.
  }];
  let methods = [
    InterfaceMethod<"Returns the order, or null if no order is chosen yet.",
      "::mlir::pop::AccumAttr", "getAccumAttr">,
    InterfaceMethod<"Sets the order.", "void", "setAccumAttr",
      (ins "::mlir::pop::AccumAttr":$accum)>,
    InterfaceMethod<[{
      Returns the order that `pop-choose-accumulation` chooses for the op. The order
      depends only on the kind, the element types and the extents of the op.
    }], "::mlir::pop::AccumAttr", "chooseAccum">,
    InterfaceMethod<[{
      Returns an order that depends only on the kind of the op, not on extents: one
      chain for each output or, for reductions, blocks of 1024 elements in 16 lanes.
    }], "::mlir::pop::AccumAttr", "getDefaultAccum">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPACCUMINTERFACE
