//===- PopGraphEnums.td - Enums of graphs ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the enums that only this dialect uses. DeviceEnums.td
// defines the enums that several dialects use.
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

def Pop_AllocInit : Pop_Enum<"AllocInit", "initial value of an allocated tensor", [
    I32EnumAttrCase<"Undef", 0, "undef">, I32EnumAttrCase<"Zero", 1, "zero">]>;

def Pop_AccumulateKind : Pop_Enum<"AccumulateKind",
    "kind of accumulation", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Square", 1, "square">,
    I32EnumAttrCase<"Mean", 2, "mean">,
    I32EnumAttrCase<"MovingAverage", 3, "moving_average">,
    I32EnumAttrCase<"MovingAverageSquare", 4, "moving_average_square">,
    I32EnumAttrCase<"Infinity", 5, "infinity">]>;

def Pop_TileSet : Pop_Enum<"TileSet", "tiles of an IPU that an op uses", [
    I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"IO", 1, "io">]>;

def Pop_RecomputeKind : Pop_Enum<"RecomputeKind",
    "treatment of an op's results in the backward pass", [
    I32EnumAttrCase<"Checkpoint", 0, "checkpoint">,
    I32EnumAttrCase<"Recompute", 1, "recompute">,
    I32EnumAttrCase<"Recomputed", 2, "recomputed">]>;

def Pop_GraphValueKind : Pop_Enum<"GraphValueKind",
    "role of a value in its graph", [
    I32EnumAttrCase<"Argument", 0, "argument">,
    I32EnumAttrCase<"Result", 1, "result">,
    I32EnumAttrCase<"Variable", 2, "variable">]>;

def Pop_ExecutionContext : Pop_Enum<"ExecutionContext",
    "fragment of a program that executes an op", [
    I32EnumAttrCase<"Normal", 0, "normal">,
    I32EnumAttrCase<"AccumulateOuter", 1, "accumulate_outer">,
    I32EnumAttrCase<"WeightsFromHost", 2, "weights_from_host">,
    I32EnumAttrCase<"WeightsToHost", 3, "weights_to_host">,
    I32EnumAttrCase<"OptimizerFromHost", 4, "optimizer_from_host">,
    I32EnumAttrCase<"Subgraph", 5, "subgraph">]>;

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHENUMS
