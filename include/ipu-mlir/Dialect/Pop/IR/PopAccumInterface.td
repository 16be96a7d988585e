//===- PopAccumInterface.td - Ops that accumulate -----------*- tablegen -*-===//
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
    An op whose result depends on the order in which it accumulates, `accum`. The
    order is absent until one is chosen.
  }];
  let methods = [
    InterfaceMethod<"Returns the order, or null if none is chosen.",
      "::mlir::pop::AccumAttr", "getAccumAttr">,
    InterfaceMethod<"Gives the op an order.", "void", "setAccumAttr",
      (ins "::mlir::pop::AccumAttr":$accum)>,
    InterfaceMethod<[{
      Returns the order that the op gets if it has none. It depends on nothing
      but the op's kind, element types and extents.
    }], "::mlir::pop::AccumAttr", "chooseAccum">,
    InterfaceMethod<[{
      Returns the order of the op's kind that depends on no extent: one chain for
      each output or, for reductions, blocks of 1024 positions in 16 lanes.
    }], "::mlir::pop::AccumAttr", "getDefaultAccum">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPACCUMINTERFACE
