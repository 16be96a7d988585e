//===- PopGraphEnums.td - Enums of graphs -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those that no other dialect has; the others are DeviceEnums.td.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHENUMS
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHENUMS

include "mlir/IR/EnumAttr.td"

class Pop_Enum<string name, string what, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_AllocInit : Pop_Enum<"AllocInit", "what a new tensor holds", [
    I32EnumAttrCase<"Undef", 0, "undef">, I32EnumAttrCase<"Zero", 1, "zero">]>;

def Pop_AccumulateKind : Pop_Enum<"AccumulateKind",
    "how a value is accumulated", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Square", 1, "square">,
    I32EnumAttrCase<"Mean", 2, "mean">,
    I32EnumAttrCase<"MovingAverage", 3, "moving_average">,
    I32EnumAttrCase<"MovingAverageSquare", 4, "moving_average_square">,
    I32EnumAttrCase<"Infinity", 5, "infinity">]>;

def Pop_TileSet : Pop_Enum<"TileSet", "which tiles of a chip an op is on", [
    I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"IO", 1, "io">]>;

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHENUMS
