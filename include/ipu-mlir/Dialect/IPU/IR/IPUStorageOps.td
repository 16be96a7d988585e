//===- IPUStorageOps.td - Storage of a module --------------*- tablegen -*-===//
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
    The op declares memory for the elements of `type` on the tiles that the tile
    mapping of `type` gives. An `ipu.var` that names the op is a handle to this
    memory. The storage of an `ipu.state` is always live and keeps its elements from
    one run to the next. Any other storage is undefined when a run begins, and is
    live from the first to the last step that may use it. The tile mapping of a
    storage may place an element on several tiles, or on no tile if no tile reads the
    element.

    (C1) `type` has an identity layout and as many elements as the domain of its tile
    mapping.
    (C2) If the module has a target, the target has all tiles of the tile mapping.

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
    The op declares `rows` tensors of `type` for each replica, in memory outside of
    the tiles. Rows keep their elements from one run to the next. A row that no op
    has written and that belongs to no `ipu.state` is undefined: a load of the row
    gives zeros, and check mode reports an error.

    (C1) `rows` is positive.
    (C2) `type` is a statically shaped tensor of integers or floats without encoding.
    All rows together have at most 2^56 elements.

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
    The host sets the variable to `value` when the program is loaded, and may read and
    write the variable between runs. The variable is an `ipu.storage`, or the row
    `row` of an `ipu.remote_buffer`. `type`, `groups`, `retrieval` and `sharding` have
    the same meaning as for `pop.variable`. `type` is the type on one replica before
    sharding. If there are several groups, `value` may have an additional leading
    dimension with one value for each group. Without this dimension, all groups start
    with the same value. With `sharding` by groups of g replicas, the elements in
    row-major order are padded with zeros and divided into g equal parts, and each
    replica holds one part.

    The host neither reads nor writes an `internal` variable. Such a variable gets
    `value` each time that the host loads or writes other variables.

    (C1) Either `location` names an `ipu.storage` and there is no `row`, or `location`
    names an `ipu.remote_buffer` that has the row `row`.
    (C2) The shape of the storage or row is the shape of the part that one replica
    holds. Its element type is the element type of `type`, but may differ in
    signedness. No two states have the same memory location.
    (C3) `groups` and `sharding` are groups of the replicas of the target machine.
    (C4) `type` is a statically shaped tensor of integers or floats without encoding.
    `value` has the shape and the element type that `type` and `groups` require.
    (C5) The tile mapping of the storage places each element on one tile.

    ```mlir
    ipu.state @w in @w.storage : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
    ipu.state @m in @b[0] : tensor<2x2xf32> = dense<0.0> : tensor<2x2xf32>
    ipu.state @loading in @loading.storage : tensor<i1> = dense<true> : tensor<i1> {internal}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$location,
                       OptionalAttr<I64Attr>:$row,
                       TypeAttrOf<AnyRankedTensor>:$type, ElementsAttr:$value,
                       OptionalAttr<ReplicaGroupsAttrInterface>:$groups,
                       OptionalAttr<IPU_RetrievalAttr>:$retrieval,
                       OptionalAttr<ReplicaGroupsAttrInterface>:$sharding,
                       UnitAttr:$internal);
  let assemblyFormat = [{
    $sym_name `in` $location (`` `[` $row^ `]`)? `:` $type `=` $value attr-dict
  }];
}

def IPU_RngStateOp : IPU_Op<"rng_state", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Name an RNG state that the host reads and writes";
  let description = [{
    The RNG state is an `ipu.storage` from which vertices draw random bits. Replicas
    in one equality class of `partition` have the same state. The state is kept from
    one run to the next. Between runs, the host may read and write the state as a
    `tensor<Tx6x4xui32>` for T tiles or, if `partition` has several equality classes,
    as a `tensor<RxTx6x4xui32>` for R replicas.

    When the program is loaded, the state of each equality class is computed from the
    user's seed of 64 bits. `modifier` distinguishes the RNG states of a program. Let
    c be the least number of a replica of the class. The initial words depend on the
    generator:

    - `counter`: on each tile, the first four words are the low and the high half of
      the seed, 0, and `modifier` * 2^20 + c. All other words are 0. The first two
      words are the key, the third word is the number of advances, and the fourth word
      distinguishes the states; see `ipu.random_bits`.
    - `stream`: worker w of tile t starts with four words: the low and the high half
      of (seed + c), then (t << 4) ^ 0xAAAAAAA0 | w, then `modifier` ^ 0x55555555. The
      first two words are the low and the high half of s0, and the last two words are
      the low and the high half of s1 (see `ipu.random_bits`). The worker then
      discards 15 draws. This generator and its seeding are as in poprand (setSeed).

    (C1) `location` names an `ipu.storage` of the type that getRngStateType() returns
    for the tiles of the target. No other state is in this storage.
    (C2) `partition` is a partition of the replicas of the target machine.
    (C3) `modifier` is from 0 to 2^12 - 1.
    (C4) The module has an `ipu.rng`.

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
