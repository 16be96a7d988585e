//===- IPUEnums.td - Enums of the ipu dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file defines the enums that only this dialect uses. DeviceEnums.td
// defines the enums that several dialects use.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUENUMS
#define IPU_MLIR_DIALECT_IPU_IR_IPUENUMS

include "mlir/IR/EnumAttr.td"

class IPU_Enum<string name, string what, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::mlir::ipu";
  let genSpecializedAttr = 0;
}

def IPU_CostKind : IPU_Enum<"CostKind", "cost formula", [
    I32EnumAttrCase<"Vector", 0, "vector">,
    I32EnumAttrCase<"Matmul", 1, "matmul">,
    I32EnumAttrCase<"Conv", 2, "conv">,
    I32EnumAttrCase<"Reduce", 3, "reduce">,
    I32EnumAttrCase<"Gather", 4, "gather">,
    I32EnumAttrCase<"ReduceColumns", 5, "reduce_columns">,
    I32EnumAttrCase<"Scatter", 6, "scatter">,
    I32EnumAttrCase<"SelectAndScatter", 7, "select_and_scatter">,
    I32EnumAttrCase<"Sort", 8, "sort">,
    I32EnumAttrCase<"ReduceBlocks", 9, "reduce_blocks">,
    I32EnumAttrCase<"BucketIndices", 10, "bucket_indices">,
    I32EnumAttrCase<"ScatterBuckets", 11, "scatter_buckets">,
    I32EnumAttrCase<"DynamicSlice", 12, "dynamic_slice">,
    I32EnumAttrCase<"DynamicUpdate", 13, "dynamic_update">]>;

def IPU_SyncKind : IPU_Enum<"SyncKind", "participants of a sync", [
    I32EnumAttrCase<"Internal", 0, "internal">,
    I32EnumAttrCase<"IPUs", 1, "ipus">,
    I32EnumAttrCase<"External", 2, "external">]>;

def IPU_CollectiveKind : IPU_Enum<"CollectiveKind",
    "kind of a collective", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
    I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
    I32EnumAttrCase<"Broadcast", 4, "broadcast">,
    I32EnumAttrCase<"Permute", 5, "permute">]>;

def IPU_StepKind : IPU_Enum<"StepKind", "category of a step's time in the profile", [
    I32EnumAttrCase<"Compute", 0, "compute">,
    I32EnumAttrCase<"Exchange", 1, "exchange">,
    I32EnumAttrCase<"Sync", 2, "sync">,
    I32EnumAttrCase<"Host", 3, "host">,
    I32EnumAttrCase<"Collective", 4, "collective">,
    I32EnumAttrCase<"Remote", 5, "remote">,
    I32EnumAttrCase<"Code", 6, "code">]>;

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUENUMS
