//===- PopPlacementInterface.td - Where operands are --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTINTERFACE
#define IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTINTERFACE

include "mlir/IR/OpBase.td"

def Pop_PlacementOpInterface : OpInterface<"PlacementOpInterface"> {
  let cppNamespace = "::mlir::pop";
  let description = [{
    An op some of whose operands or results are elsewhere than the attributes of
    the op say: it takes values from one place to another. What a method returns
    none of is where the attributes of the op say.
  }];
  let methods = [
    InterfaceMethod<"The virtual graph, an IPU of the replica, of an operand.",
      "::std::optional<int64_t>", "getVgraphOfOperand",
      (ins "::mlir::OpOperand &":$operand), [{}], [{
      (void)operand;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"The virtual graph of a result.",
      "::std::optional<int64_t>", "getVgraphOfResult",
      (ins "::mlir::OpResult":$result), [{}], [{
      (void)result;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"The tiles that an operand is on.",
      "::std::optional<::mlir::pop::TileSet>", "getTileSetOfOperand",
      (ins "::mlir::OpOperand &":$operand), [{}], [{
      (void)operand;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"The tiles that a result is on.",
      "::std::optional<::mlir::pop::TileSet>", "getTileSetOfResult",
      (ins "::mlir::OpResult":$result), [{}], [{
      (void)result;
      return ::std::nullopt;
    }]>,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTINTERFACE
