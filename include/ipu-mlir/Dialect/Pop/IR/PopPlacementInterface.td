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
    An op that copies values from one placement to another. The attributes of
    such an op do not give the placement of all its operands and results. If a
    method returns no value, the attributes of the op apply.
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
