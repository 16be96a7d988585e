//===- DeviceEnums.td - Enums that dialects share ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the enums that both the pop dialect and the ipu dialect
// use. Each of the two dialects defines its own attributes with these enums.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_DEVICEENUMS
#define IPU_MLIR_INTERFACES_DEVICEENUMS

include "mlir/IR/EnumAttr.td"

class DeviceEnum<string name, string what, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::mlir::ipu";
  let genSpecializedAttr = 0;
}

def CollectiveOperator : DeviceEnum<"CollectiveOperator",
    "operator of a collective", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Max", 4, "max">,
    I32EnumAttrCase<"LogicalAnd", 5, "logical_and">,
    I32EnumAttrCase<"LogicalOr", 6, "logical_or">,
    I32EnumAttrCase<"SquareAdd", 7, "square_add">,
    I32EnumAttrCase<"Local", 8, "local">]>;

def Retrieval : DeviceEnum<"Retrieval",
    "replicas from which the host reads a variable", [
    I32EnumAttrCase<"OnePerGroup", 0, "one_per_group">,
    I32EnumAttrCase<"AllReplicas", 1, "all_replicas">]>;

/// The source of random bits. With `counter`, random bits are a hash of an RNG state and
/// of the number of an element, so they do not depend on the tile mapping. With
/// `stream`, each worker of each tile has its own generator, as on the machine.
def RngGenerator : DeviceEnum<"RngGenerator", "source of random bits", [
    I32EnumAttrCase<"Counter", 0, "counter">,
    I32EnumAttrCase<"Stream", 1, "stream">]>;

def RoundingOverflow : DeviceEnum<"RoundingOverflow",
    "result of an overflow", [
    I32EnumAttrCase<"NaN", 0, "nan">, I32EnumAttrCase<"Clip", 1, "clip">]>;

def StreamDirection : DeviceEnum<"StreamDirection", "direction of a stream", [
    I32EnumAttrCase<"HostToDevice", 0, "host_to_device">,
    I32EnumAttrCase<"DeviceToHost", 1, "device_to_host">]>;

def CodeLocation : DeviceEnum<"CodeLocation", "location of code on a tile", [
    I32EnumAttrCase<"Executable", 0, "executable">,
    I32EnumAttrCase<"ComputeBuffer", 1, "compute_buffer">,
    I32EnumAttrCase<"IOBuffer", 2, "io_buffer">]>;

#endif // IPU_MLIR_INTERFACES_DEVICEENUMS
