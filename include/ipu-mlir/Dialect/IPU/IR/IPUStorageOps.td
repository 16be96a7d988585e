//===- IPUStorageOps.td - Storage of a module ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "ipu-mlir/Dialect/Pop/IR/PopGraphBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def IPU_StorageOp : IPU_Op<"storage", [Symbol]> {
  let summary = "memory that functions share";
  let description = [{
    Memory for the elements of `type` on the tiles of its map, for `ipu.var`s
    that name it. That of an `ipu.state` lives always and keeps its elements from
    one run to the next. Any other is undefined when a run begins, and lives from
    the first to the last step that may use it.

    (C1) `type` has an identity layout and as many elements as its map's domain.
    (C2) the map puts each element on one tile.
    (C3) the tiles of the map exist on the target, if there is one.

    ```mlir
    ipu.storage @w.storage : memref<2x2xf32, #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<IPU_Var>:$type);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def IPU_RemoteBufferOp : IPU_Op<"remote_buffer", [Symbol]> {
  let summary = "rows of streaming memory";
  let description = [{
    `rows` tensors of `type` for each replica, in memory that is on no tile. What is
    in it survives a run. A row that nobody wrote and no `ipu.state` has is
    undefined: zeros, which a checked run reports.

    (C1) `rows` is positive.
    (C2) `type` is a statically shaped tensor of integers or floats without
    encoding; all rows together have at most 2^56 elements.

    ```mlir
    ipu.remote_buffer @b : 3 x tensor<2x2xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$rows,
                       TypeAttrOf<AnyRankedTensor>:$type);
  let assemblyFormat = "$sym_name `:` $rows `x` $type attr-dict";
  let hasVerifier = 1;
}

def IPU_StateOp : IPU_Op<"state", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor of the device that the host knows by name";
  let description = [{
    The host gives its `value` when the program is loaded, and may read and write
    it between runs. It lies in an `ipu.storage`, or in row `row` of an
    `ipu.remote_buffer`. `type`, `groups`, `retrieval` and `sharding` mean what they do
    on `pop.variable`: `type` is what one replica has before sharding, and with
    more than one group `value` has one more dimension in front, of their number.
    With `sharding` by groups of g replicas, a replica holds one of g equal parts
    of the elements in row-major order, filled up with zeros.

    (C1) `location` names an `ipu.storage` and there is no `row`, or it names an
    `ipu.remote_buffer` that has a row `row`.
    (C2) that has the shape and, up to sign, the element type of what one replica
    holds; no two states lie in the same place.
    (C3) `groups` and `sharding` are of the replicas of the target.
    (C4) `type` is a statically shaped tensor of integers or floats without
    encoding; `value` has the shape and the element type that `type` and `groups`
    ask for.

    ```mlir
    ipu.state @w in @w.storage : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
    ipu.state @m in @b[0] : tensor<2x2xf32> = dense<0.0> : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$location,
                       OptionalAttr<I64Attr>:$row,
                       TypeAttrOf<AnyRankedTensor>:$type, ElementsAttr:$value,
                       OptionalAttr<Pop_ReplicaGroupsAttr>:$groups,
                       OptionalAttr<Pop_RetrievalAttr>:$retrieval,
                       OptionalAttr<Pop_ReplicaGroupsAttr>:$sharding);
  let assemblyFormat = [{
    $sym_name `in` $location (`` `[` $row^ `]`)? `:` $type `=` $value attr-dict
  }];
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS
