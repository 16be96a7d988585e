//===- PopPlacementInterface.td - Placement of operands ----*- tablegen -*-===//
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
    An op that copies values from one placement to another. The placement of some
    operands or results differs from the placement attributes of the op. The methods
    return the virtual graph or the tile set of one operand or result. If a method
    returns no value, the attribute of the op applies to the operand or result.
  }];
  let methods = [
    InterfaceMethod<"Returns the virtual graph (an IPU of the replica) of an operand.",
      "::std::optional<int64_t>", "getVgraphOfOperand",
      (ins "::mlir::OpOperand &":$operand), [{}], [{
      (void)operand;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"Returns the virtual graph of a result.",
      "::std::optional<int64_t>", "getVgraphOfResult",
      (ins "::mlir::OpResult":$result), [{}], [{
      (void)result;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"Returns the tile set (compute tiles or I/O tiles) of an "
                    "operand.",
      "::std::optional<::mlir::pop::TileSet>", "getTileSetOfOperand",
      (ins "::mlir::OpOperand &":$operand), [{}], [{
      (void)operand;
      return ::std::nullopt;
    }]>,
    InterfaceMethod<"Returns the tile set of a result.",
      "::std::optional<::mlir::pop::TileSet>", "getTileSetOfResult",
      (ins "::mlir::OpResult":$result), [{}], [{
      (void)result;
      return ::std::nullopt;
    }]>,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPPLACEMENTINTERFACE
