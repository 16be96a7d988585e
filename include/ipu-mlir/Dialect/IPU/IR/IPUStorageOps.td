//===- IPUStorageOps.td - Storage of a module ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def IPU_StorageOp : IPU_Op<"storage", [Symbol]> {
  let summary = "Declare memory that functions share";
  let description = [{
    Memory for the elements of `type` on the tiles of its tile mapping, for
    `ipu.var`s that name it. The storage of an `ipu.state` is always live and
    keeps its elements from one run to the next. Any other storage is undefined
    when a run begins, and live from the first to the last step that may use it.

    (C1) `type` has an identity layout and as many elements as its tile mapping's domain.
    (C2) the tile mapping puts each element on one tile.
    (C3) the tiles of the tile mapping exist on the target, if there is one.

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
  let summary = "Declare a remote buffer in streaming memory";
  let description = [{
    `rows` tensors of `type` for each replica, in memory that is on no tile. What is
    in it survives a run. A row that no op wrote and no `ipu.state` has is
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
  let summary = "Name a variable that the host reads and writes";
  let description = [{
    The host gives its `value` when the program is loaded, and may read and
    write it between runs. It is in an `ipu.storage`, or in row `row` of an
    `ipu.remote_buffer`. `type`, `groups`, `retrieval` and `sharding` mean what
    they do on `pop.variable`: `type` is what one replica has before sharding,
    and with more than one group `value` may have one more dimension in front,
    of their number; without it all groups start with the same value. With
    `sharding` by groups of g replicas, a replica holds one of g equal parts of
    the elements in row-major order, filled up with zeros.

    (C1) `location` names an `ipu.storage` and there is no `row`, or it names an
    `ipu.remote_buffer` that has a row `row`.
    (C2) the storage or row has the shape and, up to sign, the element type of
    what one replica holds; no two states have the same memory location.
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
                       OptionalAttr<ReplicaGroupsAttrInterface>:$groups,
                       OptionalAttr<IPU_RetrievalAttr>:$retrieval,
                       OptionalAttr<ReplicaGroupsAttrInterface>:$sharding);
  let assemblyFormat = [{
    $sym_name `in` $location (`` `[` $row^ `]`)? `:` $type `=` $value attr-dict
  }];
}

def IPU_RngStateOp : IPU_Op<"rng_state", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Name an RNG state that the host reads and writes";
  let description = [{
    An `ipu.storage` that vertices draw random bits from. Replicas of a class of
    `partition` have the same state. It survives a run; the host may read and write
    it between runs as a `tensor<Tx6x4xui32>` for T tiles, for each of R replicas
    if `partition` has several classes: `tensor<RxTx6x4xui32>`.

    When the program is loaded, the user's seed of 64 bits sets it, where c is
    the least replica of the class and `modifier` distinguishes the states of a
    program:

    - `counter`: on each tile the first four words are the low and the high half
      of the seed, 0, and `modifier` * 2^20 + c; all others are 0. They hold the
      key, the number of advances, and the number that distinguishes the states;
      see `ipu.random_bits`.
    - `stream`: worker w of tile t starts with the words low, high of (seed + c),
      (t << 4) ^ 0xAAAAAAA0 | w, `modifier` ^ 0x55555555 as low and high half of s0,
      then of s1, and drops 15 draws (after poprand's setSeed, whose generator is the
      same).

    (C1) `location` names an `ipu.storage` of the type that getRngStateType()
    gives for the tiles of the target; no other state is in it.
    (C2) `partition` is of the replicas of the target.
    (C3) `modifier` is from 0 to 2^12 - 1.
    (C4) the module has an `ipu.rng`.

    ```mlir
    ipu.rng_state @rng.all in @rng.all.storage #pop.replica_partition<all of 4> modifier 0
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$location,
                       ReplicaPartitionAttrInterface:$partition, I64Attr:$modifier);
  let assemblyFormat = [{
    $sym_name `in` $location $partition `modifier` $modifier attr-dict
  }];
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUSTORAGEOPS
